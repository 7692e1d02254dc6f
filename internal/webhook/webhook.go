// Package webhook receives deliveries of code hosts and issue trackers: read, verify, store, acknowledge.
// Nothing else happens before the answer, so it calls no key-value store, model or host. Requests of
// strangers cost little: it reads a body only after it has checked the headers, and it bounds the memory
// for all bodies together.
package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/problem"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/telemetry"
)

// Observer receives answers and ignored deliveries, for metrics.
type Observer interface {
	WebhookAnswered(source, outcome string, took time.Duration)
	DeliveryProcessed(event, disposition string)
}

// Ignore returns why a delivery has no effect, or "" if it may have one. An ignored delivery is stored with
// that reason and without a job. Most deliveries of organisations are such events.
type Ignore func(codehost.DeliveryWords) (why string)

// Config holds the dependencies of the handler.
type Config struct {
	Store    *store.Store
	Apps     *Apps
	Ignore   Ignore        // nil if only the jobs decide
	MaxBody  int64         // bytes; 25 MiB if 0, GitHub's own limit
	InFlight int64         // bytes of bodies in memory for all deliveries; 128 MiB if 0
	Budget   time.Duration // per database query, 800 ms if 0; storing a body gets [perMiB] more
	Logger   *slog.Logger
	Observer Observer // may be nil
}

// GitHub serves POST /webhooks/codehost. It answers 202 only after the commit.
type GitHub struct {
	Config
	bodyMemory *bodyMemory
}

// NewGitHub returns the handler.
func NewGitHub(c Config) *GitHub {
	if c.MaxBody <= 0 {
		c.MaxBody = 25 << 20
	}
	if c.Budget <= 0 {
		c.Budget = 800 * time.Millisecond
	}
	if c.InFlight <= 0 {
		c.InFlight = 128 << 20
	}
	return &GitHub{c, newBodyMemory(c.InFlight)}
}

// ServeHTTP implements [http.Handler].
func (h *GitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	duplicate, err := h.accept(w, r)
	answerWriter{"github", h.Logger, h.Observer}.write(w, r, began, duplicate, err)
}

// answerWriter writes an answer and reports it to the log and the metrics.
type answerWriter struct {
	source   string
	logger   *slog.Logger
	observer Observer // may be nil
}

// write answers a delivery: 202 if it is stored, otherwise with the problem.
func (a answerWriter) write(w http.ResponseWriter, r *http.Request, began time.Time, duplicate bool, err error) {
	outcome := "accepted"
	switch {
	case err != nil:
		outcome = errs.KindOf(err).String()
		if errs.KindOf(err) == errs.Internal || errs.KindOf(err) == errs.Unavailable {
			a.logger.ErrorContext(r.Context(), "a delivery was refused", "error", err)
		}
		problem.Write(w, err, telemetry.RequestID(r.Context()))
		if errs.KindOf(err) == errs.TooLarge {
			problem.DiscardRest(w, r)
		}
	default:
		if duplicate {
			outcome = "duplicate"
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusAccepted)
		_, _ = fmt.Fprintf(w, "{\"accepted\":true,\"duplicate\":%t}\n", duplicate)
	}
	if a.observer != nil {
		a.observer.WebhookAnswered(a.source, outcome, time.Since(began))
	}
}

// accept checks a delivery, in the order of cost: its headers, then its signature while the body arrives,
// then its form.
func (h *GitHub) accept(w http.ResponseWriter, r *http.Request) (duplicate bool, err error) {
	head, err := h.checkHeaders(r)
	if err != nil {
		return false, err
	}
	apps, err := h.find(r.Context(), head)
	if err != nil {
		return false, err
	}
	b := &body{bodyMemory: h.bodyMemory, kept: apps[0].known, declared: r.ContentLength, most: h.MaxBody}
	defer b.leave()
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTime)) // not every writer supports it
	sum := sha256.New()
	if err := b.read(r.Body, io.MultiWriter(sum, checks(apps))); err != nil {
		return false, err
	}
	_ = deadline.SetReadDeadline(time.Time{}) // it would interrupt the remaining work
	app, err := signer(apps)
	if err != nil && apps[0].known { // a rotation may have made the secret in between
		app, err = h.signerAgain(r.Context(), head, b.data, err)
	}
	if err != nil {
		return false, err
	}
	d := store.NewDelivery{Source: app.id, GUID: head.Delivery, Event: head.Event, SHA256: hex.EncodeToString(sum.Sum(nil)), Payload: b.data}
	return deliveryStore{h.Store, h.Budget, h.Ignore, h.Logger, h.Observer}.keep(r.Context(), d)
}

// checkHeaders checks the headers, and refuses deliveries that the body cannot make valid. Its answers do not
// depend on the registered apps.
func (h *GitHub) checkHeaders(r *http.Request) (github.Header, error) {
	head, err := github.ReadHeader(r.Header)
	if err != nil {
		return head, errs.Wrap(err, errs.Malformed, "bad_header", "A header of the delivery is wrong: %v.", err)
	}
	if r.ContentLength > h.MaxBody {
		return head, tooLarge(h.MaxBody)
	}
	if head.AppID() == "" {
		return head, errs.Absent()
	}
	if _, err := github.NewCheck(head.Signature); err != nil {
		return head, errs.Wrap(err, errs.Unauthenticated, "bad_signature",
			"The header X-Hub-Signature-256 must be there, with an HMAC of SHA-256 in 64 hexadecimal digits.")
	}
	return head, nil
}

// candidateApp is the possible app of a delivery, with the check of its signature.
type candidateApp struct {
	app
	check *github.Check
}

// find reads the apps with the host's id, within the budget of a query. It checks an unknown app's
// signature against a random secret, so that it takes as long as for a wrong signature.
func (h *GitHub) find(ctx context.Context, head github.Header) ([]candidateApp, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Budget)
	defer cancel()
	apps, err := h.Apps.find(ctx, head.AppID())
	if err != nil {
		return nil, refusal(err)
	}
	return candidates(head, apps)
}

// signerAgain looks for the signer of a body among the secrets that the store has now. It returns the given
// error if they were read too recently.
func (h *GitHub) signerAgain(ctx context.Context, head github.Header, data []byte, unsigned error) (app, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Budget)
	defer cancel()
	apps, err := h.Apps.again(ctx, head.AppID())
	if err != nil {
		return app{}, refusal(err)
	}
	if len(apps) == 0 {
		return app{}, unsigned
	}
	again, err := candidates(head, apps)
	if err != nil {
		return app{}, err
	}
	_, _ = checks(again).Write(data) // hashes never fail
	return signer(again)
}

// candidates returns the apps with the checks of a delivery's signature.
func candidates(head github.Header, apps []app) ([]candidateApp, error) {
	out := make([]candidateApp, 0, len(apps))
	for _, a := range apps {
		c, err := github.NewCheck(head.Signature, a.secrets...)
		if err != nil {
			return nil, err
		}
		out = append(out, candidateApp{a, c})
	}
	return out, nil
}

// checks returns a writer to the signature checks of all apps.
func checks(apps []candidateApp) io.Writer {
	all := make([]io.Writer, 0, len(apps))
	for _, a := range apps {
		all = append(all, a.check)
	}
	return io.MultiWriter(all...)
}

// signer returns the app whose secret made the signature.
func signer(apps []candidateApp) (app, error) {
	err := errs.Absent()
	for _, a := range apps {
		if _, bad := a.check.Fits(); bad == nil && a.known {
			return a.app, nil
		} else if a.broken != nil {
			return app{}, refusal(a.broken) // the missing secret may be the right one
		} else if a.known {
			err = errs.Wrap(bad, errs.Unauthenticated, "bad_signature", "The signature in X-Hub-Signature-256 does not match the webhook "+
				"secret of this app.")
		}
	}
	return app{}, err
}

// retryAfter is the wait that a refused sender gets. GitHub ignores it, but our redeliveries and proxies
// use it.
const retryAfter = 5 * time.Second

// refusal returns a 503 for an error that prevented storing the delivery, because the host must send it
// again.
func refusal(err error) error {
	if e, ok := errors.AsType[*errs.Error](err); ok && e.Kind == errs.Unavailable {
		if e.RetryAfter > 0 {
			return err
		}
		again := *e
		again.RetryAfter = retryAfter
		return &again
	}
	return errs.Down(err, "database", retryAfter)
}
