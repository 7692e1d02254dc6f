package jobs_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/queue/redisqueue"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func well(context.Context, *jobs.Claim) error { return nil }

// relayOnly has the lanes of a worker that announces jobs of the tests' lane and runs none of them.
var relayOnly = map[domain.Lane]int{domain.LaneDelivery: 1}

func TestJobsAreHeldWhileTheQueueIsDown(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		q := newShelf(f.queue)
		f.queue = q
		q.down.Store(true)
		f.serve(quick(), jobs.Kind{Run: well})
		f.add("sub")
		for range 3 {
			receive(t, q.refused)
		}
		testkit.Equal(t, "state", f.job("sub").State, domain.JobQueued)
		q.down.Store(false)
		testkit.Equal(t, "outcome", f.obs.outcome(t), "done")
	})
}

func TestLostHintsAreSentAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		settings := quick()
		settings.Resend = time.Millisecond
		f.start(settings, relayOnly, nil)
		f.add("sub")
		receive(t, f.obs.dispatched)
		hints, err := f.queue.Pull(bg, string(lane), "somebody", 10, patience)
		testkit.OK(t, err)
		testkit.Require(t, "hints", len(hints), 1)
		testkit.Require(t, "hints while one is under way", len(f.obs.dispatched), 0)
		testkit.OK(t, f.queue.Ack(bg, hints...)) // the hint is gone, and the job is not claimed
		receive(t, f.obs.dispatched)
		f.serve(settings, jobs.Kind{Run: well})
		testkit.Equal(t, "outcome", f.obs.outcome(t), "done")
	})
}

func TestAnEmptiedKeyValueStoreLosesNothing(t *testing.T) {
	s := storetest.SQLite(t)
	server := testkit.RedisServer(t)
	client := redis.NewClient(&redis.Options{Addr: server.URL()[len("redis://"):], MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	q, err := redisqueue.New(redisqueue.Options{Client: client})
	testkit.OK(t, err)
	t.Cleanup(func() { _ = q.Close() })
	f := newFixture(t, s)
	f.queue = q
	settings := quick()
	settings.Resend = 10 * time.Millisecond
	stopRelay := f.start(settings, relayOnly, nil)
	f.add("flushed")
	receive(t, f.obs.dispatched)
	server.Flush()
	receive(t, f.obs.dispatched)

	server.Stop()
	f.add("held")
	server.Start()
	receive(t, f.obs.dispatched)
	stopRelay()
	f.serve(settings, jobs.Kind{Run: well})
	testkit.Equal(t, "outcome", f.obs.outcome(t), "done")
	testkit.Equal(t, "outcome", f.obs.outcome(t), "done")
	testkit.Equal(t, "flushed", f.job("flushed").State, domain.JobDone)
	testkit.Equal(t, "held", f.job("held").State, domain.JobDone)
}

func TestTheWindowIsBoundedAndFair(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		for i := range 60 {
			f.addOf(kind, fmt.Sprintf("flood-%d", i), "loud")
		}
		few := map[string]bool{}
		for i := range 3 {
			few[f.addOf(kind, fmt.Sprintf("few-%d", i), "quiet").ID] = true
		}
		stop := f.start(quick(), relayOnly, nil)
		n := receive(t, f.obs.dispatched)
		stop()
		testkit.Equal(t, "window", n, 32)
		depth, err := f.queue.Depth(bg, string(lane))
		testkit.OK(t, err)
		testkit.Equal(t, "depth", depth, 32)
		hints, err := f.queue.Pull(bg, string(lane), "somebody", 6, 0)
		testkit.OK(t, err)
		turns := 0
		for _, h := range hints {
			if few[h.JobID] {
				turns++
			}
		}
		testkit.Equal(t, "turns of the quiet key among the first six", turns, 3)
	})
}

func TestAHintThatItsReaderNeverClaimedIsReclaimed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		stop := f.start(quick(), relayOnly, nil)
		f.add("sub")
		receive(t, f.obs.dispatched)
		stop()
		hints, err := f.queue.Pull(bg, string(lane), "killed between reading and claiming", 1, 0)
		testkit.OK(t, err)
		testkit.Require(t, "hints", len(hints), 1)
		f.queue = newShelf(f.queue) // its Pull waits only for a moment
		f.serve(quick(), jobs.Kind{Run: well})
		testkit.Equal(t, "outcome", f.obs.outcome(t), "done")
	})
}

func TestDoubleHintsRunAJobOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		j := f.add("sub")
		for range 20 {
			testkit.OK(t, f.queue.Push(bg, string(lane), j.ID))
		}
		ran := make(chan int64, 100)
		run := func(_ context.Context, c *jobs.Claim) error { ran <- c.Job.Gen; return nil }
		f.serve(quick(), jobs.Kind{Run: run})
		f.serve(quick(), jobs.Kind{Run: run})
		testkit.Equal(t, "outcome", f.obs.outcome(t), "done")
		f.add("last")
		testkit.Equal(t, "outcome", f.obs.outcome(t), "done")
		testkit.Require(t, "runs", len(ran), 2)
	})
}

func TestAFailureThatWaitsIsNotAnnouncedEarly(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		settings := quick()
		settings.BackoffFirst, settings.BackoffMax = time.Hour, time.Hour
		f.serve(settings, jobs.Kind{Run: func(context.Context, *jobs.Claim) error { return fmt.Errorf("no") }})
		f.add("sub")
		testkit.Equal(t, "outcome", f.obs.outcome(t), "failed")
		j := f.job("sub")
		if wait := time.Duration(j.RunUS-j.NowUS) * time.Microsecond; wait < 50*time.Minute || wait > 2*time.Hour {
			t.Fatalf("the next try is in %v", wait)
		}
	})
}
