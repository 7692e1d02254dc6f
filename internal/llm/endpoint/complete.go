package endpoint

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/pause"
)

// Complete implements [llm.Client].
func (c *client) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	until := c.until
	if until.IsZero() {
		until = time.Now().Add(c.state.opt.Retry.Window)
	}
	window, cancel := context.WithDeadlineCause(ctx, until, ErrExhausted)
	defer cancel()
	var last error
	var waited time.Duration
	var spent llm.Response // the usage of failed tries
	modelFailed := false
	for number := 1; ; number++ {
		out, took, err := c.once(window, req)
		if err == nil && ctx.Err() != nil { // too late: the caller has stopped waiting
			err = llm.Ended(ctx)
		}
		spent.Usage, spent.Model = spent.Usage.Add(out.Usage), cmp.Or(out.Model, spent.Model)
		if err == nil {
			c.tried(ctx, Attempt{Model: req.Model, Number: number, Duration: took})
			out.Usage = spent.Usage
			return out, nil
		}
		if errors.Is(err, errNoTurn) {
			return spent, c.exhaustedError(ctx, last)
		}
		if errors.Is(err, errPaused) {
			c.tried(ctx, Attempt{Model: req.Model, Number: number, Err: err})
			return spent, err
		}
		if isModelFailure(err) {
			if modelFailed {
				err = asFinal(err)
			}
			modelFailed = true
		}
		wait := c.wait(err, number)
		paid := out.Usage != llm.Usage{}
		if most := c.state.opt.Retry.InPlace; wait >= 0 && most > 0 && (paid || waited+wait > most) {
			c.tried(ctx, Attempt{Model: req.Model, Number: number, Duration: took, Err: err})
			return spent, err
		}
		waited += max(wait, 0)
		if wait < 0 || window.Err() != nil || time.Now().Add(wait).After(until) {
			c.tried(ctx, Attempt{Model: req.Model, Number: number, Duration: took, Err: err})
			switch {
			case wait < 0 && window.Err() == nil:
				return spent, err // it would fail again
			case wait >= 0:
				last = err
			}
			return spent, c.exhaustedError(ctx, last)
		}
		c.tried(ctx, Attempt{Model: req.Model, Number: number, Duration: took, Err: err, Wait: wait})
		last = err
		if pause.For(window, wait) != nil {
			return spent, c.exhaustedError(ctx, last)
		}
	}
}

// isModelFailure reports whether the model, not its service, failed at the request (Amazon Bedrock,
// ModelErrorException). Such a call is repeated only once.
func isModelFailure(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Retryable() && e.Status == http.StatusFailedDependency
}

func asFinal(err error) error {
	e, _ := errors.AsType[*llm.Error](err) // see isModelFailure
	out := *e
	out.Class = llm.ClassFinal
	return &out
}

// wait returns the time to wait after a failure, negative if a retry would fail too.
func (c *client) wait(err error, failures int) time.Duration {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || !e.Retryable() {
		return -1
	}
	bound := c.state.opt.Retry.bound(failures)
	return max(e.RetryAfter, time.Duration(c.state.opt.Rand(int64(bound)+1)))
}

// once waits for its turn and makes one try. window ends with the caller's context or with the time for
// retries.
func (c *client) once(window context.Context, req llm.Request) (llm.Response, time.Duration, error) {
	s := c.state
	release, trial, err := c.turn(window)
	if err != nil {
		return llm.Response{}, 0, err
	}
	defer release()
	one, cancel := window, context.CancelFunc(func() {})
	if limit := s.opt.Retry.Attempt * patience(req.Effort); limit > 0 {
		one, cancel = context.WithTimeoutCause(window, limit, errAttempt)
	}
	defer cancel()
	began := time.Now()
	settled := false
	defer func() {
		if !settled { // the codec panicked: free the trial
			s.settle(time.Now(), trial, false, nil)
		}
	}()
	out, err := c.inner.Complete(one, req)
	if err != nil && window.Err() == nil && one.Err() != nil {
		err = &llm.Error{Class: llm.ClassRetryable, ProviderMessage: slowMessage, Cause: err}
	}
	err = redactQuotes(err, req)
	settled = true
	s.settle(time.Now(), trial, err == nil || window.Err() == nil || isDown(err), err)
	if e, ok := errors.AsType[*llm.Error](err); ok && e.RetryAfter > 0 {
		t := time.Now().Add(e.RetryAfter)
		s.PauseUntil(t)
		if c.hooks.Paused != nil {
			c.hooks.Paused(window, t)
		}
	}
	return out, time.Since(began), err
}

var (
	errAttempt = errors.New("the attempt took too long")
	errNoTurn  = errors.New("the call did not get its turn in time")
	errPaused  = errors.New("the pause is too long to be waited out in place")
)

const slowMessage = "The endpoint did not answer in time."

// turn waits for a slot, and for the end of pauses. It returns errNoTurn, or the error of a pause that is too
// long to wait for in place.
func (c *client) turn(window context.Context) (release func(), trial bool, err error) {
	for {
		release, err := c.state.enter(window)
		if err != nil {
			return nil, false, errNoTurn
		}
		wait, trial := c.state.admit(time.Now())
		if wait == 0 {
			return release, trial, nil
		}
		release() // waiting calls hold no slot
		if most := c.state.opt.Retry.InPlace; most > 0 && wait > most {
			return nil, false, c.state.refusal(wait)
		}
		if end, ok := window.Deadline(); ok && time.Now().Add(wait).After(end) || pause.For(window, wait) != nil {
			return nil, false, errNoTurn
		}
	}
}

func (c *client) tried(ctx context.Context, a Attempt) {
	if c.hooks.Tried != nil {
		c.hooks.Tried(ctx, a)
	}
}

// exhaustedError returns the error of a call that may not try again: the end of the caller's context, or the last error
// marked as the end of the window.
func (c *client) exhaustedError(ctx context.Context, last error) error {
	if ctx.Err() != nil {
		return llm.Ended(ctx)
	}
	out := llm.Error{Class: llm.ClassRetryable, ProviderMessage: "The endpoint did not answer in time, or asked for a pause that is " +
		"not over in time."}
	if e, ok := errors.AsType[*llm.Error](last); ok {
		out = *e
	}
	out.Cause = errors.Join(ErrExhausted, out.Cause)
	return &out
}
