package upgrade

import (
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// onboardings creates new repositories that are tried out, one in every state, and one for each reason
// to fail.
func (e *estate) onboardings() {
	e.t.Helper()
	s, t := e.Store, e.Tenant
	trying := store.OnboardingMove{From: domain.OnboardingWaiting, To: domain.OnboardingTrying, Cause: names[1]}
	decision := func(to domain.OnboardingState, how string) store.OnboardingMove {
		return store.OnboardingMove{From: domain.OnboardingWaiting, To: to, Cause: names[2], By: e.admin.id, Name: names[0], How: how, Note: names[1]}
	}
	fail := func(failure string) store.OnboardingMove {
		return store.OnboardingMove{From: domain.OnboardingTrying, To: domain.OnboardingFailed, Cause: names[2], Reason: names[0], Failure: failure}
	}
	for i, moves := range [][]store.OnboardingMove{
		{},
		{trying},
		{trying, {From: domain.OnboardingTrying, To: domain.OnboardingProposed, Cause: names[2], Proposal: `{"bySeverity":{},"suggestions":[]}`}},
		{decision(domain.OnboardingAccepted, domain.OnboardingByInterface)},
		{decision(domain.OnboardingDeclined, domain.OnboardingByPolicy)},
		{trying, fail(domain.OnboardingLeft)},
		{trying, fail(domain.OnboardingBroken)},
	} {
		r, err := s.UpsertRepository(bg, t, store.Repository{Installation: e.installation.ID, ExternalID: domain.NumberID(int64(5000 + 10*e.n + i)), Owner: "octo-new", Name: fmt.Sprint("new-", i), DefaultBranch: "main", Intake: domain.IntakeOnboarding})
		must(e.t, err)
		made, err := s.CreateOnboarding(bg, t, r.ID)
		if must(e.t, err); !made {
			e.t.Fatal("an onboarding was not made")
		}
		o, err := s.Onboarding(bg, t, r.ID)
		must(e.t, err)
		for _, m := range moves {
			moved, err := s.MoveOnboarding(bg, t, o.ID, m)
			if must(e.t, err); !moved {
				e.t.Fatal("an onboarding is not where it should be")
			}
			if m.To == domain.OnboardingTrying {
				_, err := s.SetOnboardingTrial(bg, t, o.ID, "dry_"+fmt.Sprint(e.n, "-", i), `{"numbers":[1],"merged":1,"would":1}`)
				must(e.t, err)
			}
		}
	}
}
