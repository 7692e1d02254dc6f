// Package simapi holds the types of the simulated GitLab's control interface that other simulated hosts do not have; the
// shared ones are in sim/host/simapi. It holds no behaviour beyond checks of values.
package simapi

import (
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// UserFlags changes what only administrators of the host may.
type UserFlags = simapi.UserFlags

// Doubt is a doubt about the host.
type Doubt = simapi.Doubt

// The doubts.
const (
	// OutsideDiff: a comment on an unchanged line that no hunk shows is refused, even with the numbers of both sides.
	OutsideDiff Doubt = "outside-diff-fails"
	// SigningTokens: webhooks can be signed (signing_token); without it the field is ignored, as by versions that do not have it.
	SigningTokens Doubt = "signing-tokens"
	// NoIdempotencyKey: deliveries lack the header Idempotency-Key, as those of older versions.
	NoIdempotencyKey Doubt = "no-idempotency-key"
	// OneReviewer: a merge request has one reviewer, as in GitLab Free; more are left out without a word.
	OneReviewer Doubt = "one-reviewer"
	// Moved: a project that is asked for by a path that it had is answered with 301, and what is not only read with 405; without it the answer is
	// the project's, as of older versions.
	Moved Doubt = "moved-301"
	// SlowDiff: a merge request that was just opened has no diff_refs at its first reading, as while the host prepares it.
	SlowDiff Doubt = "slow-diff"
	// NoRateHeaders: answers have no RateLimit headers, and a refusal for too many requests no Retry-After, as seen on gitlab.com.
	NoRateHeaders Doubt = "no-rate-headers"
	// EditKeepsDisabled: a change of a webhook that the host has switched off leaves it off; without it a change switches it on.
	EditKeepsDisabled Doubt = "edit-keeps-disabled"
	// StrictDrafts: a draft note at a place that is none is refused; without it the host saves it, and makes no note of it when it is published.
	StrictDrafts Doubt = "strict-drafts"
	// KeepsDrafts: to publish a draft note makes the note, keeps the draft, and answers with an error.
	KeepsDrafts Doubt = "keeps-drafts"
	// DraftThreads: a draft note without a place becomes a thread that can be resolved, as in newer versions.
	DraftThreads Doubt = "draft-threads"
	// NoHookNames: webhooks have no name and description, as in older versions.
	NoHookNames Doubt = "no-hook-names"
)

// Doubts are all of them.
func Doubts() simapi.Doubts {
	return simapi.Doubts{OutsideDiff, SigningTokens, NoIdempotencyKey, OneReviewer, Moved, SlowDiff, NoRateHeaders, EditKeepsDisabled, StrictDrafts, KeepsDrafts,
		DraftThreads, NoHookNames}
}

// Settings of the whole simulator.
type Settings struct {
	// ClockOffsetSeconds moves the Date header.
	ClockOffsetSeconds int64 `json:"clockOffsetSeconds"`
	// CollapseBytes and TooLargeBytes are how large the diff of a file may be before the list of changed files leaves its text
	// out; 0 means 100 KiB and 200 KiB, near the host's defaults.
	CollapseBytes int `json:"collapseBytes,omitempty"`
	TooLargeBytes int `json:"tooLargeBytes,omitempty"`
	// SignInAs is the login of whoever signs in: the page that asks is skipped.
	SignInAs string `json:"signInAs,omitempty"`
	// DenySignIn refuses every sign-in, as a person does who cancels.
	DenySignIn bool `json:"denySignIn,omitempty"`
	// Doubts says which doubts are on. Those not named keep the position that they had.
	Doubts map[Doubt]bool `json:"doubts,omitempty"`
}

// Check reports the first wrong field.
func (s Settings) Check() error {
	if s.CollapseBytes < 0 || s.TooLargeBytes < 0 {
		return fmt.Errorf("collapseBytes, tooLargeBytes: must not be negative")
	}
	return nil
}

// TokenSpec makes an access token. Without Project and Group it is a person's; with one of them it is that of a new account that
// only the token uses.
type TokenSpec struct {
	Name string `json:"name"`
	// Scopes are words such as "api", "read_api", "read_user", "read_repository"; empty means "api".
	Scopes []string `json:"scopes,omitempty"`
	// Project or Group is a full path. Level is the access level there; 0 means 40, a maintainer's.
	Project string `json:"project,omitempty"`
	Group   string `json:"group,omitempty"`
	Level   int    `json:"level,omitempty"`
	// ExpiresOn is a date, "2027-01-31"; empty is never.
	ExpiresOn string `json:"expiresOn,omitempty"`
}

// Check reports the first wrong field.
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

// Scopes of access tokens that the simulator knows (docs.gitlab.com/user/profile/personal_access_tokens, "Scopes").
func Scopes() []string {
	return []string{"api", "read_api", "read_user", "read_repository", "write_repository", "self_rotate"}
}

// Token is an access token that was made; its text is told once.
type Token struct {
	ID    int64  `json:"id"`
	Text  string `json:"text"`
	Login string `json:"login"`
}

// HookSpec makes a webhook of a project as a person does in the settings.
type HookSpec struct {
	URL   string `json:"url"`
	Token string `json:"token,omitempty"`
	// SigningToken begins with "whsec_".
	SigningToken string `json:"signingToken,omitempty"`
	// Events are words of the interface without "_events", such as "merge_requests"; empty means merge requests, notes, pushes, pipelines and
	// jobs.
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

// NoteSpec is a comment of a person on lines of the newest version, as the page makes it. One of NewLine and OldLine is set, or both for an
// unchanged line that is told so; FirstLine makes it several lines of the same side. Without a Path it begins a thread of the conversation.
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
}

// Note is a note that was made; ID is that of the draft where it is one.
type Note struct {
	ID         int64  `json:"id"`
	Discussion string `json:"discussion"`
}

// Draft is a draft note of anybody.
type Draft struct {
	ID   int64  `json:"id"`
	User string `json:"user"`
	Body string `json:"body"`
	Path string `json:"path,omitempty"`
}

// RepoChange renames, transfers or deletes a project, or changes who may see it. Empty fields stay.
type RepoChange struct {
	Name    string `json:"name,omitempty"`
	Owner   string `json:"owner,omitempty"`
	Private *bool  `json:"private,omitempty"`
	Delete  bool   `json:"delete,omitempty"`
	// Collaborators: login to "read", "triage", "write", "maintain", "admin" or "" to remove one. Others stay.
	Collaborators map[string]string `json:"collaborators,omitempty"`
	// Share shares the project with groups: full path to a word of Collaborators, or "" to end it. Others stay.
	Share map[string]string `json:"share,omitempty"`
	// Protect are branches to which nobody may push from now on.
	Protect []string `json:"protect,omitempty"`
	// Tracker is whether issues are those of a tracker elsewhere, as with the integration with Jira.
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
