package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// claimed makes a job and claims it.
func claimed(t testing.TB, s *store.Store, subject string) store.Job {
	t.Helper()
	return must2(s.Claim(bg, storetest.Job(t, s, domain.KindReview, "k", subject).ID, "worker", time.Minute))(t)
}

// expire makes the leases of all claims end.
func expire(t testing.TB, s *store.Store) {
	t.Helper()
	raw(t, s, `UPDATE jobs SET lease_us = {now} - 1000 WHERE state = 'running'`)
}

func job(t testing.TB, s *store.Store, id string) store.Job {
	t.Helper()
	return must2(s.Job(bg, id))(t)
}

func TestEnqueueOncePerKey(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		j := store.NewJob{Kind: domain.KindPublish, FairKey: "k", Subject: "run_1", Dedup: "publish:run_1", Tenant: "ten_1"}
		testkit.Equal(t, "made", must2(s.Enqueue(bg, j))(t), true)
		testkit.Equal(t, "made again", must2(s.Enqueue(bg, j))(t), false)
		j.Dedup = ""
		testkit.Equal(t, "made without a key", must2(s.Enqueue(bg, j))(t), true)
		testkit.Equal(t, "made without a key again", must2(s.Enqueue(bg, j))(t), true)
		row := must2(s.JobsOf(bg, "run_1"))(t)[0]
		testkit.Equal(t, "lane", row.Lane, domain.LanePublish)
		testkit.Equal(t, "tenant", row.Tenant, "ten_1")

		testkit.Equal(t, "made by one of many", winners(t, 16, func(int) (bool, error) {
			return s.Enqueue(bg, store.NewJob{Kind: domain.KindReflect, Subject: "run_2", Dedup: "reflect:run_2"})
		}), 1)
	})
}

func TestClaimOnlyWhatIsDue(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		_, err := s.Enqueue(bg, store.NewJob{Kind: domain.KindReview, Subject: "later", Delay: time.Hour})
		testkit.OK(t, err)
		later := must2(s.JobsOf(bg, "later"))(t)[0]
		_, err = s.Claim(bg, later.ID, "w", time.Minute)
		wantKind(t, err, errs.NotFound)
		_, err = s.Claim(bg, "job_none", "w", time.Minute)
		wantKind(t, err, errs.NotFound)

		c := claimed(t, s, "now")
		testkit.Equal(t, "state", c.State, domain.JobRunning)
		testkit.Equal(t, "generation", c.Gen, 1)
		if c.Lease() != time.Minute {
			t.Fatalf("the lease is %v", c.Lease())
		}
		_, err = s.Claim(bg, c.ID, "other", time.Minute)
		wantKind(t, err, errs.NotFound)
	})
}

// Every transition of a claim names its generation. After a sweep, the worker that lost the job can do
// nothing to it.
func TestFences(t *testing.T) {
	ends := map[string]func(s *store.Store, id string, gen int64) (bool, error){
		"extend": func(s *store.Store, id string, gen int64) (bool, error) {
			return s.ExtendClaim(bg, id, gen, time.Minute, "x")
		},
		"finish": func(s *store.Store, id string, gen int64) (bool, error) { return s.FinishJob(bg, id, gen) },
		"snooze": func(s *store.Store, id string, gen int64) (bool, error) {
			return s.SnoozeJob(bg, id, gen, store.Wait{For: time.Second, Reason: "gate"})
		},
		"kill": func(s *store.Store, id string, gen int64) (bool, error) { return s.KillJob(bg, id, gen, "never") },
		"retry": func(s *store.Store, id string, gen int64) (bool, error) {
			return s.RetryJob(bg, id, gen, 0, 1, "failed") // true: the job is dead
		},
		"holds": func(s *store.Store, id string, gen int64) (bool, error) {
			_, held, err := s.Holds(bg, id, gen)
			return held, err
		},
	}
	each(t, func(t *testing.T, s *store.Store) {
		for name, end := range ends {
			for _, again := range []bool{false, true} { // only swept, or claimed again by another worker
				old := claimed(t, s, fmt.Sprint(name, again))
				expire(t, s)
				swept := must2(s.SweepJobs(bg, 9))(t)
				testkit.Require(t, name+": swept", len(swept), 1)
				if again {
					fresh := must2(s.Claim(bg, old.ID, "other", time.Minute))(t)
					testkit.Equal(t, name+": generations", fresh.Gen, old.Gen+2)
				}
				before := dump(t, s)
				testkit.Equal(t, name+" with the old generation", must2(end(s, old.ID, old.Gen))(t), false)
				testkit.Equal(t, name+": rows after", dump(t, s), before)
				if again {
					testkit.Equal(t, name+" with the new generation", must2(end(s, old.ID, old.Gen+2))(t), true)
				} else {
					must2(s.Claim(bg, old.ID, "other", time.Minute))(t)
				}
				raw(t, s, `DELETE FROM jobs`)
			}
		}
	})
}

func TestExtend(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		c := claimed(t, s, "r")
		testkit.Equal(t, "held", must2(s.ExtendClaim(bg, c.ID, c.Gen, time.Hour, "generate"))(t), true)
		left, held, err := s.Holds(bg, c.ID, c.Gen)
		testkit.OK(t, err)
		if !held || left > time.Hour || left < 59*time.Minute {
			t.Fatalf("held %v, left %v", held, left)
		}
		testkit.Equal(t, "stage", job(t, s, c.ID).LastStage, "generate")
	})
}

func TestRetryUntilDead(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		c := claimed(t, s, "r")
		testkit.Equal(t, "dead", must2(s.RetryJob(bg, c.ID, c.Gen, 0, 2, "first"))(t), false)
		j := job(t, s, c.ID)
		testkit.Equal(t, "state", j.State, domain.JobQueued)
		testkit.Equal(t, "attempts", j.Attempts, 1)
		testkit.Equal(t, "error", j.LastError, "first")
		c = must2(s.Claim(bg, c.ID, "w", time.Minute))(t)
		testkit.Equal(t, "dead", must2(s.RetryJob(bg, c.ID, c.Gen, time.Hour, 2, strings.Repeat("ä", 3000)))(t), true)
		j = job(t, s, c.ID)
		testkit.Equal(t, "state", j.State, domain.JobDead)
		testkit.Equal(t, "error", j.LastError, strings.Repeat("ä", 1000))
		if j.FinishedUS == 0 {
			t.Fatal("a dead job has no end")
		}
		testkit.Equal(t, "dead letters", must2(s.DeadJobs(bg, store.DeadFilter{Limit: 10}))(t)[0].ID, c.ID)
	})
}

func TestSnoozeCountsNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		c := claimed(t, s, "r")
		testkit.Equal(t, "snoozed", must2(s.SnoozeJob(bg, c.ID, c.Gen, store.Wait{For: time.Hour, Reason: "the model is down"}))(t), true)
		j := job(t, s, c.ID)
		testkit.Equal(t, "attempts", j.Attempts+j.CrashAttempts, 0)
		testkit.Equal(t, "state", j.State, domain.JobQueued)
		waits := must2(s.NextDue(bg))(t)
		if wait := waits[domain.LaneReview]; len(waits) != 1 || wait < 59*time.Minute || wait > time.Hour {
			t.Fatalf("next is due in %v, want the lane of reviews in an hour", waits)
		}
	})
}

func TestCrashesAreCountedApart(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		c := claimed(t, s, "r")
		testkit.Require(t, "swept with a good lease", len(must2(s.SweepJobs(bg, 3))(t)), 0)
		for crash := int64(1); crash <= 3; crash++ {
			must2(s.ExtendClaim(bg, c.ID, c.Gen, time.Minute, "generate"))(t)
			expire(t, s)
			swept := must2(s.SweepJobs(bg, 3))(t)
			testkit.Require(t, "swept", len(swept), 1)
			testkit.Equal(t, "swept", swept[0], store.Swept{ID: c.ID, Subject: "r", Kind: domain.KindReview, Dead: crash == 3})
			j := job(t, s, c.ID)
			testkit.Equal(t, "crashes", j.CrashAttempts, crash)
			testkit.Equal(t, "attempts", j.Attempts, 0)
			testkit.Equal(t, "error", j.LastError, "the worker stopped in stage generate")
			if crash < 3 {
				c = must2(s.Claim(bg, c.ID, "w", time.Minute))(t)
				testkit.Equal(t, "stage of a new claim", c.LastStage, "")
			}
		}
		j := job(t, s, c.ID)
		testkit.Equal(t, "state", j.State, domain.JobDead)
		testkit.Equal(t, "last stage", j.LastStage, "generate")

		testkit.Equal(t, "redriven", must2(s.RedriveJob(bg, c.ID))(t), true)
		testkit.Equal(t, "redriven twice", must2(s.RedriveJob(bg, c.ID))(t), false)
		r := must2(s.Claim(bg, c.ID, "w", time.Minute))(t)
		if r.Gen <= c.Gen+1 || r.CrashAttempts+r.Attempts != 0 || r.FinishedUS != 0 {
			t.Fatalf("redriven: %+v", r)
		}
		testkit.Equal(t, "killed", must2(s.KillJob(bg, r.ID, r.Gen, "never"))(t), true)
		testkit.Equal(t, "discarded", must2(s.DiscardJob(bg, r.ID, "known"))(t), true)
		testkit.Equal(t, "redriven after it was discarded", must2(s.RedriveJob(bg, r.ID))(t), false)
		testkit.Equal(t, "state", job(t, s, r.ID).State, domain.JobDiscarded)
	})
}

func TestDropJobs(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		c := claimed(t, s, "done")
		must2(s.FinishJob(bg, c.ID, c.Gen))(t)
		claimed(t, s, "running")
		testkit.Equal(t, "dropped", must2(s.DropJobs(bg, time.Hour))(t), 0)
		raw(t, s, `UPDATE jobs SET finished_us = finished_us - 7200000000`)
		testkit.Equal(t, "dropped", must2(s.DropJobs(bg, time.Hour))(t), 1)
		testkit.Equal(t, "left", count(t, s, `SELECT COUNT(*) FROM jobs`), 1)
	})
}

func TestProcessesAndSlots(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		testkit.OK(t, s.RecordHeartbeat(bg, store.Process{ID: "a", Name: "worker on one", Version: "1.0.0", Keys: []string{"11111111", "22222222"}}, map[domain.Lane]int{domain.LaneReview: 2, domain.LanePublish: 1}))
		testkit.OK(t, s.RecordHeartbeat(bg, store.Process{ID: "b", Version: "1.0.0"}, map[domain.Lane]int{domain.LaneReview: 3}))
		testkit.OK(t, s.RecordHeartbeat(bg, store.Process{ID: "b", Version: "1.0.1"}, map[domain.Lane]int{domain.LaneReview: 4}))
		testkit.OK(t, s.RecordHeartbeat(bg, store.Process{ID: "c", Name: "api on two", Version: "1.0.1", Keys: []string{"11111111"}}, nil))
		testkit.Equal(t, "review slots", must2(s.Slots(bg, domain.LaneReview, time.Minute))(t), 6)
		testkit.Equal(t, "background slots", must2(s.Slots(bg, domain.LaneBackground, time.Minute))(t), 0)
		testkit.Equal(t, "workers", must2(s.LiveWorkers(bg, time.Minute))(t), 2)
		all := must2(s.Processes(bg, time.Minute))(t)
		for i := range all {
			all[i].SeenUS = 0
		}
		testkit.Equal(t, "processes", fmt.Sprint(all), "[{b  1.0.1 [] 0} {c api on two 1.0.1 [11111111] 0} {a worker on one 1.0.0 [11111111 22222222] 0}]")
		raw(t, s, `UPDATE worker_lanes SET seen_us = seen_us - 120000000 WHERE worker_id = 'b'`)
		testkit.Equal(t, "processes that live", len(must2(s.Processes(bg, time.Minute))(t)), 2)
		testkit.OK(t, s.ForgetProcesses(bg, time.Hour, "c"))
		testkit.Equal(t, "review slots of the living", must2(s.Slots(bg, domain.LaneReview, time.Minute))(t), 2)
		testkit.OK(t, s.ForgetProcesses(bg, time.Minute, ""))
		testkit.Equal(t, "rows", count(t, s, `SELECT COUNT(*) FROM worker_lanes`), 2)
		testkit.OK(t, s.ForgetProcesses(bg, time.Minute, "a"))
		testkit.Equal(t, "rows", count(t, s, `SELECT COUNT(*) FROM worker_lanes`), 0)
	})
}

func TestLaneStates(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		testkit.Require(t, "lanes of an empty ledger", len(must2(s.LaneStates(bg))(t)), 0)
		claimed(t, s, "a")
		expire(t, s)
		storetest.Job(t, s, domain.KindReview, "k", "b")
		_, err := s.Enqueue(bg, store.NewJob{Kind: domain.KindReview, Subject: "c", Delay: time.Hour})
		testkit.OK(t, err)
		d := claimed(t, s, "d")
		must2(s.KillJob(bg, d.ID, d.Gen, "never"))(t)
		e := claimed(t, s, "e")
		must2(s.FinishJob(bg, e.ID, e.Gen))(t)
		raw(t, s, `UPDATE jobs SET run_us = run_us - 5000000 WHERE subject = 'b'`)
		all := must2(s.LaneStates(bg))(t)
		testkit.Require(t, "lanes", len(all), 1)
		l := all[0]
		if l.Lane != domain.LaneReview || l.Queued != 2 || l.Running != 1 || l.Dead != 1 || l.OldestDueUS < 5e6 || l.OldestDueUS > 60e6 || l.LongestRunUS < 1000 {
			t.Fatalf("%+v", l)
		}
	})
}

// SQLite's clock counts milliseconds, so a job has often been due for 0 milliseconds.
func TestANewJobIsDueAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for i := range 20 {
			_, err := s.Enqueue(bg, store.NewJob{Kind: domain.KindReview, Subject: fmt.Sprint(i)})
			testkit.OK(t, err)
			testkit.Equal(t, "a job is due", must2(s.LaneStates(bg))(t)[0].OldestDueUS > 0, true)
			raw(t, s, `DELETE FROM jobs`)
		}
	})
}
