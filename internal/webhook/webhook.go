// Package webhook takes deliveries of code hosts: read, verify, store,
// acknowledge. Nothing else happens before the answer, and nothing here asks
// the key-value store, a model or a host.
package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/problem"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/telemetry"
)

// Observer is told of answers, for metrics.
type Observer interface {
	WebhookAnswered(source, outcome string, took time.Duration)
}

// Config is what the handler is made of.
type Config struct {
	Store    *store.Store
	Apps     *Apps
	MaxBody  int64         // bytes; 25 MiB if 0, GitHub's own limit
	Budget   time.Duration // for each question to the database, 800 ms if 0; storing a body has [perMiB] more
	Wake     func()        // tells a relay in this process; may be nil
	Logger   *slog.Logger
	Observer Observer // may be nil
}

// GitHub serves POST /webhooks/codehost. It answers 202 only after the commit.
type GitHub struct{ Config }

// NewGitHub makes the handler.
func NewGitHub(c Config) *GitHub {
	if c.MaxBody <= 0 {
		c.MaxBody = 25 << 20
	}
	if c.Budget <= 0 {
		c.Budget = 800 * time.Millisecond
	}
	return &GitHub{c}
}

// ServeHTTP implements [http.Handler].
func (h *GitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	duplicate, err := h.accept(w, r)
	outcome := "accepted"
	switch {
	case err != nil:
		outcome = errs.KindOf(err).String()
		if errs.KindOf(err) == errs.Internal || errs.KindOf(err) == errs.Unavailable {
			h.Logger.ErrorContext(r.Context(), "a delivery was refused", "error", err)
		}
		problem.Write(w, err, telemetry.RequestID(r.Context()))
	default:
		if duplicate {
			outcome = "duplicate"
		} else if h.Wake != nil {
			h.Wake()
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusAccepted)
		_, _ = fmt.Fprintf(w, "{\"accepted\":true,\"duplicate\":%t}\n", duplicate)
	}
	if h.Observer != nil {
		h.Observer.WebhookAnswered("github", outcome, time.Since(began))
	}
}

func (h *GitHub) accept(w http.ResponseWriter, r *http.Request) (duplicate bool, err error) {
	body, err := h.body(w, r)
	if err != nil {
		return false, err
	}
	head, err := github.ReadHeader(r.Header)
	if err != nil {
		return false, errs.Wrap(err, errs.Malformed, "bad_header", "A header of the delivery is wrong: %v.", err)
	}
	apps, err := h.find(r.Context(), head.AppID())
	if err != nil {
		return false, refusal(err)
	}
	app, err := verify(apps, body, head.Signature)
	if err != nil {
		return false, err
	}
	var payload *struct {
		Action       string `json:"action"`
		Installation struct {
			ID int64 `json:"id"`
		} `json:"installation"`
	}
	if err := json.Unmarshal(body, &payload); err != nil || payload == nil { // null is JSON, but no object
		return false, errs.Wrap(err, errs.Malformed, "not_json", "The body must be a JSON object. Set the webhook's content type to application/json.")
	}
	if len(payload.Action) > 100 {
		payload.Action = ""
	}
	sum := sha256.Sum256(body)
	ctx, cancel := context.WithTimeout(r.Context(), h.Budget+time.Duration(len(body))*perMiB/(1<<20))
	defer cancel()
	duplicate, err = h.Store.Ingest(ctx, store.NewDelivery{Source: app.id, GUID: head.Delivery, Event: head.Event, Action: payload.Action,
		SHA256: hex.EncodeToString(sum[:]), Payload: body, FairKey: fmt.Sprintf("%s:%d", app.id, payload.Installation.ID)})
	if err != nil {
		return false, refusal(err)
	}
	return duplicate, nil
}

// perMiB is what storing may take longer for each MiB of the body: the largest
// delivery has 5.8 seconds, of the 10 that GitHub waits for an answer
// (https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks).
const perMiB = 200 * time.Millisecond

// find reads the apps with a host's number, within the budget of a question.
func (h *GitHub) find(ctx context.Context, number int64) ([]app, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Budget)
	defer cancel()
	return h.Apps.find(ctx, number)
}

// verify returns the app whose secret made the signature. An unknown app is
// verified against a secret that nobody has, so that it takes the same time as
// a wrong signature.
func verify(apps []app, body []byte, signature string) (app, error) {
	err := errs.Absent()
	for _, a := range apps {
		if _, bad := github.Verify(body, signature, a.secrets...); bad == nil && a.known {
			return a, nil
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

// body reads the raw bytes, up to the limit.
func (h *GitHub) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > h.MaxBody {
		return nil, h.tooLarge()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.MaxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, h.tooLarge()
	}
	if err != nil {
		return nil, errs.Wrap(err, errs.Malformed, "unreadable", "The body could not be read to its end.")
	}
	return body, nil
}

func (h *GitHub) tooLarge() error {
	return errs.New(errs.TooLarge, "too_large", "The delivery is larger than %d bytes.", h.MaxBody)
}
