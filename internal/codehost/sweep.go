package codehost

import (
	"context"
	"time"
)

type sweepKey struct{}

// WithSweep returns a context for the requests of a periodic sweep, which no person waits for. The [Gate]
// lets a bounded share of them through, so that reviews have the rest. patience is how long a request waits
// for the share. After it, the error is of [ClassLimited] and the sweep continues another time.
func WithSweep(ctx context.Context, patience time.Duration) context.Context {
	return context.WithValue(ctx, sweepKey{}, patience)
}

type redeliveryKey struct{}

// WithRedelivery returns a context for requests that ask the host to deliver an event again. The [Gate]
// counts them in a separate budget, because they write no content.
func WithRedelivery(ctx context.Context) context.Context {
	return context.WithValue(ctx, redeliveryKey{}, true)
}

// IsRedelivery reports whether a context is from [WithRedelivery].
func IsRedelivery(ctx context.Context) bool { return ctx.Value(redeliveryKey{}) != nil }

// Bounds of redeliveries. A request other than GET costs five of the 900 points per minute, so these take
// two thirds of the points. A fifth of an app's 5,000 requests per hour is left for lists and tokens
// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api, "Calculating points for
// the secondary rate limit").
const (
	RedeliveriesPerMinute = 120
	RedeliveriesPerHour   = 4000
)

// SweepPatience returns the patience of a context from [WithSweep], and reports whether it is one.
func SweepPatience(ctx context.Context) (patience time.Duration, is bool) {
	patience, is = ctx.Value(sweepKey{}).(time.Duration)
	return patience, is
}
