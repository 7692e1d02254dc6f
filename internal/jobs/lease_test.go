package jobs_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// until returns a handler that reports when it began and why its context ended.
func until(began chan<- *jobs.Claim, why chan<- error) func(ctx context.Context, c *jobs.Claim) error {
	return func(ctx context.Context, c *jobs.Claim) error {
		began <- c
		<-ctx.Done()
		why <- context.Cause(ctx)
		return ctx.Err()
	}
}

func TestALostClaimCancelsTheHandlerAndRecordsNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		began, why := make(chan *jobs.Claim, 1), make(chan error, 1)
		f.serve(quick(), jobs.Kind{Run: until(began, why)})
		f.add("sub")
		c := receive(t, began)
		var other store.Job
		testkit.OK(t, s.InTx(bg, func(ctx context.Context) error { // in one transaction, because the worker would claim a job that is given back
			held, err := s.SnoozeJob(ctx, c.Job.ID, c.Job.Gen, store.Wait{})
			testkit.Equal(t, "taken away", held, true)
			if err == nil {
				other, err = s.Claim(ctx, c.Job.ID, "another", time.Hour)
			}
			return err
		}))
		testkit.Equal(t, "cause", receive(t, why), error(jobs.ErrLost))
		testkit.Equal(t, "outcome", f.obs.outcome(t), "lost")
		j := f.job("sub")
		testkit.Equal(t, "owner", j.ClaimedBy, "another")
		testkit.Equal(t, "generation", j.Gen, other.Gen)
		testkit.Equal(t, "attempts", j.Attempts, 0)
		if _, err := c.Left(bg); !errors.Is(err, jobs.ErrLost) {
			t.Fatalf("Left of a lost claim: %v", err)
		}
		if err := c.Renew(bg); !errors.Is(err, jobs.ErrLost) {
			t.Fatalf("Renew of a lost claim: %v", err)
		}
		if err := s.InTx(bg, func(ctx context.Context) error { return c.Finish(ctx) }); !errors.Is(err, jobs.ErrLost) {
			t.Fatalf("Finish of a lost claim: %v", err)
		}
		testkit.Equal(t, "state", f.job("sub").State, domain.JobRunning)
	})
}

func TestAStuckStageIsGivenUpAndCountsAsACrash(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		settings := quick()
		settings.Lease = 3 * time.Second // the second attempt must end within a lease, even on a busy machine
		why := make(chan error, 1)
		var calls atomic.Int64
		f.serve(settings, jobs.Kind{Run: func(ctx context.Context, c *jobs.Claim) error {
			if calls.Add(1) > 1 {
				return nil
			}
			c.Stage("endless", time.Millisecond)
			<-ctx.Done()
			c.Touch() // a late sign of life must not renew what was given up
			why <- context.Cause(ctx)
			return ctx.Err()
		}})
		f.add("sub")
		testkit.Equal(t, "cause", receive(t, why), error(jobs.ErrLost))
		testkit.Equal(t, "outcome", f.obs.outcome(t), "lost")
		testkit.Equal(t, "second life", f.obs.outcome(t), "done")
		j := f.job("sub")
		testkit.Equal(t, "crashes", j.CrashAttempts, 1)
		testkit.Equal(t, "attempts", j.Attempts, 0)
	})
}

func TestProgressKeepsALongJobAlive(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		settings := quick()
		// A busy machine may miss many heartbeats, and a database takes longer than this one to answer.
		settings.Lease, settings.Heartbeat = 2*time.Second, 100*time.Microsecond
		f.serve(settings, jobs.Kind{Run: func(ctx context.Context, c *jobs.Claim) error {
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for range 50 { // two leases and a half
				c.Stage("working", 10*time.Second)
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-tick.C:
				}
			}
			return nil
		}})
		f.add("sub")
		testkit.Equal(t, "outcome", f.obs.outcome(t), "done")
		testkit.Equal(t, "crashes", f.job("sub").CrashAttempts, 0)
	})
}

func TestADatabaseThatGoesAwayEndsTheClaimBeforeTheLease(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		settings := quick()
		settings.Lease = time.Second
		began, why := make(chan *jobs.Claim, 1), make(chan error, 1)
		f.serve(settings, jobs.Kind{Run: until(began, why)})
		f.add("sub")
		receive(t, began)
		testkit.OK(t, s.Close())
		testkit.Equal(t, "cause", receive(t, why), error(jobs.ErrLost))
	})
}

func TestTheJobOfADeadWorkerRunsAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		j := f.add("sub")
		dead, err := s.Claim(bg, j.ID, "killed", 50*time.Millisecond)
		testkit.OK(t, err)
		f.serve(quick(), jobs.Kind{Run: func(context.Context, *jobs.Claim) error { return nil }})
		testkit.Equal(t, "outcome", f.obs.outcome(t), "done")
		j = f.job("sub")
		testkit.Equal(t, "crashes", j.CrashAttempts, 1)
		if j.Gen <= dead.Gen+1 {
			t.Fatalf("generation %d after %d: sweep and claim must both raise it", j.Gen, dead.Gen)
		}
		held, err := s.FinishJob(bg, j.ID, dead.Gen)
		testkit.OK(t, err)
		testkit.Equal(t, "the dead worker's end counts", held, false)
	})
}

func TestTheCrashLimitBuriesTheJobInOneTransaction(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		settings := quick()
		settings.Crashes = 1
		var refused atomic.Bool
		buried := make(chan string, 1)
		healthy, err := s.Claim(bg, f.add("healthy").ID, "killed", -time.Second)
		testkit.OK(t, err)
		testkit.Equal(t, "generation", healthy.Gen, 1)
		_, err = s.Claim(bg, f.add("poison").ID, "killed", -time.Second)
		testkit.OK(t, err)
		ran := make(chan string, 10)
		f.serve(settings, jobs.Kind{
			Run: func(_ context.Context, c *jobs.Claim) error { ran <- c.Job.Subject; return nil },
			Dead: func(ctx context.Context, j store.Job, d jobs.Death) error {
				if j.Subject == "poison" && refused.CompareAndSwap(false, true) {
					panic("the burial itself is broken once")
				}
				_, err := s.Enqueue(ctx, store.NewJob{Kind: domain.KindReflect, Subject: "after " + j.Subject, Dedup: j.ID, FairKey: d.Reason})
				if err == nil {
					select {
					case buried <- d.Reason:
					default:
					}
				}
				return err
			}})
		// The failed burial must not prevent other jobs from being recovered: both run again, and end.
		got := map[string]bool{receive(t, ran): true, receive(t, ran): true}
		if !got["healthy"] || !got["poison"] {
			t.Fatalf("ran: %v", got)
		}
	})
}

func TestAJobDiesAtTheCrashLimit(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		settings := quick()
		settings.Crashes = 2
		buried := make(chan string, 1)
		j := f.add("poison")
		_, err := s.Claim(bg, j.ID, "killed", -time.Second)
		testkit.OK(t, err)
		f.start(settings, map[domain.Lane]int{domain.LaneDelivery: 1}, map[domain.JobKind]jobs.Kind{kind: {
			Run: func(context.Context, *jobs.Claim) error { return nil },
			Dead: func(ctx context.Context, j store.Job, d jobs.Death) error {
				_, err := s.Enqueue(ctx, store.NewJob{Kind: domain.KindReflect, Subject: "after", FairKey: d.Reason})
				buried <- d.Reason
				return err
			}}})
		receive(t, f.obs.dispatched) // recovered once and announced again
		_, err = s.Claim(bg, j.ID, "killed too", -time.Second)
		testkit.OK(t, err)
		testkit.Equal(t, "reason", receive(t, buried), "crashed: the worker stopped in stage start")
		for f.job("poison").State != domain.JobDead { // the callback runs inside the transaction that is about to commit
		}
		testkit.Equal(t, "follow-up job", f.job("after").FairKey, "crashed: the worker stopped in stage start")
		testkit.Equal(t, "state", f.job("poison").State, domain.JobDead)
	})
}

func TestAStopLetsRunningJobsFinish(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		ctx, cancel := context.WithCancel(bg)
		began, goOn := make(chan struct{}), make(chan struct{})
		over := f.run(ctx, bg, quick(), map[domain.Lane]int{lane: 1}, map[domain.JobKind]jobs.Kind{kind: {Run: func(ctx context.Context, _ *jobs.Claim) error {
			close(began)
			<-goOn
			return ctx.Err()
		}}})
		f.add("sub")
		receive(t, began)
		cancel()
		f.add("later")
		close(goOn)
		testkit.OK(t, receive(t, over))
		testkit.Equal(t, "the running job", f.job("sub").State, domain.JobDone)
		testkit.Equal(t, "the job after the stop", f.job("later").State, domain.JobQueued)
	})
}

func TestAJobThatOutlivesTheStopIsGivenBackUncounted(t *testing.T) {
	for name, hardStop := range map[string]bool{"after the drain time": false, "at a second signal": true} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				ctx, cancel := context.WithCancel(bg)
				hard, kill := context.WithCancel(bg)
				defer kill()
				settings := quick()
				if !hardStop {
					settings.Drain = 20 * time.Millisecond
				}
				began, why := make(chan *jobs.Claim, 1), make(chan error, 1)
				over := f.run(ctx, hard, settings, map[domain.Lane]int{lane: 1}, map[domain.JobKind]jobs.Kind{kind: {Run: until(began, why)}})
				f.add("sub")
				receive(t, began)
				cancel()
				if hardStop {
					kill()
				}
				testkit.OK(t, receive(t, over))
				j := f.job("sub")
				testkit.Equal(t, "state", j.State, domain.JobQueued)
				testkit.Equal(t, "attempts", j.Attempts, 0)
				testkit.Equal(t, "crashes", j.CrashAttempts, 0)
				if j.RunUS > j.NowUS {
					t.Fatal("it should be due at once")
				}
			})
		})
	}
}
