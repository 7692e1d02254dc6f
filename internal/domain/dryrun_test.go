package domain

import "testing"

func TestDryRunMoves(t *testing.T) {
	legal := map[[2]DryRunState]bool{
		{DryRunQueued, DryRunRunning}: true, {DryRunQueued, DryRunFailed}: true, {DryRunQueued, DryRunCancelled}: true,
		{DryRunRunning, DryRunCompleted}: true, {DryRunRunning, DryRunFailed}: true, {DryRunRunning, DryRunCancelled}: true,
	}
	for _, from := range DryRunStates() {
		for _, to := range DryRunStates() {
			if got, want := DryRunMayMove(from, to), legal[[2]DryRunState{from, to}]; got != want {
				t.Errorf("from %s to %s: %v, want %v", from, to, got, want)
			}
		}
		if got, want := from.Terminal(), from != DryRunQueued && from != DryRunRunning; got != want {
			t.Errorf("%s is terminal: %v, want %v", from, got, want)
		}
	}
}

func TestDryPullMoves(t *testing.T) {
	legal := map[[2]DryPullState]bool{
		{DryPullQueued, DryPullRunning}: true, {DryPullQueued, DryPullFailed}: true,
		{DryPullRunning, DryPullCompleted}: true, {DryPullRunning, DryPullFailed}: true,
	}
	for _, from := range dryPullStates() {
		for _, to := range dryPullStates() {
			if got, want := DryPullMayMove(from, to), legal[[2]DryPullState{from, to}]; got != want {
				t.Errorf("from %s to %s: %v, want %v", from, to, got, want)
			}
		}
	}
}

// dryPullStates lists every state of a pull request of a dry run.
func dryPullStates() []DryPullState {
	return []DryPullState{DryPullQueued, DryPullRunning, DryPullCompleted, DryPullFailed}
}
