package jobs_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/queue"
	"github.com/assay-dev/assay/internal/queue/memqueue"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { storetest.MainOnBoth(m) }

const (
	kind = domain.JobKind("test.work")
	lane = domain.LaneBackground
	// patience bounds a wait for something that must happen.
	patience = 30 * time.Second
)

var (
	each = storetest.EachParallel
	bg   = context.Background()
)

// ended is an end of a job as the observer gets it.
type ended struct{ kind, outcome string }

type observer struct {
	ended      chan ended
	dispatched chan int
}

func newObserver() *observer {
	return &observer{ended: make(chan ended, 1000), dispatched: make(chan int, 1000)}
}

func (o *observer) JobEnded(kind, _, outcome string, _ time.Duration) {
	o.ended <- ended{kind, outcome}
}
func (o *observer) Dispatched(_ string, n int)                           { o.dispatched <- n }
func (o *observer) LaneState(string, int64, int64, int64, time.Duration) {}
func (o *observer) outcome(t *testing.T) string                          { t.Helper(); return receive(t, o.ended).outcome }

func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("the expected event did not happen")
		panic("unreachable")
	}
}

// shelf is a queue that can be unreachable.
type shelf struct {
	queue.Queue
	down    atomic.Bool
	refused chan struct{}
}

func newShelf(q queue.Queue) *shelf { return &shelf{Queue: q, refused: make(chan struct{}, 1000)} }

func (s *shelf) check() error {
	if !s.down.Load() {
		return nil
	}
	select {
	case s.refused <- struct{}{}:
	default:
	}
	return queue.Unavailable(context.DeadlineExceeded)
}

func (s *shelf) Push(ctx context.Context, lane string, ids ...string) error {
	if err := s.check(); err != nil {
		return err
	}
	return s.Queue.Push(ctx, lane, ids...)
}

func (s *shelf) Pull(ctx context.Context, lane, consumer string, most int, wait time.Duration) ([]queue.Hint, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return s.Queue.Pull(ctx, lane, consumer, most, min(wait, 50*time.Millisecond))
}

func (s *shelf) Depth(ctx context.Context, lane string) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	return s.Queue.Depth(ctx, lane)
}

// quick returns settings with which tests do not wait long.
func quick() jobs.Settings {
	return jobs.Settings{Lease: 2 * patience, Heartbeat: 25 * time.Millisecond, Sweep: 20 * time.Millisecond, Relay: 10 * time.Millisecond,
		Resend: time.Minute, Drain: patience, BackoffFirst: time.Millisecond, BackoffMax: 2 * time.Millisecond,
		Alive: patience} // a worker whose heartbeats are late on a busy machine keeps its slots
}

type fixture struct {
	t     *testing.T
	store *store.Store
	queue queue.Queue
	obs   *observer
}

func newFixture(t *testing.T, s *store.Store) *fixture {
	return &fixture{t: t, store: s, queue: memqueue.New(), obs: newObserver()}
}

// start runs a worker; the returned function stops it and waits.
func (f *fixture) start(settings jobs.Settings, lanes map[domain.Lane]int, kinds map[domain.JobKind]jobs.Kind) (stop func()) {
	f.t.Helper()
	ctx, cancel := context.WithCancel(bg)
	wait := f.run(ctx, bg, settings, lanes, kinds)
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		receive(f.t, wait)
	}
	f.t.Cleanup(stop)
	return stop
}

// run runs a worker under the given contexts.
func (f *fixture) run(ctx, hard context.Context, settings jobs.Settings, lanes map[domain.Lane]int, kinds map[domain.JobKind]jobs.Kind) <-chan error {
	f.t.Helper()
	w, err := jobs.New(jobs.Config{Store: f.store, Queue: f.queue, Kinds: kinds, Lanes: lanes, Settings: settings, Process: store.Process{Version: "test"},
		Logger: slog.New(slog.DiscardHandler), Observer: f.obs})
	testkit.OK(f.t, err)
	over := make(chan error, 1)
	go func() { over <- w.Run(ctx, hard) }()
	return over
}

// serve starts a worker with one kind of job and some slots.
func (f *fixture) serve(settings jobs.Settings, k jobs.Kind) (stop func()) {
	return f.start(settings, map[domain.Lane]int{lane: 4}, map[domain.JobKind]jobs.Kind{kind: k})
}

// add adds a job to the ledger.
func (f *fixture) add(subject string) store.Job {
	f.t.Helper()
	return f.addOf(kind, subject, "key")
}

func (f *fixture) addOf(k domain.JobKind, subject, fair string) store.Job {
	f.t.Helper()
	made, err := f.store.Enqueue(bg, store.NewJob{Kind: k, Subject: subject, FairKey: fair})
	testkit.OK(f.t, err)
	if !made {
		f.t.Fatal("the job was not made")
	}
	return f.job(subject)
}

// job returns the only job about a subject.
func (f *fixture) job(subject string) store.Job {
	f.t.Helper()
	got, err := f.store.JobsOf(bg, subject)
	testkit.OK(f.t, err)
	if len(got) != 1 {
		f.t.Fatalf("%d jobs about %s", len(got), subject)
	}
	return got[0]
}
