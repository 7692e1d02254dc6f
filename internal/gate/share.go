package gate

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
)

// shareSlot follows a budget key in the name of the row that counts its sweeps.
const shareSlot = "|sweeps"

// redeliverySlot follows a budget key in the name of the row that counts its redeliveries.
const redeliverySlot = "|redeliveries"

// redelivery counts a request of [codehost.AsRedelivery] in a row of its own, and refuses it where that budget is
// used up: neither the spacing of writes nor the bound of content holds for it.
func (g *Gate) redelivery(ctx context.Context, key string) error {
	if !codehost.Redelivering(ctx) {
		return nil
	}
	lim := g.Limits
	lim.PerMinute, lim.PerHour, lim.Space, lim.BlockKey = codehost.RedeliveriesPerMinute, codehost.RedeliveriesPerHour, 0, key
	for try := 0; ; try++ {
		p, wait, err := g.With(lim).ask(ctx, key, key+redeliverySlot, true, lim)
		if err != nil {
			return fmt.Errorf("rate gate: %w", err)
		}
		if p != nil {
			return p.Release(ctx, true)
		}
		if wait > 0 || try > 0 {
			return &codehost.Error{Class: codehost.ClassLimited, Op: "rate gate", RetryAfter: max(wait, time.Second), Message: "the budget of redeliveries is used up for the moment"}
		}
	}
}

// share counts a request of a sweep ([codehost.AsSweep]) in a row beside the key's own, and
// refuses it where the share of sweeps is used up, or where it writes and reviews need what
// is left of the writes. Other requests are not counted there: they never wait for sweeps,
// except for the one request that has the slot.
func (g *Gate) share(ctx context.Context, key string, write bool) error {
	patience, sweeps := codehost.Sweeping(ctx)
	if !sweeps || g.Limits.SweepsPerMinute <= 0 {
		return nil
	}
	lim := g.Limits
	lim.PerMinute, lim.PerHour, lim.Space, lim.BlockKey = lim.SweepsPerMinute, lim.SweepsPerHour, 0, key
	counter, began := g.With(lim), time.Now()
	for {
		wait, err := g.shareOnce(ctx, counter, key, write)
		if err != nil {
			return fmt.Errorf("rate gate: %w", err)
		}
		if wait == 0 {
			return nil
		}
		if wait > patience-time.Since(began) {
			if g.Observer != nil {
				g.Observer.GateDeferred(key)
			}
			return &codehost.Error{Class: codehost.ClassLimited, Op: "rate gate", RetryAfter: max(wait, time.Second),
				Message: "the share of periodic sweeps is used up for the moment; the rest is for reviews"}
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// writesAgain is after how long a sweep looks again whether writes are left for it.
const writesAgain = 5 * time.Second

// shareOnce counts one request; 0: it may be sent, else it may be after the time.
func (g *Gate) shareOnce(ctx context.Context, counter *Gate, key string, write bool) (time.Duration, error) {
	if write {
		if room, err := g.Spare(ctx, key); err != nil || !room {
			return writesAgain, err
		}
	}
	p, wait, err := counter.ask(ctx, key, key+shareSlot, true, counter.Limits)
	if err != nil {
		return 0, err
	}
	if p != nil {
		return 0, p.Release(ctx, true)
	}
	return max(wait, held), nil
}
