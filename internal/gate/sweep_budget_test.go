package gate_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// sharing returns limits under which sweeps may send n requests a minute.
func sharing(n int) store.GateLimits {
	lim := quick()
	lim.SweepsPerMinute, lim.SweepsPerHour = n, 100*n
	return lim
}

// Sweeps get no more than their share of reads and writes, even if many run at once and the rest of the
// budget is free. Reviews always pass. Refused requests of sweeps are counted.
func TestSweepsHaveAShare(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		const share = 5
		g, seen := open(s, sharing(share))
		sweep := codehost.WithSweep(bg, 2*time.Second)
		var let, later atomic.Int64
		var all sync.WaitGroup
		for i := range 4 * share {
			all.Go(func() {
				p, err := g.Acquire(sweep, key, i%2 == 0)
				switch {
				case err == nil:
					let.Add(1)
					if err := p.Release(bg, true); err != nil {
						t.Error(err)
					}
				case codehost.ClassOf(err) != codehost.ClassLimited || codehost.RetryAfter(err) <= 0 || codehost.RetryAfter(err) > time.Minute:
					t.Error(err)
				default:
					later.Add(1)
				}
			})
		}
		all.Wait()
		testkit.Equal(t, "requests passed, and refused", fmt.Sprint(let.Load(), " ", later.Load(), " ", seen.later.Load()), "5 15 15")
		for i := range 3 * share {
			testkit.OK(t, acquire(t, g, i%2 == 0).Release(bg, true))
		}
		p, err := g.Acquire(codehost.WithSweep(bg, time.Second), "github|2", false) // another installation has its own share
		testkit.OK(t, err)
		testkit.OK(t, p.Release(bg, true))
		raw(`UPDATE rate_gates SET min_start = min_start - 60000000`)
		p, err = g.Acquire(sweep, key, false)
		testkit.OK(t, err)
		testkit.OK(t, p.Release(bg, true))
	})
}

// A sweep does not write while less than a quarter of the writes is left, which is for reviews. It may still
// read. A block of the key also stops sweeps, and without a share sweeps are not bounded.
func TestSweepsLeaveWritesToReviews(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		lim := sharing(100)
		lim.PerMinute = 8
		g, seen := open(s, lim)
		sweep := codehost.WithSweep(bg, 2*time.Second)
		for range 6 {
			testkit.OK(t, acquire(t, g, true).Release(bg, true))
		}
		if _, err := g.Acquire(sweep, key, true); codehost.ClassOf(err) != codehost.ClassLimited || seen.later.Load() != 1 {
			t.Fatalf("a sweep wrote: %v, %d", err, seen.later.Load())
		}
		testkit.OK(t, acquire(t, g, true).Release(bg, true))
		p, err := g.Acquire(sweep, key, false)
		testkit.OK(t, err)
		testkit.OK(t, p.Block(bg, time.Hour, false))
		testkit.OK(t, p.Release(bg, false))
		if _, err := g.Acquire(sweep, key, false); codehost.ClassOf(err) != codehost.ClassLimited || codehost.RetryAfter(err) < 50*time.Minute {
			t.Errorf("during a block: %v", err)
		}
		free, _ := open(s, quick())
		for range 10 {
			p, err := free.Acquire(sweep, "github|3", true)
			testkit.OK(t, err)
			testkit.OK(t, p.Release(bg, true))
		}
	})
}

// Redeliveries have a budget of their own. The spacing and the bound of writes do not apply to them, and they
// do not use up writes.
func TestRedeliveriesHaveABudgetOfTheirOwn(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		lim := quick()
		lim.PerMinute, lim.PerHour, lim.Space = 3, 3, time.Hour
		g, _ := open(s, lim)
		again := codehost.WithRedelivery(bg)
		for range codehost.RedeliveriesPerMinute {
			p, err := g.Acquire(again, key, false)
			testkit.OK(t, err)
			testkit.OK(t, p.Release(bg, true))
		}
		_, err := g.Acquire(again, key, false)
		testkit.Equal(t, "beyond it", codehost.ClassOf(err), codehost.ClassLimited)
		if wait := codehost.RetryAfter(err); wait <= 0 || wait > time.Minute {
			t.Errorf("again after %v", wait)
		}
		testkit.OK(t, acquire(t, g, true).Release(bg, true)) // all writes of the key are left
		raw(`UPDATE rate_gates SET min_start = min_start - 60000000`)
		p, err := g.Acquire(again, key, false)
		testkit.OK(t, err)
		testkit.OK(t, p.Release(bg, true))
	})
}
