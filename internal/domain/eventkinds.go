package domain

// EventKinds returns the kinds of events that channels and push subscriptions can select, in the order of the interface's
// description.
func EventKinds() []string {
	return []string{
		EventReviewCompleted,
		EventReviewFailed,
		EventApprovalRequested,
		EventApprovalDecided,
		EventFindingDecided,
		EventOnboarding,
		EventBudgetThreshold,
		EventConnectionError,
		EventSuppression,
		EventFixCompleted,
		EventCIAnalysis,
		EventSecretFound,
		EventBreakGlass,
		EventAdminJoined,
	}
}
