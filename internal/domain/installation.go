package domain

// InstallationState is the state of an installation of an app on an account.
type InstallationState string

// The states of an installation.
const (
	InstallationUnplaced  InstallationState = "unplaced"
	InstallationActive    InstallationState = "active"
	InstallationSuspended InstallationState = "suspended"
	InstallationDeleted   InstallationState = "deleted"
)

// The intake of a repository, assigned when it appears.
const (
	IntakeOn         = "on"         // it is reviewed
	IntakeOff        = "off"        // it waits until a person enables it
	IntakeOnboarding = "onboarding" // it gets a trial and waits for a decision
)
