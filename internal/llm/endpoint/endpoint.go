// Package endpoint guards calls to model endpoints. It has the one retry policy, a circuit breaker and a limit
// of concurrent calls per credential, shared by everything in this process that uses the credential.
//
// Codecs, budgets, state that processes share (a pause for all of them is a column; see [Hooks]) and anything
// about reviews do not belong here.
package endpoint

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/assay-dev/assay/internal/llm"
)

// Retry is the retry policy of model calls. The default waits up to 2, 4, 8 … 60 s with full jitter, for ten
// minutes from the start.
type Retry struct {
	Base    time.Duration // bound of the first wait; 0 = 2 s
	Max     time.Duration // bound of every wait of ours; 0 = 60 s. A provider's Retry-After may be longer
	Window  time.Duration // from the start of a call without an Until; 0 = 10 min
	Attempt time.Duration // longest single attempt, times [patience]; 0 = 5 min, negative = none
	// InPlace bounds the sum of the waits that hold the caller; 0 = no bound. A call that would wait longer
	// returns its error, for a job that can come back later. A call whose failed try has counted tokens also
	// returns it, because that try spent the call's reservation and the next try must reserve again.
	InPlace time.Duration
}

// MostPatience is the largest [patience].
const MostPatience = 3

// patience returns how many times the usual time a call with this effort may take. Answers are not streamed,
// so models that reason long send nothing meanwhile (the official clients wait ten minutes for headers;
// openai-go, default_http_client.go).
func patience(e llm.Effort) time.Duration {
	switch e {
	case llm.EffortHigh:
		return 2
	case llm.EffortXHigh, llm.EffortMax:
		return MostPatience
	}
	return 1
}

func (r Retry) withDefaults() Retry {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&r.Base, 2*time.Second)
	set(&r.Max, time.Minute)
	set(&r.Window, 10*time.Minute)
	set(&r.Attempt, 5*time.Minute)
	return r
}

// bound returns the longest wait after so many failures, counted from 1.
func (r Retry) bound(failures int) time.Duration {
	d := r.Base
	for range failures - 1 {
		if d *= 2; d >= r.Max {
			return r.Max
		}
	}
	return min(d, r.Max)
}

// Options configures a [Set].
type Options struct {
	Retry   Retry
	Breaker Breaker
	// Concurrent is the number of concurrent calls per credential; 0 = 8.
	Concurrent int
	// Rand returns a number in [0, n); nil = math/rand/v2.
	Rand func(n int64) int64
}

// Breaker configures when an endpoint counts as down.
type Breaker struct {
	// Failures is the number of failures in a row that open the breaker; 0 = 5. Rate limits do not count,
	// because an endpoint that limits is up.
	Failures int
	// Pause is the time until one call may try again. It doubles with every failed try, up to MaxPause. 0 = 15
	// s and 60 s.
	Pause, MaxPause time.Duration
}

// credentials is the number of credentials whose state a set keeps. The least recently used state is dropped
// first; its credential starts with a fresh one.
const credentials = 4096

// Set holds the states of credentials. It is safe for concurrent use.
type Set struct {
	opt    Options
	states *lru.Cache[string, *State]
}

// New returns an empty set.
func New(opt Options) *Set {
	opt.Retry = opt.Retry.withDefaults()
	if opt.Concurrent <= 0 {
		opt.Concurrent = 8
	}
	if opt.Breaker.Failures <= 0 {
		opt.Breaker.Failures = 5
	}
	if opt.Breaker.Pause <= 0 {
		opt.Breaker.Pause = 15 * time.Second
	}
	opt.Breaker.MaxPause = max(opt.Breaker.MaxPause, opt.Breaker.Pause, time.Minute)
	if opt.Rand == nil {
		opt.Rand = rand.Int64N
	}
	s := &Set{opt: opt}
	s.states, _ = lru.New[string, *State](credentials) // fails only for a size below 1
	return s
}

// For returns the state of a credential. The key identifies credential and endpoint, and the credential's
// version, so that an edit starts with a fresh state. It must not hold the secret.
func (s *Set) For(key string) *State {
	if st, ok := s.states.Get(key); ok {
		return st
	}
	fresh := newState(s.opt)
	if old, found, _ := s.states.PeekOrAdd(key, fresh); found {
		return old
	}
	return fresh
}

// Attempt is one try of a call, for logs and metrics.
type Attempt struct {
	Model    string
	Number   int // from 1
	Duration time.Duration
	Err      error         // nil on success
	Wait     time.Duration // until the next attempt; 0 after the last
}

// Hooks are the callbacks of a client. Each may be nil. Concurrent calls run them concurrently, each in its
// own goroutine.
type Hooks struct {
	// Tried is called after every attempt.
	Tried func(ctx context.Context, a Attempt)
	// Paused is called when the provider asks for a pause (Retry-After), so that the caller can inform other
	// processes.
	Paused func(ctx context.Context, until time.Time)
}

// Wrap puts the policy around a client. It repeats calls that fail in a retryable way until they succeed, fail
// otherwise, or the window is over. The window ends at until, or after the policy's window from the start of
// each call if until is zero. The call then returns its last error, an [*llm.Error] of a retryable class that
// wraps [ErrExhausted]. The end of ctx ends a call with ctx's error.
//
// A list of models takes a slot like any call, and is not retried.
func (s *State) Wrap(inner llm.Client, until time.Time, hooks Hooks) llm.Client {
	return &client{inner: inner, state: s, until: until, hooks: hooks}
}

// ErrExhausted means that the window for retries is over.
var ErrExhausted = errors.New("the time for the model to answer is used up")

type client struct {
	inner llm.Client
	state *State
	until time.Time
	hooks Hooks
}

// ListModels implements [llm.Client].
func (c *client) ListModels(ctx context.Context) ([]llm.ModelInfo, error) {
	release, err := c.state.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return c.inner.ListModels(ctx)
}
