package jobs_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// shared is a lane of reviews whose jobs begin and end under the test's control.
type shared struct {
	*fixture
	began chan string              // fair keys of jobs that began
	ends  map[string]chan struct{} // by fair key: ends one of its jobs
	over  func()                   // ends all of them
	done  <-chan struct{}
}

func share(t *testing.T, s *store.Store, keys ...string) *shared {
	done, over := context.WithCancel(bg)
	f := &shared{newFixture(t, s), make(chan string, 1000), map[string]chan struct{}{}, over, done.Done()}
	for _, k := range keys {
		f.ends[k] = make(chan struct{})
	}
	return f
}

// work starts a worker with the given number of slots.
func (f *shared) work(slots int) {
	f.t.Helper()
	f.start(quick(), map[domain.Lane]int{domain.LaneReview: slots}, map[domain.JobKind]jobs.Kind{domain.KindReview: {Run: f.review}})
	f.t.Cleanup(f.over) // before the worker is stopped
}

func (f *shared) review(ctx context.Context, c *jobs.Claim) error {
	f.began <- c.Job.FairKey
	select {
	case <-f.ends[c.Job.FairKey]:
		return nil
	case <-f.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *shared) flood(key string, n int) {
	f.t.Helper()
	for i := range n {
		f.addOf(domain.KindReview, fmt.Sprint(key, i), key)
	}
}

// begin waits until one job of each named key has begun, in any order.
func (f *shared) begin(what string, keys ...string) {
	f.t.Helper()
	var got []string
	for range keys {
		got = append(got, receive(f.t, f.began))
	}
	slices.Sort(got)
	testkit.Equal(f.t, what, fmt.Sprint(got), fmt.Sprint(keys))
}

// end ends one job of a key.
func (f *shared) end(key string) {
	f.t.Helper()
	select {
	case f.ends[key] <- struct{}{}:
	case <-time.After(patience):
		f.t.Fatal("no job of " + key + " runs")
	}
}

// A tenant gets no more than its share of the slots of all workers while another tenant waits, however many
// jobs it has. A tenant alone may use all of them.
func TestSlotsAreShared(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := share(t, s, "a", "b", "c")
		f.flood("a", 50)
		f.work(1)
		f.work(1)
		f.begin("alone", "a", "a")
		f.flood("b", 3)
		f.end("a")
		f.begin("a slot is free", "b")
		f.end("b")
		f.begin("one each", "b")
		f.end("a")
		f.begin("one each, too", "a")
		f.flood("c", 1)
		f.end("a")
		f.begin("a tenant without a running job", "c")
		f.end("c")
		f.begin("back in turn", "a")
		f.end("b")
		f.begin("the last of b", "b")
		f.end("b")
		f.begin("alone again", "a")
	})
}

// In addition to two slots, a worker has one for a tenant without a running job: two tenants with many long
// reviews do not delay a third one.
func TestASlotBesideTheOthersIsForATenantWithNothingRunning(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := share(t, s, "a", "b", "c", "d")
		f.flood("a", 20)
		f.work(2)
		f.begin("alone, in the configured slots", "a", "a")
		f.flood("b", 20)
		f.begin("b has nothing running", "b")
		f.end("a") // a and b have one of three slots each, and may not use the third
		f.flood("c", 1)
		f.begin("c has nothing running", "c")
		f.end("c")
		f.end("b")
		f.begin("b again, as it has nothing running", "b")
		f.flood("d", 1)
		f.begin("d does not wait either", "d")
		f.end("a")
		f.end("b")
		f.begin("one each", "a", "b")
	})
}

// Slots of the other lanes are shared by announcing jobs in turn: tenants whose jobs wait for slow servers
// leave slots for others, even if several of them have many jobs.
func TestSlotsOfOtherLanesAreShared(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := share(t, s, "a", "b", "c", "d", "e")
		add := func(key string, n int) {
			for i := range n {
				f.addOf(kind, fmt.Sprint(key, i), key)
			}
		}
		add("a", 20)
		f.start(quick(), map[domain.Lane]int{lane: 8}, map[domain.JobKind]jobs.Kind{kind: {Run: f.review}})
		f.t.Cleanup(f.over)
		f.begin("half of them", "a", "a", "a", "a")
		add("b", 20)
		f.begin("half of the slots that a leaves", "b", "b")
		add("c", 20)
		f.begin("half of the slots that both leave", "c")
		add("d", 20)
		f.begin("the last one", "d")
		f.end("b")
		add("e", 1)
		f.begin("b has its share with one", "e")
	})
}

// Concurrent claims see each other when they count slots.
func TestClaimsAtOnceShareTheSlots(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		for round := range 20 {
			var hinted []string
			for i := range 2 {
				hinted = append(hinted, f.addOf(domain.KindReview, fmt.Sprint("a", round, i), "a").ID)
			}
			f.addOf(domain.KindReview, fmt.Sprint("b", round), "b")
			got := make(chan store.Job, 2)
			for _, id := range hinted {
				go func() {
					job, err := s.ClaimInTurn(bg, id, "w", quick().Lease)
					if err != nil {
						t.Error(err)
					}
					got <- job
				}()
			}
			first, second := receive(t, got), receive(t, got)
			if first.FairKey == second.FairKey {
				t.Fatalf("round %d: both claims are of %s", round, first.FairKey)
			}
			for _, j := range []store.Job{first, second} {
				_, err := s.FinishJob(bg, j.ID, j.Gen)
				testkit.OK(t, err)
			}
			for _, id := range hinted { // the rest of the round
				if job, err := s.ClaimInTurn(bg, id, "w", quick().Lease); err == nil {
					_, err := s.FinishJob(bg, job.ID, job.Gen)
					testkit.OK(t, err)
				}
			}
		}
	})
}

// A hint for a job that cannot be claimed does not claim another job. A hint out of turn is sent again.
func TestAHintGivesOneJobAtMost(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		a1, a2, b := f.addOf(domain.KindReview, "a1", "a"), f.addOf(domain.KindReview, "a2", "a"), f.addOf(domain.KindReview, "b1", "b")
		testkit.OK(t, s.MarkDispatched(bg, []store.Due{{ID: a1.ID, Gen: a1.Gen}, {ID: a2.ID, Gen: a2.Gen}, {ID: b.ID, Gen: b.Gen}}))
		claim := func(hint string) string {
			job, err := s.ClaimInTurn(bg, hint, "w", quick().Lease)
			if err != nil {
				return "nothing"
			}
			return job.Subject
		}
		testkit.Equal(t, "the first", claim(a1.ID), "a1")
		testkit.Equal(t, "the same hint again", claim(a1.ID), "nothing")
		testkit.Equal(t, "a hint out of turn", claim(a2.ID), "b1")
		testkit.Equal(t, "the hint is sent again", f.job("a2").DispatchedUS, 0)
		testkit.Equal(t, "the hint of the job that was claimed instead", claim(b.ID), "nothing")
		testkit.Equal(t, "remaining job", claim(a2.ID), "a2")
	})
}
