// Package pause waits for a time, or for the end of a context if that is sooner.
package pause

import (
	"context"
	"time"
)

// For returns nil after d, or the context's cause ([context.Cause]) as soon as the context ends. If the
// context has already ended, it returns the cause even for a d of 0 or less.
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
