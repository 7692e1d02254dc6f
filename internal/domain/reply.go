package domain

// ReplyKind is what a comment in the thread of a finding is.
type ReplyKind string

// The kinds of replies.
const (
	ReplyFree    ReplyKind = "reply"   // a reply in a person's own words
	ReplyExplain ReplyKind = "explain" // the command that asks for an explanation
)

// ReplyOutcome is what became of a reply to a finding.
type ReplyOutcome string

// The outcomes of a reply; all but the first are final.
const (
	ReplyWaiting    ReplyOutcome = "waiting"    // its job will read and answer it
	ReplyStands     ReplyOutcome = "stands"     // the code proves the finding, which stays open
	ReplyRight      ReplyOutcome = "right"      // the code disproves the finding, which is dismissed
	ReplyDeclined   ReplyOutcome = "declined"   // the person decided that nothing is done: the finding is dismissed
	ReplyMended     ReplyOutcome = "mended"     // the defect is gone from the head: the finding is resolved
	ReplyNotMended  ReplyOutcome = "not_mended" // the defect is still at the head
	ReplyUndecided  ReplyOutcome = "undecided"  // no code decides it
	ReplyKept       ReplyOutcome = "kept"       // another person must decide about the finding
	ReplyExplained  ReplyOutcome = "explained"  // the answer explains the finding
	ReplyNoted      ReplyOutcome = "noted"      // a rule was proposed from it, and it says nothing else
	ReplyUnanswered ReplyOutcome = "unanswered" // it gets no answer; the reason is stored
)

// DismissalByComment is a person's decision in a comment that a finding needs no action. The caller has just asked the
// host for the person's role, which permits reviewing.
type DismissalByComment struct {
	Finding     string // its id
	Source      SuppressionSource
	Reason      string // one line, for the page of the finding and the audit log
	Comment     HostID // that holds the decision
	AuthorLogin string
	AuthorID    HostID
	PullLogin   string // author of the pull request
	PullAuthor  HostID
}

// DismissalOutcome is what a decision in a comment led to.
type DismissalOutcome string

// The outcomes of a decision in a comment.
const (
	DismissalDone    DismissalOutcome = "done"
	DismissalNotOpen DismissalOutcome = "not_open" // the finding is not open any more
	DismissalBarred  DismissalOutcome = "barred"   // the author of the pull request must not decide about it
)
