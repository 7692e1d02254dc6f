// Package page renders the pages of simulated hosts for people from plain view models: templates, style sheet,
// Markdown, suggestion blocks and light syntax colours. All text of users is data: html/template escapes it,
// and rendered Markdown passes a sanitizer. The pages work without scripts. The package reads no state and no
// repository.
package page

import (
	"html/template"
	"time"
)

// User is an account as pages show it.
type User struct {
	Login string
	// Name replaces the login on hosts that show names; it may be empty.
	Name string
	ID   int64
	Bot  bool
}

// Repo is the repository of a page.
type Repo struct {
	Owner, Name, Description, DefaultBranch string
	Private                                 bool
	OpenPulls                               int
}

// Path returns the address of the repository's page, below the root of the pages.
func (r Repo) Path() string { return "/" + r.Owner + "/" + r.Name }

// Head is the part that every page has.
type Head struct {
	Title string
	Repo  *Repo
	// Tab is "code" or "pulls".
	Tab string
}

// Index is the list of repositories.
type Index struct {
	Head
	// Account is set on the page of one account.
	Account string
	Repos   []Repo
}

// Entry is a file or folder.
type Entry struct {
	Name, Link string
	Dir        bool
	Size       int
}

// Crumb is a part of a path with its address.
type Crumb struct{ Name, Link string }

// Tree is a folder with, at the root, the rendered README and the open pull requests.
type Tree struct {
	Head
	Ref        string
	Crumbs     []Crumb
	Entries    []Entry
	LastCommit *Commit
	Readme     template.HTML
	Pulls      []PullRow
}

// Blob is a file.
type Blob struct {
	Head
	Ref     string
	Crumbs  []Crumb
	Size    int
	Binary  bool
	RawLink string
	Lines   []DiffLine
}

// Commit is a commit in a list.
type Commit struct {
	SHA, Subject, Author, Link string
	At                         time.Time
}

// Short returns the abbreviated object name.
func (c Commit) Short() string { return c.SHA[:min(7, len(c.SHA))] }

// Label is a coloured label; Color is six hexadecimal digits.
type Label struct{ Name, Color string }

// PullRow is a pull request in a list.
type PullRow struct {
	Number       int
	Title, State string
	Author       User
	Labels       []Label
	Opened       time.Time
	Reviews      int
	Link         string
	Check        string
}

// PullList is the list of pull requests of a repository.
type PullList struct {
	Head
	Open, Closed []PullRow
}

// Part is a piece of a comment: rendered Markdown or a suggestion.
type Part struct {
	HTML       template.HTML
	Suggestion *Suggestion
}

// Suggestion is a proposed change: the lines it would replace and the new ones.
type Suggestion struct{ Old, New []DiffLine }

// Reaction is a reaction with its count.
type Reaction struct {
	Emoji string
	Count int
}

// Comment is a comment of any kind.
type Comment struct {
	Anchor      string
	User        User
	Association string
	At          time.Time
	Edited      bool
	Body        []Part
	Reactions   []Reaction
}

// Token is a piece of a line of code; Class is "", "k" (keyword), "s" (string), "c" (comment) or "n" (number).
type Token struct{ Class, Text string }

// DiffLine is a line of a diff or of a file.
type DiffLine struct {
	// Kind is "ctx", "add", "del", "hunk" or "note".
	Kind     string
	Old, New int
	Tokens   []Token
	Threads  []Thread
	// Marked lines are in the range of a thread that is shown below.
	Marked bool
}

// Mark returns the sign before the line.
func (l DiffLine) Mark() string {
	switch l.Kind {
	case "add":
		return "+"
	case "del":
		return "-"
	}
	return " "
}

// Thread is a conversation on a line or range.
type Thread struct {
	First           int64 // id of its first comment
	Path            string
	Line, StartLine int
	Outdated        bool
	ResolvedBy      string
	Link            string
	Excerpt         []DiffLine
	Comments        []Comment
	// Applies is the id of the comment whose suggestion a person can apply; 0 if none can.
	Applies int64
	// As is the login that the form of the thread proposes.
	As string
}

// Where describes the lines of a thread.
func (t Thread) Where() string { return where(t.StartLine, t.Line) }

// FileDiff is a changed file.
type FileDiff struct {
	Path, OldPath, Status, Anchor string
	Additions, Deletions          int
	Binary, TooLarge              bool
	Lines                         []DiffLine
	// Threads are those on the file as a whole and those whose lines are gone.
	Threads []Thread
}

// Review is a submitted review in the conversation.
type Review struct {
	Anchor  string
	User    User
	State   string
	At      time.Time
	Edited  bool
	SHA     string
	Body    []Part
	Threads []Thread
}

// Event is a line of the conversation.
type Event struct {
	User User
	Text string
	SHA  string
	At   time.Time
}

// Item is one entry of the conversation; exactly one field is set.
type Item struct {
	Comment *Comment
	Review  *Review
	// Thread is a thread outside of reviews.
	Thread *Thread
	Event  *Event
}

// Check is a check run or commit status. State is "success", "failure", "neutral" or "pending".
type Check struct {
	Name, App, State, Word, Title, Link string
	Summary                             []Part
	Annotations                         int
}

// Pull is a pull request; the page decides which lists are filled.
type Pull struct {
	Head
	Number, Commits, Files, Comments int
	Additions, Deletions             int
	TitleText, State                 string
	Author                           User
	Base, Branch, HeadSHA            string
	View                             string // conversation, files, commits
	Labels                           []Label
	Reviewers                        []Reviewer
	Items                            []Item
	Checks                           []Check
	Diffs                            []FileDiff
	CommitList                       []Commit
	// Prepared is the message of the sample's next commit; empty without one. Unmet explains why the pull request
	// cannot be merged; empty if it can.
	Prepared, Unmet string
}

// IsOpen reports whether people can push to it and merge it.
func (p Pull) IsOpen() bool { return p.State == "Open" || p.State == "Draft" }

// Refused explains why a form changed nothing. Back is the address of the page with the form.
type Refused struct {
	Head
	Why, Back string
}

// Reviewer is an account that reviewed or was asked to, with the word for the state of its latest review.
type Reviewer struct {
	User  User
	State string
}

// CommitPage is a single commit.
type CommitPage struct {
	Head
	Commit  Commit
	Message string
	Diffs   []FileDiff
}

// Run is the page of a check run.
type Run struct {
	Head
	Check    Check
	External string
	SHA      string
	Text     []Part
	Notes    []Annotation
}

// Annotation is a note of a check run on a line.
type Annotation struct{ Path, Lines, Level, Message string }

// Missing is the page for addresses that do not exist.
type Missing struct{ Head }
