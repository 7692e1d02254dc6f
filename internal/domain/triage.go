package domain

import "slices"

// TriageState is a state of a triage run, the first, cheap analysis of a pull request's head.
type TriageState string

// The states of a triage run.
const (
	TriageQueued    TriageState = "queued"
	TriageRunning   TriageState = "running"
	TriageCompleted TriageState = "completed"
	TriageFailed    TriageState = "failed"
	TriageCancelled TriageState = "cancelled" // a newer head arrived, the pull request was closed, or reviews were disabled
)

var triageMoves = map[TriageState][]TriageState{
	TriageQueued:  {TriageRunning, TriageFailed, TriageCancelled},
	TriageRunning: {TriageCompleted, TriageFailed, TriageCancelled},
}

// TriageMayMove reports whether a triage run can move from one state to the other.
func TriageMayMove(from, to TriageState) bool { return slices.Contains(triageMoves[from], to) }

// Terminal reports whether the state is final.
func (s TriageState) Terminal() bool { return len(triageMoves[s]) == 0 }

// TriageStates lists every state of a triage run.
func TriageStates() []TriageState {
	return []TriageState{TriageQueued, TriageRunning, TriageCompleted, TriageFailed, TriageCancelled}
}

// LabelState is the state of a label that a triage run wants on a pull request. There is one for each pull
// request and label. A label that was set or present once is never set again, so that people can remove it
// for good.
type LabelState string

// The states of a wanted label.
const (
	LabelWaiting LabelState = "waiting" // it must be set
	LabelSet     LabelState = "set"     // assay has set it
	LabelThere   LabelState = "there"   // it was set already
	LabelDropped LabelState = "dropped" // the host refuses it, or the pull request was closed
)

var labelMoves = map[LabelState][]LabelState{LabelWaiting: {LabelSet, LabelThere, LabelDropped}}

// LabelMayMove reports whether a wanted label can move from one state to the other.
func LabelMayMove(from, to LabelState) bool { return slices.Contains(labelMoves[from], to) }

// The ways in which a triage run determines the kind of change and the labels.
const (
	TriageHeuristic = "heuristic" // from paths and numbers of lines only
	TriageModel     = "model"     // with the model of the tier fast if the tenant routes models, else as heuristic
)

// The sizes of a change.
const (
	SizeXS = "xs"
	SizeS  = "s"
	SizeM  = "m"
	SizeL  = "l"
	SizeXL = "xl"
)

// SizeOf returns the size of a change from its number of added and removed lines (design choice: xs, s and
// l end where the depths of a review change).
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

// The kinds of changes.
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
	return []string{ChangeFeature, ChangeFix, ChangeRefactoring, ChangePerformance, ChangeDocs, ChangeTest, ChangeDependencies,
		ChangeCI, ChangeConfig, ChangeMigration, ChangeGenerated, ChangeRevert, ChangeOther}
}

// The risks of a change.
const (
	RiskLow    = "low"
	RiskMedium = "medium"
	RiskHigh   = "high"
)

// Maximum numbers and lengths in the result of a triage run.
const (
	MaxTriageAreas  = 5
	MaxTriageArea   = 100 // bytes of the name of an area
	MaxTriageLabels = 5
)
