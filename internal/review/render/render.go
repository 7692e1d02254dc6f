// Package render turns the result of a review into the frozen text that is published: the body of a review,
// its inline comments and a check run, in the Markdown of its host.
//
// Rendering is a pure function. Every text from a model, a tool or a pull request passes the sanitiser
// (package markdown), and every outgoing text passes the caller's secret scan. The words around the model's
// are in the policy's language (package wording). The capabilities of a host alone decide what it can show.
// Sending and marks do not live here.
package render

import (
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/wording"
)

// Run describes the run in the text.
type Run struct {
	ID           string
	HeadSHA      string
	PreviousHead string // head of the last reviewed run, "" for the first
	Round        int    // 1 for the first review of the pull request; 0 if unknown
}

// Input is everything that the text depends on.
type Input struct {
	Result engine.Result
	Run    Run
	First  bool // the first review of the pull request: its body holds the summary
	Mode   domain.PublishMode
	Policy domain.Policy
	// LinkFor returns the URL of lines of a file at the head on the same host; nil means no links. The URL
	// must not contain text that an author chose.
	LinkFor func(path string, start, end int) string
	// BaseLink returns the URL of a file at the base, under the same rules as LinkFor; nil means no links.
	BaseLink func(path string) string
	// Redact replaces secrets in a text by placeholders. It is applied to every string before and after
	// escaping; nil means the result's own.
	Redact func(text string) string
	// Host describes the capabilities of the host; the zero value is GitHub.
	Host        codehost.Capabilities
	DetailsURL  string // page of the run in the console, or ""
	FindingsURL string // address to which the id of a finding is added to get its page, or ""
	MaxBody     int    // characters of a body or comment; 0 means the host's bounds
	MaxComments int    // inline comments, at most as many as the host allows; the rest goes to the summary. 0 means 30
}

// Comment is an inline comment.
type Comment struct {
	Path        string        `json:"path"`
	Side        domain.Side   `json:"side"`
	StartLine   int           `json:"startLine,omitempty"` // 0 for a comment on one line
	Line        int           `json:"line"`
	Body        markdown.Text `json:"body"`
	FindingID   string        `json:"findingId"`
	Fingerprint string        `json:"fingerprint"`
}

// Output is the frozen text of one publication.
type Output struct {
	// Body is the text of this run's review. For the first review it is the summary.
	Body markdown.Text `json:"body"`
	// SummaryBody is the whole summary as of this run. A later run replaces the first review's body with
	// it.
	SummaryBody     markdown.Text `json:"summaryBody"`
	Comments        []Comment     `json:"comments"`
	CheckTitle      markdown.Text `json:"checkTitle"`
	CheckSummary    markdown.Text `json:"checkSummary"`
	CheckConclusion string        `json:"checkConclusion"` // success, neutral, failure
	// New reports whether there is a finding that earlier reviews did not have, or no earlier review. In
	// quiet mode a review is published only if it is true.
	New bool `json:"new"`
	// Clean reports whether the review has nothing to say beside its check, see [engine.Result.Clean].
	Clean bool `json:"clean,omitempty"`
	// Pieces is the summary in pieces if it has tickets, else nil.
	Pieces *Pieces `json:"-"`
}

const (
	ourBody         = 65_536                // for hosts without their own bound
	defaultComments = 30                    // inline comments if the policy does not name a number
	checkText       = 65_535 - checkReserve // GitHub REST description: output.summary of a check run
	reserve         = 400                   // for the mark that publishing adds to a body or a comment
	verdictReserve  = 900                   // for the verdict, folded
	checkReserve    = 2_000                 // for the verdict, and for the pull request and branch that the check names
)

// Render makes the text. In the modes summary-only and silent all findings are in the summary, without
// inline comments.
func Render(in Input) Output {
	in = in.withDefaults()
	r := renderer{Input: in, words: wording.In(in.Policy.Language)}
	r.sort()
	out := Output{Comments: r.comments()}
	pieces := r.summary()
	end, checkEnd := r.verdictEnds()
	most := in.Host.MaxBody - reserve
	if !end.Empty() {
		most -= verdictReserve
	}
	out.SummaryBody = markdown.Blocks(r.finish(pieces.joined(), most), end)
	unread := r.checkTail()
	out.CheckSummary = markdown.Blocks(r.finish(markdown.Blocks(pieces.joined(), unread), checkText), checkEnd)
	if len(pieces.Tickets) > 0 {
		out.Pieces = &Pieces{Before: pieces.Before.Scan(r.Redact), Tickets: pieces.Tickets, After: pieces.After.Scan(r.Redact),
			Most: most, End: end,
			CheckTail: unread.Scan(r.Redact), MostCheck: checkText, CheckEnd: checkEnd}
	}
	out.Body = out.SummaryBody
	if !in.First {
		out.Body = r.finish(r.laterBody(), in.Host.MaxBody-reserve)
	}
	out.CheckTitle = r.finish(r.checkTitle(), 250)
	out.CheckConclusion = in.Result.Conclude(r.open, in.Policy)
	out.Clean = in.Result.Clean(r.open)
	out.New = in.First || len(r.inline)+len(r.fresh) > 0
	return out
}

// withDefaults fills in the defaults of the input.
func (in Input) withDefaults() Input {
	if in.Host == (codehost.Capabilities{}) {
		in.Host = codehost.CapabilitiesOf(codehost.GitHub)
	}
	in.Host.MaxBody, in.Host.MaxComment = smallerBound(in.MaxBody, in.Host.MaxBody), smallerBound(in.MaxBody, in.Host.MaxComment)
	if in.MaxComments <= 0 {
		in.MaxComments = defaultComments
	}
	if most := in.Host.MaxComments; most > 0 {
		in.MaxComments = min(in.MaxComments, most)
	}
	if in.Redact == nil {
		in.Redact = in.Result.Redact
	}
	if in.Redact == nil {
		in.Redact = func(s string) string { return s }
	}
	return in
}

// smallerBound returns the smaller of two bounds of a text. 0 means no bound; if both are 0, the bound is ourBody.
func smallerBound(a, b int) int {
	switch {
	case a <= 0 && b <= 0:
		return ourBody
	case a <= 0 || b > 0 && b < a:
		return b
	}
	return a
}

// renderer sorts a result's findings by their destination.
type renderer struct {
	Input
	words     wording.Words
	inline    []domain.Finding // new, with a comment each
	listed    []domain.Finding // open, in the summary's list
	fresh     []domain.Finding // the new ones of listed
	open      []domain.Finding // all that are shown and open, also those in earlier comments
	commented []domain.Finding // open, with a comment of this review or an earlier one
	known     int              // earlier findings that are still open
}

// noInline reports whether the policy wants no comments on lines.
func (r *renderer) noInline() bool {
	return r.Mode == domain.PublishSummaryOnly || r.Mode == domain.PublishSilent
}

func (r *renderer) sort() {
	noInline := r.noInline()
	for _, f := range r.Result.Findings {
		if !f.Shown() {
			continue
		}
		r.open = append(r.open, f)
		if f.Known {
			r.known++
		}
		switch {
		case f.Route == domain.RouteInline && !noInline && f.Anchor.Level == domain.AnchorLine && !f.Known && len(r.inline) < r.MaxComments:
			r.inline, r.commented = append(r.inline, f), append(r.commented, f)
		case f.Route == domain.RouteInline && f.Known && !noInline: // its comment exists already
			r.commented = append(r.commented, f)
		default:
			r.listed = append(r.listed, f)
			if !f.Known && !r.waits(f) {
				r.fresh = append(r.fresh, f)
			}
		}
	}
}

// finish runs the secret scan over an outgoing text and cuts it to a length.
func (r *renderer) finish(t markdown.Text, limit int) markdown.Text {
	return t.Scan(r.Redact).Cut(limit, r.words.Say(wording.CutHere))
}

// Lengths of text fields in characters. The prompt asks for less; longer texts are cut.
const (
	maxTitle       = 120
	maxExplanation = 1500
	maxTrigger     = 600
	maxNote        = 240
	maxWhy         = 60
	maxAside       = 100
	maxSentence    = 300
)

// line makes one line of a text from outside. It redacts secrets first, because the sanitiser could split
// them.
func (r *renderer) line(s string, limit int) markdown.Text {
	return r.words.Reader().Line(r.Redact(s), limit)
}

// translate translates an English sentence of the engine or a check into the reader's language. Other sentences
// become one line as they are.
func (r *renderer) translate(s string, g wording.Group, limit int) markdown.Text {
	return r.words.Translate(s, g, wording.Show{Name: r.name, Words: func(s string) markdown.Text { return r.line(s, limit) }})
}

// name shows the subject of a fixed sentence, such as a path.
func (r *renderer) name(s string) markdown.Text { return markdown.Span(r.Redact(s)) }
