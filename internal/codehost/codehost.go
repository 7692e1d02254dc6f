// Package codehost is the port to code hosts: what the service reads from one,
// and how it publishes there.
//
// A host is a leaf folder below this one (github, …) that implements [Reader]
// and [Publisher]; codehosttest is the suite that every implementation passes.
// What not every host can do is a small interface with a capability of its own
// ([Committer], [Labeler], [Assigner], [CI]).
// Only types that more than one host can fill live here; nothing of one host's
// wire format does.
//
// # Contract of every implementation
//
// Methods are safe for concurrent use. Every request passes the [Gate] that
// the implementation was given, so a call may wait; a wait longer than the
// gate is willing to hold a worker for ends in a [*Error] of class
// [ClassLimited] with RetryAfter. Nothing is retried inside: not reads, and
// above all not writes. Lists return every page. A write whose answer was lost
// returns [ClassAmbiguous]: it may have been applied, be applied later, or
// never; the caller looks before it acts.
package codehost

import (
	"context"
	"regexp"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// Repo names a repository on a host, and the access by which it is reached.
type Repo struct {
	Access      domain.HostID // what the host knows our access by: on GitHub the id of the installation, elsewhere our id of the connection
	ExternalID  domain.HostID // the host's id of the repository; survives renames
	Owner, Name string
}

// FullName returns "owner/name".
func (r Repo) FullName() string { return r.Owner + "/" + r.Name }

// commitForm is the id of an object of git, with SHA-1 or SHA-256.
var commitForm = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// IsCommit reports whether a text is a full commit id.
func IsCommit(s string) bool { return commitForm.MatchString(s) }

// PullRequest is what the host says of a pull request now. Title, Body, Labels
// and login names are text from outside.
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
	Branchless   bool // and not one of a fork: its author alone pushes to it, and needs no right to write
	HeadSHA      string
	HeadRef      string
	BaseSHA      string // a commit of the base; of a merged one from before the merge, so that comparing it with the head gives what was merged
	BaseRef      string
	Labels       []string
	CreatedAt    time.Time // zero where the host does not say
	UpdatedAt    time.Time
	ChangedFiles int
	Additions    int
	Deletions    int

	MergedAt    time.Time // zero unless merged
	MergeCommit string    // what the merge made of the base: a merge commit, the one of a squash, or the last one of a rebase; "" unless merged
}

// AssociationOwner is the word of [PullRequest.Association] for the account that
// owns the repository; no other word says that the author may write.
const AssociationOwner = "OWNER"

// ChangedFile is one entry of the host's list of changed files.
type ChangedFile struct {
	Path, OldPath        string
	Status               string // added, modified, removed, renamed, copied, changed, unchanged
	Additions, Deletions int
	Patch                string // "" where the host leaves it out (binary or too large)
}

// Comparison is the relation of two commits.
type Comparison struct {
	MergeBase string
	AheadBy   int
	BehindBy  int
}

// CloneAccess is what git needs to fetch a repository. Token is short-lived and
// must not be logged; it has no fixed length.
type CloneAccess struct {
	URL      string // https, without credentials
	Username string
	Token    interface{ Reveal() string }
	Budget   string // key of the [Gate] whose slot a fetch takes
}

// Reader reads from a host. The model stages of the engine never get one.
type Reader interface {
	// PullRequest returns the pull request as it is now.
	PullRequest(ctx context.Context, repo Repo, number int) (PullRequest, error)
	// Files returns every changed file up to the host's limit; complete is
	// false when the host has more than it lists.
	Files(ctx context.Context, repo Repo, number int) (files []ChangedFile, complete bool, err error)
	// Diff returns the unified diff; a host refuses very large ones (ClassTooLarge).
	Diff(ctx context.Context, repo Repo, number int) ([]byte, error)
	// Compare relates two commits, three-dot.
	Compare(ctx context.Context, repo Repo, base, head string) (Comparison, error)
	// Content returns the bytes of a file at a commit.
	Content(ctx context.Context, repo Repo, path, sha string) ([]byte, error)
	// Clone returns access for git, valid for minutes.
	Clone(ctx context.Context, repo Repo) (CloneAccess, error)
	// Permission returns the person's permission word on the repository: admin,
	// maintain, write, triage, read or none.
	Permission(ctx context.Context, repo Repo, login string) (string, error)
	// Comment reads back, by its id, the comment that an event tells. Author, text and place of
	// the result are what the host has now. [ClassNotFound]: the host has no such comment on the
	// pull request that the event names.
	Comment(ctx context.Context, repo Repo, told EventComment) (EventComment, error)
	// Resolve reads a repository by its id: its name, also after it moved, and who reads it.
	Resolve(ctx context.Context, repo Repo) (RepoInfo, error)
	// Threads lists the threads on lines that are neither resolved nor outdated, the
	// newest first, at most [MaxThreads].
	Threads(ctx context.Context, repo Repo, number int) ([]Thread, error)
	// FileURL is the page of a file at a commit, at the lines first to last (0 for
	// none). It asks nobody.
	FileURL(repo Repo, sha, path string, first, last int) string
	// OpenPullRequests lists the open pull requests without their Body, for the state
	// sweeper. A host whose list tells no commits of the base leaves BaseSHA empty. More
	// than [MaxOpen] are ClassTooLarge.
	OpenPullRequests(ctx context.Context, repo Repo) ([]PullRequest, error)
	// MergedPullRequests lists the pull requests that were merged last, the newest
	// first: at most most of them, which is between 1 and [MaxMerged]. Drafts and those
	// that were closed without a merge are left out, and so is what is not among the
	// [MaxClosed] closed ones that were changed last. Lists may come without ChangedFiles,
	// Additions and Deletions.
	MergedPullRequests(ctx context.Context, repo Repo, most int) ([]PullRequest, error)
}

// ReviewState is the state of a review object on the host.
type ReviewState string

// The states of a review object.
const (
	ReviewPending   ReviewState = "PENDING"   // a draft, only its author sees it
	ReviewSubmitted ReviewState = "SUBMITTED" // visible, whatever the host calls it
)

// Review is a review object on the host.
type Review struct {
	ID     domain.HostID
	State  ReviewState
	Body   string
	Commit string
	URL    string
	Mine   bool // written by the account we publish as
}

// DraftComment is an inline comment of a draft review. StartLine is 0 for a
// comment on one line; otherwise StartLine < Line and both lie in one hunk.
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

// Comment is an inline comment on the host, or with an empty Path one of the
// conversation.
type Comment struct {
	ID     domain.HostID
	Path   string
	Side   string // LEFT or RIGHT
	Line   int
	Body   string
	URL    string
	Mine   bool
	Open   bool          // it begins, or stands in, a thread that can be closed and is not, as far as the host says so
	Review domain.HostID // the review that it belongs to, "" for none

	ResolvedBy Sender // who closed its thread, if it is not our account and the host has [Capabilities.TellsResolver]
}

// SamePlace reports whether two inline comments stand on one line, and so in one thread where the host makes threads of lines.
func (c Comment) SamePlace(o Comment) bool {
	return c.Path == o.Path && c.Side == o.Side && c.Line == o.Line
}

// MaxThreads is the most open threads that [Reader.Threads] returns.
const MaxThreads = 200

// maxThreadBody cuts the first comment of a thread, in bytes: GitHub takes comments of
// that length.
const maxThreadBody = 64 << 10

// Bounded returns the thread with its comment cut, and false for one at a path, or by an
// author, whose name is longer than hosts have them.
func (t Thread) Bounded() (Thread, bool) {
	t.Body = clip.Bytes(t.Body, maxThreadBody)
	return t, len(t.Path) <= MaxPath && len(t.Author) <= MaxPath
}

// MaxOpen is the most open pull requests of a repository that are listed.
const MaxOpen = 10_000

// Thread is an open thread on lines of a pull request, by its first comment. Body and
// Author are text from outside.
type Thread struct {
	Path            string
	Side            string // LEFT or RIGHT
	StartLine, Line int    // first and last line, in the diff as it is now
	Author          string // login; an app's without what the host adds to it
	Bot             bool   // an app wrote it, not a person
	Mine            bool   // written by the account we publish as
	Body            string
}

// Spot is a place of a pull request in which people talk: its conversation, or
// the thread of an inline comment.
type Spot struct {
	Number int
	Thread domain.HostID // the first comment of the thread; "" for the conversation
}

// Check is a check run (or commit status) that says the outcome of a run.
type Check struct {
	ExternalID string // the run's id; with name and head it says which check run is meant
	Name       string
	Number     int // of the pull request, 0 where it is not known
	HeadSHA    string
	Status     string // queued, in_progress, completed
	Conclusion string // success, failure, neutral, cancelled, skipped, action_required; "" unless completed
	Unread     bool   // it ended without a review of the head: a host that can shows no sign of success
	Title      markdown.Text
	Summary    markdown.Text // at most 65,535 characters on GitHub
	DetailsURL string        // "" for none
}

// ListLag is how long a list of a host may not show what was just made: 40 s were
// seen for new objects of GitHub (octokit/octokit.rb#728).
const ListLag = time.Minute

// Publisher writes to a host. It runs no model and decides nothing. Where drafts are not
// private, reviews are made by [DirectReviewer], and where a review is
// no object of the host, by [NoteByNote], which says what the methods
// about reviews are there.
type Publisher interface {
	Capabilities() Capabilities
	// Spare reports whether the budget of writes has room for one to the
	// repository that nobody needs. It asks the gate, not the host.
	Spare(ctx context.Context, repo Repo) (bool, error)
	// CreateDraft makes a pending review, all comments or nothing where the host's
	// creates are atomic ([Capabilities]). Errors: ClassSlotTaken, ClassInvalid (a
	// comment's line), ClassAmbiguous: also an answer of 5xx.
	CreateDraft(ctx context.Context, repo Repo, number int, draft Draft) (Review, error)
	// Reviews lists all reviews that we may see, drafts of ours included.
	Reviews(ctx context.Context, repo Repo, number int) ([]Review, error)
	// Review reads one review by id; ClassNotFound when it is gone.
	Review(ctx context.Context, repo Repo, number int, id domain.HostID) (Review, error)
	// SubmitDraft makes the draft visible as a comment review.
	SubmitDraft(ctx context.Context, repo Repo, number int, id domain.HostID, body markdown.Text) (Review, error)
	// DeleteDraft deletes a draft; one that is gone already is no error. What is
	// visible is never deleted: ClassInvalid.
	DeleteDraft(ctx context.Context, repo Repo, number int, id domain.HostID) error
	// EditReview replaces the body of a submitted review of ours.
	EditReview(ctx context.Context, repo Repo, number int, id domain.HostID, body markdown.Text) error
	// ReviewComments lists the inline comments of a review.
	ReviewComments(ctx context.Context, repo Repo, number int, review domain.HostID) ([]Comment, error)
	// EditComment replaces the body of an inline comment of ours.
	EditComment(ctx context.Context, repo Repo, id domain.HostID, body markdown.Text) error
	// Reply writes a comment where a person wrote one, to answer a command.
	Reply(ctx context.Context, repo Repo, at Spot, body markdown.Text) (Comment, error)
	// Replies lists the comments of a spot that were written since a time, or a
	// little before it. A list may lag behind what was written.
	Replies(ctx context.Context, repo Repo, at Spot, since time.Time) ([]Comment, error)
	// CreateCheck makes a check run and returns its id on the host. It never
	// looks for one: a second call makes a second one.
	CreateCheck(ctx context.Context, repo Repo, check Check) (id string, err error)
	// UpdateCheck changes the check run with that id; it may be repeated.
	UpdateCheck(ctx context.Context, repo Repo, id string, check Check) error
	// FindChecks lists the ids of our check runs with the name, head and external
	// id of check, the newest first: that is the one which a host shows. A list
	// may lag behind what was made.
	FindChecks(ctx context.Context, repo Repo, check Check) (ids []string, err error)
}

// Host is a code host that can be read and published to.
type Host interface {
	Reader
	Publisher
}
