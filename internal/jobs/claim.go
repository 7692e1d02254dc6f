package jobs

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Claim is a job that this worker holds. Its methods are safe for concurrent use.
type Claim struct {
	Job      store.Job
	worker   *Worker
	cancel   context.CancelCauseFunc
	finished atomic.Bool
	lost     atomic.Bool

	mu       sync.Mutex
	stage    string
	limit    time.Duration
	progress time.Time
}

// Stage sets the current stage of the job. The job counts as stuck after limit without progress.
func (c *Claim) Stage(name string, limit time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stage, c.limit, c.progress = name, limit, time.Now()
}

// Touch records progress within the stage.
func (c *Claim) Touch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress = time.Now()
}

// Progress stores the job's progress for people who wait for it, and calls [Claim.Touch]. It returns
// [ErrLost] if another worker has the claim.
func (c *Claim) Progress(ctx context.Context, p domain.JobProgress) error {
	c.Touch()
	held, err := c.worker.Store.RecordProgress(ctx, c.Job.ID, c.Job.Gen, p)
	return c.checkHeld(held, err)
}

// Outcome stores the job's result for people who wait for it, or the problem of this attempt. It returns
// [ErrLost] if another worker has the claim.
func (c *Claim) Outcome(ctx context.Context, o domain.JobOutcome, problem string) error {
	held, err := c.worker.Store.RecordOutcome(ctx, c.Job.ID, c.Job.Gen, o, problem)
	return c.checkHeld(held, err)
}

func (c *Claim) checkHeld(held bool, err error) error {
	if err == nil && !held {
		c.lose()
		return ErrLost
	}
	return err
}

func (c *Claim) stageName() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stage
}

// stuck reports whether the stage has made no progress for too long. A job must not call [Claim.Touch] from
// a ticker, because that would hide that it is stuck.
func (c *Claim) stuck() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.progress) > c.limit
}

// Left returns the remaining time of the lease by the database's clock, and [ErrLost] if another worker has
// the claim. Call it right before a write to the outside.
func (c *Claim) Left(ctx context.Context) (time.Duration, error) {
	left, held, err := c.worker.Store.Holds(ctx, c.Job.ID, c.Job.Gen)
	if err == nil && !held {
		c.lose()
		err = ErrLost
	}
	return left, err
}

// Renew extends the lease immediately, so that a write with a deadline fits into it.
func (c *Claim) Renew(ctx context.Context) error {
	held, err := c.worker.Store.ExtendClaim(ctx, c.Job.ID, c.Job.Gen, c.worker.Settings.Lease, c.stageName())
	if err == nil && !held {
		c.lose()
		err = ErrLost
	}
	return err
}

// Write performs one write to the outside. It commits the intent before and the outcome after it: "ok", or
// the class of the host's error. It renews the lease first, so that the write's deadline fits into it. An
// intent without an outcome may have been applied; see [store.Store.PriorWrites].
func (c *Claim) Write(ctx context.Context, t domain.Tenant, w store.WriteAttempt, send func(ctx context.Context) error) error {
	return c.WriteAs(ctx, w, func(ctx context.Context, w store.WriteAttempt) (string, error) {
		id, _, err := c.worker.Store.BeginWrite(ctx, t, w)
		return id, err
	}, send)
}

// WriteAs is [Claim.Write] with a function that commits the intent. begin returns the intent's id, or an
// error if nothing must be sent.
func (c *Claim) WriteAs(ctx context.Context, w store.WriteAttempt, begin func(context.Context, store.WriteAttempt) (string, error),
	send func(context.Context) error) error {
	if err := c.Renew(ctx); err != nil {
		return err
	}
	w.Gen = c.Job.Gen
	id, err := begin(ctx, w)
	if err != nil {
		return err
	}
	sending := codehost.WithReceipt(ctx)
	err = send(sending)
	end := store.WriteEnd{Outcome: "ok"}
	if err != nil {
		end.Outcome = string(codehost.ClassOf(err))
	}
	end.Status, end.RequestID = codehost.ReceiptOf(sending)
	return errors.Join(err, c.worker.Store.EndWrite(context.WithoutCancel(ctx), id, end))
}

// Finish ends the job inside the caller's transaction, so that its effect and its end commit together. If
// it returns [ErrLost], the transaction must not commit.
func (c *Claim) Finish(ctx context.Context) error {
	held, err := c.worker.Store.FinishJob(ctx, c.Job.ID, c.Job.Gen)
	if err != nil {
		return err
	}
	if !held {
		c.lose()
		return ErrLost
	}
	c.finished.Store(true)
	return nil
}

// FinishUnasked ends a job of [store.Store.EnqueueAwaited]. If the job was requested again while it ran, it
// returns a [*Snooze] so that the job runs once more. The handler returns its result.
func (c *Claim) FinishUnasked(ctx context.Context) error {
	ended, again, err := c.worker.Store.FinishUnasked(ctx, c.Job.ID, c.Job.Gen)
	switch {
	case err != nil:
		return err
	case again:
		return &Snooze{Why: "it was asked for again while it ran"}
	case !ended:
		c.lose()
		return ErrLost
	}
	c.finished.Store(true)
	return nil
}

// lose gives the claim up, unless a transaction has already finished it.
func (c *Claim) lose() {
	if c.finished.Load() {
		return
	}
	c.lost.Store(true)
	c.cancel(ErrLost)
}

// keep renews the lease while the job makes progress. It cancels the job if the job is stuck, if the claim
// is lost, or if the database does not answer until the lease is about to end. It never renews a lease that
// was given up.
func (c *Claim) keep(ctx context.Context, done <-chan struct{}, asked time.Time) {
	s := c.worker.Settings
	tick := time.NewTicker(s.Heartbeat)
	defer tick.Stop()
	// A renewal takes at most a sixth of the lease, however short the heartbeat is: a deadline shorter than a connect
	// would break a connection with each renewal and replace it, which no slow server keeps up with.
	most := s.Lease / 6
	safe := s.Lease - most // counted from before the request, so that the lease ends later by the database's clock
	lapse := time.NewTimer(safe - time.Since(asked))
	defer lapse.Stop()
	for ctx.Err() == nil {
		select {
		case <-done:
			return
		case <-ctx.Done():
			continue
		case <-lapse.C:
			c.worker.Logger.Warn("the lease of a job could not be renewed; the job is given up", "job", c.Job.ID, "stage", c.stageName())
			c.lose()
			continue
		case <-tick.C:
		}
		if c.stuck() {
			c.worker.Logger.Warn("a job shows no progress and is given up", "job", c.Job.ID, "stage", c.stageName())
			c.lose()
			continue
		}
		asked = time.Now()
		beat, cancel := context.WithTimeout(ctx, most)
		err := c.Renew(beat)
		cancel()
		if err == nil {
			lapse.Reset(safe - time.Since(asked))
		}
	}
	<-done
}
