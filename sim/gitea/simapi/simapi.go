// Package simapi holds the types of the simulated Gitea's control interface that other simulated hosts do not
// have; the shared ones are in sim/host/simapi. It holds no behaviour beyond checks of values.
package simapi

import (
	"fmt"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// UserFlags changes what only administrators of the host may change.
type UserFlags = simapi.UserFlags

// Doubt is a doubt about the host.
type Doubt = simapi.Doubt

// The doubts.
const (
	// OutsideDiff: the host refuses a line that is in the file but not in the diff, like one past the end of
	// the file. Gitea's source accepts it.
	OutsideDiff Doubt = "outside-diff-fails"
	// AtomicReview: the host refuses a review that cannot be written whole with 422 and leaves nothing behind.
	// Gitea 1.26.4 leaves a pending review; a Forgejo of December 2024 accepts missing places.
	AtomicReview Doubt = "atomic-review"
	// SubmitKeepsBody: submitting a pending review without a body keeps its body. Gitea's source replaces the
	// body by the new one, and refuses the request without a body.
	SubmitKeepsBody Doubt = "submit-keeps-body"
	// OneSlot: the host refuses a second review beside a pending one of the same person with 422, like other
	// hosts. Gitea and Forgejo take over the pending one.
	OneSlot Doubt = "one-slot"
	// Replies: inline comments have an endpoint for replies, as in Gitea 1.27 (POST
	// …/pulls/{n}/comments/{id}/replies).
	Replies Doubt = "replies"
	// ResolveForgejo: Forgejo also has the endpoints that resolve an inline comment. Its description of
	// December 2024 lacks them.
	ResolveForgejo Doubt = "forgejo-resolve"
	// SortedComments: the comments of a review are listed by id. Gitea's source defines no order.
	SortedComments Doubt = "sorted-comments"
	// ReviewIDs: the events of reviews contain the review's id. Those of Gitea 1.26 do not.
	ReviewIDs Doubt = "review-event-ids"
	// CommitFiles: comparisons list the changed files of each commit. Gitea 1.26 has them with the query
	// parameter "files".
	CommitFiles Doubt = "compare-files"
)

// Doubts returns all doubts.
func Doubts() simapi.Doubts {
	return simapi.Doubts{OutsideDiff, AtomicReview, SubmitKeepsBody, OneSlot, Replies, ResolveForgejo, SortedComments, ReviewIDs, CommitFiles}
}

// Settings of the whole simulator.
type Settings struct {
	// ClockOffsetSeconds shifts the Date header.
	ClockOffsetSeconds int64 `json:"clockOffsetSeconds"`
	// MaxResponseItems and DefaultPaging bound lists; 0 means 50 and 30, the host's defaults.
	MaxResponseItems int `json:"maxResponseItems,omitempty"`
	DefaultPaging    int `json:"defaultPaging,omitempty"`
	// RequireSignIn refuses all anonymous requests, like the host's setting REQUIRE_SIGNIN_VIEW.
	RequireSignIn bool `json:"requireSignIn,omitempty"`
	// SignInAs is the login that signs in without the page of choices.
	SignInAs string `json:"signInAs,omitempty"`
	// DenySignIn refuses every sign-in, like a person who cancels.
	DenySignIn bool `json:"denySignIn,omitempty"`
	// Doubts switches doubts on and off. Those not named keep their state.
	Doubts map[Doubt]bool `json:"doubts,omitempty"`
}

// Check returns an error for the first wrong field.
func (s Settings) Check() error {
	if s.MaxResponseItems < 0 || s.DefaultPaging < 0 {
		return fmt.Errorf("maxResponseItems, defaultPaging: must not be negative")
	}
	return nil
}

// TokenSpec makes an access token for a person.
type TokenSpec struct {
	Name string `json:"name"`
	// Scopes are words such as "read:repository", "write:issue", "all"; empty means "all".
	Scopes []string `json:"scopes,omitempty"`
}

// Token is a new access token; its text is returned only once.
type Token struct {
	ID   int64  `json:"id"`
	Text string `json:"text"`
}

// TeamSpec makes or replaces a team of an organisation.
type TeamSpec struct {
	Name string `json:"name"`
	// Permission is "read", "write" or "admin".
	Permission string   `json:"permission"`
	Members    []string `json:"members,omitempty"`
	// Repositories are short names; empty means all of the organisation.
	Repositories []string `json:"repositories,omitempty"`
}

// HookSpec makes a webhook of a repository, like a person in the settings.
type HookSpec struct {
	URL    string `json:"url"`
	Secret string `json:"secret,omitempty"`
	// Events are words of the REST interface; empty means all events.
	Events []string `json:"events,omitempty"`
	// Inactive webhooks send nothing.
	Inactive bool `json:"inactive,omitempty"`
}

// Hook is a webhook.
type Hook struct {
	ID           int64    `json:"id"`
	Repository   string   `json:"repository"`   // "" for one of an organisation
	Organization string   `json:"organization"` // "" for one of a repository
	URL          string   `json:"url"`
	Active       bool     `json:"active"`
	HasSecret    bool     `json:"hasSecret"`
	Events       []string `json:"events"`
}

// Mail is the host's notice of a review to author, participants and watchers of a pull request. One entry
// covers all recipients.
type Mail struct {
	ReviewID int64  `json:"reviewId"`
	State    string `json:"state"` // of the review at that time
	Body     string `json:"body"`
}

// ReviewSpec is a review of a person.
type ReviewSpec struct {
	Author string `json:"author"`
	Body   string `json:"body,omitempty"`
	// State is a word of the REST interface: "COMMENT" (default), "APPROVED", "REQUEST_CHANGES", "PENDING".
	State    string       `json:"state,omitempty"`
	Comments []InlineSpec `json:"comments,omitempty"`
}

// InlineSpec is an inline comment of a person; one of the lines is set.
type InlineSpec struct {
	Path    string `json:"path"`
	NewLine int    `json:"newLine,omitempty"`
	OldLine int    `json:"oldLine,omitempty"`
	Body    string `json:"body"`
}

// RepoChange renames, transfers or deletes a repository, or changes its visibility. Empty fields stay.
type RepoChange struct {
	Name    string `json:"name,omitempty"`
	Owner   string `json:"owner,omitempty"`
	Private *bool  `json:"private,omitempty"`
	Delete  bool   `json:"delete,omitempty"`
	// Collaborators maps logins to "read", "write" or "admin", or to "" to remove one. Others stay.
	Collaborators map[string]string `json:"collaborators,omitempty"`
	// Protect lists branches to forbid all pushes to.
	Protect []string `json:"protect,omitempty"`
}

// Status is a commit status.
type Status struct {
	ID          int64  `json:"id"`
	SHA         string `json:"sha"`
	State       string `json:"state"`
	Context     string `json:"context"`
	Description string `json:"description"`
	TargetURL   string `json:"targetUrl"`
	Creator     string `json:"creator"`
}
