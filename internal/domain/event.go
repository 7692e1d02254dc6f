package domain

import "time"

// The kinds of events that channels and browsers are told of and that something
// in the service makes.
const (
	EventReviewCompleted   = "review.completed"
	EventReviewFailed      = "review.failed"
	EventApprovalRequested = "approval.requested"
	EventApprovalDecided   = "approval.decided"
	EventFindingDecided    = "finding.decided"
	EventOnboarding        = "onboarding.proposed"
	EventBudgetThreshold   = "budget.threshold"
	EventConnectionError   = "connection.error"
	EventSecretFound       = "security.secret_found"
	EventBreakGlass        = "security.break_glass"
	EventAdminJoined       = "instance-admin.joined"
)

// ReviewCompleted is the body of [EventReviewCompleted]: a review is published.
type ReviewCompleted struct {
	RunID        string         `json:"runId"`
	RepositoryID string         `json:"repositoryId"`
	PullRequest  int            `json:"pullRequest"` // its number
	HeadSHA      string         `json:"headSha"`
	State        RunState       `json:"state"`
	ReviewURL    string         `json:"reviewUrl,omitempty"` // on the code host; "" where no review was written
	Findings     int            `json:"findings"`            // that the review shows; of a silent run, that it would show
	BySeverity   map[string]int `json:"findingsBySeverity"`
}

// ReviewFailed is the body of [EventReviewFailed].
type ReviewFailed struct {
	RunID        string   `json:"runId"`
	RepositoryID string   `json:"repositoryId"`
	PullRequest  int      `json:"pullRequest"`
	HeadSHA      string   `json:"headSha"`
	State        RunState `json:"state"`
	Reason       string   `json:"reason"` // may hold words of a provider
}

// ApprovalRequested is the body of [EventApprovalRequested]: a finished review waits
// until somebody approves or rejects it.
type ApprovalRequested struct {
	RunID        string         `json:"runId"`
	RepositoryID string         `json:"repositoryId"`
	PullRequest  int            `json:"pullRequest"`
	HeadSHA      string         `json:"headSha"`
	OutputID     string         `json:"outputId"` // of what waits
	Digest       string         `json:"digest"`   // of it, which a decision names
	ExpiresAt    time.Time      `json:"expiresAt"`
	Findings     int            `json:"findings"` // that the review would show
	BySeverity   map[string]int `json:"findingsBySeverity"`
}

// ApprovalDecided is the body of [EventApprovalDecided]: what waited was decided, or
// expired, which nobody decides.
type ApprovalDecided struct {
	RunID             string        `json:"runId"`
	RepositoryID      string        `json:"repositoryId"`
	PullRequest       int           `json:"pullRequest"`
	HeadSHA           string        `json:"headSha"`
	OutputID          string        `json:"outputId"` // of what waited
	Digest            string        `json:"digest"`   // of it
	Decision          ApprovalState `json:"decision"` // approved, rejected or expired
	How               string        `json:"how"`      // interface, page, comment, or service where it expired
	UserID            string        `json:"userId,omitempty"`
	Name              string        `json:"name,omitempty"`              // of who decided; text from outside
	Reason            string        `json:"reason,omitempty"`            // the note, or why it expired; text from outside
	PublishedOutputID string        `json:"publishedOutputId,omitempty"` // the output that was made of the changes, where findings were left out or edited
	Dropped           int           `json:"dropped"`                     // findings that were left out
	Edited            int           `json:"edited"`                      // findings that got other words
}

// FindingDecided is the body of [EventFindingDecided]: a person dismissed a finding, or
// took that back.
type FindingDecided struct {
	FindingID    string       `json:"findingId"`
	RunID        string       `json:"runId"` // the newest that saw it
	RepositoryID string       `json:"repositoryId"`
	PullRequest  int          `json:"pullRequest"`
	State        FindingState `json:"state"` // dismissed, or open again
	UserID       string       `json:"userId"`
	Name         string       `json:"name"`             // of who decided; text from outside
	Reason       string       `json:"reason,omitempty"` // text from outside
}

// OnboardingReady is the body of [EventOnboarding]: a new repository was tried out,
// and waits until somebody decides whether it is reviewed.
type OnboardingReady struct {
	OnboardingID  string         `json:"onboardingId"`
	RepositoryID  string         `json:"repositoryId"`
	DryRunID      string         `json:"dryRunId,omitempty"` // that tried it out; "" where no pull request was looked at
	Merged        int            `json:"mergedPullRequests"` // that it was to be tried out with
	LookedAt      int            `json:"lookedAt"`           // of these
	Findings      int            `json:"findings"`           // that reviews of them would have shown
	BySeverity    map[string]int `json:"findingsBySeverity"`
	CostMicros    *int64         `json:"costMicros"`        // of the trial, millionths of a US dollar; nil where a price is unknown
	PerWeekMicros *int64         `json:"costPerWeekMicros"` // an estimate; nil where it is not known
	Note          string         `json:"note,omitempty"`    // why not all of them were looked at, in a sentence
}

// BudgetThreshold is the body of [EventBudgetThreshold]: a share of a month's
// budget is spent.
type BudgetThreshold struct {
	AlertID      string `json:"alertId"`
	RepositoryID string `json:"repositoryId,omitempty"` // "": the tenant's budget
	Period       string `json:"period"`                 // YYYY-MM, UTC
	Threshold    int    `json:"threshold"`              // percent
	BudgetMicros int64  `json:"budgetMicros"`
	SpentMicros  int64  `json:"spentMicros"`
	Currency     string `json:"currency"`
}

// Kinds of connections in [ConnectionError].
const (
	ConnectionChannel      = "channel"
	ConnectionMCPServer    = "mcp_server"
	ConnectionApp          = "codehost_app"
	ConnectionInstallation = "installation"
	ConnectionModelKey     = "model_key"
	ConnectionProvider     = "provider_connection"
	ConnectionTracker      = "tracker_connection"
)

// AdminJoined is the body of [EventAdminJoined]: an administrator of the instance
// has made themself a member of the tenant.
type AdminJoined struct {
	UserID string `json:"userId"`
	Name   string `json:"name"`
	Role   string `json:"role"`
	Reason string `json:"reason"` // that they gave
}

// ConnectionError is the body of [EventConnectionError]: a connection works no
// more or, with TokenEndsAt, will not from then on.
type ConnectionError struct {
	ConnectionKind string     `json:"connectionKind"` // one of the kinds of connections
	ConnectionID   string     `json:"connectionId"`
	Name           string     `json:"name"`
	Message        string     `json:"message"`
	TokenEndsAt    *time.Time `json:"tokenEndsAt,omitempty"` // nil: it works no more
}

// TokenNotice is how long before the end of a token administrators are told of it
// (design choice).
const TokenNotice = 7 * 24 * time.Hour

// TokenEnds says to people when a token ends, and what to do.
func TokenEnds(at time.Time) string {
	return "The token ends on " + at.UTC().Format("2006-01-02 15:04 MST") + ". Make a new one at the host and enter it before: nothing is reviewed afterwards."
}

// SecretFound is the body of [EventSecretFound]: a review found secrets that
// were not there in an earlier one. It holds nothing of a secret.
type SecretFound struct {
	RunID        string   `json:"runId"`
	RepositoryID string   `json:"repositoryId"`
	PullRequest  int      `json:"pullRequest"`
	HeadSHA      string   `json:"headSha"`
	Count        int      `json:"count"`
	Rules        []string `json:"rules"` // ids of the rules that found them, each once
}

// What can happen to a link of [BreakGlass].
const (
	LinkMade = "created"
	LinkUsed = "used"
)

// BreakGlass is the body of [EventBreakGlass]: something happened to a one-time
// link that an operator made and that signs in as one of the tenant's admins.
type BreakGlass struct {
	UserID string `json:"userId"`
	Act    string `json:"act"` // [LinkMade] or [LinkUsed]
}

// The states of a message about an event to a channel or browser.
const (
	NotificationPending   = "pending"
	NotificationDelivered = "delivered"
	NotificationFailed    = "failed"
	NotificationDropped   = "dropped" // to a browser whose owner may not, or does not want to, see it any more
)
