package store_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestAnOnboardingMovesOnLegalWaysOnly(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedPublishing(t, s).World
		// The ways to each state, from the state waiting.
		ways := map[domain.OnboardingState][]domain.OnboardingState{
			domain.OnboardingWaiting: nil, domain.OnboardingTrying: {domain.OnboardingTrying}, domain.OnboardingProposed: {domain.OnboardingTrying, domain.OnboardingProposed},
			domain.OnboardingAccepted: {domain.OnboardingAccepted}, domain.OnboardingDeclined: {domain.OnboardingDeclined}, domain.OnboardingFailed: {domain.OnboardingFailed},
		}
		for from := range ways {
			for to := range ways {
				o := newOnboarding(t, s, w)
				at := o.State
				for _, next := range ways[from] {
					testkit.Equal(t, "moved", must2(s.MoveOnboarding(bg, w.Tenant, o.ID, store.OnboardingMove{From: at, To: next}))(t), true)
					at = next
				}
				before := must2(s.OnboardingTransitions(bg, w.Tenant, o.ID))(t)
				moved, err := s.MoveOnboarding(bg, w.Tenant, o.ID, store.OnboardingMove{From: from, To: to, Cause: "test", Reason: "why", By: "usr_1", Name: "Ann"})
				steps := must2(s.OnboardingTransitions(bg, w.Tenant, o.ID))(t)
				now := must2(s.OnboardingForWork(bg, o.ID))(t)
				if !domain.OnboardingMayMove(from, to) {
					if moved || !errs.Is(err, errs.Internal) || len(steps) != len(before) || now.State != from {
						t.Errorf("%s to %s: moved %v, %v, it is %s", from, to, moved, err, now.State)
					}
					continue
				}
				if !moved || err != nil || len(steps) != len(before)+1 || now.State != to || (now.DecidedUS != 0) != to.Decided() || (now.ProposedUS != 0) != (to == domain.OnboardingProposed || from == domain.OnboardingProposed) {
					t.Errorf("%s to %s: moved %v, %v, it is %+v", from, to, moved, err, now)
				}
				if again, err := s.MoveOnboarding(bg, w.Tenant, o.ID, store.OnboardingMove{From: from, To: to}); again || err != nil {
					t.Errorf("%s to %s a second time: %v, %v", from, to, again, err)
				}
			}
		}
	})
}

// A repository has at most one open onboarding, and another one only after it left.
func TestOnboardingsAreMadeOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedPublishing(t, s).World
		testkit.Equal(t, "of one that is reviewed", must2(s.CreateOnboarding(bg, w.Tenant, w.Repository.ID))(t), false)
		o := newOnboarding(t, s, w)
		create := func(what string, want bool) {
			t.Helper()
			testkit.Equal(t, what, must2(s.CreateOnboarding(bg, w.Tenant, o.Repository))(t), want)
		}
		create("a second one", false)
		must2(s.MoveOnboarding(bg, w.Tenant, o.ID, store.OnboardingMove{From: domain.OnboardingWaiting, To: domain.OnboardingFailed, Failure: domain.OnboardingBroken}))(t)
		create("after it failed", false)
		must2(s.MoveOnboarding(bg, w.Tenant, o.ID, store.OnboardingMove{From: domain.OnboardingFailed, To: domain.OnboardingWaiting}))(t)
		must2(s.MoveOnboarding(bg, w.Tenant, o.ID, store.OnboardingMove{From: domain.OnboardingWaiting, To: domain.OnboardingFailed, Failure: domain.OnboardingLeft}))(t)
		create("after it left", true)
		create("twice", false)
		newest := must2(s.Onboarding(bg, w.Tenant, o.Repository))(t)
		testkit.Equal(t, "the newest is another one", newest.ID != o.ID && newest.State == domain.OnboardingWaiting, true)
		testkit.Equal(t, "states", fmt.Sprint(must2(s.OnboardingStates(bg, w.Tenant, []string{o.Repository, w.Repository.ID}))(t)), "map["+o.Repository+":waiting]")
	})
}
