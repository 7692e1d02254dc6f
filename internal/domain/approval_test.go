package domain

import "testing"

// The few legal moves between states are written out, and every other pair of states is refused.
func TestApprovalMoves(t *testing.T) {
	t.Parallel()
	legal := map[[2]ApprovalState]bool{
		{ApprovalPending, ApprovalApproved}: true, {ApprovalPending, ApprovalRejected}: true, {ApprovalPending, ApprovalExpired}: true,
		{ApprovalApproved, ApprovalPublished}: true,
	}
	all := append(approvalStates(), "", "elsewhere")
	for _, from := range all {
		for _, to := range all {
			if got := ApprovalMayMove(from, to); got != legal[[2]ApprovalState{from, to}] {
				t.Errorf("%q to %q: %v", from, to, got)
			}
		}
	}
	for _, s := range approvalStates() {
		if want := s != ApprovalPending && s != ApprovalApproved; s.Terminal() != want {
			t.Errorf("%s: terminal is %v", s, s.Terminal())
		}
	}
}

// approvalStates lists every state of an output that a person decides on.
func approvalStates() []ApprovalState {
	return []ApprovalState{ApprovalPending, ApprovalApproved, ApprovalPublished, ApprovalRejected, ApprovalExpired}
}
