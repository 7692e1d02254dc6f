package publish

import (
	"slices"

	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/wording"
)

// Issues is a summary in pieces: its texts about tracker issues, and the text around them, so that issues
// can be removed or rewritten. The summary is the body of a pull request's first review, and the summary
// body of later ones.
type Issues struct {
	Before markdown.Text `json:"before"`
	Of     []Issue       `json:"of"`
	After  markdown.Text `json:"after"`
	Tail   markdown.Text `json:"tail,omitzero"` // comments that the host would not place, after a summary that is a body
	Most   int           `json:"most"`          // maximum characters of the summary without End and Tail; the rest is cut
	End    markdown.Text `json:"end,omitzero"`  // after the cut: the verdict for programs, on hosts without check runs
	// The check run has the same summary, followed by CheckTail.
	CheckTail markdown.Text `json:"checkTail,omitzero"`
	MostCheck int           `json:"mostCheck"`
	CheckEnd  markdown.Text `json:"checkEnd,omitzero"` // after the cut: the verdict for programs
}

// Issue is a summary's text about one issue.
type Issue struct {
	Key        string        `json:"key"`
	URL        string        `json:"url,omitempty"`
	Link       string        `json:"link"`       // id of the pull request's link to the issue
	Connection string        `json:"connection"` // id of the connection that read the issue
	Stranger   bool          `json:"stranger,omitempty"`
	Judged     string        `json:"judged,omitempty"` // digest of the criteria of the last judgement before freezing
	Text       markdown.Text `json:"text"`
}

// Saying returns the payload with a summary that covers exactly these issues. Unchanged parts stay byte for
// byte.
func (p Payload) Saying(of []Issue) Payload {
	if p.Issues == nil || slices.Equal(of, p.Issues.Of) {
		return p
	}
	now := *p.Issues
	now.Of = of
	p.Issues = &now
	cut := wording.In(p.Language).Say(wording.CutHere)
	summary := markdown.Blocks(now.summary().Cut(now.Most, cut), now.End)
	if p.SummaryBody.Empty() {
		p.Body = markdown.Blocks(summary, now.Tail)
	} else {
		p.SummaryBody = summary
	}
	p.Check.Summary = markdown.Blocks(markdown.Blocks(now.summary(), now.CheckTail).Cut(now.MostCheck, cut), now.CheckEnd)
	return p
}

// summary joins the pieces.
func (i Issues) summary() markdown.Text {
	parts := []markdown.Text{i.Before}
	for _, issue := range i.Of {
		parts = append(parts, issue.Text)
	}
	return markdown.Blocks(append(parts, i.After)...)
}

// withTail records a text that was added to the body.
func (p Payload) withTail(tail markdown.Text) Payload {
	if p.Issues == nil || !p.SummaryBody.Empty() {
		return p
	}
	now := *p.Issues
	now.Tail = markdown.Blocks(now.Tail, tail)
	p.Issues = &now
	return p
}

// Same reports whether a text on a host equals the sent one. Hosts may change line ends and trim blank
// space.
func Same(onHost, sent string) bool { return normalized(onHost) == normalized(sent) }
