package domain

import "slices"

// MaxTickets is the maximum number of tracker issues of a pull request (design choice). MaxCriteria is the
// maximum number of judged acceptance criteria of an issue.
const (
	MaxTickets  = 10
	MaxCriteria = 30
)

// Ticket is a tracker issue of a change, limited to the facts that readers of the review may see. All its
// texts come from outside: they are data, never instructions.
type Ticket struct {
	Link        string // id of the tracker link; "" if it is not stored
	Tracker     ConnectionKind
	Key         string
	URL         string
	Type, State string // in the tracker's words
	Title       string
	Description string // Markdown, truncated by the tracker client
	Criteria    []Criterion
	// KeyOnly means that only the key may be fetched, prompted or shown, because the repository is public
	// or the author is not a member, and no admin allowed more.
	KeyOnly bool
	// Unread is the reason why the issue could not be read, one sentence; "" if it was read.
	Unread string
}

// Criterion is one acceptance criterion.
type Criterion struct {
	ID   string // digest of the ticket's key and the text with single spaces; equal text has an equal id
	Text string // one paragraph of at most 1,000 characters
}

// The verdicts on an acceptance criterion.
const (
	CriterionMet           = "met"            // a quote from the head shows it
	CriterionPartly        = "partly"         // a quote from the head shows a part
	CriterionNotMet        = "not_met"        // searched in the named places and not found
	CriterionUnclear       = "unclear"        // the code cannot show it, or it could not be searched
	CriterionNotApplicable = "not_applicable" // no code of this repository can fulfil it
)

// verdictOrder lists the verdicts, those not met first.
var verdictOrder = []string{CriterionNotMet, CriterionPartly, CriterionUnclear, CriterionMet, CriterionNotApplicable}

// CompareVerdicts orders verdicts, those not met first. It is for slices.SortFunc.
func CompareVerdicts(a, b string) int {
	return slices.Index(verdictOrder, a) - slices.Index(verdictOrder, b)
}

// Place is a place in the head of a change that shows a fact or was searched for one.
type Place struct {
	Path               string // for a search in several files their pattern, "**" for all, without lines
	StartLine, EndLine int
	Note               string // what the quote shows, or what was searched for
}

// CriterionCheck is the verdict on one criterion. Places are quotes from the head for met and partly, and
// the searched places for not_met.
type CriterionCheck struct {
	Ticket    string // key
	Criterion Criterion
	Verdict   string
	Reason    string // one sentence of plain text
	Places    []Place
	Kept      bool // copied from an earlier review, because criterion and evidence did not change
	// Basis identifies the facts that the verdict depends on. The engine writes it and compares it in the
	// next review; the store keeps up to 1,000 characters. "" means that the verdict must not be reused.
	Basis string
}
