package domain

import (
	"path"
	"strings"
)

// SuppressionScope is what a suppression keeps out of later reviews.
type SuppressionScope string

// The scopes of a suppression.
const (
	ScopeFingerprint SuppressionScope = "fingerprint" // one finding, in every pull request
	ScopeRule        SuppressionScope = "rule"        // the findings of a rule, in some paths
	ScopeCategory    SuppressionScope = "category"    // the findings of a category, in some paths
)

// SuppressionState is the state of a suppression.
type SuppressionState string

// The states of a suppression: a proposed one becomes accepted or declined, and an accepted one withdrawn.
// An accepted one whose time has passed is no longer in effect; [SuppressionExpired] only names that.
const (
	SuppressionProposed  SuppressionState = "proposed"
	SuppressionAccepted  SuppressionState = "accepted"
	SuppressionDeclined  SuppressionState = "declined"
	SuppressionWithdrawn SuppressionState = "withdrawn"
	SuppressionExpired   SuppressionState = "expired" // never stored
)

// SuppressionSource is what led to the proposal of a suppression.
type SuppressionSource string

// The sources of a suppression.
const (
	SuppressedByDismissal  SuppressionSource = "dismissal"  // a person dismissed a finding
	SuppressedByCommand    SuppressionSource = "command"    // a person asked for it in a comment
	SuppressedByRepetition SuppressionSource = "repetition" // several people dismissed findings of one rule in one folder
	SuppressedByUsefulness SuppressionSource = "usefulness" // nearly all findings of one rule were refused
)

// SuppressionRequest asks for the proposal of a suppression of one finding.
type SuppressionRequest struct {
	Finding string
	Source  SuppressionSource
	Reason  string // in the words of a person; text from outside
	UserID  string // our id of the person; "" if the person has no user here
	Name    string // of the person; text from outside
}

// Suppression is an accepted decision that keeps findings out of reviews.
type Suppression struct {
	ID      string
	Scope   SuppressionScope
	Matches []string // exact fingerprints of one finding, or one rule id, or one category
	Paths   []string // path patterns; empty for every file, and for a fingerprint
	// MaxSeverity is the highest severity that a rule or a category covers. A fingerprint covers every severity.
	MaxSeverity Severity
}

// Suppressible reports whether a suppression of a scope may cover the finding. Secrets, and security findings
// of High or Critical, can be suppressed by fingerprint only. The caller excludes findings of mandatory rules.
func (f Finding) Suppressible(scope SuppressionScope) bool {
	return scope == ScopeFingerprint || !f.IsSecret() && (f.Category != CategorySecurity || f.Severity < High)
}

// IsSecret reports whether the finding is about a secret, a doubtful one included.
func (f Finding) IsSecret() bool { return f.Origin == OriginSecret || f.Category == CategorySecret }

// Folder returns the folder of the finding's file, "" for a file at the root or a finding without a file.
func (f Finding) Folder() string {
	if dir := path.Dir(f.Anchor.Path); dir != "." && dir != "/" {
		return dir
	}
	return ""
}

// RulePrefix precedes the id of a rule of a tenant or repository in the RuleID of its findings.
const RulePrefix = "repo/"

// NamesDefect reports whether a rule names the kind of defect: the rules called "other" do not.
func NamesDefect(ruleID string) bool { return !strings.HasPrefix(ruleID, "llm/other/") }

// hostPerson precedes the key of a person of a code host.
const hostPerson = "host:"

// HostPerson returns the key of a person of the code host of an access, which differs from the id of every user
// here; "" without an id.
func HostPerson(access string, id HostID) string {
	if id == "" {
		return ""
	}
	return hostPerson + access + ":" + string(id)
}

// ParseHostPerson returns the access and the id of a key of [HostPerson], and false for another text.
func ParseHostPerson(person string) (access string, id HostID, is bool) {
	rest, found := strings.CutPrefix(person, hostPerson)
	access, host, is := strings.Cut(rest, ":")
	return access, HostID(host), found && is
}

// DismissalReason is a reason for dismissing a finding, from a list.
type DismissalReason string

// The reasons for dismissing a finding.
const (
	DismissalWrong        DismissalReason = "wrong"         // the finding is not true
	DismissalAcceptedRisk DismissalReason = "accepted_risk" // it is true, and nothing is done about it
	DismissalIntended     DismissalReason = "intended"      // the code does that on purpose
	DismissalOutOfScope   DismissalReason = "out_of_scope"  // the pull request is not the place to change it
	DismissalOther        DismissalReason = "other"         // needs a note
)

var dismissalReasons = map[DismissalReason]string{DismissalWrong: "Wrong", DismissalAcceptedRisk: "Accepted risk",
	DismissalIntended: "Intended", DismissalOutOfScope: "Out of scope"}

// Text returns the reason with a note as one line, such as "Accepted risk: until March". The reason "other" has the note alone.
func (r DismissalReason) Text(note string) string {
	switch name := dismissalReasons[r]; {
	case name == "":
		return note
	case note == "":
		return name
	default:
		return name + ": " + note
	}
}
