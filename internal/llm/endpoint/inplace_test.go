package endpoint_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/endpoint"
)

// inPlace returns a client whose calls wait at most four seconds.
func inPlace(s *scripted, tried func(endpoint.Attempt)) llm.Client {
	set := endpoint.New(endpoint.Options{Rand: func(int64) int64 { return 0 }, Retry: endpoint.Retry{InPlace: 4 * time.Second}})
	return set.For("k").Wrap(s, time.Time{}, endpoint.Hooks{Tried: func(_ context.Context, a endpoint.Attempt) { tried(a) }})
}

// A pause that is too long to wait for ends the call, and every later call, with the message of the failure
// that caused it.
func TestLongPausesEndACallInPlace(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer func(n int) error
		calls  int // number of calls in the first Complete
		says   string
		status int
		after  time.Duration
	}{
		"the breaker opens":              {func(int) error { return down() }, 5, "overloaded", 503, 15 * time.Second},
		"the provider wants a long wait": {func(int) error { return limited(30 * time.Second) }, 1, "", 429, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{answer: func(_ context.Context, n int) error { return tc.answer(n) }}
				var last endpoint.Attempt
				c := inPlace(s, func(a endpoint.Attempt) { last = a })
				began := time.Now()
				_, err := c.Complete(t.Context(), request)
				e, ok := errors.AsType[*llm.Error](err)
				if !ok || !e.Retryable() || e.RetryAfter != tc.after || e.ProviderMessage != tc.says || len(s.times) != tc.calls || time.Since(began) != 0 {
					t.Errorf("%+v (%v) after %d calls and %v", e, err, len(s.times), time.Since(began))
				}
				if last.Err == nil || last.Wait != 0 {
					t.Errorf("the last attempt was reported as %+v", last)
				}
				_, err = c.Complete(t.Context(), request) // sends no request
				if e, ok := errors.AsType[*llm.Error](err); !ok || e.ProviderMessage != tc.says || e.Status != tc.status || len(s.times) != tc.calls {
					t.Errorf("%v after %d calls", err, len(s.times))
				}
			})
		})
	}
}

// A model failure that is retried once stays retryable if the retry has to wait.
func TestAPauseIsNoSecondFailureOfTheModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answer: func(_ context.Context, n int) error {
			if n < 5 {
				return down()
			}
			return &llm.Error{Class: llm.ClassRetryable, Status: 424, ProviderMessage: "the model failed"}
		}}
		_, err := inPlace(s, func(endpoint.Attempt) {}).Complete(t.Context(), request)
		if e, ok := errors.AsType[*llm.Error](err); !ok || !e.Retryable() || e.Status != 424 || len(s.times) != 5 {
			t.Errorf("%v after %d calls", err, len(s.times))
		}
	})
}

// A failed attempt with counted tokens has used up the call's reservation, so that another attempt needs a
// new call.
func TestAPaidFailureEndsACallInPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		set := endpoint.New(endpoint.Options{Rand: longest, Retry: endpoint.Retry{InPlace: time.Minute}})
		c := set.For("k").Wrap(counting{func() (llm.Response, error) {
			if n++; n < 3 {
				return llm.Response{}, down()
			}
			return llm.Response{Model: "m-1", Usage: llm.Usage{InputTokens: 10}}, down()
		}}, time.Time{}, endpoint.Hooks{})
		out, err := c.Complete(t.Context(), request)
		if e, ok := errors.AsType[*llm.Error](err); !ok || !e.Retryable() || n != 3 || out.Usage.InputTokens != 10 || out.Model != "m-1" {
			t.Errorf("%+v, %v after %d tries", out, err, n)
		}
	})
}

// A pause that began in another process has no provider's message here.
func TestAPauseOfAnotherProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state := endpoint.New(endpoint.Options{Retry: endpoint.Retry{InPlace: time.Second}}).For("k")
		state.PauseUntil(time.Now().Add(time.Minute))
		s := &scripted{answer: func(context.Context, int) error { return nil }}
		_, err := state.Wrap(s, time.Time{}, endpoint.Hooks{}).Complete(t.Context(), request)
		if e, ok := errors.AsType[*llm.Error](err); !ok || e.RetryAfter != time.Minute || e.ProviderMessage != "The provider wants no calls at the moment; they wait." || len(s.times) != 0 {
			t.Errorf("%v after %d calls", err, len(s.times))
		}
	})
}
