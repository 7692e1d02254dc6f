// Package simapi holds the types of the simulated Bitbucket's control interface that other simulated hosts do not
// have; the shared ones are in sim/host/simapi. It holds no behaviour beyond checks of values.
package simapi

import (
	"errors"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// UserFlags changes what only administrators of the host may change.
type UserFlags = simapi.UserFlags

// Doubt is a doubt about the host.
type Doubt = simapi.Doubt

// The doubts.
const (
	// NewRequestIDs: a repeated delivery has a new X-Request-UUID. By default it keeps that of the first attempt.
	NewRequestIDs Doubt = "retry-new-request-uuid"
	// PendingPrivate: only their author sees comments with "pending". By default everybody sees them.
	PendingPrivate Doubt = "pending-private"
	// EmptySignature: deliveries of a webhook without a secret have the signature "sha256=". By default the header is missing.
	EmptySignature Doubt = "empty-signature"
	// LargeEvents: events above 256 KiB are sent. By default they are dropped without a record.
	LargeEvents Doubt = "large-events"
	// OutsideDiff: the host refuses a comment on a line that the diff does not show. By default it takes any place.
	OutsideDiff Doubt = "outside-diff-fails"
	// DeletedVanish: lists lack deleted comments. By default they show them without text, with "deleted".
	DeletedVanish Doubt = "deleted-vanish"
	// MovedRedirects: requests to a former name of a repository are redirected. By default the answer is 404.
	MovedRedirects Doubt = "moved-redirects"
	// DirectLogs: the host answers with the logs of completed steps. By default it redirects to its storage.
	DirectLogs Doubt = "direct-logs"
	// BearerTokens: API tokens of people also work as Bearer. By default they work with the e-mail address only.
	BearerTokens Doubt = "bearer-api-tokens"
	// PushEvents: a push to a pull request also sends pullrequest:push.
	PushEvents Doubt = "pullrequest-push"
	// LongComments: comments have no bound. By default the host refuses more than 32,768 characters.
	LongComments Doubt = "long-comments"
	// LongHashes: pull requests have full hashes. By default they have twelve digits.
	LongHashes Doubt = "long-hashes"

	// NoPending: Data Center ignores the state PENDING of a new comment, which is then visible at once.
	NoPending Doubt = "no-pending"
	// NoUserID: answers of Data Center lack the number of the account. By default X-AUSERID has it.
	NoUserID Doubt = "no-user-id"
	// MovedGone: Data Center does not answer on the former name of a repository.
	MovedGone Doubt = "moved-gone"
	// OwnPrefixes: diffs of Data Center have the prefixes src:// and dst://. By default they have those of git.
	OwnPrefixes Doubt = "own-prefixes"
)

// Doubts returns all doubts.
func Doubts() simapi.Doubts {
	return simapi.Doubts{NewRequestIDs, PendingPrivate, EmptySignature, LargeEvents, OutsideDiff, DeletedVanish, MovedRedirects, DirectLogs,
		BearerTokens, PushEvents, LongComments, LongHashes, NoPending, NoUserID, MovedGone, OwnPrefixes}
}

// Settings of the whole simulator.
type Settings struct {
	// ClockOffsetSeconds shifts the Date header.
	ClockOffsetSeconds int64 `json:"clockOffsetSeconds"`
	// MaxPage bounds the items of a page; 0 means the host's own bounds.
	MaxPage int `json:"maxPage,omitempty"`
	// RetryMS is the wait before a failed delivery is repeated; 0 means a second.
	RetryMS int64 `json:"retryMs,omitempty"`
	// RequestsPerHour bounds the requests of an account in an hour of the clock; 0 means no bound.
	RequestsPerHour int `json:"requestsPerHour,omitempty"`
	// MaxChanges bounds the list of changed files of Data Center; 0 means no bound.
	MaxChanges int `json:"maxChanges,omitempty"`
	// Doubts switches doubts on and off. Those not named keep their state.
	Doubts map[Doubt]bool `json:"doubts,omitempty"`
}

// Check returns an error for the first wrong field.
func (s Settings) Check() error {
	if s.MaxPage < 0 || s.RetryMS < 0 || s.RequestsPerHour < 0 || s.MaxChanges < 0 {
		return errors.New("maxPage, retryMs, requestsPerHour: must not be negative")
	}
	return nil
}

// Kinds of tokens.
const (
	APIToken    = "api"      // of a person; the default
	AccessToken = "access"   // of a workspace or repository, with an account of its own
	Consumer    = "consumer" // an OAuth consumer of a workspace, whose grants act as its owner
)

// TokenSpec makes a token. A person's has scopes such as "read:repository:bitbucket", others such as "repository:write".
type TokenSpec struct {
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"`
	// Workspace or Repository ("workspace/slug") is the reach of an access token or a consumer.
	Workspace  string `json:"workspace,omitempty"`
	Repository string `json:"repository,omitempty"`
	// Scopes are empty for all.
	Scopes []string `json:"scopes,omitempty"`
}

// Token is a new token; its text is returned only once. Email belongs to an API token, and Key to a consumer.
type Token struct {
	ID    int64  `json:"id"`
	Text  string `json:"text"`
	Email string `json:"email,omitempty"`
	Key   string `json:"key,omitempty"`
	// Account is the login of the account that the token acts as.
	Account string `json:"account"`
}

// HookSpec makes a webhook of a repository, like a person in the settings.
type HookSpec struct {
	URL    string `json:"url"`
	Secret string `json:"secret,omitempty"`
	// Events are keys such as "repo:push"; empty means all.
	Events []string `json:"events,omitempty"`
	// Inactive webhooks send nothing.
	Inactive bool `json:"inactive,omitempty"`
}

// Hook is a webhook.
type Hook struct {
	ID         int64    `json:"id"`
	UUID       string   `json:"uuid"`
	Repository string   `json:"repository"` // "" for one of a workspace
	Workspace  string   `json:"workspace"`  // "" for one of a repository
	URL        string   `json:"url"`
	Active     bool     `json:"active"`
	HasSecret  bool     `json:"hasSecret"`
	Events     []string `json:"events"`
}

// NoteSpec is a comment of a person on lines of the newest version; one of the lines is set.
type NoteSpec struct {
	Author string `json:"author"`
	Body   string `json:"body"`
	Path   string `json:"path"`
	// NewLine or OldLine is the last line, FirstLine the first of several on the same side.
	NewLine   int `json:"newLine,omitempty"`
	OldLine   int `json:"oldLine,omitempty"`
	FirstLine int `json:"firstLine,omitempty"`
	// Resolved closes the thread. Pending comments belong to a review that is not finished.
	Resolved bool `json:"resolved,omitempty"`
	Pending  bool `json:"pending,omitempty"`
}

// VerdictSpec approves a pull request or asks for changes as a person; an empty State takes it back.
type VerdictSpec struct {
	Author string `json:"author"`
	State  string `json:"state"` // "approved", "changes_requested", ""
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
	// DefaultReviewers are the logins of the default reviewers.
	DefaultReviewers []string `json:"defaultReviewers,omitempty"`
}

// Status is a build status.
type Status struct {
	ID          int64  `json:"id"`
	SHA         string `json:"sha"`
	State       string `json:"state"`
	Key         string `json:"key"`
	Name        string `json:"name"`
	Description string `json:"description"`
	URL         string `json:"url"`
	Ref         string `json:"ref"`
	Creator     string `json:"creator"`
}
