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
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Told is what the headers of a delivery say. Nothing of it is signed.
type Told struct {
	Event    string // "" where only the body says it
	Delivery string // the sender's id of the delivery; "" where it gives none
	// Proof: there is something that may prove the delivery, of the form that the host
	// gives it; hosts send none, or an empty one, where the webhook has no secret.
	Proof bool
}

// Wire reads deliveries of a kind of host or tracker.
type Wire struct {
	// Read reads the headers; its error names the header and repeats no value.
	Read func(h http.Header) (Told, error)
	// Verify checks that one of the secrets signed the body, in a time that does not
	// depend on which.
	Verify func(h http.Header, body []byte, secrets []secret.Secret) error
	// Event names the event of a proven body, "" for none; nil where the headers do.
	Event  func(h http.Header, body []byte) string
	Ignore Ignore // nil: what the jobs decide
	// Signed reports whether a delivery is proven by a signature, and not by a secret in its headers
	// alone; nil: all are. Repository names the one that a proven body is about, "" for none.
	Signed     func(h http.Header) bool
	Repository func(body []byte) domain.HostID
}

// ConnectionConfig is what the handler of a kind of hosts or trackers is made of.
type ConnectionConfig struct {
	Store       *store.Store
	Connections *Connections
	Kind        domain.ConnectionKind // the path chooses it, never a header
	Wire        Wire
	MaxBody     int64         // bytes; 25 MiB if 0
	InFlight    int64         // bytes of bodies in memory at once, over all deliveries of the kind; 128 MiB if 0
	Budget      time.Duration // for each question to the database, 800 ms if 0; storing a body has [perMiB] more
	Logger      *slog.Logger
	Observer    Observer // may be nil
}

// Connection serves POST /webhooks/{kind}/{connectionId}: deliveries to connections
// of tenants to code hosts and issue trackers. A delivery that has no id of its sender
// is known again by its digest. It answers 202 only after the commit.
type Connection struct {
	ConnectionConfig
	room    *room
	signing *lru.Cache[string, bool] // connections and repositories that are kept as signing
}

// NewConnection makes the handler.
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
	return &Connection{ConnectionConfig: c, room: newRoom(c.InFlight), signing: signing}
}

// ServeHTTP implements [http.Handler].
func (h *Connection) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	duplicate, err := h.accept(w, r)
	answered{string(h.Kind), h.Logger, h.Observer}.write(w, r, began, duplicate, err)
}

const (
	keptSigning = 10_000 // webhooks that are remembered as signing, so that the database is not asked
	maxHostID   = 64     // bytes of the number of a repository in an address
)

// errNobody says, in logs alone, that there is no such connection: its answer is that to a wrong signature.
var errNobody = errors.New("there is no such connection, or it is switched off")

// accept checks a delivery, cheapest first: what its headers say, then its
// signature, then its form.
func (h *Connection) accept(w http.ResponseWriter, r *http.Request) (duplicate bool, err error) {
	told, err := h.Wire.Read(r.Header)
	if err != nil {
		return false, errs.Wrap(err, errs.Malformed, "bad_header", "A header of the delivery is wrong: %v.", err)
	}
	if r.ContentLength > h.MaxBody {
		return false, tooLarge(h.MaxBody)
	}
	if !told.Proof {
		return false, errs.New(errs.Unauthenticated, "bad_signature", "The delivery must be signed. Give the webhook at the host the secret of this connection.")
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.Budget)
	defer cancel()
	to, err := h.Connections.find(ctx, h.Kind, r.PathValue("connectionId"))
	if err != nil {
		return false, refusal(err)
	}
	b := &body{room: h.room, kept: to.known, declared: r.ContentLength, most: h.MaxBody}
	defer b.leave()
	repository, ofOne := repositoryOf(r)
	if len(repository) > maxHostID { // no host has such a number, and its length would be ours to keep
		to.known = false
	}
	if ofOne {
		for i, key := range to.secrets {
			if i == 0 {
				to.secrets = slices.Clone(to.secrets)
			}
			to.secrets[i] = codehost.HookSecret(key, repository)
		}
	}
	sum, also := sha256.New(), io.Discard
	if !to.known { // what is not kept is not verified: the same work all the same
		also = idle(to.secrets)
	}
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTime)) // not every writer has one
	if err := b.read(r.Body, io.MultiWriter(sum, also)); err != nil {
		return false, err
	}
	_ = deadline.SetReadDeadline(time.Time{}) // it would end what is still done
	err = errNobody
	if to.known {
		err = h.Wire.Verify(r.Header, b.data, to.secrets)
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
	if told.Delivery == "" {
		told.Delivery = "sha256:" + digest
	}
	if told.Event == "" && h.Wire.Event != nil {
		told.Event = h.Wire.Event(r.Header, b.data)
	}
	d := store.NewDelivery{Source: to.id, Tenant: to.tenant, GUID: told.Delivery, Event: told.Event, SHA256: digest, Payload: b.data, FairKey: to.tenant, Repository: repository}
	return keeper{h.Store, h.Budget, h.Wire.Ignore, h.Logger, h.Observer}.keep(r.Context(), d)
}

// repositoryOf is the repository in the address of a webhook; false where it is the connection's own.
func repositoryOf(r *http.Request) (id domain.HostID, is bool) {
	given, is := r.URL.Query()[codehost.HookRepository]
	return domain.HostID(strings.Join(given, " ")), is
}

// signed refuses a secret in a header alone where the webhook of the repository has signed before:
// such a secret goes with every delivery, and is seen by what the delivery passes.
func (h *Connection) signed(ctx context.Context, header http.Header, to addressee, repository domain.HostID, body []byte) error {
	if h.Wire.Signed == nil {
		return nil
	}
	if repository == "" {
		repository = h.Wire.Repository(body)
	}
	ctx, cancel := context.WithTimeout(ctx, h.Budget)
	defer cancel()
	newest := sha256.Sum256([]byte(to.secrets[0].Reveal())) // a new secret forgets what was seen
	t, key := domain.Tenant{ID: to.tenant}, to.id+" "+string(repository)+" "+string(newest[:8])
	if h.Wire.Signed(header) {
		if _, known := h.signing.Get(key); known {
			return nil
		}
		if err := h.Store.SawSignature(ctx, t, to.id, repository); err != nil {
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
			"Deliveries about this repository were signed before, and this one is not. Give the webhook its signing token, or make a new webhook secret for the connection.")
	}
	return nil
}

// idle does the work of a verification for nothing.
func idle(secrets []secret.Secret) io.Writer {
	all := make([]io.Writer, 0, len(secrets))
	for _, s := range secrets {
		all = append(all, hmac.New(sha256.New, []byte(s.Reveal())))
	}
	return io.MultiWriter(all...)
}
