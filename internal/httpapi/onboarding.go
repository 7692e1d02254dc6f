package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/onboarding"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// Onboarding is the trial of a new repository and its outcome.
type Onboarding struct {
	ID           string              `json:"id"`
	RepositoryID string              `json:"repositoryId"`
	Owner        string              `json:"owner" doc:"Of the repository, as the code host names it"`
	Name         string              `json:"name"`
	State        string              `json:"state" enum:"waiting,trying,proposed,accepted,declined,failed" doc:"waiting: others of the tenant are tried out; trying: merged pull requests are looked at; proposed: a person has to decide. Until then the repository is not reviewed"`
	Reason       string              `json:"reason" doc:"Why it failed, in a sentence; empty otherwise"`
	DryRunID     string              `json:"dryRunId,omitempty" doc:"That tries it out, with all that reviews would have said; absent where no pull request was looked at. It is deleted as old runs are"`
	CreatedAt    time.Time           `json:"createdAt"`
	StartedAt    *time.Time          `json:"startedAt,omitempty" doc:"Of the trial"`
	ProposedAt   *time.Time          `json:"proposedAt,omitempty"`
	Decision     *OnboardingDecision `json:"decision,omitempty" doc:"Absent until a person decides"`
}

// OnboardingDecision is the decision on a new repository.
type OnboardingDecision struct {
	By   string    `json:"by" doc:"Id of the person; empty for the command line"`
	Name string    `json:"name" doc:"As it was then"`
	How  string    `json:"how" enum:"interface,policy" doc:"policy: the policy of the repository said meanwhile whether it is reviewed"`
	At   time.Time `json:"at"`
	Note string    `json:"note" doc:"Reason; text that a person entered"`
}

// OnboardingDetail is an onboarding with the results of its trial.
type OnboardingDetail struct {
	Onboarding
	Proposal *onboarding.OnboardingProposal `json:"proposal,omitempty" doc:"What came of the trial; absent before"`
	Settings []tenant.FeatureSetting        `json:"settings" doc:"What would hold if it was accepted as it is, without suggestions; once it is decided, what holds"`
	Policy   *policy.RepositoryPolicyUpdate `json:"suggestedPolicy,omitempty" doc:"All suggestions together, in the form for accept; absent without suggestions"`
	History  []OnboardingStep               `json:"history" doc:"What became of it, the first step first"`
}

// OnboardingStep is a step in the history of an onboarding.
type OnboardingStep struct {
	To    string    `json:"to"`
	Cause string    `json:"cause"`
	At    time.Time `json:"at"`
}

func onboardingOf(o store.Onboarding) Onboarding {
	out := Onboarding{ID: o.ID, RepositoryID: o.Repository, Owner: o.Owner, Name: o.Name, State: string(o.State), Reason: o.Reason,
		DryRunID: o.DryRun, CreatedAt: store.Time(o.CreatedUS),
		StartedAt: store.TimeOrNil(o.StartedUS), ProposedAt: store.TimeOrNil(o.ProposedUS)}
	if o.State.Decided() {
		out.Decision = &OnboardingDecision{By: o.DecidedBy, Name: o.DecidedName, How: o.How, At: store.Time(o.DecidedUS), Note: o.Note}
	}
	return out
}

// OnboardingsInput is the input of GET T/onboardings.
type OnboardingsInput struct {
	InTenant
	Page
	State string `query:"state" enum:"waiting,trying,proposed,accepted,declined,failed" doc:"Only those in this state"`
}

func (s *server) onboardings(ctx context.Context, in *OnboardingsInput) (*Listed[Onboarding], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	roles, err := s.rolesOf(ctx, c)
	if err != nil {
		return nil, err
	}
	f := store.OnboardingFilter{State: domain.OnboardingState(in.State), Before: before, Limit: limit}
	if !roles.Everywhere() {
		f.User = c.user.ID
	}
	rows, err := s.Store.Onboardings(ctx, c.tenant, f)
	if err != nil {
		return nil, err
	}
	shown := make([]Onboarding, len(rows))
	for i, o := range rows {
		shown[i] = onboardingOf(o)
	}
	return newest(shown, in.Limit, func(v Onboarding) (time.Time, string) { return v.CreatedAt, v.ID }), nil
}

func (s *server) onboarding(ctx context.Context, _ *InRepository) (*Read[OnboardingDetail], error) {
	c := callerFrom(ctx)
	o, err := s.Store.Onboarding(ctx, c.tenant, c.repository.ID)
	if err != nil {
		return nil, err
	}
	return s.onboardingDetail(ctx, o)
}

// onboardingDetail reads the parts of an onboarding that are not in its row.
func (s *server) onboardingDetail(ctx context.Context, o store.Onboarding) (*Read[OnboardingDetail], error) {
	t := domain.Tenant{ID: o.Tenant}
	out := OnboardingDetail{Onboarding: onboardingOf(o), History: []OnboardingStep{}}
	var err error
	if o.State.Decided() {
		out.Settings, err = s.Tenant.FeatureSettings(ctx, t, o.Repository)
	} else {
		out.Settings, err = s.Tenant.TriedSettings(ctx, t, o.Repository, policy.RepositoryPolicyUpdate{Enabled: new(true)})
	}
	if err != nil {
		return nil, err
	}
	if o.Proposal != "" {
		p := store.FromJSON[onboarding.OnboardingProposal](o.Proposal)
		out.Proposal = &p
		if out.Policy, err = p.Policy(); err != nil {
			return nil, err
		}
	}
	steps, err := s.Store.OnboardingTransitions(ctx, t, o.ID)
	for _, v := range steps {
		out.History = append(out.History, OnboardingStep{v.To, v.Cause, store.Time(v.AtUS)})
	}
	return read(out, err)
}

func (s *server) acceptOnboarding(ctx context.Context, in *struct {
	InRepository
	Body onboarding.OnboardingAccept
}) (*Read[OnboardingDetail], error) {
	c := callerFrom(ctx)
	return s.decidedOnboarding(ctx)(s.Onboarding.Accept(ctx, c.tenant, c.repository, in.Body))
}

func (s *server) declineOnboarding(ctx context.Context, in *struct {
	InRepository
	Body onboarding.OnboardingDecline
}) (*Read[OnboardingDetail], error) {
	c := callerFrom(ctx)
	return s.decidedOnboarding(ctx)(s.Onboarding.Decline(ctx, c.tenant, c.repository, in.Body))
}

func (s *server) retryOnboarding(ctx context.Context, _ *InRepository) (*Read[OnboardingDetail], error) {
	c := callerFrom(ctx)
	return s.decidedOnboarding(ctx)(s.Onboarding.Retry(ctx, c.tenant, c.repository))
}

// decidedOnboarding returns a function that answers an action with the changed onboarding.
func (s *server) decidedOnboarding(ctx context.Context) func(store.Onboarding, error) (*Read[OnboardingDetail], error) {
	return func(o store.Onboarding, err error) (*Read[OnboardingDetail], error) {
		if err != nil {
			return nil, err
		}
		return s.onboardingDetail(ctx, o)
	}
}
