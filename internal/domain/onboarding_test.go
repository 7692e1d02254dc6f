package domain

import "testing"

func TestOnboardingMoves(t *testing.T) {
	legal := map[[2]OnboardingState]bool{
		{OnboardingWaiting, OnboardingTrying}: true, {OnboardingWaiting, OnboardingAccepted}: true, {OnboardingWaiting, OnboardingDeclined}: true, {OnboardingWaiting, OnboardingFailed}: true,
		{OnboardingTrying, OnboardingProposed}: true, {OnboardingTrying, OnboardingAccepted}: true, {OnboardingTrying, OnboardingDeclined}: true, {OnboardingTrying, OnboardingFailed}: true,
		{OnboardingProposed, OnboardingAccepted}: true, {OnboardingProposed, OnboardingDeclined}: true,
		{OnboardingFailed, OnboardingWaiting}: true, {OnboardingFailed, OnboardingAccepted}: true, {OnboardingFailed, OnboardingDeclined}: true,
	}
	states := []OnboardingState{OnboardingWaiting, OnboardingTrying, OnboardingProposed, OnboardingAccepted, OnboardingDeclined, OnboardingFailed}
	for _, from := range append(states, "") {
		for _, to := range append(states, "") {
			if got, want := OnboardingMayMove(from, to), legal[[2]OnboardingState{from, to}]; got != want {
				t.Errorf("%q to %q: %v, want %v", from, to, got, want)
			}
		}
	}
	for _, s := range states {
		if got, want := s.Decided(), s == OnboardingAccepted || s == OnboardingDeclined; got != want {
			t.Errorf("%s is decided: %v", s, got)
		}
	}
}
