package domain

import "testing"

func TestOnboardingMoves(t *testing.T) {
	legal := map[[2]OnboardingState]bool{
		{OnboardingWaiting, OnboardingTrying}: true, {OnboardingWaiting, OnboardingAccepted}: true, {OnboardingWaiting, OnboardingDeclined}: true, {OnboardingWaiting, OnboardingFailed}: true,
		{OnboardingTrying, OnboardingProposed}: true, {OnboardingTrying, OnboardingAccepted}: true, {OnboardingTrying, OnboardingDeclined}: true, {OnboardingTrying, OnboardingFailed}: true,
		{OnboardingProposed, OnboardingAccepted}: true, {OnboardingProposed, OnboardingDeclined}: true,
		{OnboardingFailed, OnboardingWaiting}: true, {OnboardingFailed, OnboardingAccepted}: true, {OnboardingFailed, OnboardingDeclined}: true,
	}
	for _, from := range append(OnboardingStates(), "") {
		for _, to := range append(OnboardingStates(), "") {
			if got, want := OnboardingMayMove(from, to), legal[[2]OnboardingState{from, to}]; got != want {
				t.Errorf("%q to %q: %v, want %v", from, to, got, want)
			}
		}
	}
	for _, s := range OnboardingStates() {
		if got, want := s.Decided(), s == OnboardingAccepted || s == OnboardingDeclined; got != want {
			t.Errorf("%s is decided: %v", s, got)
		}
	}
}
