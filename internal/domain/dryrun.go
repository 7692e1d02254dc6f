package domain

import "slices"

// DryRunState is a state of a dry run.
type DryRunState string

// The states of a dry run.
const (
	DryRunQueued    DryRunState = "queued"
	DryRunRunning   DryRunState = "running"
	DryRunCompleted DryRunState = "completed" // at least one of its pull requests was looked at
	DryRunFailed    DryRunState = "failed"    // none was
	DryRunCancelled DryRunState = "cancelled" // by a person
)

// dryRunMoves lists the legal transitions of a dry run.
var dryRunMoves = map[DryRunState][]DryRunState{
	DryRunQueued:  {DryRunRunning, DryRunFailed, DryRunCancelled},
	DryRunRunning: {DryRunCompleted, DryRunFailed, DryRunCancelled},
}

// DryRunMayMove reports whether a dry run may go from one state to the other.
func DryRunMayMove(from, to DryRunState) bool { return slices.Contains(dryRunMoves[from], to) }

// Terminal reports whether nothing follows the state.
func (s DryRunState) Terminal() bool { return len(dryRunMoves[s]) == 0 }

// DryRunStates lists every state of a dry run.
func DryRunStates() []DryRunState {
	return []DryRunState{DryRunQueued, DryRunRunning, DryRunCompleted, DryRunFailed, DryRunCancelled}
}

// DryPullState is a state of one pull request of a dry run.
type DryPullState string

// The states of a pull request of a dry run. One that is queued when its dry run
// ends was never looked at.
const (
	DryPullQueued    DryPullState = "queued"
	DryPullRunning   DryPullState = "running"
	DryPullCompleted DryPullState = "completed"
	DryPullFailed    DryPullState = "failed" // its reason says why; the others go on
)

// dryPullMoves lists the legal transitions of a pull request of a dry run.
var dryPullMoves = map[DryPullState][]DryPullState{
	DryPullQueued:  {DryPullRunning, DryPullFailed},
	DryPullRunning: {DryPullCompleted, DryPullFailed},
}

// DryPullMayMove reports whether a pull request of a dry run may go from one state
// to the other.
func DryPullMayMove(from, to DryPullState) bool { return slices.Contains(dryPullMoves[from], to) }
