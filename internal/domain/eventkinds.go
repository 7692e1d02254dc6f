package domain

// EventKind is a kind of event that channels and push subscriptions can select.
type EventKind struct {
	Name string
	Made bool // this version emits such events
}

// EventKinds returns all kinds in the order of the interface's description.
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
		{EventSuppression, true},
		{EventFixCompleted, true},
		{EventCIAnalysis, true},
		{EventSecretFound, true},
		{EventBreakGlass, true},
		{EventAdminJoined, true},
	}
}
