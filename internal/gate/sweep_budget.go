package gate

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
)

// shareSlot is the suffix of the row that counts the sweeps of a budget key.
const shareSlot = "|sweeps"

// redeliverySlot is the suffix of the row that counts the redeliveries of a budget key.
const redeliverySlot = "|redeliveries"

// redelivery counts a request of [codehost.WithRedelivery] in its own row, and refuses it if that budget is
// spent. Neither the spacing of writes nor the bound on content applies to redeliveries.
func (g *Gate) redelivery(ctx context.Context, key string) error {
	if !codehost.IsRedelivery(ctx) {
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
			return &codehost.Error{Class: codehost.ClassLimited, Op: "rate gate", RetryAfter: max(wait, time.Second),
				Message: "the budget of redeliveries is used up for the moment"}
		}
	}
}

// share counts a request of a sweep ([codehost.WithSweep]) in a separate row. It refuses the request if the
// share of sweeps is spent, or if it is a write and reviews need the remaining writes. Other requests do
// not count there, so they wait for sweeps only while one request holds the slot.
func (g *Gate) share(ctx context.Context, key string, write bool) error {
	patience, sweeps := codehost.SweepPatience(ctx)
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

// writesAgain is the wait before a sweep checks again whether writes are left.
const writesAgain = 5 * time.Second

// shareOnce counts one request. It returns 0 if the request may be sent, otherwise the wait before the next
// attempt.
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
	return max(wait, maxHeldWait), nil
}
