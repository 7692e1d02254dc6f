package endpoint_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/endpoint"
)

// scripted answers calls by a function of the call's number and records their times.
type scripted struct {
	answer func(ctx context.Context, n int) error

	mu    sync.Mutex
	times []time.Time
}

func (s *scripted) Complete(ctx context.Context, _ llm.Request) (llm.Response, error) {
	s.mu.Lock()
	s.times = append(s.times, time.Now())
	n := len(s.times)
	s.mu.Unlock()
	if err := s.answer(ctx, n); err != nil {
		return llm.Response{}, err
	}
	return llm.Response{Text: "ok"}, nil
}

func (s *scripted) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

func (s *scripted) seconds(since time.Time) (out []float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.times {
		out = append(out, t.Sub(since).Seconds())
	}
	return out
}

func down() error {
	return &llm.Error{Class: llm.ClassRetryable, Status: 503, ProviderMessage: "overloaded"}
}

func limited(after time.Duration) error {
	return &llm.Error{Class: llm.ClassRetryable, Status: 429, RetryAfter: after}
}

// longest makes every wait with jitter as long as its bound.
func longest(n int64) int64 { return n - 1 }

func hang(ctx context.Context) error {
	<-ctx.Done()
	return llm.Ended(ctx)
}

var request = llm.Request{Model: "m"}

func TestBackoffDoublesUpToItsBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answer: func(_ context.Context, n int) error {
			if n < 9 {
				return down()
			}
			return nil
		}}
		var waits []float64
		set := endpoint.New(endpoint.Options{Rand: longest, Breaker: endpoint.Breaker{Failures: 100}})
		c := set.For("k").Wrap(s, time.Time{}, endpoint.Hooks{Tried: func(_ context.Context, a endpoint.Attempt) { waits = append(waits, a.Wait.Seconds()) }})
		out, err := c.Complete(t.Context(), request)
		if err != nil || out.Text != "ok" {
			t.Fatalf("%+v, %v", out, err)
		}
		if want := []float64{2, 4, 8, 16, 32, 60, 60, 60, 0}; !slices.Equal(waits, want) {
			t.Errorf("waits %v, want %v", waits, want)
		}
	})
}

func TestJitterIsFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var bounds []int64
		s := &scripted{answer: func(_ context.Context, n int) error {
			if n < 3 {
				return down()
			}
			return nil
		}}
		set := endpoint.New(endpoint.Options{Rand: func(n int64) int64 { bounds = append(bounds, n-1); return 0 }})
		began := time.Now()
		if _, err := set.For("k").Wrap(s, time.Time{}, endpoint.Hooks{}).Complete(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(bounds, []int64{2e9, 4e9}) || time.Since(began) != 0 {
			t.Errorf("bounds %v, took %v", bounds, time.Since(began))
		}
	})
}

func TestTheWindowEndsRetries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(context.Context, int) error
		until  time.Duration
		most   time.Duration
		status int
	}{
		"default window":     {func(context.Context, int) error { return down() }, 0, 10 * time.Minute, 503},
		"until":              {func(context.Context, int) error { return down() }, 20 * time.Second, 20 * time.Second, 503},
		"until in the past":  {func(context.Context, int) error { return down() }, -time.Second, 0, 0},
		"hangs":              {func(ctx context.Context, _ int) error { return hang(ctx) }, 20 * time.Second, 20 * time.Second, 0},
		"retry after beyond": {func(context.Context, int) error { return limited(time.Hour) }, time.Minute, 0, 429},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var until time.Time
				if c.until != 0 {
					until = began.Add(c.until)
				}
				s := &scripted{answer: c.answer}
				_, err := endpoint.New(endpoint.Options{Rand: longest}).For("k").Wrap(s, until, endpoint.Hooks{}).Complete(t.Context(), request)
				e, ok := errors.AsType[*llm.Error](err)
				if !ok || !errors.Is(err, endpoint.ErrExhausted) || e.Class != llm.ClassRetryable || e.Status != c.status || e.ProviderMessage == "" && c.status == 503 {
					t.Fatalf("error %#v", err)
				}
				if took := time.Since(began); took > c.most {
					t.Errorf("took %v, at most %v", took, c.most)
				}
			})
		})
	}
}

func TestFinalErrorsAreNotRetried(t *testing.T) {
	t.Parallel()
	for _, class := range []llm.Class{llm.ClassFinal, llm.ClassCredential, llm.ClassQuota, llm.ClassContextLength, llm.ClassEffort, llm.ClassInvalidResponse} {
		synctest.Test(t, func(t *testing.T) {
			s := &scripted{answer: func(context.Context, int) error { return &llm.Error{Class: class, ProviderMessage: "no"} }}
			_, err := endpoint.New(endpoint.Options{}).For("k").Wrap(s, time.Time{}, endpoint.Hooks{}).Complete(t.Context(), request)
			if e, ok := errors.AsType[*llm.Error](err); !ok || e.Class != class || len(s.times) != 1 || errors.Is(err, endpoint.ErrExhausted) {
				t.Errorf("%s: %v after %d calls", class, err, len(s.times))
			}
		})
	}
}

// TestAModelFailureIsTriedOnceMore: it is status 424 of Amazon Bedrock.
func TestAModelFailureIsTriedOnceMore(t *testing.T) {
	t.Parallel()
	failed := func() error {
		return &llm.Error{Class: llm.ClassRetryable, Status: 424, ProviderMessage: "The model failed."}
	}
	for name, c := range map[string]struct {
		answer func(n int) error
		calls  int
		class  llm.Class
	}{
		"again":            {func(int) error { return failed() }, 2, llm.ClassFinal},
		"then good":        {func(n int) error { return map[int]error{1: failed()}[n] }, 2, ""},
		"with others":      {func(n int) error { return map[int]error{1: failed(), 2: down(), 3: failed()}[n] }, 3, llm.ClassFinal},
		"others, then one": {func(n int) error { return map[int]error{1: down(), 2: failed()}[n] }, 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{answer: func(_ context.Context, n int) error { return c.answer(n) }}
				_, err := endpoint.New(endpoint.Options{Rand: longest}).For("k").Wrap(s, time.Time{}, endpoint.Hooks{}).Complete(t.Context(), request)
				e, failed := errors.AsType[*llm.Error](err)
				if len(s.times) != c.calls || failed != (c.class != "") || failed && (e.Class != c.class || e.Status != 424) {
					t.Errorf("%d calls, %v", len(s.times), err)
				}
			})
		})
	}
}

func TestTheCallerCanGiveUp(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(context.Context, int) error{
		"during a call": func(ctx context.Context, _ int) error { return hang(ctx) },
		"during a wait": func(context.Context, int) error { return down() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				cause := errors.New("the job was given to another worker")
				time.AfterFunc(3*time.Second, func() { cancel(cause) })
				began := time.Now()
				_, err := endpoint.New(endpoint.Options{Rand: longest}).For("k").Wrap(&scripted{answer: answer}, time.Time{}, endpoint.Hooks{}).Complete(ctx, request)
				if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) || time.Since(began) != 3*time.Second {
					t.Errorf("%v after %v", err, time.Since(began))
				}
			})
		})
	}
}

func TestAnAttemptIsCutOffAndRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answer: func(ctx context.Context, n int) error {
			if n == 1 {
				return hang(ctx)
			}
			return nil
		}}
		began := time.Now()
		_, err := endpoint.New(endpoint.Options{Rand: longest}).For("k").Wrap(s, time.Time{}, endpoint.Hooks{}).Complete(t.Context(), request)
		if got := s.seconds(began); err != nil || !slices.Equal(got, []float64{0, 302}) {
			t.Errorf("calls at %v, %v", got, err)
		}
	})
}

func TestRetryAfterHoldsBackEveryCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answer: func(_ context.Context, n int) error {
			if n == 1 {
				return limited(90 * time.Second)
			}
			return nil
		}}
		set := endpoint.New(endpoint.Options{Rand: func(int64) int64 { return 0 }})
		began := time.Now()
		var paused time.Time
		hooks := endpoint.Hooks{Paused: func(_ context.Context, until time.Time) { paused = until }}
		var wg sync.WaitGroup
		for i := range 3 {
			time.Sleep(time.Second) // time of the bubble
			wg.Go(func() {
				if _, err := set.For("k").Wrap(s, time.Time{}, hooks).Complete(t.Context(), request); err != nil {
					t.Errorf("call %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		if got := s.seconds(began); !slices.Equal(got, []float64{1, 91, 91, 91}) {
			t.Errorf("calls at %v", got)
		}
		if paused.Sub(began) != 91*time.Second {
			t.Errorf("paused until %v", paused.Sub(began))
		}
		began = time.Now()
		if _, err := set.For("other").Wrap(s, time.Time{}, hooks).Complete(t.Context(), request); err != nil || time.Since(began) != 0 {
			t.Errorf("another credential waits: %v after %v", err, time.Since(began))
		}
	})
}

func TestTheBreakerLetsOneCallTry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var healthy atomic.Bool
		s := &scripted{answer: func(ctx context.Context, _ int) error {
			time.Sleep(time.Second)
			if healthy.Load() {
				return nil
			}
			return down()
		}}
		short := func(int64) int64 { return int64(time.Millisecond) } // so that all four have failed before one retries
		set := endpoint.New(endpoint.Options{Rand: short, Breaker: endpoint.Breaker{Failures: 3, Pause: 10 * time.Second, MaxPause: time.Minute}})
		began := time.Now()
		time.AfterFunc(25*time.Second, func() { healthy.Store(true) })
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := set.For("k").Wrap(s, time.Time{}, endpoint.Hooks{}).Complete(t.Context(), request); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		// Four calls run at once. The third failure opens the breaker at 1 s, an attempt at 11 s fails at 12
		// s, and one at 32 s succeeds at 33 s.
		got := s.seconds(began)
		if len(got) != 9 || !slices.Equal(got[:4], []float64{0, 0, 0, 0}) || got[4] != 11 || got[5] != 32 || got[6] < 33 {
			t.Errorf("calls at %v", got)
		}
	})
}

func TestRateLimitsDoNotOpenTheBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answer: func(_ context.Context, n int) error {
			if n <= 10 {
				return limited(0)
			}
			return nil
		}}
		began := time.Now()
		set := endpoint.New(endpoint.Options{Rand: func(int64) int64 { return 0 }, Breaker: endpoint.Breaker{Failures: 2}})
		if _, err := set.For("k").Wrap(s, time.Time{}, endpoint.Hooks{}).Complete(t.Context(), request); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

func TestAnOpenBreakerDoesNotOutliveTheWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answer: func(context.Context, int) error { return down() }}
		st := endpoint.New(endpoint.Options{Breaker: endpoint.Breaker{Failures: 1, Pause: time.Minute}}).For("k")
		_, _ = st.Wrap(s, time.Now().Add(time.Second), endpoint.Hooks{}).Complete(t.Context(), request)
		before := len(s.times)
		began := time.Now()
		_, err := st.Wrap(s, time.Now().Add(5*time.Second), endpoint.Hooks{}).Complete(t.Context(), request)
		if e, ok := errors.AsType[*llm.Error](err); !ok || e.Class != llm.ClassRetryable || !errors.Is(err, endpoint.ErrExhausted) || len(s.times) != before || time.Since(began) != 0 {
			t.Errorf("%v, %d calls, after %v", err, len(s.times)-before, time.Since(began))
		}
	})
}

func TestConcurrentCallsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		s := &scripted{answer: func(context.Context, int) error {
			if n := running.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer running.Add(-1)
			time.Sleep(time.Second)
			return nil
		}}
		set := endpoint.New(endpoint.Options{Concurrent: 2})
		var wg sync.WaitGroup
		began := time.Now()
		for range 6 {
			wg.Go(func() {
				if _, err := set.For("k").Wrap(s, time.Time{}, endpoint.Hooks{}).Complete(t.Context(), request); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if most.Load() != 2 || time.Since(began) != 3*time.Second {
			t.Errorf("%d at once, took %v", most.Load(), time.Since(began))
		}
	})
}

// TestRandomSchedules runs many calls against an unreliable endpoint: every call ends within its window, and
// no slot is lost.
func TestRandomSchedules(t *testing.T) {
	t.Parallel()
	for seed := range 20 {
		synctest.Test(t, func(t *testing.T) {
			s := &scripted{answer: func(ctx context.Context, n int) error {
				time.Sleep(time.Duration(n*(seed+3)%7) * time.Second)
				switch (n * (seed + 5)) % 6 {
				case 0:
					return limited(time.Duration(n%5) * time.Second)
				case 1, 2:
					return down()
				case 3:
					return hang(ctx)
				}
				return nil
			}}
			set := endpoint.New(endpoint.Options{Concurrent: 2, Retry: endpoint.Retry{Attempt: 30 * time.Second}})
			var wg sync.WaitGroup
			for i := range 12 {
				wg.Go(func() {
					until := time.Now().Add(time.Duration(1+i) * 20 * time.Second)
					_, err := set.For("k").Wrap(s, until, endpoint.Hooks{}).Complete(t.Context(), request)
					if late := time.Since(until); late > 7*time.Second { // the sleep of the fake ignores the context
						t.Errorf("call %d ends %v after its window: %v", i, late, err)
					}
					if _, ok := errors.AsType[*llm.Error](err); err != nil && !ok {
						t.Errorf("call %d: %v", i, fmt.Sprintf("%T %v", err, err))
					}
				})
			}
			wg.Wait()
			ok := &scripted{answer: func(context.Context, int) error { return nil }}
			for range 3 { // a lost slot or a blocked trial would block these
				if _, err := set.For("k").Wrap(ok, time.Time{}, endpoint.Hooks{}).Complete(t.Context(), request); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
