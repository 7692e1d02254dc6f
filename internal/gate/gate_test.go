package gate_test

import (
	"context"
	"errors"
	"fmt"
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

func TestMain(m *testing.M) { storetest.MainOnBoth(m) }

var (
	each = storetest.EachParallel
	bg   = context.Background()
)

const key = "github|1"

type observer struct {
	waited  atomic.Int64
	later   atomic.Int64
	blocked chan time.Duration
}

func (o *observer) GateWaited(string, bool, time.Duration) { o.waited.Add(1) }
func (o *observer) GateDeferred(string)                    { o.later.Add(1) }
func (o *observer) GateBlocked(_ string, d time.Duration)  { o.blocked <- d }

// quick returns limits that do not slow down a test of something else.
func quick() store.GateLimits {
	return store.GateLimits{PerMinute: 1000, PerHour: 1000, Lease: 30 * time.Second, Space: time.Millisecond, Quarantine: time.Minute}
}

func open(s *store.Store, lim store.GateLimits, change ...func(*gate.Config)) (*gate.Gate, *observer) {
	o := &observer{blocked: make(chan time.Duration, 10)}
	c := gate.Config{Store: s, Owner: "me", Limits: lim, Observer: o}
	for _, f := range change {
		f(&c)
	}
	return gate.New(c), o
}

func inPlace(d time.Duration) func(*gate.Config) { return func(c *gate.Config) { c.InPlace = d } }

func slots(n int) func(*gate.Config) { return func(c *gate.Config) { c.ReadSlots = n } }

func acquire(t *testing.T, g *gate.Gate, write bool) codehost.Permit {
	t.Helper()
	p, err := g.Acquire(bg, key, write)
	testkit.OK(t, err)
	return p
}

// limited requests a slot that must be refused, and returns how long to wait.
func limited(t *testing.T, g *gate.Gate, write bool) time.Duration {
	t.Helper()
	_, err := g.Acquire(bg, key, write)
	if codehost.ClassOf(err) != codehost.ClassLimited {
		t.Fatalf("the error is %v, want one of class limited", err)
	}
	return codehost.RetryAfter(err)
}

func TestAShortWaitIsWaitedOutInPlace(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g, o := open(s, quick())
		p := acquire(t, g, true)
		if left := time.Until(p.Deadline()); left <= 20*time.Second || left > 30*time.Second {
			t.Fatalf("the permit ends in %v", left)
		}
		done := make(chan error, 1)
		go func() {
			next, err := g.Acquire(bg, key, true)
			if err == nil {
				err = next.Release(bg, true)
			}
			done <- err
		}()
		testkit.OK(t, p.Release(bg, true))
		testkit.OK(t, <-done)
		if o.waited.Load() != 2 {
			t.Fatalf("waits told: %d", o.waited.Load())
		}
	})
}

func TestALongWaitIsALimit(t *testing.T) {
	for name, c := range map[string]struct {
		limits   func(*store.GateLimits)
		least    time.Duration
		readable bool
	}{
		"spacing":    {limits: func(l *store.GateLimits) { l.Space = time.Minute }, least: 50 * time.Second, readable: true},
		"per minute": {limits: func(l *store.GateLimits) { l.PerMinute = 1 }, least: 50 * time.Second, readable: true},
		"per hour":   {limits: func(l *store.GateLimits) { l.PerHour = 1 }, least: 59 * time.Minute, readable: true},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				lim := quick()
				c.limits(&lim)
				g, _ := open(s, lim)
				testkit.OK(t, acquire(t, g, true).Release(bg, true))
				if wait := limited(t, g, true); wait < c.least {
					t.Fatalf("wait %v, want at least %v", wait, c.least)
				}
				if c.readable { // only writes are counted and spaced
					testkit.OK(t, acquire(t, g, false).Release(bg, true))
				}
			})
		})
	}
}

func TestAHeldSlotIsALimitWhenTheHolderIsSlow(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g, _ := open(s, quick(), inPlace(50*time.Millisecond))
		p := acquire(t, g, false)
		if wait := limited(t, g, false); wait < time.Second {
			t.Fatalf("wait %v: a caller must not retry at once", wait)
		}
		testkit.OK(t, p.Release(bg, true))
	})
}

func TestABlockStopsEverythingOfTheKey(t *testing.T) {
	for name, readSlots := range map[string]int{"strict": 0, "with read slots": 3} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				g, o := open(s, quick(), slots(readSlots))
				p := acquire(t, g, false)
				cancelled, cancel := context.WithCancel(bg)
				cancel()
				testkit.OK(t, p.Block(cancelled, 10*time.Minute, false)) // works although the request's context has ended
				testkit.OK(t, p.Release(cancelled, false))
				if d := <-o.blocked; d < 9*time.Minute {
					t.Fatalf("blocked for %v", d)
				}
				for _, write := range []bool{true, false} {
					if wait := limited(t, g, write); wait < 9*time.Minute {
						t.Fatalf("write %v: wait %v", write, wait)
					}
				}
				other, err := g.Acquire(bg, "github|2", true)
				testkit.OK(t, err)
				testkit.OK(t, other.Release(bg, true))
			})
		})
	}
}

func TestGrowingBlocksDoubleUpToACapAndCalmEndsThem(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g, o := open(s, quick(), func(c *gate.Config) { c.MostBlock = 300 * time.Millisecond })
		about := func(want time.Duration) {
			t.Helper()
			if d := <-o.blocked; d < want-20*time.Millisecond || d > want+20*time.Millisecond {
				t.Fatalf("blocked for %v, want %v", d, want)
			}
		}
		block := func() {
			t.Helper()
			p := acquire(t, g, true)
			testkit.OK(t, p.Block(bg, 100*time.Millisecond, true))
			testkit.OK(t, p.Release(bg, false))
		}
		block()
		about(100 * time.Millisecond)
		block()
		about(200 * time.Millisecond)
		block()
		about(300 * time.Millisecond)
		testkit.OK(t, acquire(t, g, true).Release(bg, true))
		block()
		about(100 * time.Millisecond)
	})
}

func TestThePermitOfADeadHolderQuarantinesTheKey(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		lim := quick()
		lim.Lease = time.Second
		g, _ := open(s, lim)
		acquire(t, g, true) // never released, like the slot of a holder whose Block failed
		for swept := int64(0); swept == 0; {
			var err error
			swept, err = s.SweepGates(bg, lim.Quarantine)
			testkit.OK(t, err)
		}
		if wait := limited(t, g, false); wait < 50*time.Second {
			t.Fatalf("wait %v", wait)
		}
	})
}

func TestALateReleaseLeavesTheNextHolderAlone(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		lim := quick()
		lim.Lease = time.Second
		g, _ := open(s, lim)
		zombie := acquire(t, g, true)
		for swept := int64(0); swept == 0; {
			var err error
			swept, err = s.SweepGates(bg, 0)
			testkit.OK(t, err)
		}
		lim.Lease = time.Minute
		g2, _ := open(s, lim, inPlace(300*time.Millisecond))
		holder := acquire(t, g2, true)
		testkit.OK(t, zombie.Release(bg, true))
		limited(t, g2, true)
		testkit.OK(t, zombie.Block(bg, time.Hour, false)) // the limit that it saw is still valid
		testkit.OK(t, holder.Release(bg, true))
		if wait := limited(t, g2, true); wait < 59*time.Minute {
			t.Fatalf("wait %v", wait)
		}
	})
}

func TestWithoutTheDatabaseNothingIsAllowed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g, _ := open(s, quick(), slots(2))
		p := acquire(t, g, true)
		testkit.OK(t, s.Close())
		for _, write := range []bool{true, false} {
			if got, err := g.Acquire(bg, key, write); err == nil || got != nil {
				t.Fatalf("write %v: a permit without a database", write)
			} else if !errs.Is(err, errs.Unavailable) {
				t.Fatalf("the error is %v", err)
			}
		}
		if p.Block(bg, time.Minute, false) == nil || p.Release(bg, true) == nil {
			t.Fatal("a block that was not recorded must be an error")
		}
	})
}

func TestACallerThatGivesUpLeavesTheSlotFree(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g, _ := open(s, quick(), inPlace(time.Second))
		over, cancel := context.WithCancel(bg)
		cancel()
		if _, err := g.Acquire(over, key, true); !errors.Is(err, context.Canceled) {
			t.Fatalf("the error is %v", err)
		}
		// Contexts end at many different moments of the request.
		for i := range 40 {
			ctx, cancel := context.WithTimeout(bg, time.Duration(i)*50*time.Microsecond)
			if p, err := g.Acquire(ctx, key, false); err == nil {
				testkit.OK(t, p.Release(bg, true))
			}
			cancel()
		}
		testkit.OK(t, acquire(t, g, true).Release(bg, true))
	})
}

func TestReadSlotsAreUsedBesideEachOther(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g, _ := open(s, quick(), slots(3), inPlace(time.Second))
		var held []codehost.Permit
		for range 3 {
			held = append(held, acquire(t, g, false))
		}
		write := acquire(t, g, true)
		limited(t, g, false)
		for _, p := range append(held, write) {
			testkit.OK(t, p.Release(bg, true))
		}
	})
}

// TestNeverTwoHolders has several gates, as in several processes, compete for two keys.
func TestNeverTwoHolders(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		lim := quick()
		lim.Space, lim.PerMinute, lim.PerHour = 0, 1_000_000, 1_000_000
		var inside [2]atomic.Int64
		var turns atomic.Int64
		var all sync.WaitGroup
		for worker := range 8 {
			g, _ := open(s, lim, inPlace(time.Minute), func(c *gate.Config) { c.Owner = fmt.Sprint("worker ", worker) })
			all.Go(func() {
				for i := range 12 {
					k := (worker + i) % 2
					p, err := g.Acquire(bg, fmt.Sprint("key ", k), i%3 == 0)
					if err != nil {
						t.Errorf("acquire: %v", err)
						return
					}
					if n := inside[k].Add(1); n != 1 {
						t.Errorf("%d holders of one key", n)
					}
					turns.Add(1)
					inside[k].Add(-1)
					if err := p.Release(bg, true); err != nil {
						t.Errorf("release: %v", err)
					}
				}
			})
		}
		all.Wait()
		if turns.Load() != 96 {
			t.Fatalf("%d turns", turns.Load())
		}
	})
}

// A quarter of the writes of the minute and of the hour counts as room to spare.
func TestSpare(t *testing.T) {
	for name, lim := range map[string]store.GateLimits{
		"bound per minute": {PerMinute: 8, PerHour: 1000, Lease: 30 * time.Second, Space: time.Millisecond, Quarantine: time.Minute},
		"bound per hour":   {PerMinute: 1000, PerHour: 8, Lease: 30 * time.Second, Space: time.Millisecond, Quarantine: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				g, o := open(s, lim)
				for used, want := range []bool{true, true, true, true, true, true, false} {
					room, err := g.Spare(bg, key)
					testkit.OK(t, err)
					testkit.Equal(t, fmt.Sprint("room after ", used, " writes"), room, want)
					testkit.OK(t, acquire(t, g, false).Release(bg, true)) // reads do not count
					testkit.OK(t, acquire(t, g, true).Release(bg, true))
				}
				const other = "github|2"
				room, err := g.Spare(bg, other)
				testkit.OK(t, err)
				testkit.Equal(t, "room of another key", room, true)
				p, err := g.Acquire(bg, other, false)
				testkit.OK(t, err)
				testkit.OK(t, p.Block(bg, time.Minute, false))
				testkit.OK(t, p.Release(bg, false))
				<-o.blocked
				room, err = g.Spare(bg, other)
				testkit.OK(t, err)
				testkit.Equal(t, "room of a key that the host blocks", room, false)
			})
		})
	}
}

// A host without an hourly bound may use sixty times its bound per minute, on the same rows, and has a short
// quarantine.
func TestAHostWithLimitsOfItsOwn(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		lim := quick()
		lim.PerMinute, lim.PerHour = 1, 2
		others, _ := open(s, lim)
		write := func(g *gate.Gate) {
			t.Helper()
			testkit.OK(t, acquire(t, g, true).Release(bg, true))
		}
		wide := others.With(gate.For(lim, codehost.WriteLimits{PerMinute: 4, Space: time.Millisecond}))
		for range 4 {
			write(wide)
		}
		if wait := limited(t, wide, true); wait > time.Minute+time.Second {
			t.Errorf("the fifth of a minute waits %v", wait)
		}
		limited(t, others, true)
	})
	short := gate.For(quick(), codehost.WriteLimits{PerMinute: 4, Quarantine: time.Second})
	testkit.Equal(t, "quarantine", short.Quarantine, time.Second)
	testkit.Equal(t, "an hour", short.PerHour, 240)
}
