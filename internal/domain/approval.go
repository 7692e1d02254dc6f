package domain

import "slices"

// ApprovalState is a state of an output that waits, or waited, for a person's
// decision.
type ApprovalState string

// The states of an output that a person decides on.
const (
	ApprovalPending   ApprovalState = "pending"
	ApprovalApproved  ApprovalState = "approved"  // it is published, or on its way; the run says which
	ApprovalPublished ApprovalState = "published" // it is known to be on the host
	ApprovalRejected  ApprovalState = "rejected"
	ApprovalExpired   ApprovalState = "expired" // its run ended before anybody decided
)

// approvalMoves lists the legal transitions. An approved output whose publication
// comes to nothing stays approved: that was decided, and the run says what became
// of it.
var approvalMoves = map[ApprovalState][]ApprovalState{
	ApprovalPending:  {ApprovalApproved, ApprovalRejected, ApprovalExpired},
	ApprovalApproved: {ApprovalPublished},
}

// ApprovalMayMove reports whether an output may go from one state to the other.
func ApprovalMayMove(from, to ApprovalState) bool { return slices.Contains(approvalMoves[from], to) }

// Terminal reports whether nothing follows the state.
func (s ApprovalState) Terminal() bool { return len(approvalMoves[s]) == 0 }

// The ways in which a decision comes in.
const (
	ByInterface = "interface"
	ByPage      = "page"
	ByComment   = "comment"
	ByNobody    = "service" // it expired: nobody has decided
)

// ApprovalDigits is how many digits of a digest name an output in a comment, at
// least: 48 bits, which nobody meets by chance among the few outputs of a pull request.
const ApprovalDigits = 12

// approvalHours are how long an output waits: the default of the policy, and its
// bounds (design choice: three days span a weekend; a month outlives every head).
const (
	approvalHours    = 72
	MinApprovalHours = 1
	MaxApprovalHours = 720
)

// ApprovalChanges are what a person changes of an output before it is published.
type ApprovalChanges struct {
	Drop []string       `json:"drop,omitempty"` // ids of findings that are left out
	Edit []FindingWords `json:"edit,omitempty"`
}

// None reports whether nothing is changed.
func (c ApprovalChanges) None() bool { return len(c.Drop)+len(c.Edit) == 0 }

// FindingWords replace words of one finding; nil leaves them.
type FindingWords struct {
	FindingID   string  `json:"findingId"`
	Title       *string `json:"title,omitempty"`
	Explanation *string `json:"explanation,omitempty"`
}

// ApprovalByComment is a decision that somebody asks for in a comment.
type ApprovalByComment struct {
	PullRequest string // our id of it
	To          ApprovalState
	Digits      string // of the digest, in small letters; "" where the comment has none
	Note        string // text from outside
	Comment     HostID // in which it stands; a decision that the same comment has made before is no mistake

	AuthorLogin string // who wrote the comment, as the host names them
	AuthorID    HostID
	PullAuthor  HostID // of the pull request, as the host says now; "" where it does not
	PullLogin   string
}

// Resolution is a conversation about a finding that a person resolved on the code host.
type Resolution struct {
	Finding string // our id of it
	Login   string // who resolved it, as the host names them; text from outside
	Person  HostID
}

// What became of a decision in a comment.
const (
	ApprovalDone     = "done"     // it is decided
	ApprovalOther    = "other"    // something else waits, or the digits are too few
	ApprovalNothing  = "nothing"  // nothing of the pull request waits
	ApprovalOfAuthor = "ofAuthor" // the author may not decide
)

// ApprovalAnswer is what is said to a decision in a comment.
type ApprovalAnswer struct {
	Outcome string // one of the words above
	Run     string // that waits, or was decided; "" where nothing waits
	Digits  string // of what waits now, where Outcome is [ApprovalOther]
}

// Rendered is an output that was made again of what is kept of it.
type Rendered struct {
	Body, Digest string
	Changes      ApprovalChanges // with the words as they are published
}
