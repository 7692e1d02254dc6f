package publish

import (
	"slices"

	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/wording"
)

// Issues is a summary in pieces: what it says of issues of trackers, and what stands
// around it, so that it can be taken out or said anew. The summary is the body of a
// pull request's first review, and the summary body of later ones.
type Issues struct {
	Before markdown.Text `json:"before"`
	Of     []Issue       `json:"of"`
	After  markdown.Text `json:"after"`
	Tail   markdown.Text `json:"tail,omitzero"` // what the host would not place elsewhere, behind a summary that is a body
	Most   int           `json:"most"`          // characters of the summary without Tail; what is beyond is cut
	// The check run says the same, and then this.
	CheckTail markdown.Text `json:"checkTail,omitzero"`
	MostCheck int           `json:"mostCheck"`
}

// Issue is what a summary says of one issue.
type Issue struct {
	Key        string        `json:"key"`
	URL        string        `json:"url,omitempty"`
	Link       string        `json:"link"`       // id of the link of the pull request to it
	Connection string        `json:"connection"` // id of the connection through which it was read
	Stranger   bool          `json:"stranger,omitempty"`
	Judged     string        `json:"judged,omitempty"` // digest of the criteria that were judged last when this was frozen
	Text       markdown.Text `json:"text"`
}

// Saying returns the payload whose summary says this of issues, and nothing else of any.
// What it said before stays byte for byte where it is the same.
func (p Payload) Saying(of []Issue) Payload {
	if p.Issues == nil || slices.Equal(of, p.Issues.Of) {
		return p
	}
	now := *p.Issues
	now.Of = of
	p.Issues = &now
	cut := wording.In(p.Language).Say(wording.CutHere)
	summary := now.summary().Cut(now.Most, cut)
	if p.SummaryBody.Empty() {
		p.Body = markdown.Blocks(summary, now.Tail)
	} else {
		p.SummaryBody = summary
	}
	p.Check.Summary = markdown.Blocks(now.summary(), now.CheckTail).Cut(now.MostCheck, cut)
	return p
}

// summary puts the pieces together.
func (i Issues) summary() markdown.Text {
	parts := []markdown.Text{i.Before}
	for _, issue := range i.Of {
		parts = append(parts, issue.Text)
	}
	return markdown.Blocks(append(parts, i.After)...)
}

// followed notes what was added to the body.
func (p Payload) followed(tail markdown.Text) Payload {
	if p.Issues == nil || !p.SummaryBody.Empty() {
		return p
	}
	now := *p.Issues
	now.Tail = markdown.Blocks(now.Tail, tail)
	p.Issues = &now
	return p
}

// Same reports whether a text on a host is one that was sent: hosts may change line ends
// and drop blank space at the ends.
func Same(onHost, sent string) bool { return plain(onHost) == plain(sent) }
