// Package simapi holds the types of the simulated GitHub's control interface (paths under /_sim): what is created, what is
// recorded, which faults are set. The server and its client share them. It holds no behaviour beyond checks of values.
package simapi

import (
	"context"
	"time"
)

// AppSpec registers a GitHub App.
type AppSpec struct {
	// ID is the app's id; 0 takes the next free one.
	ID int64 `json:"id,omitempty"`
	// Slug is the app's name in addresses; its bot user is "<slug>[bot]".
	Slug string `json:"slug"`
	// Name is the display name; empty means Slug.
	Name string `json:"name,omitempty"`
	// Owner is the account that owns the app; it is made as an organisation when it does not exist. Empty means "app-owner".
	Owner string `json:"owner,omitempty"`
	// PublicKeyPEM is the RSA public key (or certificate-less PKIX/PKCS#1 PEM) that signs the app's JWTs. Empty: a key pair is
	// generated and its private half returned once.
	PublicKeyPEM string `json:"publicKeyPem,omitempty"`
	// WebhookURL gets the deliveries; empty means that none are sent, only recorded nowhere.
	WebhookURL string `json:"webhookUrl,omitempty"`
	// WebhookSecret signs deliveries; empty means unsigned.
	WebhookSecret string `json:"webhookSecret,omitempty"`
	// Permissions are those the app asks for; empty means DefaultPermissions.
	Permissions map[string]string `json:"permissions,omitempty"`
	// Events are the subscribed webhook events; empty means DefaultEvents.
	Events []string `json:"events,omitempty"`
	// ClientSecret is for signing people in; empty makes a random one.
	ClientSecret string `json:"clientSecret,omitempty"`
	// CallbackURL is where browsers are sent back to; empty allows every address.
	CallbackURL string `json:"callbackUrl,omitempty"`
	// SetupURL is where browsers are sent to after an installation; empty shows a page instead.
	SetupURL string `json:"setupUrl,omitempty"`
	// Public lets the installation page install the app on accounts other than the owner's.
	Public bool `json:"public,omitempty"`
}

// DefaultPermissions are what a reviewing app asks for.
func DefaultPermissions() map[string]string {
	return map[string]string{"metadata": "read", "contents": "read", "pull_requests": "write", "checks": "write",
		"statuses": "write", "issues": "write", "actions": "read", "members": "read"}
}

// DefaultEvents are what a reviewing app subscribes to.
func DefaultEvents() []string {
	return []string{"pull_request", "pull_request_review", "pull_request_review_comment", "pull_request_review_thread",
		"issue_comment", "push", "status", "check_run", "check_suite", "repository", "member", "organization"}
}

// App is a registered app.
type App struct {
	ID            int64  `json:"id"`
	Slug          string `json:"slug"`
	ClientID      string `json:"clientId"`
	BotLogin      string `json:"botLogin"`
	BotID         int64  `json:"botId"`
	HookID        int64  `json:"hookId"`
	PrivateKeyPEM string `json:"privateKeyPem,omitempty"`
	ClientSecret  string `json:"clientSecret,omitempty"`
}

// AppUpdate changes a registered app; nil fields stay.
type AppUpdate struct {
	WebhookURL    *string           `json:"webhookUrl,omitempty"`
	WebhookSecret *string           `json:"webhookSecret,omitempty"`
	Permissions   map[string]string `json:"permissions,omitempty"`
	Events        []string          `json:"events,omitempty"`
}

// InstallSpec installs an app on an account.
type InstallSpec struct {
	AppID   int64  `json:"appId"`
	Account string `json:"account"`
	// Repositories are full or short names; empty means all, also later ones.
	Repositories []string `json:"repositories,omitempty"`
	// Permissions override those of the app, as for an installation that has not accepted newer ones.
	Permissions map[string]string `json:"permissions,omitempty"`
}

// Installation is an app on an account.
type Installation struct {
	ID      int64  `json:"id"`
	AppID   int64  `json:"appId"`
	Account string `json:"account"`
}

// InstallationUpdate changes an installation.
type InstallationUpdate struct {
	// Suspend suspends (true) or resumes (false).
	Suspend *bool `json:"suspend,omitempty"`
	// Add and Remove change the selected repositories.
	Add    []string `json:"add,omitempty"`
	Remove []string `json:"remove,omitempty"`
	// Permissions replace the granted ones.
	Permissions map[string]string `json:"permissions,omitempty"`
}

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

// RepoUpdate changes a repository.
type RepoUpdate struct {
	// Collaborators: login to role, or "" to remove one. Others stay.
	Collaborators map[string]string `json:"collaborators,omitempty"`
}

// User is a person or organisation. Token is a personal access token that acts as the person; it never expires.
type User struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
	Type  string `json:"type"`
	Token string `json:"token,omitempty"`
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

// CommitSpec makes a commit on a branch and tells the world (push, and pull_request synchronize where one is open).
type CommitSpec struct {
	Branch string `json:"branch"`
	// From is the parent, a branch or object name. Empty: the branch's own tip. Naming an older commit makes a force-push.
	From   string            `json:"from,omitempty"`
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
	// Fork is the login of the account whose fork has the head. Forks share the objects of their network; here the
	// repository itself has the branch, and everything that is shown names the fork.
	Fork string `json:"fork,omitempty"`
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
	RequestBy []string `json:"requestReviewers,omitempty"`
	// Actor is the login that does it; empty means the author.
	Actor string `json:"actor,omitempty"`
}

// CommentSpec writes a comment in the conversation of a pull request as a person.
type CommentSpec struct {
	Author string `json:"author"`
	Body   string `json:"body"`
}

// SuggestionSpec applies the suggestion of an inline comment.
type SuggestionSpec struct {
	// Comment is the id of the inline comment.
	Comment int64 `json:"comment"`
	// Author is the login of who applies it; empty means the repository's owner.
	Author string `json:"author,omitempty"`
}

// RerequestSpec presses "Re-run".
type RerequestSpec struct {
	// CheckRun is the id of a check run that is completed.
	CheckRun int64 `json:"checkRun"`
	// All presses it for all checks of the head: the app gets a check_suite event.
	All bool `json:"all,omitempty"`
	// Actor is the login of who presses it.
	Actor string `json:"actor"`
}

// Seeder is what a seed needs; the server and the client of its control interface both have it.
type Seeder interface {
	CreateUser(ctx context.Context, u UserSpec) (User, error)
	CreateRepo(ctx context.Context, r RepoSpec) (Repo, error)
	Commit(ctx context.Context, fullName string, c CommitSpec) (Commit, error)
	OpenPull(ctx context.Context, fullName string, p PullSpec) (Pull, error)
}
