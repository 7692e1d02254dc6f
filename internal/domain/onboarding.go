package domain

import "slices"

// OnboardingState is a state of a new repository's trial, up to the decision whether to review the
// repository.
type OnboardingState string

// The states of an onboarding.
const (
	OnboardingWaiting  OnboardingState = "waiting"  // other trials of the tenant are running
	OnboardingTrying   OnboardingState = "trying"   // merged pull requests are being reviewed
	OnboardingProposed OnboardingState = "proposed" // a person must decide
	OnboardingAccepted OnboardingState = "accepted" // the repository is reviewed
	OnboardingDeclined OnboardingState = "declined" // the repository is not reviewed
	OnboardingFailed   OnboardingState = "failed"   // the trial failed, or the repository left; a person can retry it or decide anyway
)

// onboardingMoves lists the legal transitions. People can decide at any time. A trial without any pull
// requests makes a proposal at once.
var onboardingMoves = map[OnboardingState][]OnboardingState{
	OnboardingWaiting:  {OnboardingTrying, OnboardingAccepted, OnboardingDeclined, OnboardingFailed},
	OnboardingTrying:   {OnboardingProposed, OnboardingAccepted, OnboardingDeclined, OnboardingFailed},
	OnboardingProposed: {OnboardingAccepted, OnboardingDeclined},
	OnboardingFailed:   {OnboardingWaiting, OnboardingAccepted, OnboardingDeclined},
}

// OnboardingMayMove reports whether an onboarding can move from one state to the other.
func OnboardingMayMove(from, to OnboardingState) bool {
	return slices.Contains(onboardingMoves[from], to)
}

// Decided reports whether the decision is made; the state is then final.
func (s OnboardingState) Decided() bool { return len(onboardingMoves[s]) == 0 }

// The ways in which an onboarding is decided.
const (
	OnboardingByInterface = "interface" // accepted or declined by a person
	OnboardingByPolicy    = "policy"    // the repository's policy meanwhile enables or disables reviews
)

// The causes of a failed onboarding, for automatic consequences.
const (
	OnboardingLeft   = "left"   // the repository was disconnected; it gets another trial when it comes back
	OnboardingBroken = "broken" // its pull requests could not be reviewed
)
