package domain

// MaxTickets is how many issues of trackers belong to a pull request at most (design
// choice); MaxCriteria how many acceptance criteria of an issue are judged.
const (
	MaxTickets  = 10
	MaxCriteria = 30
)

// Ticket is an issue of a tracker that a change belongs to, as far as it may be known
// to whoever reads the review. All its texts come from outside: data, never
// instruction.
type Ticket struct {
	Link        string // id of the tracker link; "" where nobody stored one
	Tracker     ConnectionKind
	Key         string
	URL         string
	Type, State string // in the tracker's words
	Title       string
	Description string // Markdown, bounded by the port of trackers
	Criteria    []Criterion
	// KeyOnly says that nothing but the key may be fetched, prompted or shown: the
	// repository is public, or the author is a stranger, and no admin allowed it.
	KeyOnly bool
	// Unread says in one sentence why the issue could not be read; "" where it was.
	Unread string
}

// Criterion is one acceptance criterion.
type Criterion struct {
	ID   string // digest of the ticket's key and the text with its spaces made one; equal text, equal id
	Text string // one paragraph of at most 1,000 characters
}

// The verdicts about an acceptance criterion.
const (
	CriterionMet           = "met"            // a quote that stands in the head says so
	CriterionPartly        = "partly"         // a part is done, by a quote that stands in the head
	CriterionNotMet        = "not_met"        // looked for in the named places and not found
	CriterionUnclear       = "unclear"        // the code cannot say, or nobody could look
	CriterionNotApplicable = "not_applicable" // it is about something that no code of this repository does
)

// Place is where something stands in the head of a change, or was looked for there.
type Place struct {
	Path               string // for a search through several files their pattern, "**" for all, and no lines
	StartLine, EndLine int
	Note               string // for a quote what it shows; for a searched place what was looked for
}

// CriterionCheck is a verdict about one criterion. For met and partly Places are quotes
// that stand in the head; for not_met the places that were searched.
type CriterionCheck struct {
	Ticket    string // key
	Criterion Criterion
	Verdict   string
	Reason    string // one sentence of plain text
	Places    []Place
	Kept      bool // the verdict is the one of an earlier review: criterion and evidence did not change
	// Basis names what the verdict rests on. The engine writes it, and compares it in the
	// next review; whoever stores checks keeps it, at most 1,000 characters. "": nothing
	// is kept of the verdict.
	Basis string
}
