// Package onboarding tries out new repositories of a tenant before a person decides whether they are
// reviewed.
//
// A repository is tried out if its intake state is [domain.IntakeOnboarding]. Until the decision, nothing
// is reviewed and nothing is written to the host. A sweep creates an onboarding for each such repository,
// starts a few trials per tenant at a time, and ends onboardings whose repository was disconnected. Many
// workers may sweep at the same time. The trial is a dry run over merged pull requests. Its end creates a
// proposal and an event for people in the same transaction. A person can accept or decline at any time; of
// two concurrent decisions only the first counts.
package onboarding

import (
	"context"
	"errors"
	"log/slog"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// maxTrials is how many repositories of a tenant are tried out at once (design choice). An account with
// hundreds of repositories must leave room in the dry-run lane for people's own dry runs, and with two
// trials one can continue if the other's host or model hangs.
const maxTrials = 2

// maxPulls is how many merged pull requests a trial reviews (design choice): ten reviews show how a
// repository would be reviewed, and cost little.
const maxPulls = 10

// lookBack is how many merged pull requests the host is asked for. It exceeds maxPulls, because the policy
// may exclude some of them, and because the number per week is computed from them.
const lookBack = 20

// active is the state of a connected repository.
const active = "active"

// Config holds the dependencies of the service.
type Config struct {
	Store  *store.Store
	Audit  *audit.Log
	Tenant *tenant.Service // validates settings
	Dry    *dryrun.Service // runs the trials
	Hosts  dryrun.Hosts
	Logger *slog.Logger
}

// Service tries repositories out and decides about them. It is safe for concurrent use.
type Service struct{ Config }

// New returns the service, and registers it for the ends of dry runs.
func New(c Config) *Service {
	s := &Service{c}
	if c.Dry != nil {
		c.Dry.Ended = append(c.Dry.Ended, s.ended)
	}
	return s
}

// Kinds returns the job handlers for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{domain.KindOnboard: {Run: s.try, Dead: s.failDeadJob}}
}

// Bounds of one sweep (design choices). The next sweep continues with the rest.
const (
	sweepNew  = 200
	sweepLeft = 100
	sweepStop = 20
)

// Sweep ends onboardings of disconnected repositories, creates those of new repositories, starts the next
// trials, and cancels unneeded trials. Several workers may sweep at the same time.
func (s *Service) Sweep(ctx context.Context) error {
	return errors.Join(s.sweepLeft(ctx), s.sweepNew(ctx), s.Promote(ctx), s.sweepNeedless(ctx))
}

func (s *Service) sweepLeft(ctx context.Context) error {
	rows, err := s.Store.LeftOnboardings(ctx, sweepLeft)
	if err != nil {
		return err
	}
	for _, o := range rows {
		if _, err := s.fail(ctx, o, domain.OnboardingLeft, reasonLeft); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) sweepNew(ctx context.Context) error {
	rows, err := s.Store.NotOnboarded(ctx, sweepNew)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := s.Store.CreateOnboarding(ctx, domain.Tenant{ID: r.Tenant}, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// Promote starts trials of waiting onboardings, in order, up to [maxTrials] per tenant.
func (s *Service) Promote(ctx context.Context) error {
	tenants, err := s.Store.TenantsToOnboard(ctx, maxTrials)
	if err != nil {
		return err
	}
	for _, id := range tenants {
		for more := true; more; {
			if more, err = s.promote(ctx, domain.Tenant{ID: id}); err != nil {
				return err
			}
		}
	}
	return nil
}

// promote starts the trial of a tenant's next onboarding. It returns false if no trial may start.
func (s *Service) promote(ctx context.Context, t domain.Tenant) (bool, error) {
	err := s.Store.InTx(ctx, func(ctx context.Context) error {
		o, err := s.Store.PromoteOnboarding(ctx, t, maxTrials)
		if err != nil {
			return err
		}
		_, err = s.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindOnboard, FairKey: t.ID, Subject: o.ID, Tenant: t.ID})
		return err
	})
	if errs.Is(err, errs.NotFound) {
		return false, nil
	}
	return err == nil, err
}

func (s *Service) sweepNeedless(ctx context.Context) error {
	rows, err := s.Store.UnneededTrials(ctx, sweepStop)
	if err != nil {
		return err
	}
	for _, o := range rows {
		if err := s.Dry.Stop(ctx, o.DryRun, "The trial was no longer needed: a person decided whether the repository "+
			"is reviewed."); err != nil && !errs.Is(err, errs.NotFound) {
			return err
		}
	}
	return nil
}

// fail ends an onboarding without a proposal. It returns false if its state has changed meanwhile.
func (s *Service) fail(ctx context.Context, o store.Onboarding, failure, reason string) (bool, error) {
	return s.Store.MoveOnboarding(ctx, scope(o), o.ID, store.OnboardingMove{From: o.State, To: domain.OnboardingFailed, Cause: reason,
		Failure: failure, Reason: reason})
}

func scope(o store.Onboarding) domain.Tenant { return domain.Tenant{ID: o.Tenant} }
