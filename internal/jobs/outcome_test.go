package jobs_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestOutcomesOfAJob(t *testing.T) {
	for name, c := range map[string]struct {
		run      func(ctx context.Context, c *jobs.Claim) error
		outcome  string
		state    domain.JobState
		attempts int64
		error    string
		dead     bool
	}{
		"done": {run: func(context.Context, *jobs.Claim) error { return nil }, outcome: "done", state: domain.JobDone},
		"snoozed": {run: func(context.Context, *jobs.Claim) error {
			return &jobs.Snooze{For: time.Hour, Why: "the model is down"}
		},
			outcome: "snoozed", state: domain.JobQueued, error: "waiting: the model is down"},
		"wrapped snooze": {run: func(context.Context, *jobs.Claim) error {
			return errors.Join(errors.New("around"), &jobs.Snooze{For: time.Hour, Why: "w"})
		}, outcome: "snoozed", state: domain.JobQueued, error: "waiting: w"},
		"fatal": {run: func(context.Context, *jobs.Claim) error { return &jobs.Fatal{Err: errors.New("cannot be")} },
			outcome: "dead", state: domain.JobDead, error: "cannot be", dead: true},
		"failed": {run: func(context.Context, *jobs.Claim) error { return errors.New("bad moment") },
			outcome: "failed", state: domain.JobQueued, attempts: 1, error: "bad moment"},
		"panic": {run: func(_ context.Context, c *jobs.Claim) error { c.Stage("boom", time.Minute); panic("ouch") },
			outcome: "failed", state: domain.JobQueued, attempts: 1, error: "panic in stage boom: ouch"},
		"lost, as the handler reports": {run: func(context.Context, *jobs.Claim) error { return jobs.ErrLost }, outcome: "lost", state: domain.JobRunning},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				dead := make(chan string, 1)
				settings := quick()
				settings.BackoffFirst, settings.BackoffMax = time.Hour, time.Hour
				f.serve(settings, jobs.Kind{Run: c.run, Dead: func(_ context.Context, j store.Job, d jobs.Death) error {
					dead <- j.Subject + ": " + d.Reason
					return nil
				}})
				f.add("sub")
				testkit.Equal(t, "outcome", f.obs.outcome(t), c.outcome)
				j := f.job("sub")
				testkit.Equal(t, "state", j.State, c.state)
				testkit.Equal(t, "attempts", j.Attempts, c.attempts)
				testkit.Equal(t, "crashes", j.CrashAttempts, 0)
				if !strings.HasPrefix(j.LastError, c.error) {
					t.Fatalf("last error %q", j.LastError)
				}
				testkit.Require(t, "dead callback", len(dead), map[bool]int{true: 1}[c.dead])
			})
		})
	}
}

func TestAFailingJobIsRepeatedAndCounted(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		var calls atomic.Int64
		f.serve(quick(), jobs.Kind{Run: func(context.Context, *jobs.Claim) error {
			if calls.Add(1) < 3 {
				return errors.New("not yet")
			}
			return nil
		}})
		f.add("sub")
		for _, want := range []string{"failed", "failed", "done"} {
			testkit.Equal(t, "outcome", f.obs.outcome(t), want)
		}
		j := f.job("sub")
		testkit.Equal(t, "attempts", j.Attempts, 2)
		testkit.Equal(t, "generation", j.Gen, 3)
		testkit.Equal(t, "last error", j.LastError, "")
	})
}

func TestTheLastFailureBuriesTheJobInOneTransaction(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		settings := quick()
		settings.Attempts = 2
		var refuse atomic.Bool
		refuse.Store(true)
		tried := make(chan struct{}, 100)
		f.serve(settings, jobs.Kind{
			Run: func(context.Context, *jobs.Claim) error { return errors.New("no") },
			Dead: func(ctx context.Context, j store.Job, d jobs.Death) error {
				if _, err := s.Enqueue(ctx, store.NewJob{Kind: domain.KindReflect, Subject: "after " + j.Subject, FairKey: d.Reason}); err != nil {
					return err
				}
				tried <- struct{}{}
				if refuse.Load() {
					return errors.New("the follow-up could not be written")
				}
				return nil
			}})
		f.add("sub")
		testkit.Equal(t, "first", f.obs.outcome(t), "failed")
		testkit.Equal(t, "burial refused", f.obs.outcome(t), "unrecorded")
		receive(t, tried)
		after, err := s.JobsOf(bg, "after sub")
		testkit.OK(t, err)
		testkit.Require(t, "jobs of the burial that was rolled back", len(after), 0)
		testkit.Equal(t, "state", f.job("sub").State, domain.JobRunning)
	})
}

func TestADeadJobHasTheFollowUpOfItsKind(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		settings := quick()
		settings.Attempts = 2
		f.serve(settings, jobs.Kind{
			Run: func(context.Context, *jobs.Claim) error { return errors.New("no") },
			Dead: func(ctx context.Context, j store.Job, d jobs.Death) error {
				_, err := s.Enqueue(ctx, store.NewJob{Kind: domain.KindReflect, Subject: "after " + j.Subject, FairKey: d.Reason})
				return err
			}})
		f.add("sub")
		testkit.Equal(t, "first", f.obs.outcome(t), "failed")
		testkit.Equal(t, "second", f.obs.outcome(t), "dead")
		testkit.Equal(t, "follow-up job", f.job("after sub").FairKey, "no")
		testkit.Equal(t, "state", f.job("sub").State, domain.JobDead)
	})
}

func TestAnEndInTheHandlersOwnTransaction(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.serve(quick(), jobs.Kind{Run: func(ctx context.Context, c *jobs.Claim) error {
			err := s.InTx(ctx, func(ctx context.Context) error {
				if _, err := s.Enqueue(ctx, store.NewJob{Kind: domain.KindReflect, Subject: "effect"}); err != nil {
					return err
				}
				return c.Finish(ctx)
			})
			// Some heartbeats later the claim has been released, which does not count as a loss.
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(150 * time.Millisecond):
			}
			return err
		}})
		f.add("sub")
		testkit.Equal(t, "outcome", f.obs.outcome(t), "done")
		testkit.Equal(t, "state", f.job("sub").State, domain.JobDone)
		f.job("effect")
	})
}

func TestAnUnknownKindWaitsForANewerWorker(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.serve(quick(), jobs.Kind{Run: func(context.Context, *jobs.Claim) error { return nil }})
		f.addOf("future.kind", "sub", "key")
		testkit.Equal(t, "outcome", f.obs.outcome(t), "snoozed")
		j := f.job("sub")
		testkit.Equal(t, "attempts", j.Attempts, 0)
		if wait := j.RunUS - j.NowUS; j.State != domain.JobQueued || wait < 30e6 {
			t.Fatalf("state %s, due in %d µs", j.State, wait)
		}
	})
}

func TestAWorkerWithoutAWayToRunAKindIsRefused(t *testing.T) {
	if _, err := jobs.New(jobs.Config{Kinds: map[domain.JobKind]jobs.Kind{kind: {}}}); err == nil {
		t.Fatal("a kind without Run was accepted")
	}
	if _, err := jobs.New(jobs.Config{Settings: jobs.Settings{Lease: time.Second, Heartbeat: time.Second}}); err == nil {
		t.Fatal("a heartbeat as long as the lease was accepted")
	}
}
