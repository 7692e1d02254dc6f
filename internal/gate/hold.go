package gate

import (
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
)

// look is how often a slot that is held looks whether the key was blocked.
const look = 2 * time.Second

// unsaidBlock is the first block after a limit of which the host did not say
// how long it lasts; the gate doubles it with each one in a row.
const unsaidBlock = time.Minute

// Hold runs work with the slot of a key, as a read, and keeps the slot while it
// runs: for a program that sends several requests and takes longer than one.
//
// Where the key is blocked meanwhile, or the slot lost, the context of work ends
// and the error is a [*codehost.Error] of class limited, as that of
// [codehost.Gate].Acquire. Where it cannot be renewed before it would expire, the
// error is of class unavailable. An error of class limited that work itself
// returns blocks the key, for a minute where it does not say how long.
// Work must be over soon after its context.
func Hold(ctx context.Context, g codehost.Gate, key string, work func(ctx context.Context) error) (err error) {
	permit, err := g.Acquire(ctx, key, false)
	if err != nil {
		return err
	}
	calm, recorded := false, true
	defer func() { // also on a panic
		if recorded { // else the permit is left to expire, which closes the key for a while
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
			wait = unsaidBlock
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

// keep renews a permit until the work or its context is over; an error says why
// nothing may be sent any more.
func keep(ctx context.Context, permit codehost.Permit, over <-chan struct{}) error {
	margin := time.Until(permit.Deadline()) / 6 // for the work to end in
	pause := min(look, margin)
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
