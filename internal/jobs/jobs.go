// Package jobs runs the jobs of the ledger: relay, claim, lease, heartbeat, retry, sweep and drain.
//
// The ledger in the database has the true state. The queue carries hints that may be lost or duplicated. A
// worker claims a job in the database before it runs it, under a generation that fences every write of the
// job. The features implement the jobs, one [Kind] each.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/queue"
	"github.com/assay-dev/assay/internal/store"
)

// Kind is the implementation of one kind of job.
type Kind struct {
	// Run does the work. nil ends the job successfully, unless Run already did so in its own transaction
	// with [Claim.Finish]. A [*Snooze] returns the job uncounted, a [*Fatal] ends it for good, and any
	// other error is a counted failure.
	Run func(ctx context.Context, c *Claim) error
	// Dead is called after the last failure or crash, in the transaction that ends the job for good. It may
	// be nil.
	Dead func(ctx context.Context, j store.Job, d Death) error
	// Crashed is called in the transaction that takes the job back from a dead worker, unless the job ends
	// there for good. The job runs again after pause, or immediately if Crashed is nil.
	Crashed func(ctx context.Context, j store.Job) (pause time.Duration, err error)
	// Yields means that the job is cancelled and returned uncounted when its worker is asked to stop. Other
	// jobs may continue for [Settings.Drain].
	Yields bool
	// Share is the maximum number of running jobs per fair key in the lane; 0 means unbounded. A job
	// claimed beyond it is returned for a while, uncounted.
	Share int
}

// Death is why a job ended for good.
type Death struct {
	Crashed bool   // its workers died repeatedly; otherwise it failed
	Reason  string // the last error, for people
}

// Snooze means that a job waits for an external condition: a rate limit, a model that is down, another run.
// It counts no failure and holds no slot.
type Snooze struct {
	For    time.Duration
	Why    string
	Kind   domain.WaitKind // tells the next attempt why it waited; may be ""
	Detail string          // the last message of the part that the job waits for
}

// Waiting turns a rate limit of a code host or of the gate into a [*Snooze]. It returns any other error
// unchanged.
func Waiting(err error) error {
	if codehost.ClassOf(err) == codehost.ClassLimited {
		return &Snooze{For: max(codehost.RetryAfter(err), time.Second), Why: err.Error()}
	}
	return err
}

// Error returns the reason.
func (s *Snooze) Error() string { return "waiting: " + s.Why }

// Fatal means that a job can never succeed.
type Fatal struct{ Err error }

// Error returns the cause's text.
func (f *Fatal) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Fatal) Unwrap() error { return f.Err }

// ErrLost means that another worker has the claim. Nothing may be written under it.
var ErrLost = errors.New("the claim of this job was lost")

// Observer receives events for metrics. Its methods must not block.
type Observer interface {
	JobEnded(kind, lane, outcome string, took time.Duration)
	Dispatched(lane string, hints int)
	LaneState(lane string, queued, running, dead int64, oldestDue time.Duration)
}

// Settings are the times and limits of a worker. The comments give the defaults of zero fields. The service
// passes the values of docs/configuration/work.md.
type Settings struct {
	Lease        time.Duration // 30 s
	Heartbeat    time.Duration // 10 s; below half the lease
	Sweep        time.Duration // 5 s
	Relay        time.Duration // 250 ms: maximum wait of a due job from another process for its hint
	Resend       time.Duration // 30 s: age after which a hint counts as lost
	Attempts     int           // 8 handled failures
	Crashes      int           // 3 expired leases
	Drain        time.Duration // 60 s: how long running jobs may continue after a stop request
	BackoffFirst time.Duration // 15 s: wait after the first failure; it triples each time
	BackoffMax   time.Duration // 1 h
	Alive        time.Duration // 3 heartbeats: time without a heartbeat after which a worker is dead
}

// WithDefaults replaces zero fields by their defaults.
func (s Settings) WithDefaults() Settings {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&s.Lease, 30*time.Second)
	def(&s.Heartbeat, s.Lease/3)
	def(&s.Sweep, 5*time.Second)
	def(&s.Relay, 250*time.Millisecond)
	def(&s.Resend, 30*time.Second)
	def(&s.BackoffFirst, 15*time.Second)
	def(&s.BackoffMax, time.Hour)
	def(&s.Drain, 60*time.Second)
	def(&s.Alive, 3*s.Heartbeat)
	if s.Attempts <= 0 {
		s.Attempts = 8
	}
	if s.Crashes <= 0 {
		s.Crashes = 3
	}
	return s
}

// Periodic is a task that every worker repeats. It must be harmless to run it in many workers at the same
// time.
type Periodic struct {
	Name  string
	Every time.Duration
	Run   func(ctx context.Context) error
}

// Config holds the dependencies of a worker.
type Config struct {
	Store    *store.Store
	Queue    queue.Queue
	Kinds    map[domain.JobKind]Kind
	Lanes    map[domain.Lane]int // slots per lane; other lanes are not served
	Periodic []Periodic
	Settings Settings
	Process  store.Process // the description in its heartbeats; its ID is the worker's
	Logger   *slog.Logger
	Observer Observer // may be nil
}

// Worker serves lanes until it is stopped.
type Worker struct {
	Config
	id   string
	wake chan struct{}
	jobs sync.WaitGroup
	lost map[domain.Lane]time.Time // last check for lost hints by lane; used only by the relay
	stop context.Context           // ends when the worker is asked to stop; set by Run
}

// New returns a worker. It returns an error if a kind has no Run, because its jobs would be claimed and
// lost.
func New(c Config) (*Worker, error) {
	for kind, k := range c.Kinds {
		if k.Run == nil {
			return nil, fmt.Errorf("jobs: kind %s cannot run", kind)
		}
	}
	c.Settings = c.Settings.WithDefaults()
	if c.Settings.Heartbeat*2 > c.Settings.Lease {
		return nil, errors.New("the heartbeat of jobs must be at most half the lease (settings jobs.heartbeat and jobs.lease)")
	}
	c.Process.ID = domain.NewID("wrk")
	return &Worker{Config: c, id: c.Process.ID, wake: make(chan struct{}, 1), lost: map[domain.Lane]time.Time{}}, nil
}

// ID returns the worker's id in the ledger.
func (w *Worker) ID() string { return w.id }

// lookSoon wakes the relay. It never blocks.
func (w *Worker) lookSoon() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Run serves until ctx ends. Then it takes no new jobs and waits for running ones, at most [Settings.Drain]
// or until hard ends. It cancels the remaining jobs and returns them to the ledger uncounted.
func (w *Worker) Run(ctx, hard context.Context) error {
	w.stop = ctx
	work, stop := context.WithCancel(hard)
	defer stop()
	if err := w.Store.RecordHeartbeat(ctx, w.Process, w.Lanes); err != nil {
		w.Logger.Warn("the worker could not announce itself", "error", err)
	}
	defer w.Store.OnJobs(w.lookSoon)()
	var loops sync.WaitGroup
	loops.Go(func() { w.relay(ctx) })
	loops.Go(func() { w.every(ctx, w.Settings.Sweep, "sweep", w.sweep) })
	loops.Go(func() { w.every(ctx, w.Settings.Heartbeat, "worker heartbeat", w.announce) })
	for _, p := range w.Periodic {
		loops.Go(func() { w.every(ctx, p.Every, p.Name, p.Run) })
	}
	for lane, slots := range w.Lanes {
		if slots > 0 {
			loops.Go(func() { w.serve(ctx, work, lane, slots) })
		}
	}
	loops.Wait()
	w.drain(work, stop)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	return w.Store.ForgetProcesses(last, 10*w.Settings.Alive, w.id)
}

func (w *Worker) drain(work context.Context, stop context.CancelFunc) {
	over := make(chan struct{})
	go func() { w.jobs.Wait(); close(over) }()
	timer := time.NewTimer(w.Settings.Drain)
	defer timer.Stop()
	select {
	case <-over:
		return
	case <-timer.C:
		w.Logger.Warn("jobs still run after the drain time; they are given back")
	case <-work.Done():
	}
	stop()
	timer.Reset(cancelTime)
	select {
	case <-over:
	case <-timer.C: // the process ends; the sweep of another worker takes the jobs back
		w.Logger.Error("jobs do not end although they were cancelled")
	}
}

// cancelTime is the time for cancelled jobs to record their end.
const cancelTime = 15 * time.Second

// every runs f immediately and then at each tick until ctx ends.
func (w *Worker) every(ctx context.Context, d time.Duration, name string, f func(context.Context) error) {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for {
		if err := safely(func() error { return f(ctx) }); err != nil && ctx.Err() == nil {
			w.Logger.Warn("periodic work failed; it is tried again", "work", name, "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (w *Worker) announce(ctx context.Context) error {
	return w.Store.RecordHeartbeat(ctx, w.Process, w.Lanes)
}

// sweep takes back the jobs of dead workers.
func (w *Worker) sweep(ctx context.Context) error {
	err := w.takeBack(ctx, w.Settings.Crashes)
	if err != nil && ctx.Err() == nil {
		// The consequences of a dead job could not be written. This time no job counts as dead, so that the
		// others do not wait for it.
		err = errors.Join(err, w.takeBack(ctx, math.MaxInt32))
	}
	if err != nil {
		return err
	}
	if err := w.Store.ForgetProcesses(ctx, 10*w.Settings.Alive, ""); err != nil {
		return err
	}
	return w.observeLanes(ctx)
}

// takeBack ends expired claims. A job ends for good after most crashes.
func (w *Worker) takeBack(ctx context.Context, most int) error {
	return w.Store.InTx(ctx, func(ctx context.Context) error {
		swept, err := w.Store.SweepJobs(ctx, most)
		if err != nil {
			return err
		}
		for _, j := range swept {
			w.Logger.Warn("a worker lost its job", "job", j.ID, "kind", j.Kind, "subject", j.Subject, "dead", j.Dead)
			if !j.Dead && w.Kinds[j.Kind].Crashed == nil {
				continue
			}
			job, err := w.Store.Job(ctx, j.ID)
			if err != nil {
				return err
			}
			if !j.Dead {
				if err := w.delayCrashed(ctx, job); err != nil {
					return err
				}
				continue
			}
			if err := w.bury(ctx, job, Death{Crashed: true, Reason: "crashed: " + job.LastError}); err != nil {
				return err
			}
		}
		return nil
	})
}

// delayCrashed delays a job whose worker died by the pause that its kind asks for.
func (w *Worker) delayCrashed(ctx context.Context, j store.Job) error {
	return safely(func() error {
		pause, err := w.Kinds[j.Kind].Crashed(ctx, j)
		if err != nil || pause <= 0 {
			return err
		}
		return w.Store.DelayJob(ctx, j.ID, j.Gen, pause)
	})
}

func (w *Worker) observeLanes(ctx context.Context) error {
	if w.Observer == nil {
		return nil
	}
	states, err := w.Store.LaneStates(ctx)
	for _, l := range states {
		w.Observer.LaneState(string(l.Lane), l.Queued, l.Running, l.Dead, time.Duration(l.OldestDueUS)*time.Microsecond)
	}
	return err
}

func (w *Worker) bury(ctx context.Context, j store.Job, d Death) error {
	if k, ok := w.Kinds[j.Kind]; ok && k.Dead != nil {
		return safely(func() error { return k.Dead(ctx, j, d) })
	}
	return nil
}

// safely turns a panic into an error.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}
