package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/pause"
	"github.com/assay-dev/assay/internal/queue"
	"github.com/assay-dev/assay/internal/store"
)

const pullWait = 2 * time.Second

// serve takes hints of a lane while it has free slots. The spare slot is in addition to them.
func (w *Worker) serve(ctx, work context.Context, lane domain.Lane, slots int) {
	reclaimed, kept := time.Time{}, spare(lane, slots)
	free := make(chan struct{}, slots+kept)
	for range slots + kept {
		free <- struct{}{}
	}
	for ctx.Err() == nil {
		select { // waits for one slot; takes further ones only if they are free
		case <-free:
		case <-ctx.Done():
			return
		}
		if len(free) < kept {
			w.serveIdle(ctx, work, free)
			continue
		}
		n := 1
		for len(free) > kept {
			<-free
			n++
		}
		var hints []queue.Hint
		var err error
		if time.Since(reclaimed) > w.Settings.Heartbeat { // entries of consumers that died before the claim
			reclaimed = time.Now()
			hints, err = w.Queue.Reclaim(ctx, string(lane), w.id, w.Settings.Heartbeat, n)
		}
		if err == nil && len(hints) == 0 {
			hints, err = w.Queue.Pull(ctx, string(lane), w.id, n, pullWait)
		}
		if err != nil && ctx.Err() == nil {
			w.Logger.Warn("the queue does not answer; waiting", "lane", lane, "error", err)
			_ = pause.For(ctx, time.Second+rand.N(time.Second))
		}
		for _, h := range hints {
			asked := time.Now()
			if job, ok := w.claim(ctx, lane, h); ok {
				n--
				w.start(work, job, asked, free)
			}
		}
		for range n {
			free <- struct{}{}
		}
	}
}

// start runs a job in a slot and frees the slot afterwards.
func (w *Worker) start(work context.Context, job store.Job, asked time.Time, free chan<- struct{}) {
	w.jobs.Go(func() {
		defer func() { free <- struct{}{} }()
		w.run(work, job, asked)
	})
}

// claim claims the job in the database and then acknowledges the hint. In the review lane, which tenants
// share, it may return another job whose turn it is. If the database does not answer, the hint stays and is
// reclaimed later.
func (w *Worker) claim(ctx context.Context, lane domain.Lane, h queue.Hint) (store.Job, bool) {
	if ctx.Err() != nil {
		return store.Job{}, false
	}
	// An interrupted claim would count as a crash, so a stop waits for it.
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.Settings.Lease/2)
	defer cancel()
	take := w.Store.Claim
	if lane == domain.LaneReview {
		take = w.Store.ClaimInTurn
	}
	job, err := take(whole, h.JobID, w.id, w.Settings.Lease)
	if err != nil && !errs.Is(err, errs.NotFound) {
		w.Logger.Warn("a job could not be claimed; its hint stays", "job", h.JobID, "error", err)
		_ = pause.For(ctx, 500*time.Millisecond+rand.N(500*time.Millisecond))
		return store.Job{}, false
	}
	if ackErr := w.Queue.Ack(whole, h); ackErr != nil { // harmless, because the next reader finds the job taken
		w.Logger.Debug("a hint could not be acknowledged", "job", h.JobID, "error", ackErr)
	}
	return job, err == nil
}

// run executes one job under its lease and records its end. The lease starts when it was requested.
func (w *Worker) run(work context.Context, job store.Job, asked time.Time) {
	began := time.Now()
	log := w.Logger.With("job", job.ID, "kind", job.Kind, "subject", job.Subject, "generation", job.Gen)
	ctx, cancel := context.WithCancelCause(work)
	defer cancel(nil)
	yields := w.Kinds[job.Kind].Yields
	if yields {
		defer context.AfterFunc(w.stop, func() { cancel(context.Canceled) })()
	}
	c := &Claim{Job: job, worker: w, cancel: cancel}
	c.Stage("start", time.Minute)
	over := make(chan struct{})
	kept := make(chan struct{})
	go func() { defer close(kept); c.keep(ctx, over, asked) }()

	err := w.call(ctx, c)
	close(over)
	<-kept
	if context.Cause(ctx) == ErrLost || c.lost.Load() {
		err = ErrLost
	} else if (work.Err() != nil || yields && w.stop.Err() != nil) && err != nil {
		err = &Snooze{Why: "the worker was stopped"}
	}
	how := w.end(context.WithoutCancel(work), c, err)
	level := log.Info
	if how == failed || how == dead || how == lost {
		level = log.Warn
	}
	level("job ended", "outcome", how, "took", time.Since(began).Round(time.Millisecond), "error", err)
	if w.Observer != nil {
		w.Observer.JobEnded(string(job.Kind), string(job.Lane), string(how), time.Since(began))
	}
}

// call runs the handler and turns a panic into a counted failure.
func (w *Worker) call(ctx context.Context, c *Claim) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in stage %s: %v\n%s", c.stageName(), p, debug.Stack())
		}
	}()
	k, ok := w.Kinds[c.Job.Kind]
	if !ok {
		return &Snooze{For: time.Minute, Why: "this worker does not know the kind of job; a newer one may"}
	}
	if k.Share > 0 {
		before, err := w.Store.RunningBefore(ctx, c.Job)
		if err != nil {
			return err
		}
		if before >= k.Share {
			return &Snooze{For: shareAgain + rand.N(shareAgain), Why: "as many jobs of its tenant run as may run at once"}
		}
	}
	return k.Run(ctx, c)
}

// shareAgain is the minimum wait of a job beyond the share of its fair key (design choice).
const shareAgain = 2 * time.Second

// outcome is the end of a job for its worker: the label of logs and metrics.
type outcome string

const (
	done       outcome = "done"
	snoozed    outcome = "snoozed"    // waits for its next time; not a failure
	failed     outcome = "failed"     // counted failure; will be tried again
	dead       outcome = "dead"       // will not be tried again automatically
	lost       outcome = "lost"       // another worker has the claim
	unrecorded outcome = "unrecorded" // the database did not store the end; the lease expires
)

// end records the outcome, fenced by the claim.
func (w *Worker) end(ctx context.Context, c *Claim, err error) outcome {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if c.finished.Load() && err == nil {
		return done
	}
	how, werr := w.record(ctx, c, err)
	if werr != nil {
		// The lease expires and the sweep takes the job back.
		w.Logger.Warn("the end of a job could not be recorded", "job", c.Job.ID, "error", werr)
		return unrecorded
	}
	return how
}

func (w *Worker) record(ctx context.Context, c *Claim, err error) (outcome, error) {
	job := c.Job
	snooze, isSnooze := errors.AsType[*Snooze](err)
	fatal, isFatal := errors.AsType[*Fatal](err)
	switch {
	case errors.Is(err, ErrLost):
		return lost, nil
	case err == nil:
		held, err := w.Store.FinishJob(ctx, job.ID, job.Gen)
		if err == nil && !held {
			return lost, nil
		}
		return done, err
	case isSnooze:
		held, err := w.Store.SnoozeJob(ctx, job.ID, job.Gen, store.Wait{For: snooze.For, Reason: snooze.Error(), Kind: snooze.Kind,
			Detail: snooze.Detail})
		if err == nil && !held {
			return lost, nil
		}
		return snoozed, err
	case isFatal:
		how := lost
		err := w.Store.InTx(ctx, func(ctx context.Context) error {
			held, err := w.Store.KillJob(ctx, job.ID, job.Gen, fatal.Error())
			if err != nil || !held {
				return err
			}
			how = dead
			return w.bury(ctx, job, Death{Reason: fatal.Error()})
		})
		return how, err
	default:
		how := failed
		werr := w.Store.InTx(ctx, func(ctx context.Context) error {
			spent, rerr := w.Store.RetryJob(ctx, job.ID, job.Gen, w.backoff(job.Attempts), w.Settings.Attempts, err.Error())
			if rerr != nil || !spent {
				return rerr
			}
			how = dead
			return w.bury(ctx, job, Death{Reason: err.Error()})
		})
		return how, werr
	}
}

// backoff triples from the first pause to the longest one, with up to a fifth of jitter. By default eight
// attempts spread over about two and a half hours.
func (w *Worker) backoff(attempts int64) time.Duration {
	d := w.Settings.BackoffFirst
	for range attempts {
		if d = 3 * d; d >= w.Settings.BackoffMax {
			d = w.Settings.BackoffMax
			break
		}
	}
	return d + rand.N(d/5+1)
}
