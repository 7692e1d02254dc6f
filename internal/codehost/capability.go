package codehost

// Capabilities lists the abilities of a host. Code above the port never asks for the name of a host: the
// publisher chooses its protocol by these fields, texts depend on them, and docs/hosts.md shows them. An
// adapter returns the line of its host in [CapabilitiesOf].
//
// The zero value is a host without any ability: an ability that an adapter does not state is not used.
type Capabilities struct {
	// PrivateDrafts: a draft is visible to its author only, and can be published later by its id.
	PrivateDrafts bool
	// WholeReview: one call creates a review with all its comments as one object. Without it each comment
	// is an object with its own id.
	WholeReview bool
	// AtomicCreate: a create that the host refuses or fails at leaves nothing behind. Without it, an
	// invisible and unmarked part of the review can remain.
	AtomicCreate bool
	// AbsorbsDrafts: a draft made while another draft of the account is open on the pull request becomes a
	// part of the open one.
	AbsorbsDrafts bool
	// OneDraftSlot: the host refuses a second open draft of the account on a pull request, with
	// [ClassSlotTaken].
	OneDraftSlot bool
	// EditReviews: the body of a visible review can be replaced.
	EditReviews bool
	// ResolveThreads: a thread on lines can be closed with the permissions that we request.
	ResolveThreads bool
	// Reactions: thumbs-up and thumbs-down on comments can be read with the people who gave them.
	Reactions bool
	// TellsResolver: [Reader.ClosedThreads] names the accounts that closed threads.
	TellsResolver bool
	// LineThreads: the comments of one review on one line form one thread, which is closed through its
	// first comment. Without it, each of our comments begins its own thread.
	LineThreads bool
	// MultiLine: a comment can cover several lines. Without it, the comment stands on the last line, and
	// its text names the range.
	MultiLine bool
	// HTML: the host renders the few tags in our texts (details, summary, sub). Without it our texts
	// contain no tags, because people would see them as text.
	HTML bool
	// Suggestions is the form of a change that a person applies with a click.
	Suggestions SuggestionForm
	// Marks is the form of the hidden marks by which we find our texts again.
	Marks MarkForm
	// Outcome is the place that shows the outcome of a run on its commit.
	Outcome OutcomeSurface
	// StatusByBranch: the host keeps the outcome by commit and branch, not by commit alone.
	StatusByBranch bool
	// MaxBody and MaxComment are the most characters of a review's body and of an inline comment. 0 means
	// that no bound is known.
	MaxBody, MaxComment int
	// MaxComments is the most inline comments that we put into one review. 0 means no bound.
	MaxComments int

	// Labels, Reviewers: the host lets us set them on a pull request.
	Labels, Reviewers bool
	// Commits: files on a branch can be changed, by API calls or with git.
	Commits bool
	// ExactHead: the host refuses such a commit if the branch has moved. Without it, the adapter compares
	// the head before the commit, and a push of other files after that look becomes the parent of the
	// commit.
	ExactHead bool
	// JobLogs: logs of jobs of the host's own CI can be read.
	JobLogs bool
	// Redelivery says how a delivery that we did not take is sent again.
	Redelivery Redelivery
	// Replay says whether a repeated delivery keeps its id.
	Replay Replay
	// NewRepositories says how we learn about new repositories.
	NewRepositories NewRepositories
	// TellsScopes: the host lists the scopes of a token.
	TellsScopes bool
	// LineLinks is the end of the URL for lines 10 to 20 of a file, as [Reader.FileURL] makes it.
	LineLinks string
}

// SuggestionForm is the notation of a change that a person applies with a click.
type SuggestionForm string

// The suggestion forms.
const (
	SuggestNone  SuggestionForm = ""      // no button: the change is shown as a diff
	SuggestFence SuggestionForm = "fence" // a fence "suggestion" replaces the lines of its comment
	SuggestRange SuggestionForm = "range" // a fence "suggestion:-X+Y" replaces the lines from X above to Y below the comment's line
)

// MarkForm is the way in which a text hides a mark.
type MarkForm string

// The forms of marks.
const (
	MarkComment   MarkForm = "comment"   // an HTML comment
	MarkReference MarkForm = "reference" // a link definition without any reference to it
	MarkProperty  MarkForm = "property"  // a link definition that the adapter keeps in a property beside the text
)

// OutcomeSurface is the place that shows the outcome of a run.
type OutcomeSurface string

// The surfaces for outcomes.
const (
	OutcomeNone   OutcomeSurface = ""
	OutcomeCheck  OutcomeSurface = "check run"     // title, text, and a button that starts the run again
	OutcomeStatus OutcomeSurface = "commit status" // a state and one line
	OutcomeReport OutcomeSurface = "report"        // a report with annotations, beside a build status
)

// Redelivery says how a failed delivery is sent again.
type Redelivery string

// The ways of redelivery.
const (
	RedeliverUnknown Redelivery = "not known"
	RedeliverNever   Redelivery = "never"      // only a person can resend it, in the host's pages
	RedeliverRequest Redelivery = "on request" // an API call requests it
	RedeliverItself  Redelivery = "by itself"  // the host tries again
)

// Replay says which id a repeated delivery has.
type Replay string

// The ids of repeated deliveries.
const (
	ReplayUnknown Replay = "not known"
	ReplaySame    Replay = "the same id"
	ReplayNew     Replay = "a new id"
)

// Protocol is a way to make exactly one visible review of a finished run. Package publish implements all
// protocols.
type Protocol string

// The protocols, from the strongest promise to the weakest.
const (
	// ProtocolDraft makes one draft, which exists completely or not at all, and submits it by its id.
	ProtocolDraft Protocol = "draft"
	// ProtocolDirect makes a review with all its comments visible by one write. Before a repetition it
	// waits and looks for the mark of the review. It deletes a duplicate that the host makes later.
	ProtocolDirect Protocol = "direct"
	// ProtocolNotes makes a draft for each comment and publishes each one by its id.
	ProtocolNotes Protocol = "notes"
	// ProtocolMarked makes each comment visible at once, the summary last. Before a repetition it waits and
	// looks for the mark of the text; a duplicate is visible until we find and delete it.
	ProtocolMarked Protocol = "marked"
)

// Protocol returns the strongest protocol that the capabilities allow.
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
