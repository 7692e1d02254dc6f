package endpoint

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/assay-dev/assay/internal/llm"
)

// trialPoll is how often calls look whether a trial has ended.
const trialPoll = time.Second

// State is what this process knows of a credential: how many calls run, whether
// the endpoint is down, and until when the provider wants none. It is safe for
// concurrent use.
type State struct {
	opt   Options
	slots *semaphore.Weighted

	mu       sync.Mutex
	failures int           // in a row
	pause    time.Duration // of the open breaker; 0 when it is closed
	openTill time.Time     // when one call may try
	trying   bool          // that call is under way
	paused   time.Time     // Retry-After
	why      *llm.Error    // the last failure that passes, for those that wait; nil after a success
}

func newState(opt Options) *State {
	return &State{opt: opt, slots: semaphore.NewWeighted(int64(opt.Concurrent))}
}

// PauseUntil keeps calls back until a time, because the provider said so (here
// or to another process). An earlier time than one that is known changes nothing.
func (s *State) PauseUntil(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.After(s.paused) {
		s.paused = t
	}
}

// enter waits for a free slot.
func (s *State) enter(ctx context.Context) (release func(), err error) {
	if err := s.slots.Acquire(ctx, 1); err != nil {
		return nil, llm.Ended(ctx)
	}
	return func() { s.slots.Release(1) }, nil
}

// admit reports how long a call must wait still, and 0 when it may go. Of an
// open breaker it lets one call through after the pause; trial says that it is
// this one, and that its outcome must be told.
func (s *State) admit(now time.Time) (wait time.Duration, trial bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait = s.paused.Sub(now)
	if s.pause == 0 {
		return max(wait, 0), false
	}
	if s.trying {
		return max(wait, trialPoll), false // the trial decides: look again soon
	}
	if wait = max(wait, s.openTill.Sub(now)); wait > 0 {
		return wait, false
	}
	s.trying = true
	return 0, true
}

// settle takes the outcome of a call. It is not known when the caller gave up.
func (s *State) settle(now time.Time, trial, known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if trial {
		s.trying = false
	}
	if e, ok := errors.AsType[*llm.Error](err); known && (err == nil || ok && e.Retryable()) {
		s.why = e
	}
	switch {
	case !known: // says nothing about the endpoint
	case isDown(err):
		s.failures++
		switch {
		case trial:
			s.pause = min(2*s.pause, s.opt.Breaker.MaxPause)
			s.openTill = now.Add(s.pause)
		case s.pause == 0 && s.failures >= s.opt.Breaker.Failures:
			s.pause = s.opt.Breaker.Pause
			s.openTill = now.Add(s.pause)
		}
	case err == nil || trial || s.pause == 0: // an answer, if only a refusal
		s.failures, s.pause = 0, 0
	}
}

// refusal is the error of a call that cannot wait for the end of a pause. What
// is wrong is said in the words of the failure that led to it.
func (s *State) refusal(wait time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := llm.Error{Class: llm.ClassRetryable, RetryAfter: wait, Cause: errPaused, ProviderMessage: "The provider wants no calls at the moment; they wait."}
	if s.why != nil {
		out.Status, out.Code, out.ProviderMessage, out.RequestID = s.why.Status, s.why.Code, s.why.ProviderMessage, s.why.RequestID
	}
	return &out
}

// isDown reports whether an error says that the endpoint does not work.
func isDown(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Class == llm.ClassRetryable && e.Status != http.StatusTooManyRequests
}
