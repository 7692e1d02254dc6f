// Package endpoint guards calls to model endpoints: the one retry policy, a
// circuit breaker and a limit of concurrent calls per credential, shared by
// everything in this process that uses the credential.
//
// What must not live here: codecs, budgets, what is shared between processes
// (a pause that all must keep is a column; see [Hooks]), or anything that knows
// a review.
package endpoint

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/assay-dev/assay/internal/llm"
)

// Retry is the retry policy of model calls by default: waits of up to 2, 4, 8 …
// 60 s with full jitter, ten minutes from the start.
type Retry struct {
	Base    time.Duration // bound of the first wait; 0 = 2 s
	Max     time.Duration // bound of every wait of ours; 0 = 60 s. A provider's Retry-After may be longer
	Window  time.Duration // from the start of a call, where no Until is given; 0 = 10 min
	Attempt time.Duration // longest single attempt, times [Patience]; 0 = 5 min, negative = none
	// InPlace is how long waits together may hold the caller; a call that would
	// wait longer returns its error, for a job that can come back later. So does
	// one whose failed try has counted tokens: what was reserved for the call is
	// spent, and the next try needs money of its own. 0 = no bound.
	InPlace time.Duration
}

// MostPatience is the largest [Patience].
const MostPatience = 3

// Patience is how many times the usual time a call may take for its effort:
// answers are not streamed, and models that reason long say nothing meanwhile
// (the official clients wait ten minutes for headers; openai-go,
// default_http_client.go).
func Patience(e llm.Effort) time.Duration {
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

// bound is the longest wait after so many failures, counted from 1.
func (r Retry) bound(failures int) time.Duration {
	d := r.Base
	for range failures - 1 {
		if d *= 2; d >= r.Max {
			return r.Max
		}
	}
	return min(d, r.Max)
}

// Options of a [Set].
type Options struct {
	Retry   Retry
	Breaker Breaker
	// Concurrent calls per credential; 0 = 8.
	Concurrent int
	// Rand returns a number in [0, n); nil = math/rand/v2.
	Rand func(n int64) int64
}

// Breaker says when an endpoint counts as down.
type Breaker struct {
	// Failures in a row that open it; 0 = 5. Rate limits do not count: an
	// endpoint that limits is up.
	Failures int
	// Pause until one call may try again; it doubles with every failed try, up
	// to MaxPause. 0 = 15 s and 60 s.
	Pause, MaxPause time.Duration
}

// credentials is how many credentials' states are kept; the longest unused goes
// first, and starts afresh.
const credentials = 4096

// Set holds the states of credentials. It is safe for concurrent use.
type Set struct {
	opt    Options
	states *lru.Cache[string, *State]
}

// New makes a set.
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

// For returns the state of a credential. The key names credential and endpoint
// (and the credential's version, so that an edit starts afresh) and must not
// hold the secret.
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
	Wait     time.Duration // until the next attempt; 0 if there is none
}

// Hooks of a client. Each may be nil. They are called from the goroutine of the
// call, so from several at once.
type Hooks struct {
	// Tried is called after every attempt.
	Tried func(ctx context.Context, a Attempt)
	// Paused is called when the provider asks for a pause (Retry-After), so that
	// other processes can be told.
	Paused func(ctx context.Context, until time.Time)
}

// Wrap puts the policy around a client. Calls that fail in a retryable way are
// made again until they succeed, fail otherwise, or the window is exhausted:
// until, or when that is zero the policy's window from the start of each call.
// Then the last error is returned, an [*llm.Error] of a retryable class that
// wraps [ErrExhausted]. The end of ctx ends a call with ctx's error.
//
// A list of models takes a slot as any call does, and is not retried.
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
