package httpapi

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/errs"
)

// maxRefusals is the maximum number of remembered refusals (design choice). Beyond it, some refusals are
// recorded twice in a minute.
const maxRefusals = 10_000

// refusals remembers the recorded refusals of the current minute. The zero value is ready for use.
type refusals struct {
	mu     sync.Mutex
	minute int64
	seen   map[[3]string]bool
}

// first reports whether a refusal is the first of its person, tenant and route in this minute.
func (f *refusals) first(key [3]string, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := now.Unix() / 60; m != f.minute || len(f.seen) >= maxRefusals {
		f.minute, f.seen = m, map[[3]string]bool{}
	}
	if f.seen[key] {
		return false
	}
	f.seen[key] = true
	return true
}

// refused records that a signed-in person was refused by role or by the checks against forged requests,
// once per person, route and minute in each process. It only counts anonymous refusals. An error while
// recording does not change the answer.
func (s *server) refused(ctx context.Context, r *http.Request, rt Route, c *caller, err error) {
	e, ok := errors.AsType[*errs.Error](err)
	if !ok || e.Kind != errs.Forbidden && e.Kind != errs.Unauthenticated {
		return
	}
	who := "anonymous"
	if c != nil && c.SignedIn {
		who = "user"
	}
	if s.Metrics != nil {
		s.Metrics.Refusal(e.Code, who)
	}
	if who == "anonymous" || e.Kind != errs.Forbidden {
		return
	}
	s.recordRefusal(audit.As(ctx, s.actor(ctx, r, c)), rt.pattern(), e.Code, c)
}

// handlerRefused is [server.refused] for refusals by a handler. route is the method and the path's pattern.
func (s *server) handlerRefused(ctx context.Context, route string, err error) {
	if e, ok := errors.AsType[*errs.Error](err); ok && e.Kind == errs.Forbidden && callerFrom(ctx).SignedIn {
		s.recordRefusal(ctx, route, e.Code, callerFrom(ctx))
	}
}

func (s *server) recordRefusal(ctx context.Context, route, code string, c *caller) {
	if !s.refusals.first([3]string{c.user.ID, c.tenant.ID, route}, time.Now()) {
		return
	}
	act := audit.Act{Tenant: c.tenant, Action: "request.refuse", Target: audit.Target{Kind: "route", ID: route}, Result: audit.Refused,
		Note: code}
	if err := s.Audit.Record(ctx, act); err != nil {
		s.Logger.ErrorContext(ctx, "a refusal could not be recorded", "error", err, "route", route)
	}
}
