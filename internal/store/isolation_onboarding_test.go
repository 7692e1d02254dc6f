package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// onboarded are new repositories of the victim.
type onboarded struct {
	fresh, left     store.Repository // without an onboarding; one that a person decides about
	begun, underWay store.Onboarding // tried out, without and with a dry run
}

// newRepository is a repository that waits to be tried out.
func newRepository(t testing.TB, s *store.Store, w storetest.World) store.Repository {
	t.Helper()
	r := storetest.Repository(t, s, w.Tenant, w.Installation)
	testkit.OK(t, s.SetIntake(bg, w.Tenant, r.ID, domain.IntakeOnboarding))
	return r
}

// newOnboarding is a waiting onboarding of a new repository.
func newOnboarding(t testing.TB, s *store.Store, w storetest.World) store.Onboarding {
	t.Helper()
	r := newRepository(t, s, w)
	testkit.Equal(t, "made", must2(s.CreateOnboarding(bg, w.Tenant, r.ID))(t), true)
	return must2(s.Onboarding(bg, w.Tenant, r.ID))(t)
}

var onboardingIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		r, trying := &v.onboarded, store.OnboardingMove{From: domain.OnboardingWaiting, To: domain.OnboardingTrying}
		r.fresh, r.left = newRepository(t, s, v.World), newRepository(t, s, v.World)
		r.begun, r.underWay = newOnboarding(t, s, v.World), newOnboarding(t, s, v.World)
		for _, o := range []store.Onboarding{r.begun, r.underWay} {
			must2(s.MoveOnboarding(bg, v.Tenant, o.ID, trying))(t)
		}
		must2(s.SetOnboardingTrial(bg, v.Tenant, r.underWay.ID, "dry_victim", "{}"))(t)
		newOnboarding(t, s, v.World) // one that waits
	},
	foreign: func(v victim) map[string][]any {
		r := v.onboarded
		return map[string][]any{
			"CreateOnboarding": {r.fresh.ID}, "PromoteOnboarding": {100}, "SetOnboardingTrial": {r.begun.ID, "dry_evil", "{}"},
			"MoveOnboarding":        {r.underWay.ID, store.OnboardingMove{From: domain.OnboardingTrying, To: domain.OnboardingFailed}},
			"OnboardingTransitions": {r.underWay.ID}, "Onboarding": {r.underWay.Repository}, "HoldOnboarding": {r.underWay.Repository}, "OnboardingOfDryRun": {"dry_victim"},
			"Onboardings":      {store.OnboardingFilter{Before: store.Cursor{US: 1 << 60, ID: "z"}, Limit: 10}},
			"OnboardingStates": {[]string{r.underWay.Repository}}, "DecideIntake": {r.left.ID, domain.IntakeOff},
		}
	},
	instance: map[string]string{
		"NotOnboarded": "the service looks for new repositories of every tenant; each row carries its own", "TenantsToOnboard": "the service promotes for every tenant",
		"LeftOnboardings": "the service ends what has left, of every tenant", "UnneededTrials": "the service stops trials of every tenant",
		"OnboardingForWork": "a job names its onboarding; the row carries the tenant",
	},
}
