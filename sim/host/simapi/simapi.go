// Package simapi holds the types of the control interface (paths under /_sim) that all simulated hosts share: what is
// created, what is recorded, which faults are set. Servers and their clients use them. It holds no behaviour beyond checks
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
	// Members of an organisation: login to "admin" or "member".
	Members map[string]string `json:"members,omitempty"`
}

// UserUpdate changes an account.
type UserUpdate struct {
	// Login renames it; empty leaves the name.
	Login string `json:"login,omitempty"`
	// Members of an organisation: login to "admin" or "member", or "" to remove one. Others stay.
	Members map[string]string `json:"members,omitempty"`
}

// User is a person or organisation. Token is a personal access token that acts as the person; it never expires.
type User struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
	Type  string `json:"type"`
	Token string `json:"token,omitempty"`
}

// UserFlags changes what only administrators of a host may.
type UserFlags struct {
	// Admin makes a person an administrator of the host; Blocked takes away the right to sign in, with tokens too.
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
	// Message, Author and At of the first commit.
	Message string    `json:"message,omitempty"`
	Author  string    `json:"author,omitempty"`
	At      time.Time `json:"at,omitzero"`
	// Collaborators: login to role (read, triage, write, maintain, admin).
	Collaborators map[string]string `json:"collaborators,omitempty"`
}

// Repo is a repository.
type Repo struct {
	ID            int64  `json:"id"`
	FullName      string `json:"fullName"`
	DefaultBranch string `json:"defaultBranch"`
	HeadSHA       string `json:"headSha"`
	CloneURL      string `json:"cloneUrl"`
}

// CommitSpec makes a commit on a branch and tells the world: of the push, and of each open pull request that it changes.
type CommitSpec struct {
	Branch string `json:"branch"`
	// From is the parent, a branch or object name. Empty: the branch's own tip. Naming an older commit makes a force-push.
	From string `json:"from,omitempty"`
	// Merge is a second parent, a branch or object name. What it brings in is in Files: nothing is merged by itself.
	Merge  string            `json:"merge,omitempty"`
	Files  map[string]string `json:"files,omitempty"`
	Delete []string          `json:"delete,omitempty"`
	// Message, Author (a login) and At. A zero At is the server's clock.
	Message string    `json:"message,omitempty"`
	Author  string    `json:"author,omitempty"`
	At      time.Time `json:"at,omitzero"`
	// MoveTo makes no commit but points the branch at this commit (force-push back to an earlier head).
	MoveTo string `json:"moveTo,omitempty"`
}

// Commit is a commit that was made.
type Commit struct {
	SHA    string `json:"sha"`
	Before string `json:"before"`
	Forced bool   `json:"forced"`
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
	// Reviewers are logins who are asked for a review as it is opened.
	Reviewers []string `json:"reviewers,omitempty"`
	// Fork is the login of the account whose fork has the head. Forks share the objects of their network; here the
	// repository itself has the branch, and everything that is shown names the fork.
	Fork string `json:"fork,omitempty"`
	// Branchless is a pull request that was pushed to refs/for/… and has no branch (Gitea and Forgejo). The
	// repository itself has the branch here, too, and nothing that is shown names it.
	Branchless bool `json:"branchless,omitempty"`
	// At is the time of opening; zero is the server's clock.
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

// PullUpdate changes a pull request; each change that takes place sends its own webhook. Nil or empty fields stay.
type PullUpdate struct {
	State     string   `json:"state,omitempty"` // "open", "closed", "merged"
	Draft     *bool    `json:"draft,omitempty"`
	Title     *string  `json:"title,omitempty"`
	Body      *string  `json:"body,omitempty"`
	Label     []string `json:"label,omitempty"`
	Unlabel   []string `json:"unlabel,omitempty"`
	Base      string   `json:"base,omitempty"` // another target branch
	RequestBy []string `json:"requestReviewers,omitempty"`
	// Actor is the login that does it; empty means the author.
	Actor string `json:"actor,omitempty"`
}

// CommentSpec writes a comment in the conversation of a pull request as a person.
type CommentSpec struct {
	Author string `json:"author"`
	Body   string `json:"body"`
}

// Seeder is what a seed needs; the server and the client of its control interface both have it.
type Seeder interface {
	CreateUser(ctx context.Context, u UserSpec) (User, error)
	CreateRepo(ctx context.Context, r RepoSpec) (Repo, error)
	Commit(ctx context.Context, fullName string, c CommitSpec) (Commit, error)
	OpenPull(ctx context.Context, fullName string, p PullSpec) (Pull, error)
}
