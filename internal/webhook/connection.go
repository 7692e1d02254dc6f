package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Headers is the content of a delivery's headers. It is not signed.
type Headers struct {
	Event    string // "" if only the body names it
	Delivery string // the sender's id of the delivery, or ""
	// Proof reports whether the headers have a proof in the host's form. Hosts send no proof, or an empty
	// one, if the webhook has no secret.
	Proof bool
}

// Wire reads deliveries of a kind of host or tracker.
type Wire struct {
	// Read parses the headers. Its error names the header and repeats no value.
	Read func(h http.Header) (Headers, error)
	// Verify checks that one of the secrets signed the body. Its duration does not depend on which.
	Verify func(h http.Header, body []byte, secrets []secret.Secret) error
	// Event returns the event of a verified body, or ""; nil if the headers name the event.
	Event func(h http.Header, body []byte) string
	// Delivery returns the sender's id of a verified delivery, or ""; nil if the headers have it.
	Delivery func(body []byte) string
	Ignore   Ignore // nil if only the jobs decide
	// Signed reports whether a signature proves a delivery, and not only a secret in its headers; nil if it
	// always does. Repository returns the repository of a verified body, or "".
	Signed     func(h http.Header) bool
	Repository func(body []byte) domain.HostID
}

// ConnectionConfig holds the dependencies of the handler of a kind of host or tracker.
type ConnectionConfig struct {
	Store       *store.Store
	Connections *Connections
	Kind        domain.ConnectionKind // from the path, never from a header
	Wire        Wire
	MaxBody     int64         // bytes; 25 MiB if 0
	InFlight    int64         // bytes of bodies in memory for all deliveries of the kind; 128 MiB if 0
	Budget      time.Duration // per database query, 800 ms if 0; storing a body gets [perMiB] more
	Logger      *slog.Logger
	Observer    Observer // may be nil
}

// Connection serves POST /webhooks/{kind}/{connectionId}: deliveries to tenants' connections to code hosts
// and issue trackers. A delivery without the sender's id is identified by its digest. It answers 202 only
// after the commit.
type Connection struct {
	ConnectionConfig
	bodyMemory *bodyMemory
	signing    *lru.Cache[string, bool] // connections and repositories that are stored as signing
}

// NewConnection returns the handler.
func NewConnection(c ConnectionConfig) *Connection {
	if c.MaxBody <= 0 {
		c.MaxBody = 25 << 20
	}
	if c.Budget <= 0 {
		c.Budget = 800 * time.Millisecond
	}
	if c.InFlight <= 0 {
		c.InFlight = 128 << 20
	}
	signing, err := lru.New[string, bool](keptSigning)
	if err != nil { // only for a size that is not positive
		panic(err)
	}
	return &Connection{ConnectionConfig: c, bodyMemory: newBodyMemory(c.InFlight), signing: signing}
}

// ServeHTTP implements [http.Handler].
func (h *Connection) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	duplicate, err := h.accept(w, r)
	answerWriter{string(h.Kind), h.Logger, h.Observer}.write(w, r, began, duplicate, err)
}

const (
	keptSigning = 10_000 // number of cached webhooks that sign, to save database queries
	maxHostID   = 64     // maximum length of a repository's id in an address, in bytes
)

// errUnknownConnection reports an unknown connection, only in logs. The answer is the same as to a wrong signature.
var errUnknownConnection = errors.New("there is no such connection, or it is switched off")

// accept checks a delivery, in the order of cost: its headers, then its signature, then its form.
func (h *Connection) accept(w http.ResponseWriter, r *http.Request) (duplicate bool, err error) {
	told, err := h.Wire.Read(r.Header)
	if err != nil {
		return false, errs.Wrap(err, errs.Malformed, "bad_header", "A header of the delivery is wrong: %v.", err)
	}
	if r.ContentLength > h.MaxBody {
		return false, tooLarge(h.MaxBody)
	}
	if !told.Proof {
		return false, errs.New(errs.Unauthenticated, "bad_signature",
			"The delivery must be signed. Give the webhook at the host the secret of this connection.")
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.Budget)
	defer cancel()
	id := r.PathValue("connectionId")
	to, err := h.Connections.find(ctx, h.Kind, id)
	if err != nil {
		return false, refusal(err)
	}
	b := &body{bodyMemory: h.bodyMemory, kept: to.known, declared: r.ContentLength, most: h.MaxBody}
	defer b.leave()
	repository, _ := repositoryOf(r)
	to = to.at(r)
	sum, also := sha256.New(), io.Discard
	if !to.known { // a discarded body is not verified, but must take the same time
		also = dummyVerifier(to.secrets)
	}
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTime)) // not every writer supports it
	if err := b.read(r.Body, io.MultiWriter(sum, also)); err != nil {
		return false, err
	}
	_ = deadline.SetReadDeadline(time.Time{}) // it would interrupt the remaining work
	err = h.verify(r.Header, b.data, to)
	if err != nil && to.known { // a rotation may have made the secret in between
		again, read, failed := h.readAgain(r.Context(), id)
		switch {
		case failed != nil:
			return false, refusal(failed)
		case read:
			to = again.at(r)
			err = h.verify(r.Header, b.data, to)
		}
	}
	if err != nil {
		if to.broken != nil { // the missing secret may be the right one
			return false, refusal(to.broken)
		}
		return false, errs.Wrap(err, errs.Unauthenticated, "bad_signature",
			"The signature does not match the webhook secret of a connection with this address.")
	}
	if err := h.signed(r.Context(), r.Header, to, repository, b.data); err != nil {
		return false, err
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	if told.Delivery == "" && h.Wire.Delivery != nil {
		told.Delivery = h.Wire.Delivery(b.data)
	}
	if told.Delivery == "" {
		told.Delivery = "sha256:" + digest
	}
	if told.Event == "" && h.Wire.Event != nil {
		told.Event = h.Wire.Event(r.Header, b.data)
	}
	d := store.NewDelivery{Source: to.id, Tenant: to.tenant, GUID: told.Delivery, Event: told.Event, SHA256: digest, Payload: b.data,
		FairKey: to.tenant, Repository: repository}
	return deliveryStore{h.Store, h.Budget, h.Wire.Ignore, h.Logger, h.Observer}.keep(r.Context(), d)
}

// verify checks that one of a connection's secrets signed the body.
func (h *Connection) verify(header http.Header, body []byte, to candidateConnection) error {
	if !to.known {
		return errUnknownConnection
	}
	return h.Wire.Verify(header, body, to.secrets)
}

// readAgain is [Connections.again] within the budget of a query. The arrival of the body may have taken the
// budget of the first one.
func (h *Connection) readAgain(ctx context.Context, id string) (candidateConnection, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Budget)
	defer cancel()
	return h.Connections.again(ctx, h.Kind, id)
}

// at returns the connection for the address of a request. The webhook of one repository has secrets that
// are derived from those of the connection.
func (c candidateConnection) at(r *http.Request) candidateConnection {
	repository, ofOne := repositoryOf(r)
	if len(repository) > maxHostID { // not a host's id, and its length must not cost us memory
		c.known = false
	}
	if !ofOne {
		return c
	}
	derived := make([]secret.Secret, len(c.secrets))
	for i, key := range c.secrets {
		derived[i] = codehost.HookSecret(key, repository)
	}
	c.secrets = derived
	return c
}

// repositoryOf returns the repository in a webhook's address, and false for the address of the whole
// connection.
func repositoryOf(r *http.Request) (id domain.HostID, is bool) {
	given, is := r.URL.Query()[codehost.HookRepository]
	return domain.HostID(strings.Join(given, " ")), is
}

// signed refuses a delivery with only a secret in a header if the repository's webhook has signed before.
// Such a secret is weaker, because every system on the delivery's way can read it.
func (h *Connection) signed(ctx context.Context, header http.Header, to candidateConnection, repository domain.HostID, body []byte) error {
	if h.Wire.Signed == nil {
		return nil
	}
	if repository == "" {
		repository = h.Wire.Repository(body)
	}
	ctx, cancel := context.WithTimeout(ctx, h.Budget)
	defer cancel()
	newest := sha256.Sum256([]byte(to.secrets[0].Reveal())) // a new secret resets the memory
	t, key := domain.Tenant{ID: to.tenant}, to.id+" "+string(repository)+" "+string(newest[:8])
	if h.Wire.Signed(header) {
		if _, known := h.signing.Get(key); known {
			return nil
		}
		if err := h.Store.RecordHookSignature(ctx, t, to.id, repository); err != nil {
			return refusal(err)
		}
		h.signing.Add(key, true)
		return nil
	}
	signs, err := h.Store.SignsDeliveries(ctx, t, to.id, repository)
	if err != nil {
		return refusal(err)
	}
	if signs {
		return errs.New(errs.Unauthenticated, "bad_signature",
			"Deliveries about this repository were signed before, and this one is not. Give the webhook its signing token, or make a new "+
				"webhook secret for the connection.")
	}
	return nil
}

// dummyVerifier returns a writer that takes as long as a verification and has no result.
func dummyVerifier(secrets []secret.Secret) io.Writer {
	all := make([]io.Writer, 0, len(secrets))
	for _, s := range secrets {
		all = append(all, hmac.New(sha256.New, []byte(s.Reveal())))
	}
	return io.MultiWriter(all...)
}
