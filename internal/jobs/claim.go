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

// Stage says what the job does now, and how long it may do so without showing
// progress before it counts as stuck.
func (c *Claim) Stage(name string, limit time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stage, c.limit, c.progress = name, limit, time.Now()
}

// Touch shows progress within the stage.
func (c *Claim) Touch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress = time.Now()
}

// Progress tells the people who wait for the job where it stands, and shows
// progress within the stage. [ErrLost]: the claim is not ours any more.
func (c *Claim) Progress(ctx context.Context, p domain.JobProgress) error {
	c.Touch()
	held, err := c.worker.Store.TellProgress(ctx, c.Job.ID, c.Job.Gen, p)
	return c.told(held, err)
}

// Outcome tells the people who wait for the job what came of it, or with a
// problem what hindered this attempt. [ErrLost]: the claim is not ours any more.
func (c *Claim) Outcome(ctx context.Context, o domain.JobOutcome, problem string) error {
	held, err := c.worker.Store.TellOutcome(ctx, c.Job.ID, c.Job.Gen, o, problem)
	return c.told(held, err)
}

func (c *Claim) told(held bool, err error) error {
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

// stuck reports whether the stage has shown no progress for too long. A stuck
// job must not be kept alive by a ticker of its own.
func (c *Claim) stuck() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.progress) > c.limit
}

// Left returns how long the lease still holds by the database's clock, and
// [ErrLost] when the claim is not ours any more. Ask right before a write to
// the outside.
func (c *Claim) Left(ctx context.Context) (time.Duration, error) {
	left, held, err := c.worker.Store.Holds(ctx, c.Job.ID, c.Job.Gen)
	if err == nil && !held {
		c.lose()
		err = ErrLost
	}
	return left, err
}

// Renew extends the lease now, so that a write with a deadline fits into it.
func (c *Claim) Renew(ctx context.Context) error {
	held, err := c.worker.Store.Extend(ctx, c.Job.ID, c.Job.Gen, c.worker.Settings.Lease, c.stageName())
	if err == nil && !held {
		c.lose()
		err = ErrLost
	}
	return err
}

// Write sends one write to the outside, with its intent committed before and its
// outcome after it: "ok", or the class of the host's error. The lease is renewed
// first, so that the write's deadline fits into it. An intent whose outcome is
// not known may have been applied; see [store.Store.PriorWrites].
func (c *Claim) Write(ctx context.Context, t domain.Tenant, w store.WriteAttempt, send func(ctx context.Context) error) error {
	return c.WriteAs(ctx, w, func(ctx context.Context, w store.WriteAttempt) (string, error) {
		id, _, err := c.worker.Store.BeginWrite(ctx, t, w)
		return id, err
	}, send)
}

// WriteAs is [Claim.Write] whose intent is committed by a function of the
// caller's, which returns the intent's id, or an error where nothing is to be sent.
func (c *Claim) WriteAs(ctx context.Context, w store.WriteAttempt, begin func(context.Context, store.WriteAttempt) (string, error), send func(context.Context) error) error {
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
	end.Status, end.RequestID = codehost.Received(sending)
	return errors.Join(err, c.worker.Store.EndWrite(context.WithoutCancel(ctx), id, end))
}

// Finish ends the job inside the caller's transaction, so that its effect and
// its end stand or fall together. [ErrLost] means that the transaction must not
// commit.
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

// FinishUnasked ends a job of [store.Store.EnqueueAwaited], or has it run once more
// where somebody asked for it while it ran: what it returns is what the handler
// returns.
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

// lose gives the claim up. A claim that was finished in a transaction is not
// held any more either, and nothing is lost then.
func (c *Claim) lose() {
	if c.finished.Load() {
		return
	}
	c.lost.Store(true)
	c.cancel(ErrLost)
}

// keep renews the lease while the job shows progress, and cancels the job when
// it is stuck, when the claim is lost, or when the database is away until the
// lease is about to end. A lease that was given up is never renewed again.
func (c *Claim) keep(ctx context.Context, done <-chan struct{}, asked time.Time) {
	s := c.worker.Settings
	tick := time.NewTicker(s.Heartbeat)
	defer tick.Stop()
	safe := s.Lease - s.Heartbeat/2 // counted from before the request, so that the database's clock gives more
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
		beat, cancel := context.WithTimeout(ctx, s.Heartbeat/2)
		err := c.Renew(beat)
		cancel()
		if err == nil {
			lapse.Reset(safe - time.Since(asked))
		}
	}
	<-done
}
