package domain

// EventKind is a kind of event that channels and push subscriptions can choose.
type EventKind struct {
	Name string
	Made bool // something in this version makes events of it
}

// EventKinds are all kinds that can be chosen, in the order of the interface's
// description.
func EventKinds() []EventKind {
	return []EventKind{
		{EventReviewCompleted, true},
		{EventReviewFailed, true},
		{EventApprovalRequested, true},
		{EventApprovalDecided, true},
		{EventFindingDecided, true},
		{EventOnboarding, true},
		{EventBudgetThreshold, true},
		{EventConnectionError, true},
		{"suppression.proposed", false},
		{"fix.completed", false},
		{"ci.analysis.completed", false},
		{EventSecretFound, true},
		{EventBreakGlass, true},
		{EventAdminJoined, true},
	}
}
