package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// subjects returns the subjects of jobs, in order.
func subjects(t testing.TB, s *store.Store, due []store.Due) []string {
	t.Helper()
	out := []string{}
	for _, d := range due {
		out = append(out, job(t, s, d.ID).Subject)
	}
	return out
}

// backlog makes n jobs of a fair key, due one after the other, the first one ageUS ago.
func backlog(t testing.TB, s *store.Store, key string, ageUS int64, n int) {
	t.Helper()
	for i := range n {
		subject := fmt.Sprintf("%s%d", key, i)
		storetest.Job(t, s, domain.KindReview, key, subject)
		raw(t, s, `UPDATE jobs SET run_us = {now} - $1 + $2 WHERE subject = $3`, ageUS, int64(i), subject)
	}
}

func TestDueJobsTakeTurns(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		testkit.Require(t, "due in an empty ledger", len(must2(s.DueJobs(bg, domain.LaneReview, 10, 0))(t)), 0)
		backlog(t, s, "a", 900e6, 6) // the flood came first
		backlog(t, s, "b", 500e6, 2)
		backlog(t, s, "c", 700e6, 1)
		for limit, want := range map[int][]string{
			0:  {},
			2:  {"a0", "c0"},
			3:  {"a0", "c0", "b0"},
			4:  {"a0", "c0", "b0", "a1"},
			6:  {"a0", "c0", "b0", "a1", "b1", "a2"},
			50: {"a0", "c0", "b0", "a1", "b1", "a2", "a3", "a4", "a5"},
		} {
			if got := subjects(t, s, must2(s.DueJobs(bg, domain.LaneReview, limit, 0))(t)); !slices.Equal(got, want) {
				t.Errorf("limit %d: got %v, want %v", limit, got, want)
			}
		}
		testkit.Require(t, "due in another lane", len(must2(s.DueJobs(bg, domain.LanePublish, 10, 0))(t)), 0)
	})
}

// With slots, a key gets half of the slots that the others leave, and at least one. Running and hinted
// jobs count.
func TestDueJobsKeepToShares(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		backlog(t, s, "a", 900e6, 6)
		backlog(t, s, "b", 500e6, 6)
		due := func(slots int, want ...string) []store.Due {
			t.Helper()
			out := must2(s.DueJobs(bg, domain.LaneReview, 50, slots))(t)
			if got := subjects(t, s, out); !slices.Equal(got, want) {
				t.Errorf("%d slots: got %v, want %v", slots, got, want)
			}
			return out
		}
		due(1, "a0", "b0")
		due(2, "a0", "b0")
		first := due(8, "a0", "b0", "a1", "b1", "a2")
		testkit.OK(t, s.MarkDispatched(bg, first))
		due(8)
		for _, d := range first[:3] { // a0, b0, a1
			_, err := s.Claim(bg, d.ID, "wrk_x", time.Minute)
			testkit.OK(t, err)
		}
		backlog(t, s, "c", 100e6, 3)
		due(8, "c0")
		due(20, "a3", "b2", "c0", "a4", "b3", "c1", "a5", "b4", "c2")
	})
}

func TestDueJobsOfManyKeys(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		const keys = 2*50 + 7 // more than two statements of branches
		for k := range keys {
			backlog(t, s, fmt.Sprintf("k%03d-", k), int64(keys-k)*1e3+1e6, 2)
		}
		got := subjects(t, s, must2(s.DueJobs(bg, domain.LaneReview, keys+5, 0))(t))
		var want []string
		for i := range keys + 5 {
			want = append(want, fmt.Sprintf("k%03d-%d", i%keys, i/keys))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v", got)
		}
		got = subjects(t, s, must2(s.DueJobs(bg, domain.LaneReview, 3, 0))(t))
		if !slices.Equal(got, want[:3]) {
			t.Fatalf("got %v", got)
		}
	})
}

func TestDueJobsLeaveOutWhatIsNotDue(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		backlog(t, s, "a", 1e6, 3)
		_, err := s.Enqueue(bg, store.NewJob{Kind: domain.KindReview, FairKey: "b", Subject: "later", Delay: time.Hour})
		testkit.OK(t, err)
		ids := must2(s.DueJobs(bg, domain.LaneReview, 10, 0))(t)
		must2(s.Claim(bg, ids[0].ID, "w", time.Minute))(t)
		testkit.OK(t, s.MarkDispatched(bg, ids[1:2]))
		testkit.OK(t, s.MarkDispatched(bg, nil))
		if got := must2(s.DueJobs(bg, domain.LaneReview, 10, 0))(t); !slices.Equal(got, ids[2:]) {
			t.Fatalf("got %v, want %v", got, ids[2:])
		}
	})
}

// A sent hint is sent again only when it is old and was never claimed.
func TestForgetDispatched(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		backlog(t, s, "a", 1e6, 3)
		ids := must2(s.DueJobs(bg, domain.LaneReview, 10, 0))(t)
		testkit.OK(t, s.MarkDispatched(bg, ids))
		testkit.Require(t, "due", len(must2(s.DueJobs(bg, domain.LaneReview, 10, 0))(t)), 0)
		testkit.Equal(t, "lanes with something next", len(must2(s.NextDue(bg))(t)), 0)
		testkit.Equal(t, "forgotten too early", must2(s.ForgetDispatched(bg, domain.LaneReview, time.Minute))(t), 0)
		must2(s.Claim(bg, ids[0].ID, "w", time.Minute))(t)
		raw(t, s, `UPDATE jobs SET dispatched_us = dispatched_us - 61000000`)
		testkit.Equal(t, "forgotten in another lane", must2(s.ForgetDispatched(bg, domain.LanePublish, time.Minute))(t), 0)
		testkit.Equal(t, "forgotten", must2(s.ForgetDispatched(bg, domain.LaneReview, time.Minute))(t), 2)
		testkit.Require(t, "due", len(must2(s.DueJobs(bg, domain.LaneReview, 10, 0))(t)), 2)
	})
}

// A job that returned to the queue needs a new hint, even if the relay that sent the old one marks it
// late.
func TestMarkDispatchedLate(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		backlog(t, s, "a", 1e6, 1)
		ids := must2(s.DueJobs(bg, domain.LaneReview, 10, 0))(t)
		c := must2(s.Claim(bg, ids[0].ID, "w", time.Minute))(t)
		must2(s.RetryJob(bg, c.ID, c.Gen, 0, 9, "failed"))(t) // due at once
		testkit.OK(t, s.MarkDispatched(bg, ids))
		testkit.Equal(t, "dispatched", job(t, s, c.ID).DispatchedUS, 0)
		again := must2(s.DueJobs(bg, domain.LaneReview, 10, 0))(t)
		testkit.Require(t, "due again", len(again), 1)
		testkit.OK(t, s.MarkDispatched(bg, again))
		if job(t, s, c.ID).DispatchedUS == 0 || again[0].Gen != c.Gen {
			t.Fatalf("%+v after %+v", again, c)
		}
	})
}

func TestClaimAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for range 5 {
			id := storetest.Job(t, s, domain.KindReview, "k", "r").ID
			testkit.Equal(t, "claims", winners(t, 32, func(i int) (bool, error) { return found(s.Claim(bg, id, fmt.Sprint("w", i), time.Minute)) }), 1)
			testkit.Equal(t, "generation", job(t, s, id).Gen, 1)
			raw(t, s, `DELETE FROM jobs`)
		}
	})
}

// If a sweep and the end of the same claim race, exactly one wins.
func TestSweepAgainstFinish(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for i := range 20 {
			c := claimed(t, s, fmt.Sprint("r", i))
			expire(t, s)
			swept := 0
			finished := winners(t, 2, func(i int) (bool, error) {
				if i == 0 {
					return s.FinishJob(bg, c.ID, c.Gen)
				}
				got, err := s.SweepJobs(bg, 3)
				swept = len(got)
				return false, err
			})
			testkit.Equal(t, "ends", finished+swept, 1)
			j := job(t, s, c.ID)
			testkit.Equal(t, "done", j.State == domain.JobDone, finished == 1)
			testkit.Equal(t, "crashes", int(j.CrashAttempts), swept)
		}
	})
}

// Many workers sweep, mark and forget the same rows at the same time: each crash is counted once, and
// no worker gets a deadlock error.
func TestSweepAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		const n = 400
		ids := make([]string, n)
		testkit.OK(t, bulk(s, n, `INSERT INTO jobs (id, kind, lane, fair_key, subject, state, run_us, lease_us, claim_gen, created_us)
			VALUES ($1, 'review.run', 'review', 'k', $1, 'running', 0, CAST($2 AS BIGINT), 1, 0)`, func(i int) []any {
			ids[i] = domain.NewID("job")
			return []any{ids[i], (i * 7919) % n}
		}))
		var swept [8]int
		atOnce(len(swept), func(i int) {
			got, err := s.SweepJobs(bg, 9)
			if err != nil {
				t.Error(err)
			}
			swept[i] = len(got)
		})
		total := 0
		for _, v := range swept {
			total += v
		}
		testkit.Equal(t, "swept", total, n)
		testkit.Equal(t, "counted twice", count(t, s, `SELECT COUNT(*) FROM jobs WHERE crash_attempts <> 1`), 0)

		atOnce(8, func(i int) {
			var mine []store.Due
			for _, id := range ids {
				mine = append(mine, store.Due{ID: id, Gen: job(t, s, id).Gen})
			}
			if i%2 == 1 {
				slices.Reverse(mine)
			}
			if err := s.MarkDispatched(bg, mine); err != nil {
				t.Error(err)
			}
			if _, err := s.ForgetDispatched(bg, domain.LaneReview, -time.Second); err != nil {
				t.Error(err)
			}
		})
	})
}

// found turns a not-found error into false.
func found[T any](_ T, err error) (bool, error) {
	if isAbsent(err) {
		return false, nil
	}
	return err == nil, err
}
