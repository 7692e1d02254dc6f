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

// trialPoll is the interval at which waiting calls check whether a trial has ended.
const trialPoll = time.Second

// State holds this process's state of a credential: the number of running calls, whether the endpoint is down,
// and until when the provider wants no calls. It is safe for concurrent use.
type State struct {
	opt   Options
	slots *semaphore.Weighted

	mu       sync.Mutex
	failures int           // in a row
	pause    time.Duration // of the open breaker; 0 when it is closed
	openTill time.Time     // when one call may try
	trying   bool          // that call is under way
	paused   time.Time     // Retry-After
	why      *llm.Error    // the last retryable failure, for calls that wait; nil after a success
}

func newState(opt Options) *State {
	return &State{opt: opt, slots: semaphore.NewWeighted(int64(opt.Concurrent))}
}

// PauseUntil holds calls back until t, because the provider asked this or another process for it. It ignores a
// time before the current one.
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

// admit returns how long a call must still wait, and 0 if it may run. After its pause, an open breaker lets
// one call through: trial marks that call, and settle must get its outcome.
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

// settle records the outcome of a call. known is false if the caller gave up before it.
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
	case !known: // shows nothing about the endpoint
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

// refusal returns the error of a call that cannot wait for the end of a pause, with the message of the failure
// that caused the pause.
func (s *State) refusal(wait time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := llm.Error{Class: llm.ClassRetryable, RetryAfter: wait, Cause: errPaused,
		ProviderMessage: "The provider wants no calls at the moment; they wait."}
	if s.why != nil {
		out.Status, out.Code, out.ProviderMessage, out.RequestID = s.why.Status, s.why.Code, s.why.ProviderMessage, s.why.RequestID
	}
	return &out
}

// isDown reports whether an error shows that the endpoint does not work.
func isDown(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Class == llm.ClassRetryable && e.Status != http.StatusTooManyRequests
}
