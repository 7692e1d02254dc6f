// Package simapi holds the types of the control interface (paths under /_sim) that all simulated hosts share:
// created objects, records and faults. Servers and their clients use them. It holds no behaviour beyond checks
// of values.
package simapi

import (
	"context"
	"time"
)

// UserSpec makes a person or an organisation.
type UserSpec struct {
	Login string `json:"login"`
	Name  string `json:"name,omitempty"`
	// Type is "User" (default) or "Organization".
	Type string `json:"type,omitempty"`
	// Members maps an organisation's logins to "admin" or "member".
	Members map[string]string `json:"members,omitempty"`
}

// UserUpdate changes an account.
type UserUpdate struct {
	// Login renames it; empty leaves the name.
	Login string `json:"login,omitempty"`
	// Members maps an organisation's logins to "admin" or "member", or to "" to remove one. Others stay.
	Members map[string]string `json:"members,omitempty"`
}

// User is a person or organisation. Token is a personal access token that acts as the person; it never expires.
type User struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
	Type  string `json:"type"`
	Token string `json:"token,omitempty"`
}

// UserFlags changes what only administrators of a host may change.
type UserFlags struct {
	// Admin makes a person an administrator of the host; Blocked removes the right to sign in, with tokens
	// too.
	Admin   *bool `json:"admin,omitempty"`
	Blocked *bool `json:"blocked,omitempty"`
}

// RepoSpec makes a repository with a first commit.
type RepoSpec struct {
	Owner       string `json:"owner"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Public makes the repository public; the default is private.
	Public        bool   `json:"public,omitempty"`
	DefaultBranch string `json:"defaultBranch,omitempty"`
	// Files are the contents of the first commit.
	Files map[string]string `json:"files,omitempty"`
	// Message, Author and At describe the first commit.
	Message string    `json:"message,omitempty"`
	Author  string    `json:"author,omitempty"`
	At      time.Time `json:"at,omitzero"`
	// Collaborators maps logins to roles (read, triage, write, maintain, admin).
	Collaborators map[string]string `json:"collaborators,omitempty"`
	// Required names the checks without which the host merges nothing.
	Required []string `json:"required,omitempty"`
}

// Repo is a repository.
type Repo struct {
	ID            int64  `json:"id"`
	FullName      string `json:"fullName"`
	DefaultBranch string `json:"defaultBranch"`
	HeadSHA       string `json:"headSha"`
	CloneURL      string `json:"cloneUrl"`
}

// CommitSpec makes a commit on a branch and sends the webhooks of the push and of each open pull request that
// it changes.
type CommitSpec struct {
	Branch string `json:"branch"`
	// From is the parent, a branch or object name. Empty: the branch's own tip. Naming an older commit makes a force-push.
	From string `json:"from,omitempty"`
	// Merge is a second parent, a branch or object name. Files must contain its changes, because nothing is
	// merged automatically.
	Merge  string            `json:"merge,omitempty"`
	Files  map[string]string `json:"files,omitempty"`
	Delete []string          `json:"delete,omitempty"`
	// Message, Author (a login) and At describe the commit. A zero At means the server's clock.
	Message string    `json:"message,omitempty"`
	Author  string    `json:"author,omitempty"`
	At      time.Time `json:"at,omitzero"`
	// MoveTo points the branch at this commit instead of making one (force-push back to an earlier head).
	MoveTo string `json:"moveTo,omitempty"`
}

// Commit is a new commit.
type Commit struct {
	SHA    string `json:"sha"`
	Before string `json:"before"`
	Forced bool   `json:"forced"`
}

// IssueSpec opens an issue.
type IssueSpec struct {
	Title        string `json:"title"`
	Body         string `json:"body,omitempty"`
	Confidential bool   `json:"confidential,omitempty"` // only some members read it (GitLab)
}

// Issue is an issue.
type Issue struct {
	Number  int    `json:"number"`
	HTMLURL string `json:"html_url"`
}

// PullSpec opens a pull request.
type PullSpec struct {
	Title  string   `json:"title"`
	Body   string   `json:"body,omitempty"`
	Head   string   `json:"head"`
	Base   string   `json:"base,omitempty"`
	Author string   `json:"author,omitempty"`
	Draft  bool     `json:"draft,omitempty"`
	Labels []string `json:"labels,omitempty"`
	// Reviewers are logins that are asked for a review at the opening.
	Reviewers []string `json:"reviewers,omitempty"`
	// Fork is the login of the account whose fork has the head. Forks share the objects of their network; the
	// simulator keeps the branch in the repository itself, and everything that it shows names the fork.
	Fork string `json:"fork,omitempty"`
	// Branchless marks a pull request that was pushed to refs/for/… and has no branch (Gitea and Forgejo). The
	// simulator keeps the branch in the repository itself, but shows it nowhere.
	Branchless bool `json:"branchless,omitempty"`
	// At is the time of opening; zero means the server's clock.
	At time.Time `json:"at,omitzero"`
}

// Pull is a pull request.
type Pull struct {
	ID      int64  `json:"id"`
	Number  int    `json:"number"`
	HeadSHA string `json:"headSha"`
	BaseSHA string `json:"baseSha"`
	State   string `json:"state"`
	Draft   bool   `json:"draft"`
	HTMLURL string `json:"htmlUrl"`
}

// PullUpdate changes a pull request; each effective change sends its own webhook. Nil or empty fields stay.
type PullUpdate struct {
	State     string   `json:"state,omitempty"` // "open", "closed", "merged"
	Draft     *bool    `json:"draft,omitempty"`
	Title     *string  `json:"title,omitempty"`
	Body      *string  `json:"body,omitempty"`
	Label     []string `json:"label,omitempty"`
	Unlabel   []string `json:"unlabel,omitempty"`
	Base      string   `json:"base,omitempty"` // another target branch
	RequestBy []string `json:"requestReviewers,omitempty"`
	// Actor is the login that makes the change; empty means the author.
	Actor string `json:"actor,omitempty"`
}

// SuggestionSpec applies the suggestion of an inline comment.
type SuggestionSpec struct {
	// Comment is the id of the inline comment.
	Comment int64 `json:"comment"`
	// Author is the login that applies it; empty means the owner of the repository.
	Author string `json:"author,omitempty"`
}

// ReplySpec answers a comment on lines in its thread, like a person on the page. An author without an account gets one.
type ReplySpec struct {
	Comment int64  `json:"comment"`
	Author  string `json:"author"`
	Body    string `json:"body"`
}

// EditSpec changes or removes (Delete) a comment, or closes or reopens (Resolve) the thread of one on lines, like a person on the
// page. An empty Actor is the author of the comment, and for threads the author of the pull request.
type EditSpec struct {
	Actor   string `json:"actor"`
	Body    string `json:"body,omitempty"`
	Delete  bool   `json:"delete,omitempty"`
	Resolve *bool  `json:"resolve,omitempty"`
}

// CommentSpec writes a comment in the conversation of a pull request as a person.
type CommentSpec struct {
	Author string `json:"author"`
	Body   string `json:"body"`
}

// ReactionSpec reacts to an inline comment as a person, or takes the reaction back (Remove).
type ReactionSpec struct {
	Actor   string `json:"actor"`
	Comment int64  `json:"comment"`
	Content string `json:"content"` // the host's word: "+1" and "-1", or "thumbsup" and "thumbsdown" on GitLab
	Remove  bool   `json:"remove,omitempty"`
}

// Seeder is the interface for seeds; the server and the client of its control interface implement it.
type Seeder interface {
	CreateUser(ctx context.Context, u UserSpec) (User, error)
	CreateRepo(ctx context.Context, r RepoSpec) (Repo, error)
	Commit(ctx context.Context, fullName string, c CommitSpec) (Commit, error)
	OpenPull(ctx context.Context, fullName string, p PullSpec) (Pull, error)
}
