package domain

import "slices"

// CIState is a state of the analysis of a failed job of a pull request's head.
type CIState string

// The states of an analysis.
const (
	CIQueued    CIState = "queued"
	CIRunning   CIState = "running"
	CICompleted CIState = "completed"
	CIFailed    CIState = "failed"
	CICancelled CIState = "cancelled" // the head moved, the pull request was closed, or the policy changed
)

// CIStates returns all states.
func CIStates() []CIState { return []CIState{CIQueued, CIRunning, CICompleted, CIFailed, CICancelled} }

var ciMoves = map[CIState][]CIState{
	CIQueued:  {CIRunning, CIFailed, CICancelled},
	CIRunning: {CICompleted, CIFailed, CICancelled},
}

// CIMayMove reports whether an analysis can move from one state to the other.
func CIMayMove(from, to CIState) bool { return slices.Contains(ciMoves[from], to) }

// Terminal reports whether the state is final.
func (s CIState) Terminal() bool { return len(ciMoves[s]) == 0 }

// The values of [Policy.CIAnalysis].
const (
	CIOff      = "off"
	CIRequired = "required" // only jobs that the host requires; all where the host does not tell
	CIAll      = "all"
)

// The relations of a failure to the change of its pull request.
const (
	CICaused    = "caused"
	CIUnrelated = "unrelated"
	CIUnclear   = "unclear"
)

// CIRelations lists the relations.
func CIRelations() []string { return []string{CICaused, CIUnrelated, CIUnclear} }

// The ways in which an analysis determines the cause.
const (
	CIByPattern = "pattern" // from the log alone
	CIByModel   = "model"
)

// The bounds of analyses (design choices).
const (
	MaxCIPerHead    = 10 // analysed jobs of a head
	MaxCIRepeats    = 5  // repetitions of a job on one head that are analysed
	MaxCIPerHour    = 60 // analyses of a tenant that begin within an hour
	MaxCIEvidence   = 8
	MaxCICause      = 1000 // bytes
	MaxCISuggestion = 1000 // bytes
)

// CIEvidence is a quotation that supports the cause of a failure. Text and Path are text from outside, without secrets.
type CIEvidence struct {
	Source string `json:"source"`         // "log" or "diff"
	Path   string `json:"path,omitempty"` // of a file of the change
	Line   int    `json:"line"`           // in the whole log, or in the file
	Text   string `json:"text"`
}

// CILogLine is a kept line of a log, or a gap between kept lines. Text is text from outside, without secrets.
type CILogLine struct {
	Line    int    `json:"line,omitempty"` // its number in the whole log, from 1; 0 for a gap
	Text    string `json:"text,omitempty"`
	LeftOut int    `json:"leftOut,omitempty"` // lines of a gap
}

// CIAnalysisCompleted is the body of [EventCIAnalysis]: the analysis of a failed job is complete.
type CIAnalysisCompleted struct {
	AnalysisID   string `json:"analysisId"`
	RepositoryID string `json:"repositoryId"`
	PullRequest  int    `json:"pullRequest"` // its number
	HeadSHA      string `json:"headSha"`
	Job          string `json:"job"` // text from outside
	Relation     string `json:"relation"`
	Cause        string `json:"cause"` // text from outside, or a model's
	Flaky        bool   `json:"flaky"`
}
