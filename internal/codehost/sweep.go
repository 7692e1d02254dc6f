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

type redeliveryKey struct{}

// AsRedelivery returns a context whose requests ask the host to deliver an event again: the [Gate] counts them in a
// budget of their own, because they are no content.
func AsRedelivery(ctx context.Context) context.Context {
	return context.WithValue(ctx, redeliveryKey{}, true)
}

// Redelivering reports whether the requests of a context are those of [AsRedelivery].
func Redelivering(ctx context.Context) bool { return ctx.Value(redeliveryKey{}) != nil }

// Bounds of redeliveries. A request that is no GET costs five of the 900 points of a minute, so these take two
// thirds of them; of an app's 5,000 requests of an hour a fifth is left for lists and tokens
// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api, "Calculating points for the secondary rate limit").
const (
	RedeliveriesPerMinute = 120
	RedeliveriesPerHour   = 4000
)

// Sweeping reports whether the requests of a context are those of a sweep, and its patience.
func Sweeping(ctx context.Context) (patience time.Duration, is bool) {
	patience, is = ctx.Value(sweepKey{}).(time.Duration)
	return patience, is
}
