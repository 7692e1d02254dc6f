package demo

import (
	"context"
	"time"
)

// Seed opens the sample pull requests, which sends their webhooks. Call it when the service listens. Existing
// data of an earlier demo stays.
func (d *Demo) Seed(ctx context.Context) error { return d.host.seed(ctx) }

// pollInterval is the polling interval of Watch.
const pollInterval = 300 * time.Millisecond

// Watch calls reviewed when a pull request has got its review, with the number of inline comments. It ends
// when all have one, or with ctx.
func (d *Demo) Watch(ctx context.Context, reviewed func(p Pull, comments int)) error {
	open := d.Pulls()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for len(open) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		var rest []Pull
		for _, p := range open {
			got, err := d.host.reviews(ctx, p.Number)
			if err != nil || len(got) == 0 {
				rest = append(rest, p)
				continue
			}
			reviewed(p, len(got[0].Comments))
		}
		open = rest
	}
	return nil
}
