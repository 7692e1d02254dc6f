package domain

import "slices"

// FixState is a state of a fix run.
type FixState string

// The states of a fix run.
const (
	FixQueued     FixState = "queued"
	FixRunning    FixState = "running"    // edits are proposed and checked
	FixPublishing FixState = "publishing" // the result is stored, and writes to the host may have begun
	FixCompleted  FixState = "completed"  // each finding has its outcome, a delivered edit or a refusal
	FixFailed     FixState = "failed"     // the reason is stored
	FixCancelled  FixState = "cancelled"  // the head moved, the pull request was closed, or reviews were switched off
)

// FixStates returns all states.
func FixStates() []FixState {
	return []FixState{FixQueued, FixRunning, FixPublishing, FixCompleted, FixFailed, FixCancelled}
}

// fixMoves lists the legal transitions of a fix run.
var fixMoves = map[FixState][]FixState{
	FixQueued:     {FixRunning, FixFailed, FixCancelled},
	FixRunning:    {FixPublishing, FixFailed, FixCancelled},
	FixPublishing: {FixCompleted, FixFailed, FixCancelled},
}

// FixMayMove reports whether a fix run can move from one state to the other.
func FixMayMove(from, to FixState) bool { return slices.Contains(fixMoves[from], to) }

// Terminal reports whether the state is final.
func (s FixState) Terminal() bool { return len(fixMoves[s]) == 0 }

// FixDelivery is the way in which a fix run brings its edits to people, and the value of the policy setting fixes.
type FixDelivery string

// The deliveries, from the least access to the most.
const (
	FixOff         FixDelivery = "off"         // of a policy alone: no fix run is made
	FixSuggestions FixDelivery = "suggestions" // blocks in the threads of the findings
	FixBranch      FixDelivery = "branch"      // a branch of ours and a pull request into the author's branch
	FixCommit      FixDelivery = "commit"      // a commit on the branch of the pull request
)

// fixDeliveries lists the deliveries from the least change on the host to the most.
var fixDeliveries = []FixDelivery{FixOff, FixSuggestions, FixBranch, FixCommit}

// Within reports whether a policy with the value limit allows the delivery.
func (d FixDelivery) Within(limit FixDelivery) bool {
	at := slices.Index(fixDeliveries, d)
	return at > 0 && at <= slices.Index(fixDeliveries, limit)
}

// Deliveries returns the deliveries that a policy with the value d allows, from the least change on the host to the most.
func (d FixDelivery) Deliveries() []FixDelivery {
	return slices.DeleteFunc(slices.Clone(fixDeliveries), func(x FixDelivery) bool { return !x.Within(d) })
}

// FixInstead is why a fix run suggests its edits and does not deliver them as asked.
type FixInstead string

// The reasons.
const (
	FixInsteadPermission FixInstead = "no_permission" // the access of the service cannot write to branches
	FixInsteadFork       FixInstead = "fork"          // the branch belongs to a fork
	FixInsteadProtected  FixInstead = "protected"     // the branch is the default branch, or protected
	FixInsteadWorkflow   FixInstead = "workflow_file" // the permission for such files is not requested
	FixInsteadHost       FixInstead = "host"          // the host has no API for commits
)

// FixCompletedBody is the body of [EventFixCompleted]: a fix run has ended.
type FixCompletedBody struct {
	FixRunID     string      `json:"fixRunId"`
	RunID        string      `json:"runId"` // the review whose findings it fixes
	RepositoryID string      `json:"repositoryId"`
	PullRequest  int         `json:"pullRequest"` // its number
	HeadSHA      string      `json:"headSha"`
	State        FixState    `json:"state"`
	Delivery     FixDelivery `json:"delivery"`
	Findings     int         `json:"findings"` // chosen ones
	Passed       int         `json:"passed"`   // findings whose edits passed all checks
	CommitSHA    string      `json:"commitSha,omitempty"`
	URL          string      `json:"url,omitempty"` // of the commit, the pull request or the first comment
	Reason       string      `json:"reason,omitempty"`
}

// FixAsked is a request for a fix run by a command in a comment.
type FixAsked struct {
	PullRequest string   // our id
	Findings    []string // ids; empty for all open findings of the last review
	Comment     HostID   // the name of the comment, unique in its thread
	Thread      HostID   // the first comment of its thread; "" for the conversation
	Author      string   // login of the author; text from outside
}

// FixAnswer is the outcome of a [FixAsked].
type FixAnswer struct {
	Run  string // id of the made fix run; "" if it was refused
	Code string // the code of the refusal
}
