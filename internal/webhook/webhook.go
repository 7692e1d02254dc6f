// Package webhook takes deliveries of code hosts and issue trackers: read, verify, store,
// acknowledge. Nothing else happens before the answer, and nothing here asks
// the key-value store, a model or a host. What strangers send costs little: a
// body is read only after its headers were checked, and the memory for all
// bodies together is bounded.
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

// Observer is told of answers, and of deliveries that are ignored at once, for metrics.
type Observer interface {
	WebhookAnswered(source, outcome string, took time.Duration)
	DeliveryProcessed(event, disposition string)
}

// Ignore says why nothing comes of a delivery with some words; "" where something may. What it names is stored with
// that reason and without a job: organisations mostly send such events.
type Ignore func(codehost.Words) (why string)

// Config is what the handler is made of.
type Config struct {
	Store    *store.Store
	Apps     *Apps
	Ignore   Ignore        // nil: what the jobs decide
	MaxBody  int64         // bytes; 25 MiB if 0, GitHub's own limit
	InFlight int64         // bytes of bodies in memory at once, over all deliveries; 128 MiB if 0
	Budget   time.Duration // for each question to the database, 800 ms if 0; storing a body has [perMiB] more
	Logger   *slog.Logger
	Observer Observer // may be nil
}

// GitHub serves POST /webhooks/codehost. It answers 202 only after the commit.
type GitHub struct {
	Config
	room *room
}

// NewGitHub makes the handler.
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
	return &GitHub{c, newRoom(c.InFlight)}
}

// ServeHTTP implements [http.Handler].
func (h *GitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	duplicate, err := h.accept(w, r)
	answered{"github", h.Logger, h.Observer}.write(w, r, began, duplicate, err)
}

// answered is who hears of an answer to a delivery beside its sender.
type answered struct {
	source   string
	logger   *slog.Logger
	observer Observer // may be nil
}

// write answers a delivery: 202 where it is stored, else with the problem.
func (a answered) write(w http.ResponseWriter, r *http.Request, began time.Time, duplicate bool, err error) {
	outcome := "accepted"
	switch {
	case err != nil:
		outcome = errs.KindOf(err).String()
		if errs.KindOf(err) == errs.Internal || errs.KindOf(err) == errs.Unavailable {
			a.logger.ErrorContext(r.Context(), "a delivery was refused", "error", err)
		}
		problem.Write(w, err, telemetry.RequestID(r.Context()))
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

// accept checks a delivery, cheapest first: what its headers say, then its
// signature while the body arrives, then its form.
func (h *GitHub) accept(w http.ResponseWriter, r *http.Request) (duplicate bool, err error) {
	head, err := h.announced(r)
	if err != nil {
		return false, err
	}
	apps, err := h.find(r.Context(), head)
	if err != nil {
		return false, err
	}
	b := &body{room: h.room, kept: apps[0].known, declared: r.ContentLength, most: h.MaxBody}
	defer b.leave()
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTime)) // not every writer has one
	sum := sha256.New()
	if err := b.read(r.Body, io.MultiWriter(sum, checks(apps))); err != nil {
		return false, err
	}
	_ = deadline.SetReadDeadline(time.Time{}) // it would end what is still done
	app, err := signer(apps)
	if err != nil {
		return false, err
	}
	d := store.NewDelivery{Source: app.id, GUID: head.Delivery, Event: head.Event, SHA256: hex.EncodeToString(sum.Sum(nil)), Payload: b.data}
	return keeper{h.Store, h.Budget, h.Ignore, h.Logger, h.Observer}.keep(r.Context(), d)
}

// announced reads what stands before the body, and refuses what nothing that
// follows could mend. Its answers do not depend on which apps there are.
func (h *GitHub) announced(r *http.Request) (github.Header, error) {
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
		return head, errs.Wrap(err, errs.Unauthenticated, "bad_signature", "The header X-Hub-Signature-256 must be there, with an HMAC of SHA-256 in 64 hexadecimal digits.")
	}
	return head, nil
}

// addressed is an app that a delivery may be for, with the check of its signature.
type addressed struct {
	app
	check *github.Check
}

// find reads the apps with the host's number, within the budget of a question.
// An unknown app's signature is checked against a secret that nobody has, so
// that it takes the same time as a wrong signature.
func (h *GitHub) find(ctx context.Context, head github.Header) ([]addressed, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Budget)
	defer cancel()
	apps, err := h.Apps.find(ctx, head.AppID())
	if err != nil {
		return nil, refusal(err)
	}
	out := make([]addressed, 0, len(apps))
	for _, a := range apps {
		c, err := github.NewCheck(head.Signature, a.secrets...)
		if err != nil {
			return nil, err
		}
		out = append(out, addressed{a, c})
	}
	return out, nil
}

// checks hands pieces of the body to the checks of all apps.
func checks(apps []addressed) io.Writer {
	all := make([]io.Writer, 0, len(apps))
	for _, a := range apps {
		all = append(all, a.check)
	}
	return io.MultiWriter(all...)
}

// signer returns the app whose secret made the signature.
func signer(apps []addressed) (app, error) {
	err := errs.Absent()
	for _, a := range apps {
		if _, bad := a.check.Fits(); bad == nil && a.known {
			return a.app, nil
		} else if a.broken != nil {
			return app{}, refusal(a.broken) // the missing secret may be the right one
		} else if a.known {
			err = errs.Wrap(bad, errs.Unauthenticated, "bad_signature", "The signature in X-Hub-Signature-256 does not match the webhook secret of this app.")
		}
	}
	return app{}, err
}

// retryAfter is what a sender is told that could not be served; GitHub does not
// read it, redeliveries of ours and proxies do.
const retryAfter = 5 * time.Second

// refusal makes a 503 of everything that kept the delivery from being stored:
// the host must send it again.
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
