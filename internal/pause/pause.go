// Package pause waits for a time, or for the end of the work if that is sooner.
//
// What is waited for, and how long, is for the caller.
package pause

import (
	"context"
	"time"
)

// For returns nil after d, or the context's cause ([context.Cause]) as soon as
// the context ends. A context that has ended already wins over a d of 0 or less.
func For(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
