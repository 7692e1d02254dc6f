package gate

import (
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
)

// renewInterval is how often the holder of a slot checks whether the key was blocked.
const renewInterval = 2 * time.Second

// defaultBlock is the first block after a rate limit whose duration the host did not send. The gate doubles
// it with each further one in a row.
const defaultBlock = time.Minute

// Hold runs work while it holds a read slot of a key, for a program that sends several requests.
//
// If the key is blocked meanwhile, or the slot is lost, Hold ends the context of work and returns a
// [*codehost.Error] of class limited, as [codehost.Gate].Acquire does. If it cannot renew the slot before
// it expires, the error has the class unavailable. A limited error from work blocks the key, for a minute
// if the error has no duration. work must end soon after its context.
func Hold(ctx context.Context, g codehost.Gate, key string, work func(ctx context.Context) error) error {
	permit, err := g.Acquire(ctx, key, false)
	if err != nil {
		return err
	}
	return hold(ctx, permit, work)
}

// HoldWrite is [Hold] with a slot that counts as a write.
func HoldWrite(ctx context.Context, g codehost.Gate, key string, work func(ctx context.Context) error) error {
	permit, err := g.Acquire(ctx, key, true)
	if err != nil {
		return err
	}
	return hold(ctx, permit, work)
}

func hold(ctx context.Context, permit codehost.Permit, work func(ctx context.Context) error) (err error) {
	calm, recorded := false, true
	defer func() { // also on a panic
		if recorded { // otherwise the permit expires, which closes the key for a while
			err = errors.Join(err, permit.Release(ctx, calm))
		}
	}()
	inside, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	over, kept := make(chan struct{}), make(chan error, 1)
	go func() {
		lost := keep(inside, permit, over)
		cancel(lost)
		kept <- lost
	}()
	err = work(inside)
	close(over)
	if lost := <-kept; lost != nil {
		return lost
	}
	if codehost.ClassOf(err) == codehost.ClassLimited {
		wait, unsaid := codehost.RetryAfter(err), codehost.RetryAfter(err) <= 0
		if unsaid {
			wait = defaultBlock
		}
		if failed := permit.Block(ctx, wait, unsaid); failed != nil {
			recorded = false
			return errors.Join(err, failed)
		}
		return err
	}
	calm = err == nil
	return err
}

// keep renews a permit until the work or its context ends. It returns an error if no further request may be
// sent.
func keep(ctx context.Context, permit codehost.Permit, over <-chan struct{}) error {
	margin := time.Until(permit.Deadline()) / 6 // time for the work to end
	pause := min(renewInterval, margin)
	for {
		last := permit.Deadline().Add(-margin)
		timer := time.NewTimer(max(min(pause, time.Until(last)), 0))
		select {
		case <-over:
			timer.Stop()
			return nil
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		}
		asking, cancel := context.WithDeadline(ctx, last)
		err := permit.Renew(asking)
		cancel()
		switch {
		case err == nil || ctx.Err() != nil:
		case codehost.ClassOf(err) == codehost.ClassLimited:
			return err
		case !time.Now().Before(last):
			return &codehost.Error{Class: codehost.ClassUnavailable, Op: "rate gate", Message: "the slot could not be kept", Cause: err}
		}
	}
}
