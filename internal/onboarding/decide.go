package onboarding

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// OnboardingAccept enables reviews of a new repository.
type OnboardingAccept struct {
	Note   string                         `json:"note,omitempty" maxLength:"2000" doc:"Why, for the audit log" example:"The trial was quiet enough"`
	Policy *policy.RepositoryPolicyUpdate `json:"policy,omitempty" doc:"The repository's policy settings from now on, such as those of the proposal; enabled is true or absent"`
}

// OnboardingDecline leaves a new repository without reviews.
type OnboardingDecline struct {
	Note string `json:"note,omitempty" maxLength:"2000" doc:"Why, for the audit log" example:"An archive without active work"`
}

// shown is the content of audit entries about an onboarding.
type shown struct {
	State       string                         `json:"state" audit:"track"`
	Policy      *policy.RepositoryPolicyUpdate `json:"policy" audit:"track"`
	DecidedNote string                         `json:"note" audit:"track"`
}

// errLost reports that another person decided first; the transaction must not commit.
var errLost = errors.New("onboarding: it was decided meanwhile")

// Accept enables reviews of a repository and applies in.Policy, in one transaction. It may be called before
// the trial has ended, and after it has failed. Errors: NotFound if the repository has no onboarding;
// Conflict if it was already decided (with the person's name), if the repository is not connected, or if
// the tenant has locked reviews off; Invalid.
func (s *Service) Accept(ctx context.Context, t domain.Tenant, repository store.Repository, in OnboardingAccept) (store.Onboarding, error) {
	var c field.Check
	c.Text("/note", in.Note)
	over := policy.RepositoryPolicyUpdate{}
	if in.Policy != nil {
		over = *in.Policy
		c.That(over.Enabled == nil || *over.Enabled, "/policy/enabled", "must be true or absent: decline leaves the repository without reviews")
	}
	if c.Err() != nil {
		return store.Onboarding{}, c.Err()
	}
	return s.decide(ctx, t, repository, domain.OnboardingAccepted, in.Note,
		func(ctx context.Context) (before, after *policy.RepositoryPolicyUpdate, err error) {
			if err := s.Tenant.CheckTried(ctx, t, repository.ID, "", tenant.Tried{Policy: &over}); err != nil {
				return nil, nil, err
			}
			defaults, err := s.Tenant.Defaults(ctx, t)
			if err != nil {
				return nil, nil, err
			}
			if !policy.Locks(defaults.Locked, "enabled") {
				over.Enabled = new(true)
			}
			was, is, err := s.Tenant.JoinPolicy(ctx, t, repository.ID, over)
			return &was.RepositoryPolicyUpdate, &is.RepositoryPolicyUpdate, err
		})
}

// Decline leaves a repository without reviews until its policy changes. Its errors are those of
// [Service.Accept].
func (s *Service) Decline(ctx context.Context, t domain.Tenant, repository store.Repository,
	in OnboardingDecline) (store.Onboarding, error) {
	var c field.Check
	if c.Text("/note", in.Note); c.Err() != nil {
		return store.Onboarding{}, c.Err()
	}
	return s.decide(ctx, t, repository, domain.OnboardingDeclined, in.Note,
		func(context.Context) (before, after *policy.RepositoryPolicyUpdate, err error) { return nil, nil, nil })
}

// decide records a decision of the acting person. change makes the related changes in the same transaction.
// All deciding transactions lock rows in one order: the policy, the repository, the onboarding.
func (s *Service) decide(ctx context.Context, t domain.Tenant, repository store.Repository, to domain.OnboardingState, note string,
	change func(context.Context) (before, after *policy.RepositoryPolicyUpdate, err error)) (store.Onboarding, error) {
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		o, err := s.Store.Onboarding(ctx, t, repository.ID)
		if err != nil {
			return audit.Act{}, err
		}
		if o.State.Decided() {
			return audit.Act{}, errLost
		}
		was, is, err := change(ctx)
		if err != nil {
			return audit.Act{}, err
		}
		intake := domain.IntakeOff
		if to == domain.OnboardingAccepted {
			intake = domain.IntakeOn
		}
		connected, err := s.Store.DecideIntake(ctx, t, repository.ID, intake)
		if err == nil && !connected {
			err = errs.New(errs.Conflict, "disconnected", "The repository is not connected to its host. When it comes back, it can be decided.")
		}
		if err != nil {
			return audit.Act{}, err
		}
		now, err := s.Store.HoldOnboarding(ctx, t, repository.ID)
		if err == nil && now.State.Decided() {
			err = errLost
		}
		if err != nil {
			return audit.Act{}, err
		}
		who := audit.By(ctx)
		moved, err := s.Store.MoveOnboarding(ctx, t, now.ID, store.OnboardingMove{From: now.State, To: to, Cause: string(to) + " by " + who.Name,
			By: who.UserID, Name: who.Name, How: domain.OnboardingByInterface, Note: note})
		if err == nil && !moved {
			err = errLost
		}
		if err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "onboarding." + verb(to), Target: target(now), Before: shown{State: string(now.State), Policy: was},
			After: shown{State: string(to), Policy: is, DecidedNote: note}}, s.holdsNow(ctx, t, repository.ID, to)
	})
	if errors.Is(err, errLost) || errs.Is(err, errs.Stale) {
		err = s.decidedError(ctx, t, repository.ID, err)
	}
	if err != nil {
		return store.Onboarding{}, err
	}
	return s.Store.Onboarding(ctx, t, repository.ID)
}

// holdsNow returns an error if the tenant's locked defaults prevent the effect of a decision.
func (s *Service) holdsNow(ctx context.Context, t domain.Tenant, repository string, to domain.OnboardingState) error {
	p, _, err := policy.Effective(ctx, s.Store, t, repository)
	switch {
	case err != nil:
		return err
	case to == domain.OnboardingAccepted && !p.Enabled:
		return errs.New(errs.Conflict, "locked", "The tenant's repository defaults say that repositories are not reviewed, and have locked it.")
	case to == domain.OnboardingDeclined && p.Enabled:
		return errs.New(errs.Conflict, "locked", "The tenant's repository defaults say that repositories are reviewed, and have locked it.")
	}
	return nil
}

// decidedError returns an error with the person who decided first, or the error was if there is no decision.
func (s *Service) decidedError(ctx context.Context, t domain.Tenant, repository string, was error) error {
	o, err := s.Store.Onboarding(ctx, t, repository)
	switch {
	case err != nil:
		return err
	case o.State.Decided():
		return errs.New(errs.Conflict, "onboarding_decided", "%s", decisionSentence(o))
	case errs.Is(was, errs.Stale):
		return errs.New(errs.Conflict, "policy_changed", "Another person is changing the policy of the repository. Look at it, and decide again.")
	}
	return was
}

// Retry queues another trial of a repository whose trial failed. Errors: NotFound if it has no onboarding;
// Conflict if the trial has not failed, or if the repository is not connected.
func (s *Service) Retry(ctx context.Context, t domain.Tenant, repository store.Repository) (o store.Onboarding, err error) {
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if o, err = s.Store.HoldOnboarding(ctx, t, repository.ID); err != nil {
			return audit.Act{}, err
		}
		switch {
		case o.State.Decided():
			return audit.Act{}, errs.New(errs.Conflict, "onboarding_decided", "%s", decisionSentence(o))
		case o.State != domain.OnboardingFailed:
			return audit.Act{}, errs.New(errs.Conflict, "not_failed", "The onboarding has not failed: it is %s.", o.State)
		case o.RepositoryState != active:
			return audit.Act{}, errs.New(errs.Conflict, "disconnected", "The repository is not connected to its host. When it comes back, "+
				"it is tried out.")
		}
		if _, err := s.Store.MoveOnboarding(ctx, t, o.ID, store.OnboardingMove{From: o.State, To: domain.OnboardingWaiting,
			Cause: "asked for by " + audit.By(ctx).Name}); err != nil {
			return audit.Act{}, err
		}
		before := shown{State: string(o.State)}
		o, err = s.Store.Onboarding(ctx, t, repository.ID)
		return audit.Act{Tenant: t, Action: "onboarding.retry", Target: target(o), Before: before, After: shown{State: string(o.State)}}, err
	})
	return o, err
}

// decisionSentence returns a sentence with the person who decided and the time, or "" before the decision.
func decisionSentence(o store.Onboarding) string {
	if !o.State.Decided() {
		return ""
	}
	at, who := store.Time(o.DecidedUS).UTC().Format("2006-01-02 15:04:05 UTC"), o.DecidedName
	if who == "" {
		who = "Somebody"
	}
	switch {
	case o.How == domain.OnboardingByPolicy && o.State == domain.OnboardingAccepted:
		return fmt.Sprintf("%s switched reviews of this repository on at %s.", who, at)
	case o.How == domain.OnboardingByPolicy:
		return fmt.Sprintf("%s switched reviews of this repository off at %s.", who, at)
	}
	return fmt.Sprintf("%s %s this repository at %s.", who, o.State, at)
}

func target(o store.Onboarding) audit.Target {
	return audit.Target{Kind: "onboarding", ID: o.ID, Name: o.Owner + "/" + o.Name}
}

func verb(to domain.OnboardingState) string {
	if to == domain.OnboardingAccepted {
		return "accept"
	}
	return "decline"
}
