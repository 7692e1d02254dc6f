package codehost

import (
	"context"
	"time"
)

type sweepKey struct{}

// AsSweep returns a context whose requests are those of a periodic sweep, which no person waits
// for: the [Gate] lets through a bounded share of them, so that reviews have the rest. patience
// is how long one waits in place for the share; beyond it the error is one of ClassLimited,
// and the sweep goes on another time.
func AsSweep(ctx context.Context, patience time.Duration) context.Context {
	return context.WithValue(ctx, sweepKey{}, patience)
}

// Sweeping reports whether the requests of a context are those of a sweep, and its patience.
func Sweeping(ctx context.Context) (patience time.Duration, is bool) {
	patience, is = ctx.Value(sweepKey{}).(time.Duration)
	return patience, is
}
