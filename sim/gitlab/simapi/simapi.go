// Package simapi holds the types of the simulated GitLab's control interface that other simulated hosts do not have; the
// shared ones are in sim/host/simapi. It holds no behaviour beyond checks of values.
package simapi

import (
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// UserFlags changes what only administrators of the host may change.
type UserFlags = simapi.UserFlags

// Doubt is a doubt about the host.
type Doubt = simapi.Doubt

// The doubts.
const (
	// OutsideDiff: the host refuses a comment on an unchanged line outside the hunks, even with the numbers of
	// both sides.
	OutsideDiff Doubt = "outside-diff-fails"
	// SigningTokens: webhooks can be signed (signing_token). Without it the field is ignored, as in versions
	// that lack it.
	SigningTokens Doubt = "signing-tokens"
	// NoIdempotencyKey: deliveries lack the header Idempotency-Key, as in older versions.
	NoIdempotencyKey Doubt = "no-idempotency-key"
	// OneReviewer: a merge request has one reviewer, as in GitLab Free; the others are silently dropped.
	OneReviewer Doubt = "one-reviewer"
	// Moved: a GET with a project's former path is answered with 301, and other methods with 405. Without it
	// the project answers, as in older versions.
	Moved Doubt = "moved-301"
	// SlowDiff: a new merge request has no diff_refs at its first reading, as while the host prepares it.
	SlowDiff Doubt = "slow-diff"
	// NoRateHeaders: answers have no RateLimit headers, and a refusal for too many requests has no
	// Retry-After, as seen on gitlab.com.
	NoRateHeaders Doubt = "no-rate-headers"
	// EditKeepsDisabled: a change of a webhook that the host switched off leaves it off; without it a change
	// switches it on.
	EditKeepsDisabled Doubt = "edit-keeps-disabled"
	// StrictDrafts: the host refuses a draft note with an invalid place. Without it the host saves the draft,
	// but publishing it makes no note.
	StrictDrafts Doubt = "strict-drafts"
	// KeepsDrafts: publishing a draft note makes the note, keeps the draft, and answers with an error.
	KeepsDrafts Doubt = "keeps-drafts"
	// DraftThreads: a draft note without a place becomes a thread that can be resolved, as in newer versions.
	DraftThreads Doubt = "draft-threads"
	// NoHookNames: webhooks have no name and description, as in older versions.
	NoHookNames Doubt = "no-hook-names"
)

// Doubts returns all doubts.
func Doubts() simapi.Doubts {
	return simapi.Doubts{OutsideDiff, SigningTokens, NoIdempotencyKey, OneReviewer, Moved, SlowDiff, NoRateHeaders, EditKeepsDisabled,
		StrictDrafts, KeepsDrafts,
		DraftThreads, NoHookNames}
}

// Settings of the whole simulator.
type Settings struct {
	// ClockOffsetSeconds shifts the Date header.
	ClockOffsetSeconds int64 `json:"clockOffsetSeconds"`
	// CollapseBytes and TooLargeBytes are the sizes of a file's diff from which the list of changed files
	// omits its text; 0 means 100 KiB and 200 KiB, near the host's defaults.
	CollapseBytes int `json:"collapseBytes,omitempty"`
	TooLargeBytes int `json:"tooLargeBytes,omitempty"`
	// SignInAs is the login that signs in without the page of choices.
	SignInAs string `json:"signInAs,omitempty"`
	// DenySignIn refuses every sign-in, like a person who cancels.
	DenySignIn bool `json:"denySignIn,omitempty"`
	// Doubts switches doubts on and off. Those not named keep their state.
	Doubts map[Doubt]bool `json:"doubts,omitempty"`
}

// Check returns an error for the first wrong field.
func (s Settings) Check() error {
	if s.CollapseBytes < 0 || s.TooLargeBytes < 0 {
		return fmt.Errorf("collapseBytes, tooLargeBytes: must not be negative")
	}
	return nil
}

// TokenSpec makes an access token. Without Project and Group it is a person's; with one of them it belongs to
// a new account that only the token uses.
type TokenSpec struct {
	Name string `json:"name"`
	// Scopes are words such as "api", "read_api", "read_user", "read_repository"; empty means "api".
	Scopes []string `json:"scopes,omitempty"`
	// Project or Group is a full path. Level is the access level there; 0 means 40, a maintainer's.
	Project string `json:"project,omitempty"`
	Group   string `json:"group,omitempty"`
	Level   int    `json:"level,omitempty"`
	// ExpiresOn is a date, "2027-01-31"; empty means never.
	ExpiresOn string `json:"expiresOn,omitempty"`
}

// Check returns an error for the first wrong field.
func (t TokenSpec) Check() error {
	for _, s := range t.Scopes {
		if !slices.Contains(Scopes(), s) {
			return fmt.Errorf("scopes: must be of %v", Scopes())
		}
	}
	if t.ExpiresOn != "" {
		if _, err := time.Parse(time.DateOnly, t.ExpiresOn); err != nil {
			return fmt.Errorf("expiresOn: must be a date such as 2027-01-31")
		}
	}
	return nil
}

// Scopes returns the supported scopes of access tokens (docs.gitlab.com/user/profile/personal_access_tokens,
// "Scopes").
func Scopes() []string {
	return []string{"api", "read_api", "read_user", "read_repository", "write_repository", "self_rotate"}
}

// Token is a new access token; its text is returned only once.
type Token struct {
	ID    int64  `json:"id"`
	Text  string `json:"text"`
	Login string `json:"login"`
}

// HookSpec makes a webhook of a project, like a person in the settings.
type HookSpec struct {
	URL   string `json:"url"`
	Token string `json:"token,omitempty"`
	// SigningToken begins with "whsec_".
	SigningToken string `json:"signingToken,omitempty"`
	// Events are words of the interface without "_events", such as "merge_requests"; empty means merge
	// requests, notes, pushes, pipelines and jobs.
	Events []string `json:"events,omitempty"`
}

// Hook is a webhook.
type Hook struct {
	ID         int64    `json:"id"`
	Repository string   `json:"repository"`
	URL        string   `json:"url"`
	HasToken   bool     `json:"hasToken"`
	HasSigning bool     `json:"hasSigning"`
	Status     string   `json:"status"` // executable, temporarily_disabled, disabled
	Events     []string `json:"events"`
}

// NoteSpec is a person's comment on lines of the newest version, in the form of the page. One of NewLine and
// OldLine is set, or both for an unchanged line. FirstLine extends it to several lines of the same side.
// Without a Path it begins a thread of the conversation.
type NoteSpec struct {
	Author    string `json:"author"`
	Path      string `json:"path"`
	NewLine   int    `json:"newLine,omitempty"`
	OldLine   int    `json:"oldLine,omitempty"`
	FirstLine int    `json:"firstLine,omitempty"`
	Body      string `json:"body"`
	Resolved  bool   `json:"resolved,omitempty"`
	// Draft keeps it as a draft note of the person.
	Draft bool `json:"draft,omitempty"`
	// Answers is the id of the note in whose discussion it stands; 0 begins a discussion. Path and lines must be absent.
	Answers int64 `json:"answers,omitempty"`
}

// Note is a new note. For a draft, ID is the draft's id.
type Note struct {
	ID         int64  `json:"id"`
	Discussion string `json:"discussion"`
}

// Draft is a person's draft note.
type Draft struct {
	ID   int64  `json:"id"`
	User string `json:"user"`
	Body string `json:"body"`
	Path string `json:"path,omitempty"`
}

// RepoChange renames, transfers or deletes a project, or changes its visibility. Empty fields stay.
type RepoChange struct {
	Name    string `json:"name,omitempty"`
	Owner   string `json:"owner,omitempty"`
	Private *bool  `json:"private,omitempty"`
	Delete  bool   `json:"delete,omitempty"`
	// Collaborators maps logins to "read", "triage", "write", "maintain", "admin", or to "" to remove one.
	// Others stay.
	Collaborators map[string]string `json:"collaborators,omitempty"`
	// Share maps the full paths of groups to a word of Collaborators, or to "" to end the sharing. Others
	// stay.
	Share map[string]string `json:"share,omitempty"`
	// Protect lists branches to forbid all pushes to.
	Protect []string `json:"protect,omitempty"`
	// Tracker switches an external issue tracker on or off, like the integration with Jira.
	Tracker *bool `json:"tracker,omitempty"`
}

// Status is a commit status.
type Status struct {
	ID          int64  `json:"id"`
	SHA         string `json:"sha"`
	Ref         string `json:"ref"`
	State       string `json:"state"`
	Name        string `json:"name"`
	Description string `json:"description"`
	TargetURL   string `json:"targetUrl"`
	Creator     string `json:"creator"`
}
