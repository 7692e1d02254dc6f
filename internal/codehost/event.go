package codehost

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// ErrPayload reports that the body of a delivery does not fit its event.
var ErrPayload = errors.New("the payload is not that of its event")

// EventKind is the kind of an event.
type EventKind string

// The kinds of events.
const (
	KindPullRequest              EventKind = "pull_request"
	KindComment                  EventKind = "comment"
	KindReview                   EventKind = "review" // a person's review, submitted or dismissed
	KindReviewThread             EventKind = "review_thread"
	KindCheck                    EventKind = "check"
	KindPush                     EventKind = "push" // branches got other commits
	KindRepository               EventKind = "repository"
	KindMembership               EventKind = "membership"
	KindInstallation             EventKind = "installation"
	KindInstallationRepositories EventKind = "installation_repositories"
	KindAuthorization            EventKind = "authorization" // a person withdrew the app's authorisation
	KindIgnored                  EventKind = "ignored"       // see [Event.Reason]
)

// The reasons of ignored events: stable words that are stored with the delivery.
const (
	ReasonPing           = "ping"
	ReasonUnknownEvent   = "unknown_event"    // this version does not have the event
	ReasonUnusedEvent    = "unused_event"     // a known event without any effect here
	ReasonUnusedAction   = "unused_action"    // the event is used, but this action is not
	ReasonUnusedEdit     = "unused_edit"      // the edit changed no stored field, such as the description alone
	ReasonNotPullRequest = "not_pull_request" // a comment on an issue
	ReasonOtherEvent     = "other_event"      // the body belongs to another event than the named one
)

// ActionUpdated is the action of an event of a pull request that does not say what has changed. Its reader compares the pull request with
// the stored one.
const ActionUpdated = "updated"

// DeliveryWords are the parts of a delivery that are read first. They show for most deliveries that nothing
// follows.
type DeliveryWords struct {
	Event   string          // the host's word for the event
	Action  string          // the member "action" of the body, "" if it is absent
	Changes json.RawMessage // the member "changes" of the body, which lists the edited fields; nil if it is absent
}

// Edited reports whether an edit changed one of the named fields, or does not list its changes.
func (w DeliveryWords) Edited(names ...string) bool {
	var changes map[string]json.RawMessage
	if err := json.Unmarshal(w.Changes, &changes); err != nil || len(changes) == 0 {
		return true
	}
	return slices.ContainsFunc(names, func(n string) bool { _, is := changes[n]; return is })
}

// Event is a webhook delivery or the result of a poll, in words common to all hosts. Pointers are nil if
// the payload lacks the part. All texts and names are text from outside.
type Event struct {
	Kind     EventKind
	Name     string        // the host's word for the event
	Action   string        // the host's word for the action, "" if it is absent
	Delivery string        // the host's id of the delivery; a redelivery keeps it
	AppID    domain.HostID // the app that received the delivery, "" if it is unknown
	Reason   string        // for KindIgnored

	Installation        *Installation
	Repository          *RepoInfo
	Repositories        []RepoInfo // new in our access
	RepositoriesRemoved []RepoInfo // gone from our access

	PullRequest *PullRequest // complete for KindPullRequest; otherwise Number and the fields that the payload has
	Label       string       // for labeled and unlabeled events
	Comment     *EventComment
	Review      *EventReview
	Check       *EventCheckRun
	Branches    []string // of KindPush: the branches that were made or moved; none if there are too many to list
	Sender      Sender
	Person      domain.HostID // the account that a KindMembership event is about, "" if the payload lacks it
}

// Installation is the app's access to one account.
type Installation struct {
	ID           domain.HostID
	AccountLogin string
	AccountID    domain.HostID
	AccountType  string // User, Organization or Enterprise
	Suspended    bool
	AppSlug      string
}

// RepoInfo describes a repository. Payloads about installations leave out DefaultBranch and Archived.
type RepoInfo struct {
	ExternalID    domain.HostID
	Owner, Name   string
	DefaultBranch string
	Private       bool
	Internal      bool // private, but readable for everyone with an account on the host or in its enterprise
	Archived      bool
	CreatedAt     time.Time // on the host; zero if it does not report it
	Shared        bool      // owned by another account that shares it with the owner of the connection
}

// NameWithin returns the name of a repository within an owner: "api", or "backend/api" with nested groups. It
// returns the full name if the repository has another owner.
func (r RepoInfo) NameWithin(owner string) string {
	full := r.Owner + "/" + r.Name
	if n := len(owner) + 1; len(full) > n && strings.EqualFold(full[:n], owner+"/") {
		return full[n:]
	}
	return full
}

// EventComment is a new or changed comment. ID is the id of a conversation comment or of an inline comment;
// hosts number the two separately.
type EventComment struct {
	ID            domain.HostID
	Body          string
	Author        string
	AuthorID      domain.HostID
	AuthorIsBot   bool
	Association   string // the host's word for the author's relation to the repository
	OnPullRequest bool
	Number        int           // of the pull request or issue
	Inline        bool          // on a line of the diff
	Threaded      bool          // in a thread of the conversation that people answer in
	PlaceUnknown  bool          // the event does not say whether it is on a line: [Reader.Comment] does
	InReplyTo     domain.HostID // the inline comment that it answers, "" if it answers none
	Review        domain.HostID // the comment's review, "" without one

	// Only [Reader.Comment] sets these:
	Once   domain.HostID // identifies the comment in any thread that an event names; "": ID does
	Edited bool          // the text changed later than [EditTime] after it was written; false if the host does not report it
}

// EditTime is the largest difference between the times of creation and change of an unedited comment. Hosts
// count in whole seconds and store the two times one after the other.
const EditTime = time.Second

// IsEdited reports whether a comment was changed after it was written. The zero time means unknown.
func IsEdited(written, changed time.Time) bool {
	return !written.IsZero() && changed.Sub(written) > EditTime
}

// Name identifies the comment within its pull request, so that we act on it once.
func (c EventComment) Name() domain.HostID { return cmp.Or(c.Once, c.ID) }

// OwnWords returns the text without quotations, empty lines and white space around lines.
func (c EventComment) OwnWords() string {
	var lines []string
	for l := range strings.Lines(c.Body) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, ">") {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// WordsHash identifies the whole text.
func (c EventComment) WordsHash() string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(c.Body)))
	return hex.EncodeToString(sum[:])
}

// EventReview is a person's review, or the thread of a KindReviewThread event. ID is "" if the host does
// not name the review, and the id of the first comment for a thread.
type EventReview struct {
	ID       domain.HostID
	State    string
	Body     string
	Author   string
	AuthorID domain.HostID
	Commit   string
}

// EventCheckRun is the check run or check suite of an event.
type EventCheckRun struct {
	ID         domain.HostID
	Suite      bool // a suite, not a single run
	Statuses   bool // the suite has commit statuses alone
	Name       string
	ExternalID string
	HeadSHA    string
	Status     string
	Conclusion string
	AppID      domain.HostID // the app that owns the check
	Requested  string        // identifier of the button that a person pressed
	Numbers    []int         // pull requests with this head
}

// CheckName is the name of our check runs and commit statuses on every host.
const CheckName = "assay"

// Sender is the account that caused the event.
type Sender struct {
	Login string
	ID    domain.HostID
	IsBot bool
}
