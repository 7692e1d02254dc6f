// Package onboarding tries repositories out that are new to a tenant, before anybody
// decides whether they are reviewed.
//
// Which repositories these are says what they got when they appeared
// ([domain.IntakeOnboarding]). Until somebody decides, nothing is reviewed and nothing
// is written to the host. A sweep makes an onboarding for each, lets a few of a tenant
// be tried out at once, and ends those whose repository has left; it may run in many
// workers. The trial itself is a dry run over merged pull requests; when it ends, a
// proposal is made in the same transaction, and people are told. A person accepts or
// declines it, at any time; of two who decide at once, one does.
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

// maxTrials is how many repositories of a tenant are tried out at once (design choice):
// an account with hundreds of repositories shares the lane of dry runs with people who
// wait for their own, and two go on where the host or the model of one hangs.
const maxTrials = 2

// maxPulls is how many merged pull requests one trial looks at (design choice: what ten
// reviews say shows how a repository would be reviewed, and costs little).
const maxPulls = 10

// lookBack is how many merged pull requests the host is asked for: more than are
// tried out, as some may be of the kind that is not reviewed, and for how often pull
// requests are merged.
const lookBack = 20

// active is the state of a repository whose host can be asked.
const active = "active"

// Config is what the service is made of.
type Config struct {
	Store  *store.Store
	Audit  *audit.Log
	Tenant *tenant.Service // what settings may say
	Dry    *dryrun.Service // does the trials
	Hosts  dryrun.Hosts
	Logger *slog.Logger
}

// Service tries repositories out and decides about them. It is safe for concurrent use.
type Service struct{ Config }

// New makes the service, and has the dry runs tell it of their ends.
func New(c Config) *Service {
	s := &Service{c}
	if c.Dry != nil {
		c.Dry.Ended = append(c.Dry.Ended, s.ended)
	}
	return s
}

// Kinds are the job handlers, for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{domain.KindOnboard: {Run: s.try, Dead: s.dead}}
}

// Bounds of one sweep (design choices): what is left has its turn in the next.
const (
	sweepNew  = 200
	sweepLeft = 100
	sweepStop = 20
)

// Sweep does what is due of all onboardings: it ends those whose repository has left,
// makes those of new repositories, lets the next ones be tried out, and stops trials
// of which nobody wants to know any more. Any number of workers may sweep at once.
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

// Promote lets onboardings that wait be tried out, in their order, as long as their
// tenant has fewer than [maxTrials] that are.
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

// promote lets the next onboarding of a tenant be tried out; false where none may be.
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
	rows, err := s.Store.NeedlessTrials(ctx, sweepStop)
	if err != nil {
		return err
	}
	for _, o := range rows {
		if err := s.Dry.Stop(ctx, o.DryRun, "The trial was no longer needed: a person decided whether the repository is reviewed."); err != nil && !errs.Is(err, errs.NotFound) {
			return err
		}
	}
	return nil
}

// fail ends an onboarding without a proposal. False: it is in another state by now.
func (s *Service) fail(ctx context.Context, o store.Onboarding, failure, reason string) (bool, error) {
	return s.Store.MoveOnboarding(ctx, scope(o), o.ID, store.OnboardingMove{From: o.State, To: domain.OnboardingFailed, Cause: reason, Failure: failure, Reason: reason})
}

func scope(o store.Onboarding) domain.Tenant { return domain.Tenant{ID: o.Tenant} }
