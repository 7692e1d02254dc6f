package domain

import "slices"

// TriageState is a state of a triage run: the first, cheap look at a head of a pull
// request.
type TriageState string

// The states of a triage run.
const (
	TriageQueued    TriageState = "queued"
	TriageRunning   TriageState = "running"
	TriageCompleted TriageState = "completed"
	TriageFailed    TriageState = "failed"
	TriageCancelled TriageState = "cancelled" // a newer head arrived, the pull request was closed, or reviews were switched off
)

var triageMoves = map[TriageState][]TriageState{
	TriageQueued:  {TriageRunning, TriageFailed, TriageCancelled},
	TriageRunning: {TriageCompleted, TriageFailed, TriageCancelled},
}

// TriageMayMove reports whether a triage run may go from one state to the other.
func TriageMayMove(from, to TriageState) bool { return slices.Contains(triageMoves[from], to) }

// Terminal reports whether nothing follows the state.
func (s TriageState) Terminal() bool { return len(triageMoves[s]) == 0 }

// TriageStates lists every state of a triage run.
func TriageStates() []TriageState {
	return []TriageState{TriageQueued, TriageRunning, TriageCompleted, TriageFailed, TriageCancelled}
}

// LabelState is what has become of a label that a triage run wanted to set. There is
// one for each pull request and label: what was set once, or was there, is never set
// again, so that whoever takes a label away keeps the last word.
type LabelState string

// The states of a wanted label.
const (
	LabelWaiting LabelState = "waiting" // it is to be set
	LabelSet     LabelState = "set"     // we have set it
	LabelThere   LabelState = "there"   // somebody else had set it
	LabelDropped LabelState = "dropped" // the host refuses it, or the pull request was closed
)

var labelMoves = map[LabelState][]LabelState{LabelWaiting: {LabelSet, LabelThere, LabelDropped}}

// LabelMayMove reports whether a wanted label may go from one state to the other.
func LabelMayMove(from, to LabelState) bool { return slices.Contains(labelMoves[from], to) }

// How a triage run finds out what kind of change it sees, and which labels fit.
const (
	TriageHeuristic = "heuristic" // by paths and numbers of lines alone
	TriageModel     = "model"     // with the model of the tier fast, where the tenant routes models; else as heuristic
)

// The sizes of a change.
const (
	SizeXS = "xs"
	SizeS  = "s"
	SizeM  = "m"
	SizeL  = "l"
	SizeXL = "xl"
)

// SizeOf is the size of a change of so many lines, added and removed (design choice:
// xs, s and l end where the depths of a review change).
func SizeOf(lines int) string {
	switch {
	case lines <= 10:
		return SizeXS
	case lines <= 100:
		return SizeS
	case lines <= 400:
		return SizeM
	case lines <= 1500:
		return SizeL
	}
	return SizeXL
}

// The kinds of change that a triage run tells apart.
const (
	ChangeFeature      = "feature"
	ChangeFix          = "fix"
	ChangeRefactoring  = "refactoring"
	ChangePerformance  = "performance"
	ChangeDocs         = "docs"
	ChangeTest         = "test"
	ChangeDependencies = "dependencies"
	ChangeCI           = "ci"
	ChangeConfig       = "config"
	ChangeMigration    = "migration"
	ChangeGenerated    = "generated"
	ChangeRevert       = "revert"
	ChangeOther        = "other"
)

// ChangeKinds lists every kind of change.
func ChangeKinds() []string {
	return []string{ChangeFeature, ChangeFix, ChangeRefactoring, ChangePerformance, ChangeDocs, ChangeTest, ChangeDependencies, ChangeCI, ChangeConfig, ChangeMigration, ChangeGenerated, ChangeRevert, ChangeOther}
}

// The risks of a change.
const (
	RiskLow    = "low"
	RiskMedium = "medium"
	RiskHigh   = "high"
)

// Bounds of what a triage run says.
const (
	MaxTriageAreas  = 5
	MaxTriageArea   = 100 // bytes of the name of an area
	MaxTriageLabels = 5
)
