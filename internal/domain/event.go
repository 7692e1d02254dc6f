package domain

import "time"

// The kinds of events that the service emits to channels and browsers.
const (
	EventReviewCompleted   = "review.completed"
	EventReviewFailed      = "review.failed"
	EventApprovalRequested = "approval.requested"
	EventApprovalDecided   = "approval.decided"
	EventFindingDecided    = "finding.decided"
	EventOnboarding        = "onboarding.proposed"
	EventSuppression       = "suppression.proposed"
	EventFixCompleted      = "fix.completed"
	EventBudgetThreshold   = "budget.threshold"
	EventConnectionError   = "connection.error"
	EventCIAnalysis        = "ci.analysis.completed"
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
	ReviewURL    string         `json:"reviewUrl,omitempty"` // on the code host; "" if no review was written
	Findings     int            `json:"findings"`            // shown in the review; for a silent run, those it would show
	BySeverity   map[string]int `json:"findingsBySeverity"`
}

// ReviewFailed is the body of [EventReviewFailed].
type ReviewFailed struct {
	RunID        string   `json:"runId"`
	RepositoryID string   `json:"repositoryId"`
	PullRequest  int      `json:"pullRequest"`
	HeadSHA      string   `json:"headSha"`
	State        RunState `json:"state"`
	Reason       string   `json:"reason"` // can contain a provider's text
}

// ApprovalRequested is the body of [EventApprovalRequested]: a finished review waits for a decision.
type ApprovalRequested struct {
	RunID        string         `json:"runId"`
	RepositoryID string         `json:"repositoryId"`
	PullRequest  int            `json:"pullRequest"`
	HeadSHA      string         `json:"headSha"`
	OutputID     string         `json:"outputId"` // the waiting output
	Digest       string         `json:"digest"`   // of the output, for the decision
	ExpiresAt    time.Time      `json:"expiresAt"`
	Findings     int            `json:"findings"` // that the review would show
	BySeverity   map[string]int `json:"findingsBySeverity"`
}

// ApprovalDecided is the body of [EventApprovalDecided]: a waiting review was decided or expired.
type ApprovalDecided struct {
	RunID             string        `json:"runId"`
	RepositoryID      string        `json:"repositoryId"`
	PullRequest       int           `json:"pullRequest"`
	HeadSHA           string        `json:"headSha"`
	OutputID          string        `json:"outputId"` // the output that waited
	Digest            string        `json:"digest"`   // of the output
	Decision          ApprovalState `json:"decision"` // approved, rejected or expired
	How               string        `json:"how"`      // interface, page, comment, or service if it expired
	UserID            string        `json:"userId,omitempty"`
	Name              string        `json:"name,omitempty"`              // of the decider; text from outside
	Reason            string        `json:"reason,omitempty"`            // the note, or the cause of expiry; text from outside
	PublishedOutputID string        `json:"publishedOutputId,omitempty"` // the output with the changes, if findings were removed or edited
	Dropped           int           `json:"dropped"`                     // removed findings
	Edited            int           `json:"edited"`                      // reworded findings
}

// FindingDecided is the body of [EventFindingDecided]: a person dismissed a finding or withdrew the
// dismissal.
type FindingDecided struct {
	FindingID    string       `json:"findingId"`
	RunID        string       `json:"runId"` // the newest run with the finding
	RepositoryID string       `json:"repositoryId"`
	PullRequest  int          `json:"pullRequest"`
	State        FindingState `json:"state"` // dismissed, or open again
	UserID       string       `json:"userId"`
	Name         string       `json:"name"`             // of the decider; text from outside
	Reason       string       `json:"reason,omitempty"` // text from outside
}

// ProposedSuppression is the body of [EventSuppression]: a person must decide whether later reviews leave findings
// out.
type ProposedSuppression struct {
	SuppressionID string            `json:"suppressionId"`
	RepositoryID  string            `json:"repositoryId"`
	FindingID     string            `json:"findingId"`   // the finding that led to it
	RunID         string            `json:"runId"`       // the newest run with the finding
	PullRequest   int               `json:"pullRequest"` // of the finding
	Scope         SuppressionScope  `json:"scope"`
	Matches       string            `json:"matches"` // the fingerprint, rule id or category
	Paths         []string          `json:"paths"`
	Source        SuppressionSource `json:"source"`
	Name          string            `json:"name,omitempty"`   // of the person who dismissed the finding; text from outside
	Reason        string            `json:"reason,omitempty"` // text from outside
}

// OnboardingReady is the body of [EventOnboarding]: the trial of a new repository is finished, and a person
// must decide whether to review it.
type OnboardingReady struct {
	OnboardingID  string         `json:"onboardingId"`
	RepositoryID  string         `json:"repositoryId"`
	DryRunID      string         `json:"dryRunId,omitempty"` // the trial's dry run; "" if no pull request was reviewed
	Merged        int            `json:"mergedPullRequests"` // number of pull requests chosen for the trial
	LookedAt      int            `json:"lookedAt"`           // number of those that were reviewed
	Findings      int            `json:"findings"`           // that reviews would have shown
	BySeverity    map[string]int `json:"findingsBySeverity"`
	CostMicros    *int64         `json:"costMicros"`        // of the trial, millionths of a US dollar; nil if a price is unknown
	PerWeekMicros *int64         `json:"costPerWeekMicros"` // an estimate; nil if unknown
	Note          string         `json:"note,omitempty"`    // why some were not reviewed, one sentence
}

// BudgetThreshold is the body of [EventBudgetThreshold]: a share of a monthly budget is spent.
type BudgetThreshold struct {
	AlertID      string `json:"alertId"`
	RepositoryID string `json:"repositoryId,omitempty"` // "" for the tenant's budget
	Period       string `json:"period"`                 // YYYY-MM, UTC
	Threshold    int    `json:"threshold"`              // percent
	BudgetMicros int64  `json:"budgetMicros"`
	SpentMicros  int64  `json:"spentMicros"`
	Currency     string `json:"currency"`
}

// The kinds of connections in a [ConnectionError].
const (
	ConnectionChannel      = "channel"
	ConnectionMCPServer    = "mcp_server"
	ConnectionApp          = "codehost_app"
	ConnectionInstallation = "installation"
	ConnectionModelKey     = "model_key"
	ConnectionProvider     = "provider_connection"
	ConnectionTracker      = "tracker_connection"
)

// AdminJoined is the body of [EventAdminJoined]: an instance admin became a member of the tenant.
type AdminJoined struct {
	UserID string `json:"userId"`
	Name   string `json:"name"`
	Role   string `json:"role"`
	Reason string `json:"reason"` // in the admin's words
}

// ConnectionError is the body of [EventConnectionError]: a connection fails or, with TokenEndsAt, will fail
// from that time on.
type ConnectionError struct {
	ConnectionKind string     `json:"connectionKind"` // one of the kinds of connections
	ConnectionID   string     `json:"connectionId"`
	Name           string     `json:"name"`
	Message        string     `json:"message"`
	TokenEndsAt    *time.Time `json:"tokenEndsAt,omitempty"` // nil if it fails already
}

// TokenNotice is how long before the expiry of a token administrators are notified (design choice).
const TokenNotice = 7 * 24 * time.Hour

// TokenEnds describes to people when a token expires and what to do.
func TokenEnds(at time.Time) string {
	return "The token ends on " + at.UTC().Format("2006-01-02 15:04 MST") +
		". Make a new one at the host and enter it before: nothing is reviewed afterwards."
}

// SecretFound is the body of [EventSecretFound]: a review found new secrets. It contains no part of a
// secret.
type SecretFound struct {
	RunID        string   `json:"runId"`
	RepositoryID string   `json:"repositoryId"`
	PullRequest  int      `json:"pullRequest"`
	HeadSHA      string   `json:"headSha"`
	Count        int      `json:"count"`
	Rules        []string `json:"rules"` // distinct ids of the rules that found them
}

// The actions on a link of [BreakGlass].
const (
	LinkMade = "created"
	LinkUsed = "used"
)

// BreakGlass is the body of [EventBreakGlass]: an operator created a one-time link that signs in as an
// admin of the tenant, or the link was used.
type BreakGlass struct {
	UserID string `json:"userId"`
	Act    string `json:"act"` // [LinkMade] or [LinkUsed]
}

// The states of a message about an event to a channel or browser.
const (
	NotificationPending   = "pending"
	NotificationDelivered = "delivered"
	NotificationFailed    = "failed"
	NotificationDropped   = "dropped" // to a browser whose owner may not see it, or has unsubscribed from it
)
