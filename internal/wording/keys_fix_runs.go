package wording

// Texts of fix runs. They follow the keys of fixes.go.
const (
	HelpFix Key = iota + FixNotCheckable + 1
	FixOffered
	FixByCommit // 0 commit
	FixByBranch // 0 commit, 1 the pull request
	FixNotMade  // 0 why
	FixInstead  // 0 why
	FixNoPermission
	FixFork
	FixProtected
	FixWorkflow
	FixHostCannot
	SayFixOff
	SayFixSilent
	SayFixNotReviewed
	SayFixNothing
	SayFixLimit
	SayFixWaits
	SayFixRole
)
