// Package codehost is the port to code hosts: it defines how the service reads from a host and publishes to
// it.
//
// Each host is a leaf folder below this one (github, …) that implements [Reader] and [Publisher].
// codehosttest is the suite that every implementation passes. An ability that some hosts lack is a small
// interface with its own capability ([Committer], [Labeler], [Assigner], [CI]). This package holds only
// types that more than one host can fill, and no wire formats.
//
// # Contract of every implementation
//
// Methods are safe for concurrent use. Every request passes the [Gate] that the implementation was given,
// so a call may wait. If the gate would have to hold a worker too long, the call returns a [*Error] of
// class [ClassLimited] with RetryAfter. An implementation never retries reads or writes. Lists return every
// page. A write whose answer was lost returns [ClassAmbiguous]: the host may have applied it, may apply it
// later, or may never apply it, so the caller looks before it writes again.
package codehost

import (
	"context"
	"regexp"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// Repo names a repository on a host, and the access that reaches it.
type Repo struct {
	Access      domain.HostID // the host's id of our access: on GitHub the installation's id, elsewhere our id of the connection
	ExternalID  domain.HostID // the host's id of the repository, which survives renames
	Owner, Name string
}

// FullName returns "owner/name".
func (r Repo) FullName() string { return r.Owner + "/" + r.Name }

// commitForm matches the id of a git object in SHA-1 or SHA-256.
var commitForm = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// IsCommit reports whether a text is a full commit id.
func IsCommit(s string) bool { return commitForm.MatchString(s) }

// PullRequest is the present state of a pull request on the host. Title, Body, Labels and login names are
// text from outside.
type PullRequest struct {
	Number       int
	Title, Body  string
	URL          string
	Author       string
	AuthorID     domain.HostID
	AuthorIsBot  bool
	Association  string // the host's word for the author's relation to the repository, e.g. MEMBER
	Open, Merged bool
	Draft        bool
	FromFork     bool // the head is not a branch of the repository
	Branchless   bool // the head is not a branch of a fork either: only its author pushes to it, without a right to write
	HeadSHA      string
	HeadRef      string
	BaseSHA      string // a commit of the base; after a merge, one from before it, so that comparing it with the head gives the change
	BaseRef      string
	Labels       []string
	CreatedAt    time.Time // zero if the host does not report it
	UpdatedAt    time.Time
	ChangedFiles int
	Additions    int
	Deletions    int

	MergedAt    time.Time // zero unless merged
	MergeCommit string    // the merge commit, the squashed commit, or the last commit of a rebase; "" unless merged
}

// AssociationOwner is the value of [PullRequest.Association] for the account that owns the repository. It
// is the only value that proves a right to write.
const AssociationOwner = "OWNER"

// ChangedFile is one entry of the host's list of changed files.
type ChangedFile struct {
	Path, OldPath        string
	Status               string // added, modified, removed, renamed, copied, changed, unchanged
	Additions, Deletions int
	Patch                string // "" if the host leaves it out (binary or too large)
}

// Comparison is the relation of two commits.
type Comparison struct {
	MergeBase string
	AheadBy   int
	BehindBy  int
}

// CloneAccess lets git fetch a repository. Token is short-lived, varies in length and must not be logged.
type CloneAccess struct {
	URL      string // https, without credentials
	Username string
	Bearer   bool // git sends the token as a bearer, without the user name
	Token    interface{ Reveal() string }
	Budget   string // key of the [Gate] slot that a fetch takes
}

// Reader reads from a host. Model stages of the engine never get a Reader.
type Reader interface {
	// PullRequest returns the present state of the pull request.
	PullRequest(ctx context.Context, repo Repo, number int) (PullRequest, error)
	// Files returns the changed files. complete is false if the host has more files than it lists.
	Files(ctx context.Context, repo Repo, number int) (files []ChangedFile, complete bool, err error)
	// Diff returns the unified diff. Hosts refuse very large ones with [ClassTooLarge].
	Diff(ctx context.Context, repo Repo, number int) ([]byte, error)
	// Compare relates two commits by their merge base, as a three-dot diff does.
	Compare(ctx context.Context, repo Repo, base, head string) (Comparison, error)
	// Content returns the bytes of a file at a commit.
	Content(ctx context.Context, repo Repo, path, sha string) ([]byte, error)
	// Clone returns access for git, valid for minutes.
	Clone(ctx context.Context, repo Repo) (CloneAccess, error)
	// Permission returns the person's permission word on the repository: admin,
	// maintain, write, triage, read or none.
	Permission(ctx context.Context, repo Repo, login string) (string, error)
	// Comment reads the comment of an event again by its id. The result has the author, text and place that
	// the host has now. It fails with [ClassNotFound] if the event's pull request has no such comment.
	Comment(ctx context.Context, repo Repo, told EventComment) (EventComment, error)
	// Resolve reads a repository by its id, with its present name and visibility.
	Resolve(ctx context.Context, repo Repo) (RepoInfo, error)
	// Threads lists the threads on lines that are neither resolved nor outdated, newest first, at most
	// [MaxThreads].
	Threads(ctx context.Context, repo Repo, number int) ([]Thread, error)
	// ClosedThreads returns, by the ids of our inline comments on the reviews, who closed their threads. It
	// leaves out threads that our own account closed, and, if the host tells, those whose lines a push changed:
	// hosts close them by themselves, or because their suggestion was applied. Only hosts with
	// [Capabilities.TellsResolver] return any.
	ClosedThreads(ctx context.Context, repo Repo, number int, reviews []domain.HostID) (map[domain.HostID]Sender, error)
	// FileURL returns the URL of a file's page at a commit and at the lines first to last (0: no lines). It
	// sends no request.
	FileURL(repo Repo, sha, path string, first, last int) string
	// OpenPullRequests lists the open pull requests without their Body, for the state sweeper. BaseSHA is
	// empty if the host's list has no base commits. It fails with [ClassTooLarge] above [MaxOpen].
	OpenPullRequests(ctx context.Context, repo Repo) ([]PullRequest, error)
	// MergedPullRequests lists the most recently merged pull requests, newest first. most is between 1 and
	// [MaxMerged]. It looks through the [MaxClosed] closed pull requests with the latest changes, and
	// leaves out drafts and those closed without a merge. Lists may lack ChangedFiles, Additions and
	// Deletions.
	MergedPullRequests(ctx context.Context, repo Repo, most int) ([]PullRequest, error)
}

// ReviewState is the state of a review object on the host.
type ReviewState string

// The states of a review object.
const (
	ReviewPending   ReviewState = "PENDING"   // a draft that only its author sees
	ReviewSubmitted ReviewState = "SUBMITTED" // visible, under any name that the host uses
)

// Review is a review object on the host.
type Review struct {
	ID     domain.HostID
	State  ReviewState
	Body   string
	Commit string
	URL    string
	Mine   bool // written by the account that we publish as
}

// DraftComment is an inline comment of a draft review. StartLine is 0 for a comment on one line. Otherwise
// StartLine < Line, and both lines are in one hunk.
type DraftComment struct {
	Path            string `json:"path"`
	Side            string `json:"side"` // LEFT or RIGHT
	StartLine, Line int
	Body            markdown.Text `json:"body"`
}

// Draft is the frozen content of a review.
type Draft struct {
	Commit   string
	Body     markdown.Text
	Comments []DraftComment
}

// Comment is an inline comment on the host, or a comment of the conversation if Path is empty.
type Comment struct {
	ID     domain.HostID
	Path   string
	Side   string // LEFT or RIGHT
	Line   int
	Body   string
	URL    string
	Mine   bool
	Open   bool          // in a thread that can be closed and is open, as far as the host reports it
	Review domain.HostID // the comment's review, "" without one
	// Answered: another comment follows in its thread. Only [MarkedNotes] fills it.
	Answered bool
}

// SamePlace reports whether two inline comments are on one line, and so in one thread on hosts with line
// threads.
func (c Comment) SamePlace(o Comment) bool {
	return c.Path == o.Path && c.Side == o.Side && c.Line == o.Line
}

// MaxThreads is the most open threads that [Reader.Threads] returns.
const MaxThreads = 200

// maxThreadBody is the most bytes kept of a thread's first comment. It is the longest comment on GitHub.
const maxThreadBody = 64 << 10

// Bounded returns the thread with its comment cut. It returns false if the path or the author's name is
// longer than [MaxPath].
func (t Thread) Bounded() (Thread, bool) {
	t.Body = clip.Bytes(t.Body, maxThreadBody)
	return t, len(t.Path) <= MaxPath && len(t.Author) <= MaxPath
}

// MaxOpen is the most open pull requests of a repository that are listed.
const MaxOpen = 10_000

// Thread is an open thread on lines of a pull request, with its first comment. Body and Author are text
// from outside.
type Thread struct {
	Path            string
	Side            string // LEFT or RIGHT
	StartLine, Line int    // first and last line in the present diff
	Author          string // login, without the suffix that the host adds for apps
	Bot             bool   // written by an app, not by a person
	Mine            bool   // written by the account that we publish as
	Body            string
}

// Spot is a place for talk on a pull request: its conversation, or the thread of an inline comment.
type Spot struct {
	Number int
	Thread domain.HostID // the first comment of the thread; "" for the conversation
}

// Check is a check run or commit status that shows the outcome of a run.
type Check struct {
	ExternalID string // the run's id, which identifies the check run together with Name and HeadSHA
	Name       string
	Number     int // number of the pull request, 0 if it is unknown
	HeadSHA    string
	Status     string // queued, in_progress, completed
	Conclusion string // success, failure, neutral, cancelled, skipped, action_required; "" unless completed
	Unread     bool   // it ended without a review of the head: hosts that can do so avoid a sign of success
	Title      markdown.Text
	Summary    markdown.Text // at most 65,535 characters on GitHub
	DetailsURL string        // "" if there is no page
}

// ListLag is how long a host's list may lack a new object. GitHub took up to 40 s (octokit/octokit.rb#728).
const ListLag = time.Minute

// Publisher writes to a host. It runs no model and makes no decisions. [DirectReviewer] makes reviews on
// hosts without private drafts. [NoteByNote] and [MarkedNotes] make them on hosts without review objects,
// and define the meaning of the review methods there.
type Publisher interface {
	Capabilities() Capabilities
	// Spare reports whether the write budget has room for an optional write to the repository. It asks the
	// gate, not the host.
	Spare(ctx context.Context, repo Repo) (bool, error)
	// CreateDraft makes a pending review. If creates are atomic ([Capabilities]), it makes all comments or
	// nothing. It fails with [ClassSlotTaken], [ClassInvalid] (a comment's line), or [ClassAmbiguous], also
	// for a 5xx answer.
	CreateDraft(ctx context.Context, repo Repo, number int, draft Draft) (Review, error)
	// Reviews lists all reviews that we can see, including our drafts.
	Reviews(ctx context.Context, repo Repo, number int) ([]Review, error)
	// Review reads one review by id. It fails with [ClassNotFound] if the review is gone.
	Review(ctx context.Context, repo Repo, number int, id domain.HostID) (Review, error)
	// SubmitDraft publishes the draft as a comment review.
	SubmitDraft(ctx context.Context, repo Repo, number int, id domain.HostID, body markdown.Text) (Review, error)
	// DeleteDraft deletes a draft. A missing draft is not an error. It never deletes a visible review: it
	// returns [ClassInvalid].
	DeleteDraft(ctx context.Context, repo Repo, number int, id domain.HostID) error
	// EditReview replaces the body of a review that we submitted.
	EditReview(ctx context.Context, repo Repo, number int, id domain.HostID, body markdown.Text) error
	// ReviewComments lists the inline comments of a review.
	ReviewComments(ctx context.Context, repo Repo, number int, review domain.HostID) ([]Comment, error)
	// EditComment replaces the body of one of our inline comments.
	EditComment(ctx context.Context, repo Repo, id domain.HostID, body markdown.Text) error
	// Reply answers a command with a comment at the place of the command.
	Reply(ctx context.Context, repo Repo, at Spot, body markdown.Text) (Comment, error)
	// Replies lists the comments of a spot written since a time, and perhaps slightly older ones. The list
	// may lag behind writes.
	Replies(ctx context.Context, repo Repo, at Spot, since time.Time) ([]Comment, error)
	// EditReply replaces the body of one of our comments at a spot. Callers may repeat it. It fails with [ClassNotFound] if the
	// comment is gone.
	EditReply(ctx context.Context, repo Repo, at Spot, id domain.HostID, body markdown.Text) error
	// CreateCheck makes a check run and returns its id on the host. A second call makes a second check run,
	// because it does not look for an existing one.
	CreateCheck(ctx context.Context, repo Repo, check Check) (id string, err error)
	// UpdateCheck changes the check run with that id. Callers may repeat it.
	UpdateCheck(ctx context.Context, repo Repo, id string, check Check) error
	// FindChecks lists the ids of our check runs with check's name, head and external id, newest first.
	// Hosts show the newest one. The list may lag behind writes.
	FindChecks(ctx context.Context, repo Repo, check Check) (ids []string, err error)
}

// Host is a code host with read and write access.
type Host interface {
	Reader
	Publisher
}
