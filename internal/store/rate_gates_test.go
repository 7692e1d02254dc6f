package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// limits have no spacing, so that tests do not wait.
func limits() store.GateLimits {
	return store.GateLimits{PerMinute: 60, PerHour: 400, Lease: 30 * time.Second, Quarantine: time.Minute}
}

// acquire creates the key if necessary and takes its slot.
func acquire(t testing.TB, s *store.Store, key string, write bool, lim store.GateLimits) (store.GateGrant, time.Duration, bool) {
	t.Helper()
	testkit.OK(t, s.EnsureGate(bg, key))
	g, wait, got, err := s.AcquireGate(bg, key, "w", write, lim)
	testkit.OK(t, err)
	return g, wait, got
}

func TestGateMakesItsKey(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		_, wait, got, err := s.AcquireGate(bg, "k", "w", true, limits())
		testkit.OK(t, err)
		if got || wait != 0 {
			t.Fatalf("%v %v", got, wait)
		}
		g, _, got, err := s.AcquireGate(bg, "k", "w", true, limits())
		testkit.OK(t, err)
		testkit.Equal(t, "acquired", got, true)
		testkit.Equal(t, "lease", g.Lease, 30*time.Second)
	})
}

func TestGateIsExclusive(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		testkit.OK(t, s.EnsureGate(bg, "k"))
		for round := range 5 {
			var gen int64
			won := winners(t, 24, func(i int) (bool, error) {
				g, _, got, err := s.AcquireGate(bg, "k", fmt.Sprint("w", i), i%2 == 0, limits())
				if got {
					gen = g.Gen
				}
				return got, err
			})
			testkit.Equal(t, "holders", won, 1)
			testkit.Equal(t, "generation", gen, int64(round+1))
			_, wait, got := acquire(t, s, "k", false, limits())
			testkit.Equal(t, "acquired while it is held", got, false)
			if wait <= 0 || wait > time.Second {
				t.Fatalf("wait %v", wait)
			}
			testkit.OK(t, s.ReleaseGate(bg, "k", gen, false, true, 0))
		}
		_, _, got := acquire(t, s, "other", true, limits())
		testkit.Equal(t, "another key is free", got, true)
	})
}

func TestGateSpacesWrites(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g, _, _ := acquire(t, s, "k", true, limits())
		testkit.OK(t, s.ReleaseGate(bg, "k", g.Gen, true, true, time.Hour))
		_, wait, got := acquire(t, s, "k", true, limits())
		if got || wait > time.Hour || wait < 59*time.Minute {
			t.Fatalf("a second write: %v, wait %v", got, wait)
		}
		g, _, got = acquire(t, s, "k", false, limits())
		testkit.Equal(t, "a read between writes", got, true)
		testkit.OK(t, s.ReleaseGate(bg, "k", g.Gen, false, true, time.Hour))
		raw(t, s, `UPDATE rate_gates SET next_write_at = {now} - 1`)
		_, _, got = acquire(t, s, "k", true, limits())
		testkit.Equal(t, "a write after the space", got, true)
	})
}

func TestGateCaps(t *testing.T) {
	for name, c := range map[string]struct {
		lim    store.GateLimits
		window time.Duration
		start  string
	}{
		"minute": {store.GateLimits{PerMinute: 2, PerHour: 9, Lease: time.Second}, time.Minute, "min_start"},
		"hour":   {store.GateLimits{PerMinute: 9, PerHour: 2, Lease: time.Second}, time.Hour, "hour_start"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				take := func(write bool) (time.Duration, bool) {
					t.Helper()
					g, wait, got := acquire(t, s, "k", write, c.lim)
					if got {
						testkit.OK(t, s.ReleaseGate(bg, "k", g.Gen, write, true, 0))
					}
					return wait, got
				}
				for range 2 {
					_, got := take(true)
					testkit.Equal(t, "a write within the cap", got, true)
				}
				wait, got := take(true)
				if got || wait > c.window || wait < c.window-10*time.Second {
					t.Fatalf("a write over the cap: %v, wait %v", got, wait)
				}
				for range 3 {
					_, got = take(false)
					testkit.Equal(t, "reads are not counted", got, true)
				}
				raw(t, s, fmt.Sprintf(`UPDATE rate_gates SET %s = %s - %d`, c.start, c.start, c.window.Microseconds()))
				_, got = take(true)
				testkit.Equal(t, "a write in the next window", got, true)
				testkit.Equal(t, "used", must2(s.Gates(bg))(t)[0].UsedMin > 0, true)
			})
		})
	}
}

func TestGateBlocks(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g, _, _ := acquire(t, s, "k", true, limits())
		block := func(d time.Duration, grow bool) time.Duration {
			t.Helper()
			return must2(s.BlockGate(bg, "k", d, grow, 15*time.Minute))(t)
		}
		testkit.Equal(t, "block of 3 hours as the host asked", block(3*time.Hour, false), 3*time.Hour)
		if got := block(time.Minute, false); got < 2*time.Hour {
			t.Fatalf("a shorter block made it %v", got)
		}
		testkit.OK(t, s.ReleaseGate(bg, "k", g.Gen, true, false, 0))
		for _, write := range []bool{true, false} {
			_, wait, got := acquire(t, s, "k", write, limits())
			if got || wait < 2*time.Hour {
				t.Fatalf("acquired %v, wait %v", got, wait)
			}
		}
		raw(t, s, `UPDATE rate_gates SET blocked_until = {now} - 1`)
		_, _, got := acquire(t, s, "k", true, limits())
		testkit.Equal(t, "after the block", got, true)
	})
}

func TestGateBlocksGrow(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		testkit.OK(t, s.EnsureGate(bg, "k"))
		grow := func() time.Duration {
			t.Helper()
			raw(t, s, `UPDATE rate_gates SET blocked_until = 0`)
			return must2(s.BlockGate(bg, "k", time.Minute, true, 15*time.Minute))(t)
		}
		for _, want := range []time.Duration{1, 2, 4, 8, 15, 15} {
			testkit.Equal(t, "block", grow(), want*time.Minute)
		}
		raw(t, s, `UPDATE rate_gates SET backoff_n = 1000000, blocked_until = 0`)
		testkit.Equal(t, "block after very many", grow(), 15*time.Minute)

		raw(t, s, `UPDATE rate_gates SET blocked_until = 0`)
		g, _, _ := acquire(t, s, "k", false, limits())
		testkit.OK(t, s.ReleaseGate(bg, "k", g.Gen, false, false, 0))
		testkit.Equal(t, "block after an answer that was not calm", grow(), 15*time.Minute)
		raw(t, s, `UPDATE rate_gates SET blocked_until = 0`)
		g, _, _ = acquire(t, s, "k", false, limits())
		testkit.OK(t, s.ReleaseGate(bg, "k", g.Gen, false, true, 0))
		testkit.Equal(t, "block after a calm answer", grow(), time.Minute)
	})
}

// A holder that died may have seen a block, so the key waits. A later block by the holder still counts,
// but its release does not.
func TestGateQuarantine(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		g, _, _ := acquire(t, s, "k", true, limits())
		testkit.Equal(t, "swept with a good lease", must2(s.SweepGates(bg, time.Minute))(t), 0)
		raw(t, s, `UPDATE rate_gates SET lease_until = {now} - 1000`)
		_, _, got := acquire(t, s, "k", true, limits())
		testkit.Equal(t, "acquired before the sweep", got, false)
		testkit.Equal(t, "swept", must2(s.SweepGates(bg, time.Minute))(t), 1)
		_, wait, got := acquire(t, s, "k", false, limits())
		if got || wait > time.Minute || wait < 50*time.Second {
			t.Fatalf("in quarantine: %v, wait %v", got, wait)
		}
		raw(t, s, `UPDATE rate_gates SET blocked_until = 0`)
		fresh, _, got := acquire(t, s, "k", false, limits())
		testkit.Equal(t, "acquired after the quarantine", got, true)
		testkit.OK(t, s.ReleaseGate(bg, "k", g.Gen, true, true, time.Hour)) // the old holder wakes up
		gates := must2(s.Gates(bg))(t)
		testkit.Equal(t, "held by the new one", gates[0].Held, true)
		must2(s.BlockGate(bg, "k", time.Hour, false, time.Hour))(t) // and reports a block
		testkit.OK(t, s.ReleaseGate(bg, "k", fresh.Gen, false, true, 0))
		_, wait, got = acquire(t, s, "k", false, limits())
		if got || wait < 59*time.Minute {
			t.Fatalf("the block of the old holder was lost: %v, wait %v", got, wait)
		}
	})
}

func TestGateSweepAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for i := range 20 {
			acquire(t, s, fmt.Sprint("k", i), false, limits())
		}
		raw(t, s, `UPDATE rate_gates SET lease_until = {now} - 1000`)
		var swept [6]int64
		atOnce(len(swept), func(i int) {
			n, err := s.SweepGates(bg, time.Minute)
			if err != nil {
				t.Error(err)
			}
			swept[i] = n
		})
		var total int64
		for _, n := range swept {
			total += n
		}
		testkit.Equal(t, "swept", total, 20)
	})
}

func TestGateReadSlotsObeyTheBlockOfTheKey(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		lim := limits()
		lim.BlockKey = "k"
		g, _, got := acquire(t, s, "k|read-0", false, lim)
		testkit.Equal(t, "a read slot of a key without a row", got, true)
		testkit.OK(t, s.ReleaseGate(bg, "k|read-0", g.Gen, false, true, 0))
		testkit.OK(t, s.EnsureGate(bg, "k"))
		must2(s.BlockGate(bg, "k", time.Hour, false, time.Hour))(t)
		_, wait, got := acquire(t, s, "k|read-0", false, lim)
		if got || wait < 59*time.Minute {
			t.Fatalf("%v, wait %v", got, wait)
		}
	})
}

// The holder of a read slot may have seen a limit and died, so the whole key waits.
func TestADeadReadSlotQuarantinesItsKey(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		lim := limits()
		lim.BlockKey, lim.Lease = "k", -time.Second
		_, _, got, err := s.AcquireGate(bg, "k|read-0", "w", false, lim) // creates the rows
		testkit.OK(t, err)
		testkit.Equal(t, "a slot without a row", got, false)
		_, _, got, err = s.AcquireGate(bg, "k|read-0", "w", false, lim)
		testkit.OK(t, err)
		testkit.Equal(t, "a read slot", got, true)
		testkit.Equal(t, "swept", must2(s.SweepGates(bg, time.Minute))(t), 1)
		lim.BlockKey, lim.Lease = "", time.Minute
		_, wait, got, err := s.AcquireGate(bg, "k", "w", true, lim)
		testkit.OK(t, err)
		if got || wait < 50*time.Second {
			t.Fatalf("the key was given out (%v) or waits %v only", got, wait)
		}
	})
}

func TestGateRenew(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		lim := limits()
		renew := func(key string, gen int64, lim store.GateLimits) (time.Duration, bool) {
			t.Helper()
			lease, wait, ok, err := s.RenewGate(bg, key, gen, lim)
			testkit.OK(t, err)
			if ok && lease != lim.Lease {
				t.Fatalf("a lease of %v", lease)
			}
			return wait, ok
		}
		g, _, _ := acquire(t, s, "k", false, lim)
		raw(t, s, `UPDATE rate_gates SET lease_until = {now} + 5000000`)
		_, ok := renew("k", g.Gen, lim)
		testkit.Equal(t, "renewed", ok, true)
		testkit.Equal(t, "a whole lease again", count(t, s, `SELECT COUNT(*) FROM rate_gates WHERE lease_until > {now} + 20000000`), 1)
		_, ok = renew("k", g.Gen-1, lim)
		testkit.Equal(t, "renewed by an older generation", ok, false)
		_, ok = renew("absent", 1, lim)
		testkit.Equal(t, "renewed without a row", ok, false)

		must2(s.BlockGate(bg, "k", time.Hour, false, time.Hour))(t)
		wait, ok := renew("k", g.Gen, lim)
		if ok || wait < 59*time.Minute {
			t.Fatalf("renewed %v during a block, wait %v", ok, wait)
		}
		raw(t, s, `UPDATE rate_gates SET blocked_until = 0, lease_until = {now} - 1000`)
		_, ok = renew("k", g.Gen, lim)
		testkit.Equal(t, "renewed after its end", ok, false)
		testkit.Equal(t, "swept", must2(s.SweepGates(bg, time.Minute))(t), 1)
		wait, ok = renew("k", g.Gen, lim)
		if ok || wait < 50*time.Second {
			t.Fatalf("renewed %v after the sweep, wait %v", ok, wait)
		}
		raw(t, s, `UPDATE rate_gates SET blocked_until = 0`)
		g, _, _ = acquire(t, s, "k", false, lim)
		testkit.OK(t, s.ReleaseGate(bg, "k", g.Gen, false, true, 0))
		_, ok = renew("k", g.Gen, lim)
		testkit.Equal(t, "renewed after it was given back", ok, false)
	})
}

// A read slot is not renewed while the key that it belongs to is blocked.
func TestGateRenewOfAReadSlotObeysTheBlockOfTheKey(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		lim := limits()
		lim.BlockKey = "k"
		testkit.OK(t, s.EnsureGate(bg, "k"))
		g, _, _ := acquire(t, s, "k|read-0", false, lim)
		must2(s.BlockGate(bg, "k", time.Hour, false, time.Hour))(t)
		_, wait, ok, err := s.RenewGate(bg, "k|read-0", g.Gen, lim)
		testkit.OK(t, err)
		if ok || wait < 59*time.Minute {
			t.Fatalf("renewed %v, wait %v", ok, wait)
		}
	})
}

// If a sweep and renewals race, the lease is renewed or taken away, never both.
func TestGateRenewAndSweepAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		testkit.OK(t, s.EnsureGate(bg, "k"))
		for range 10 {
			raw(t, s, `UPDATE rate_gates SET blocked_until = 0, lease_owner = NULL`)
			lim := limits()
			lim.Lease = 2 * time.Millisecond
			g, _, got := acquire(t, s, "k", false, lim)
			testkit.Equal(t, "acquired", got, true)
			var renewed, swept [4]bool
			atOnce(8, func(i int) {
				var err error
				if i%2 == 0 {
					_, _, renewed[i/2], err = s.RenewGate(bg, "k", g.Gen, limits())
				} else {
					var n int64
					n, err = s.SweepGates(bg, time.Minute)
					swept[i/2] = n > 0
				}
				if err != nil {
					t.Error(err)
				}
			})
			held := must2(s.Gates(bg))(t)[0].Held
			if slices.Contains(renewed[:], true) && (slices.Contains(swept[:], true) || !held) {
				t.Fatalf("renewed and taken away, held %v", held)
			}
		}
	})
}
