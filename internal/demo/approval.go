package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/tracking"
	"github.com/assay-dev/assay/sim/host/demo"
)

// Service is the demo's access to the service that runs in it.
type Service struct {
	Store    *store.Store
	Tenant   *tenant.Service
	Tracking *tracking.Service
	ID       domain.Tenant // the tenant of the simulated host
}

// operator returns a context whose audit entries name the demo's configuration.
func operator(ctx context.Context) context.Context {
	return audit.As(ctx, audit.Actor{Kind: audit.KindOperator, Name: "demo", Method: "configuration"})
}

// Held returns the pull request whose review waits for a person, with its number on the host.
func (d *Demo) Held() Pull {
	p := demo.Held()
	return Pull{d.host.number(demo.Payouts, p.Number), p.Title, d.host.page(demo.Payouts, p.Number)}
}

// SeedHeld sets the policy of the second sample repository so that its reviews wait for approval, and opens
// its pull request. Call it after [Demo.Seed]. An existing pull request of an earlier demo stays. If the data
// of an older version lacks the repository, it only logs a warning.
func (d *Demo) SeedHeld(ctx context.Context, s Service) error {
	if d.host.pull(ctx, demo.Payouts, demo.Held().Number) {
		return nil
	}
	repository, err := s.await(ctx, d.stored(demo.Payouts))
	if err != nil || repository.ID == "" {
		if err == nil {
			d.log.Warn("the service does not know the second sample repository: nothing of this demo waits for approval", "repository", demo.Payouts)
		}
		return err
	}
	mode := string(domain.PublishApproval)
	if _, err := s.Tenant.PutPolicy(operator(ctx), s.ID, repository, 0, policy.RepositoryPolicyUpdate{PublishMode: &mode}); err != nil {
		return fmt.Errorf("the policy of %s: %w", demo.Payouts, err)
	}
	return d.host.open(ctx)
}

// await waits until the service knows a sample repository. It returns one without an id if that takes longer than [stepTimeout].
func (s Service) await(ctx context.Context, name string) (out store.Repository, err error) {
	_, err = poll(ctx, func() (bool, error) {
		all, err := s.Store.Repositories(ctx, s.ID)
		i := slices.IndexFunc(all, func(r store.Repository) bool { return r.Owner+"/"+r.Name == name })
		if i >= 0 {
			out = all[i]
		}
		return i >= 0, err
	})
	return out, err
}

// HeldDecided reports whether a person has decided on the newest review of the second sample repository, in an earlier demo whose data
// were kept.
func (d *Demo) HeldDecided(ctx context.Context, s Service) (bool, error) {
	runs, err := s.Store.SearchRuns(ctx, store.OperatorFilter{Repository: d.stored(demo.Payouts), Limit: 1})
	return len(runs) > 0 && runs[0].State.Terminal(), err
}

// AwaitHeld waits until a review of the second sample repository waits for a person, and returns its run. It
// ends with ctx.
func (d *Demo) AwaitHeld(ctx context.Context, s Service) (store.Run, error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		runs, err := s.Store.SearchRuns(ctx, store.OperatorFilter{Repository: d.stored(demo.Payouts),
			State: domain.RunAwaitingApproval, Limit: 1})
		if err == nil && len(runs) > 0 {
			return runs[0], nil
		}
		select {
		case <-ctx.Done():
			return store.Run{}, ctx.Err()
		case <-tick.C:
		}
	}
}
