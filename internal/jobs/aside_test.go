package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// A job that crashed its worker is put aside for the time that its kind sets, so that the next worker does
// not take it at once.
func TestAJobThatEndedItsWorkerIsPutAside(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.add("deadly")
		first := f.job("deadly")
		claimed, err := s.Claim(bg, first.ID, "wrk_dead", -time.Second) // the worker of the claim is dead
		testkit.OK(t, err)
		told := make(chan store.Job, 10)
		f.serve(quick(), jobs.Kind{
			Run: func(context.Context, *jobs.Claim) error { return nil },
			Crashed: func(ctx context.Context, j store.Job) (time.Duration, error) {
				s.AfterCommit(ctx, func() { told <- j })
				return time.Hour, nil
			},
		})
		j := receive(t, told)
		testkit.Equal(t, "job", j.ID, claimed.ID)
		testkit.Equal(t, "crashes", j.CrashAttempts, 1)
		f.add("harmless")
		testkit.Equal(t, "the other job", f.obs.outcome(t), "done")
		now := f.job("deadly")
		testkit.Equal(t, "state", now.State, domain.JobQueued)
		if pause := time.Duration(now.RunUS-now.NowUS) * time.Microsecond; pause < 30*time.Minute {
			t.Errorf("it is due in %v", pause)
		}
	})
}

// A fair key gets no more than its share of the slots for a kind of job, even if all others are free.
func TestAKindHasAShareOfItsLane(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := share(t, s, "a", "b")
		f.start(quick(), map[domain.Lane]int{lane: 6}, map[domain.JobKind]jobs.Kind{kind: {Run: f.review, Share: 2}})
		f.t.Cleanup(f.over)
		for _, subject := range []string{"a1", "a2", "a3"} {
			f.addOf(kind, subject, "a")
		}
		f.begin("two of a", "a", "a")
		testkit.Equal(t, "the third of a", f.obs.outcome(t), "snoozed")
		f.addOf(kind, "b1", "b")
		f.begin("b has slots", "b")
		f.end("a")
		f.begin("the third of a follows", "a")
	})
}

// A job that yields ends with its worker at once, and the attempt does not count. Another job may finish its
// work.
func TestAJobThatYieldsEndsWithItsWorker(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		began := make(chan struct{}, 1)
		stop := f.serve(quick(), jobs.Kind{Yields: true, Run: func(ctx context.Context, _ *jobs.Claim) error {
			began <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}})
		f.add("sub")
		receive(t, began)
		stop()
		testkit.Equal(t, "outcome", f.obs.outcome(t), "snoozed")
		j := f.job("sub")
		testkit.Equal(t, "attempts", j.Attempts+j.CrashAttempts, 0)
		testkit.Equal(t, "state", j.State, domain.JobQueued)
	})
}
