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

// Service is what the demo needs of the service that runs in it.
type Service struct {
	Store    *store.Store
	Tenant   *tenant.Service
	Tracking *tracking.Service
	ID       domain.Tenant // that the simulated host is connected to
}

// operator is who has set up what the demo shows, for the audit log.
func operator(ctx context.Context) context.Context {
	return audit.As(ctx, audit.Actor{Kind: audit.KindOperator, Name: "demo", Method: "configuration"})
}

// Held is the pull request whose review waits for a person.
func (d *Demo) Held() Pull {
	p := demo.Held()
	return Pull{p.Number, p.Title, d.host.page(demo.Payouts, p.Number)}
}

// SeedHeld says in the policy of the second sample repository that its reviews wait
// for approval, and opens its pull request: call it after [Demo.Seed]. What is there from
// an earlier demo stays. The data of an older version may lack the repository: then
// nothing is opened, and a warning says so.
func (d *Demo) SeedHeld(ctx context.Context, s Service) error {
	if d.host.pull(ctx, demo.Payouts, demo.Held().Number) {
		return nil
	}
	repository, err := s.await(ctx)
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

// await waits until the service knows the second sample repository; one without an
// id: it does not within [hookPatience].
func (s Service) await(ctx context.Context) (out store.Repository, err error) {
	bounded, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		all, err := s.Store.Repositories(ctx, s.ID)
		if err != nil {
			return out, err
		}
		if i := slices.IndexFunc(all, func(r store.Repository) bool { return r.Owner+"/"+r.Name == demo.Payouts }); i >= 0 {
			return all[i], nil
		}
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-bounded.Done():
			return out, nil
		case <-tick.C:
		}
	}
}

// AwaitHeld waits until a review of the second sample repository waits for a person,
// and returns its run. It ends with ctx.
func (d *Demo) AwaitHeld(ctx context.Context, s Service) (store.Run, error) {
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		runs, err := s.Store.SearchRuns(ctx, store.OperatorFilter{Repository: demo.Payouts, State: domain.RunAwaitingApproval, Limit: 1})
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
