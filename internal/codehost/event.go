package codehost

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// ErrPayload says that the body of a delivery is not what its event should carry.
var ErrPayload = errors.New("the payload is not that of its event")

// EventKind says which sort of happening an event is.
type EventKind string

// The kinds of events.
const (
	KindPullRequest              EventKind = "pull_request"
	KindComment                  EventKind = "comment"
	KindReview                   EventKind = "review" // a person's review, submitted or dismissed
	KindReviewThread             EventKind = "review_thread"
	KindCheck                    EventKind = "check"
	KindRepository               EventKind = "repository"
	KindMembership               EventKind = "membership"
	KindInstallation             EventKind = "installation"
	KindInstallationRepositories EventKind = "installation_repositories"
	KindAuthorization            EventKind = "authorization" // a person withdrew the app's authorisation
	KindIgnored                  EventKind = "ignored"       // see [Event.Reason]
)

// The reasons of ignored events: stable words, recorded with the delivery.
const (
	ReasonPing           = "ping"
	ReasonUnknownEvent   = "unknown_event"    // a word that this version does not know
	ReasonUnusedEvent    = "unused_event"     // known, and nothing here follows from it
	ReasonUnusedAction   = "unused_action"    // the event is used, this action of it is not
	ReasonUnusedEdit     = "unused_edit"      // nothing that is kept was edited, such as the description alone
	ReasonNotPullRequest = "not_pull_request" // a comment on an issue
	ReasonOtherEvent     = "other_event"      // the body is that of another event than the one that was named
)

// Words are what is read of a delivery before the rest of it: they say of most deliveries that nothing follows.
type Words struct {
	Event   string          // the host's word for the event
	Action  string          // the member "action" of the body, "" where it has none
	Changes json.RawMessage // the member "changes" of the body, which says what was edited; nil where it has none
}

// Edited reports whether an edit changed one of some things, or does not say what it changed.
func (w Words) Edited(names ...string) bool {
	var changes map[string]json.RawMessage
	if err := json.Unmarshal(w.Changes, &changes); err != nil || len(changes) == 0 {
		return true
	}
	return slices.ContainsFunc(names, func(n string) bool { _, is := changes[n]; return is })
}

// Event is a webhook delivery, or what a poll found, in words that every host
// has. Pointers are nil where the payload does not say. All texts and names are
// text from outside.
type Event struct {
	Kind     EventKind
	Name     string        // the host's word for the event
	Action   string        // the host's word for what happened, "" where it has none
	Delivery string        // the host's id of the delivery; a redelivery has the same
	AppID    domain.HostID // the app the delivery was addressed to, "" where unknown
	Reason   string        // for KindIgnored

	Installation        *Installation
	Repository          *RepoInfo
	Repositories        []RepoInfo // made reachable
	RepositoriesRemoved []RepoInfo // no longer reachable

	PullRequest *PullRequest // whole for KindPullRequest; only Number and what the payload has otherwise
	Label       string       // of a labeled or unlabeled event
	Comment     *EventComment
	Review      *EventReview
	Check       *EventCheckRun
	Sender      Sender
	Person      domain.HostID // the account that a KindMembership event is about, "" where it does not say
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

// RepoInfo is what the host says of a repository. Payloads about installations
// leave DefaultBranch and Archived out.
type RepoInfo struct {
	ExternalID    domain.HostID
	Owner, Name   string
	DefaultBranch string
	Private       bool
	Internal      bool // it is private, but everyone with an account on the host, or in its enterprise, reads it
	Archived      bool
	CreatedAt     time.Time // on the host; zero where it does not say
	Shared        bool      // it is another owner's, who shares it with the one that the connection is for
}

// Below is how a repository is named among those of an owner: "api", or "backend/api"
// where groups nest. One of another owner has its full name.
func (r RepoInfo) Below(owner string) string {
	full := r.Owner + "/" + r.Name
	if n := len(owner) + 1; len(full) > n && strings.EqualFold(full[:n], owner+"/") {
		return full[n:]
	}
	return full
}

// EventComment is a comment that was written or changed. ID is that of the
// conversation comment or inline comment; the two are numbered apart.
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
	Threaded      bool          // in a thread of the conversation, in which people answer
	InReplyTo     domain.HostID // the inline comment that it answers, "" for none
	Review        domain.HostID // the review it belongs to, "" for none

	// Known of a comment that was read back:
	Once   domain.HostID // names the comment whichever thread the event put it in; "": its ID does
	Edited bool          // its text was changed later than [EditTime] after it was written; false where the host does not say
}

// EditTime is how long after a comment was written a host may still set its time of change: hosts count in whole seconds,
// and store both times one after the other.
const EditTime = time.Second

// Changed reports whether a comment that was written at a time was changed after it. A time that is not known is zero.
func Changed(written, changed time.Time) bool {
	return !written.IsZero() && changed.Sub(written) > EditTime
}

// Name names the comment among those of its pull request, for acting on it once.
func (c EventComment) Name() domain.HostID { return cmp.Or(c.Once, c.ID) }

// EventReview is a person's review, with ID "" where the host does not name it, or the thread of a KindReviewThread event: then ID is
// that of the thread's first comment.
type EventReview struct {
	ID       domain.HostID
	State    string
	Body     string
	Author   string
	AuthorID domain.HostID
	Commit   string
}

// EventCheckRun is the check run or suite that an event is about.
type EventCheckRun struct {
	ID         domain.HostID
	Suite      bool // a suite, not a single run
	Name       string
	ExternalID string
	HeadSHA    string
	Status     string
	Conclusion string
	AppID      domain.HostID // the app that owns the check
	Requested  string        // identifier of the button a person pressed
	Numbers    []int         // pull requests of the head
}

// Sender is who caused the event.
type Sender struct {
	Login string
	ID    domain.HostID
	IsBot bool
}
