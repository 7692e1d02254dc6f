package codehost

// Capabilities says what a host can do. Nothing above the port asks which host it
// is: the publisher chooses its protocol by these fields, texts are written by them,
// and docs/hosts.md shows them. An adapter returns the line of its host in [Known].
//
// The zero value is a host that can do nothing, so what an adapter does not state it
// does not get.
type Capabilities struct {
	// PrivateDrafts: what is to be published can be prepared so that nobody but its
	// author sees it, and made visible later by the id of what was prepared.
	PrivateDrafts bool
	// WholeReview: a review is one object, made by one call with all its comments. Without it each comment is an object with an id of its own.
	WholeReview bool
	// AtomicCreate: a create that the host refuses, or fails at, leaves nothing behind.
	// Without it a part of a review may be left, unseen and unmarked.
	AtomicCreate bool
	// AbsorbsDrafts: what is prepared while another draft of the account is open on the
	// pull request becomes a part of that one.
	AbsorbsDrafts bool
	// OneDraftSlot: while a draft of the account is open on the pull request, another one
	// is refused, with [ClassSlotTaken].
	OneDraftSlot bool
	// EditReviews: the body of a review that is visible can be replaced.
	EditReviews bool
	// ResolveThreads: a thread on lines can be closed, with the permissions that we ask for.
	ResolveThreads bool
	// TellsResolver: comments say who closed their thread.
	TellsResolver bool
	// LineThreads: the comments of one review on one line are one thread, which is closed
	// where its first comment is. Without it each comment of ours begins a thread of its own.
	LineThreads bool
	// MultiLine: a comment can stand on several lines. Without it, it stands on the last
	// of them, and its text names the range.
	MultiLine bool
	// HTML: the few tags that our texts have (details, summary, sub) are rendered. Without
	// it they would be shown as text, so there are none.
	HTML bool
	// Suggestions is the form of a change that a click applies.
	Suggestions SuggestionForm
	// Marks is the form of the hidden marks by which our texts are found again.
	Marks MarkForm
	// Outcome is where the outcome of a run is shown on its commit.
	Outcome OutcomeSurface
	// StatusByBranch: the outcome is kept by commit and branch, not by commit alone.
	StatusByBranch bool
	// MaxBody and MaxComment are the most characters of a review's body and of an inline
	// comment; 0 is none that is known.
	MaxBody, MaxComment int
	// MaxComments is how many inline comments we let one review have; 0 is none.
	MaxComments int

	// Labels, Reviewers: can be set on a pull request.
	Labels, Reviewers bool
	// Commits: files can be changed on a branch by calls, without git.
	Commits bool
	// ExactHead: such a commit is refused where the branch moved meanwhile. Without it
	// that is looked at before: a push in the moment between, of other files, is built upon.
	ExactHead bool
	// JobLogs: the log of a job of the host's own CI can be read.
	JobLogs bool
	// Redelivery says who has a delivery sent again that we did not take.
	Redelivery Redelivery
	// Replay says whether a delivery that is sent again has the id that it had.
	Replay Replay
	// NewRepositories says how new repositories become known.
	NewRepositories NewRepositories
	// TellsScopes: what a token may do can be asked, without trying.
	TellsScopes bool
	// LineLinks is the end of the address of lines 10 to 20 of a file, as
	// [Reader.FileURL] makes it.
	LineLinks string
}

// SuggestionForm is how a change is written that a click applies.
type SuggestionForm string

// The forms.
const (
	SuggestNone  SuggestionForm = ""      // no button: the change is shown as a diff
	SuggestFence SuggestionForm = "fence" // a fence "suggestion" replaces the lines of its comment
	SuggestRange SuggestionForm = "range" // a fence "suggestion:-X+Y" replaces X lines above the comment's to Y below it
)

// MarkForm is how a mark is hidden in a text.
type MarkForm string

// The forms.
const (
	MarkComment   MarkForm = "comment"   // an HTML comment
	MarkReference MarkForm = "reference" // the definition of a link that nothing refers to
	MarkProperty  MarkForm = "property"  // nothing in the text: the host keeps properties beside it
)

// OutcomeSurface is where the outcome of a run is shown.
type OutcomeSurface string

// The surfaces.
const (
	OutcomeNone   OutcomeSurface = ""
	OutcomeCheck  OutcomeSurface = "check run"     // title, text, and a button that starts the run again
	OutcomeStatus OutcomeSurface = "commit status" // a state and one line
	OutcomeReport OutcomeSurface = "report"        // a report with annotations, beside a build status
)

// Redelivery says who has a delivery sent again.
type Redelivery string

// The ways.
const (
	RedeliverUnknown Redelivery = "not known"
	RedeliverNever   Redelivery = "never"      // only a person can, in the host's pages
	RedeliverRequest Redelivery = "on request" // a call asks for it
	RedeliverItself  Redelivery = "by itself"  // the host tries again
)

// Replay says which id a delivery has that is sent again.
type Replay string

// The ids.
const (
	ReplayUnknown Replay = "not known"
	ReplaySame    Replay = "the same id"
	ReplayNew     Replay = "a new id"
)

// Protocol is a way to make exactly one visible review of a finished run; package
// publish has them.
type Protocol string

// The protocols, from the strongest promise to the weakest.
const (
	// ProtocolDraft: one draft that is there whole or not at all, chosen, submitted by id.
	ProtocolDraft Protocol = "draft"
	// ProtocolDirect: one write makes a review visible with all of its comments. It is looked
	// for by its mark before it is made again, after a wait; a twin that the host makes later
	// is deleted.
	ProtocolDirect Protocol = "direct"
	// ProtocolNotes: a draft per comment, each chosen and made visible by its own id.
	ProtocolNotes Protocol = "notes"
	// ProtocolMarked: nothing can be prepared unseen. What was made is looked for by its
	// mark before it is made again; a second one can be seen until it is found and deleted.
	ProtocolMarked Protocol = "marked"
)

// Protocol returns the strongest protocol that the host can have. It is decided by
// the capabilities alone.
func (c Capabilities) Protocol() Protocol {
	switch {
	case c.WholeReview && c.PrivateDrafts && c.AtomicCreate && !c.AbsorbsDrafts:
		return ProtocolDraft
	case c.WholeReview:
		return ProtocolDirect
	case c.PrivateDrafts:
		return ProtocolNotes
	}
	return ProtocolMarked
}
