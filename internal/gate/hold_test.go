package gate_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/gate"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// short returns limits whose leases expire soon unless they are renewed.
func short() store.GateLimits {
	lim := quick()
	lim.Lease = 3 * time.Second
	return lim
}

// sweeping expires leases, as the workers do, until the test is over.
func sweeping(t *testing.T, s *store.Store, quarantine time.Duration) *atomic.Int64 {
	t.Helper()
	swept, stop := new(atomic.Int64), make(chan struct{})
	var over sync.WaitGroup
	over.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			if n, err := s.SweepGates(bg, quarantine); err == nil {
				swept.Add(n)
			}
		}
	})
	t.Cleanup(func() { close(stop); over.Wait() })
	return swept
}

// Work may take longer than a lease. No other caller gets the slot meanwhile, and the sweep does not expire
// it.
func TestASlotIsHeldForAsLongAsItsWorkTakes(t *testing.T) {
	for name, readSlots := range map[string]int{"strict": 0, "one read slot": 1} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				g, _ := open(s, short(), slots(readSlots), inPlace(time.Millisecond))
				swept := sweeping(t, s, time.Minute)
				testkit.OK(t, gate.Hold(bg, g, key, func(ctx context.Context) error {
					enough := time.NewTimer(short().Lease + short().Lease/2)
					defer enough.Stop()
					for {
						if _, err := g.Acquire(bg, key, false); codehost.ClassOf(err) != codehost.ClassLimited {
							t.Fatalf("a second holder: %v", err)
						}
						select {
						case <-enough.C:
							return nil
						case <-ctx.Done():
							return context.Cause(ctx)
						case <-time.After(20 * time.Millisecond):
						}
					}
				}))
				testkit.Equal(t, "swept", swept.Load(), 0)
				patient, _ := open(s, short(), slots(readSlots), inPlace(time.Second))
				testkit.OK(t, acquire(t, patient, false).Release(bg, true)) // the slot was given back
			})
		})
	}
}

// until returns when the context of the work ends, or an error after 30 seconds.
func until(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(30 * time.Second):
		return errors.New("the context did not end")
	}
}

// A block that another process records ends the work, both in strict mode (where the holder loses the slot
// and reports the limit) and with read slots.
func TestABlockEndsTheWorkOfAHeldSlot(t *testing.T) {
	for name, readSlots := range map[string]int{"strict": 0, "read slots": 3} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				g, _ := open(s, short(), slots(readSlots))
				err := gate.Hold(bg, g, key, func(ctx context.Context) error {
					testkit.OK(t, s.EnsureGate(bg, key))
					_, err := s.BlockGate(bg, key, time.Hour, false, time.Hour)
					testkit.OK(t, err)
					return until(ctx)
				})
				if codehost.ClassOf(err) != codehost.ClassLimited || codehost.RetryAfter(err) < 59*time.Minute {
					t.Fatalf("the error is %v", err)
				}
			})
		})
	}
}

// A lost slot is neither renewed nor released, because it has a new holder.
func TestALostSlotEndsItsWork(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		t.Parallel()
		g, _ := open(s, short())
		other, _ := open(s, quick())
		var next codehost.Permit
		err := gate.Hold(bg, g, key, func(ctx context.Context) error {
			raw(`UPDATE rate_gates SET lease_owner = NULL, lease_gen = lease_gen + 1`)
			next = acquire(t, other, true)
			return until(ctx)
		})
		if codehost.ClassOf(err) != codehost.ClassLimited {
			t.Fatalf("the error is %v", err)
		}
		limited(t, g, true) // the next holder still has it
		testkit.OK(t, next.Release(bg, true))
	})
}

// A holder that cannot reach the database stops before its lease expires.
func TestAHeldSlotThatCannotBeRenewedEndsItsWork(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g, _ := open(s, short())
		began := time.Now()
		var took time.Duration
		err := gate.Hold(bg, g, key, func(ctx context.Context) error {
			testkit.OK(t, s.Close())
			err := until(ctx)
			took = time.Since(began)
			return err
		})
		if codehost.ClassOf(err) != codehost.ClassUnavailable {
			t.Fatalf("the error is %v", err)
		}
		if took >= short().Lease {
			t.Fatalf("the work ended after %v, and the lease was over after %v", took, short().Lease)
		}
	})
}

// A rate limit that the host reports during the work blocks the key. Other errors do not.
func TestALimitOfTheWorkBlocksTheKey(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		t.Parallel()
		g, o := open(s, quick())
		for name, tt := range map[string]struct {
			err         error
			least, most time.Duration // bounds of the block
		}{
			"for a time":     {&codehost.Error{Class: codehost.ClassLimited, RetryAfter: time.Hour}, 59 * time.Minute, time.Hour + time.Second},
			"without a time": {&codehost.Error{Class: codehost.ClassLimited}, 50 * time.Second, time.Minute + time.Second},
			"no limit":       {errs.New(errs.Forbidden, "fetch_refused", "No."), 0, 0},
		} {
			raw(`UPDATE rate_gates SET blocked_until = 0, backoff_n = 0`)
			if err := gate.Hold(bg, g, key, func(context.Context) error { return tt.err }); !errors.Is(err, tt.err) {
				t.Errorf("%s: %v", name, err)
			}
			if tt.most == 0 {
				testkit.OK(t, acquire(t, g, false).Release(bg, true))
				continue
			}
			<-o.blocked
			if wait := limited(t, g, false); wait < tt.least || wait > tt.most {
				t.Errorf("%s: blocked for %v", name, wait)
			}
		}
	})
}

// A caller that gives up while it holds a slot leaves the slot free.
func TestACallerThatGivesUpWhileItHoldsASlotLeavesItFree(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g, _ := open(s, quick())
		ctx, cancel := context.WithCancel(bg)
		err := gate.Hold(ctx, g, key, func(ctx context.Context) error {
			cancel()
			return until(ctx)
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("the error is %v", err)
		}
		testkit.OK(t, acquire(t, g, false).Release(bg, true))
	})
}

// The sweep and the renewals of several holders run at the same time. A holder that renews in time never
// loses its slot, and there are never two holders.
func TestRenewalsAndSweepsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		lim := short()
		sweeping(t, s, 0)
		var inside atomic.Int64
		var all sync.WaitGroup
		for range 2 {
			g, _ := open(s, lim, inPlace(time.Minute))
			all.Go(func() {
				err := gate.Hold(bg, g, key, func(ctx context.Context) error {
					if n := inside.Add(1); n != 1 {
						t.Errorf("%d holders", n)
					}
					defer inside.Add(-1)
					timer := time.NewTimer(lim.Lease + lim.Lease/4)
					defer timer.Stop()
					select {
					case <-timer.C:
						return nil
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				})
				if err != nil {
					t.Errorf("a holder lost its slot: %v", err)
				}
			})
		}
		all.Wait()
	})
}
