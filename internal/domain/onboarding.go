package domain

import "slices"

// OnboardingState is a state of a new repository that is tried out before anybody
// decides whether it is reviewed.
type OnboardingState string

// The states of an onboarding.
const (
	OnboardingWaiting  OnboardingState = "waiting"  // others of the tenant are tried out
	OnboardingTrying   OnboardingState = "trying"   // merged pull requests are looked at
	OnboardingProposed OnboardingState = "proposed" // somebody has to decide
	OnboardingAccepted OnboardingState = "accepted" // the repository is reviewed
	OnboardingDeclined OnboardingState = "declined" // it is not
	OnboardingFailed   OnboardingState = "failed"   // it could not be tried out, or left; somebody may try again, or decide without
)

// onboardingMoves lists the legal transitions. People may decide at any time; a trial
// of which nothing can come makes a proposal at once.
var onboardingMoves = map[OnboardingState][]OnboardingState{
	OnboardingWaiting:  {OnboardingTrying, OnboardingAccepted, OnboardingDeclined, OnboardingFailed},
	OnboardingTrying:   {OnboardingProposed, OnboardingAccepted, OnboardingDeclined, OnboardingFailed},
	OnboardingProposed: {OnboardingAccepted, OnboardingDeclined},
	OnboardingFailed:   {OnboardingWaiting, OnboardingAccepted, OnboardingDeclined},
}

// OnboardingMayMove reports whether an onboarding may go from one state to the other.
func OnboardingMayMove(from, to OnboardingState) bool {
	return slices.Contains(onboardingMoves[from], to)
}

// Decided reports whether somebody has decided about the repository: nothing follows.
func (s OnboardingState) Decided() bool { return len(onboardingMoves[s]) == 0 }

// OnboardingStates lists every state of an onboarding.
func OnboardingStates() []OnboardingState {
	return []OnboardingState{OnboardingWaiting, OnboardingTrying, OnboardingProposed, OnboardingAccepted, OnboardingDeclined, OnboardingFailed}
}

// The ways in which an onboarding is decided.
const (
	OnboardingByInterface = "interface" // accept or decline
	OnboardingByPolicy    = "policy"    // the policy of the repository said meanwhile whether it is reviewed
)

// Why an onboarding failed, for what may follow by itself.
const (
	OnboardingLeft   = "left"   // the repository was disconnected; when it comes back it is tried out anew
	OnboardingBroken = "broken" // its pull requests could not be looked at
)
