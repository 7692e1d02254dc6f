package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host/demo"
)

// Seed installs the app and opens the sample pull requests, which sends their
// webhooks: call it when the service listens. What is there from an earlier
// demo stays.
func (d *Demo) Seed(ctx context.Context) error {
	if _, err := d.github.GetPull(ctx, demo.Repository, len(demo.PullRequests())); err == nil {
		return nil
	}
	if err := demo.SeedAccounts(ctx, d.github); err != nil {
		return fmt.Errorf("seed the simulated GitHub: %w", err)
	}
	if _, err := d.github.Install(ctx, simapi.InstallSpec{AppID: appID, Account: demo.Owner}); err != nil {
		return fmt.Errorf("install the app on the simulated GitHub: %w", err)
	}
	for _, step := range []func(context.Context, simapi.Seeder) error{demo.SeedRepository, demo.OpenPulls} {
		if err := step(ctx, d.github); err != nil {
			return fmt.Errorf("seed the simulated GitHub: %w", err)
		}
	}
	return nil
}

// glance is how often Watch looks.
const glance = 300 * time.Millisecond

// Watch tells when each pull request has got its review, with the number of
// inline comments. It ends when all have one, or with ctx.
func (d *Demo) Watch(ctx context.Context, reviewed func(p Pull, comments int)) error {
	open := d.Pulls()
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for len(open) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		var rest []Pull
		for _, p := range open {
			got, err := d.github.VisibleReviews(ctx, demo.Repository, p.Number)
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
