package domain

import "slices"

// ApprovalState is the state of an output that needs a person's decision.
type ApprovalState string

// The states of an output that needs a person's decision.
const (
	ApprovalPending   ApprovalState = "pending"
	ApprovalApproved  ApprovalState = "approved"  // it is published or will be; the run has the details
	ApprovalPublished ApprovalState = "published" // it is known to be on the host
	ApprovalRejected  ApprovalState = "rejected"
	ApprovalExpired   ApprovalState = "expired" // its run ended before a decision
)

// approvalMoves lists the legal transitions. An approved output whose publication fails stays approved,
// because the decision stands; the run records the failure.
var approvalMoves = map[ApprovalState][]ApprovalState{
	ApprovalPending:  {ApprovalApproved, ApprovalRejected, ApprovalExpired},
	ApprovalApproved: {ApprovalPublished},
}

// ApprovalMayMove reports whether an output can move from one state to the other.
func ApprovalMayMove(from, to ApprovalState) bool { return slices.Contains(approvalMoves[from], to) }

// Terminal reports whether the state is final.
func (s ApprovalState) Terminal() bool { return len(approvalMoves[s]) == 0 }

// The ways in which a decision is made.
const (
	ByInterface = "interface"
	ByPage      = "page"
	ByComment   = "comment"
	ByExpiry    = "service" // it expired without a decision
)

// ApprovalDigits is the minimum number of hexadecimal digits of a digest that name an output in a comment:
// 48 bits, too many for a chance collision among the few outputs of a pull request.
const ApprovalDigits = 12

// approvalHours is the policy's default for how long an output waits, with its bounds (design choice: three
// days span a weekend; a month outlives every head).
const (
	approvalHours    = 72
	MinApprovalHours = 1
	MaxApprovalHours = 720
)

// ApprovalChanges holds a person's changes to an output before publication.
type ApprovalChanges struct {
	Drop []string       `json:"drop,omitempty"` // ids of removed findings
	Edit []FindingWords `json:"edit,omitempty"`
}

// None reports whether there are no changes.
func (c ApprovalChanges) None() bool { return len(c.Drop)+len(c.Edit) == 0 }

// FindingWords replaces texts of one finding; nil keeps a text.
type FindingWords struct {
	FindingID   string  `json:"findingId"`
	Title       *string `json:"title,omitempty"`
	Explanation *string `json:"explanation,omitempty"`
}

// ApprovalByComment is a decision requested in a comment.
type ApprovalByComment struct {
	PullRequest string // our id of the pull request
	To          ApprovalState
	Digits      string // of the digest, in lower case; "" if the comment has no digits
	Note        string // text from outside
	Comment     HostID // the comment's id; repeating a decision for the same comment is not an error

	AuthorLogin string // the comment's author, as the host names them
	AuthorID    HostID
	PullAuthor  HostID // the pull request's current author on the host; "" if unknown
	PullLogin   string
}

// Resolution is a conversation about a finding that a person resolved on the code host.
type Resolution struct {
	Finding string // our id of the finding
	Login   string // the person's login on the host; text from outside
	Person  HostID
}

// The outcomes of a decision in a comment.
const (
	ApprovalDone     = "done"     // the decision is made
	ApprovalOther    = "other"    // another output waits, or there are too few digits
	ApprovalNothing  = "nothing"  // no output of the pull request waits
	ApprovalOfAuthor = "ofAuthor" // the author may not decide
)

// ApprovalAnswer is the reply to a decision in a comment.
type ApprovalAnswer struct {
	Outcome string // one of the words above
	Run     string // the waiting or decided run; "" if no output waits
	Digits  string // of the waiting output, if Outcome is [ApprovalOther]
}

// Rendered is an output rendered again from its stored draft.
type Rendered struct {
	Body, Digest string
	Changes      ApprovalChanges // with the published texts
}
