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

// What a repository got when it appeared.
const (
	IntakeOn         = "on"         // is reviewed
	IntakeOff        = "off"        // waits until somebody switches it on
	IntakeOnboarding = "onboarding" // is tried out, and waits until somebody decides
)
