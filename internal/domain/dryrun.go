package domain

import "slices"

// DryRunState is a state of a dry run.
type DryRunState string

// The states of a dry run.
const (
	DryRunQueued    DryRunState = "queued"
	DryRunRunning   DryRunState = "running"
	DryRunCompleted DryRunState = "completed" // at least one of its pull requests was reviewed
	DryRunFailed    DryRunState = "failed"    // none of its pull requests could be reviewed
	DryRunCancelled DryRunState = "cancelled" // by a person
)

// dryRunMoves lists the legal transitions of a dry run.
var dryRunMoves = map[DryRunState][]DryRunState{
	DryRunQueued:  {DryRunRunning, DryRunFailed, DryRunCancelled},
	DryRunRunning: {DryRunCompleted, DryRunFailed, DryRunCancelled},
}

// DryRunMayMove reports whether a dry run can move from one state to the other.
func DryRunMayMove(from, to DryRunState) bool { return slices.Contains(dryRunMoves[from], to) }

// Terminal reports whether the state is final.
func (s DryRunState) Terminal() bool { return len(dryRunMoves[s]) == 0 }

// DryRunStates lists every state of a dry run.
func DryRunStates() []DryRunState {
	return []DryRunState{DryRunQueued, DryRunRunning, DryRunCompleted, DryRunFailed, DryRunCancelled}
}

// DryPullState is a state of one pull request of a dry run.
type DryPullState string

// The states of a pull request of a dry run. A pull request that is queued when its dry run ends stays
// unreviewed.
const (
	DryPullQueued    DryPullState = "queued"
	DryPullRunning   DryPullState = "running"
	DryPullCompleted DryPullState = "completed"
	DryPullFailed    DryPullState = "failed" // the reason is stored; the others continue
)

// dryPullMoves lists the legal transitions of a pull request of a dry run.
var dryPullMoves = map[DryPullState][]DryPullState{
	DryPullQueued:  {DryPullRunning, DryPullFailed},
	DryPullRunning: {DryPullCompleted, DryPullFailed},
}

// DryPullMayMove reports whether a pull request of a dry run can move from one state to the other.
func DryPullMayMove(from, to DryPullState) bool { return slices.Contains(dryPullMoves[from], to) }
