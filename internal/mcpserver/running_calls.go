package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/errs"
)

// errCancelled is the cause of a call that its client cancelled.
var errCancelled = errors.New("the client has cancelled the request")

// underway is a call that can be cancelled.
type underway struct{ cancel context.CancelCauseFunc }

// note returns the context of a call. Until end is called, a later request of the token can cancel it. Without
// a session, a client cancels a call by a separate request (MCP 2025-11-25, basic/utilities/cancellation),
// which must reach this process.
func (s *Service) note(ctx context.Context, token string, id json.RawMessage) (under context.Context, end func()) {
	under, cancel := context.WithCancelCause(ctx)
	one, at := &underway{cancel}, token+" "+key(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[at] = append(s.calls[at], one)
	return under, func() {
		cancel(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls[at] = slices.DeleteFunc(s.calls[at], func(u *underway) bool { return u == one })
		if len(s.calls[at]) == 0 {
			delete(s.calls, at)
		}
	}
}

// cancel ends the call with an id of a token. Several clients of one token each count their ids from the
// start; if two running calls have the id, the meant one is unknown, and both go on until their clients leave.
func (s *Service) cancel(token string, id json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if all := s.calls[token+" "+key(id)]; len(all) == 1 {
		all[0].cancel(errCancelled)
	}
}

// of returns the context of the message that a call came in.
func (v *visit) of(kind string, req mcp.Request) context.Context {
	if len(v.under) == 1 {
		return v.under[0]
	}
	if kind == "" {
		return v.whole
	}
	place, marked := req.GetParams().GetMeta()[mark].(float64)
	if i := int(place); marked && i >= 0 && i < len(v.under) {
		return v.under[i]
	}
	return v.whole
}

// runningCounter counts running work by name, and refuses work above a bound.
type runningCounter struct {
	mu   sync.Mutex
	busy map[string]int
}

// runningLimit is a bound on running work.
type runningLimit struct {
	name      string
	most      int
	who, what string // for people
	retry     time.Duration
}

// enter counts n in every share, or in none and returns an error that names the exhausted share. leave undoes
// it.
func (f *runningCounter) enter(n int, in ...runningLimit) (leave func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.busy == nil {
		f.busy = map[string]int{}
	}
	for _, s := range in {
		if n > 0 && f.busy[s.name]+n > s.most {
			return nil, withRetryAfter(errs.New(errs.RateLimited, "too_many_at_once",
				"%s has %d %s under way. At most %d are served at once.", s.who, f.busy[s.name], s.what, s.most), s.retry)
		}
	}
	for _, s := range in {
		f.busy[s.name] += n
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, s := range in {
			if f.busy[s.name] -= n; f.busy[s.name] <= 0 {
				delete(f.busy, s.name)
			}
		}
	}, nil
}

// withRetryAfter sets when to try again.
func withRetryAfter(e *errs.Error, after time.Duration) error {
	e.RetryAfter = after
	return e
}
