package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/wording"
)

// maxEvidence is how many quotations a comment shows.
const maxEvidence = 5

// highConfidence: a comment omits a confidence of at least this value, because nearly all findings reach it (design choice).
const highConfidence = 0.7

// maxPlaces is how many further places of a finding a comment or a line of the summary names.
const maxPlaces = 5

func (r *renderer) comments() []Comment {
	out := make([]Comment, 0, len(r.inline))
	for _, f := range r.inline {
		c := Comment{Path: f.Anchor.Path, Side: f.Anchor.Side, Line: f.Anchor.EndLine, FindingID: f.ID, Fingerprint: f.Fingerprints.Exact}
		start := f.Anchor.StartLine
		s := r.suggestion(f)
		if s != nil && r.canApply(s) { // beside removed lines, too: no host applies one on them
			start, c.Line, c.Side = s.Start, s.End, domain.Right
		}
		said := markdown.Text{}
		if start > 0 && start < c.Line {
			if r.Host.MultiLine {
				c.StartLine = start
			} else {
				said = r.words.Say(wording.OnLines, markdown.Number(start), markdown.Number(c.Line))
			}
		}
		if c.Side == "" {
			c.Side = domain.Right
		}
		limit := r.Host.MaxComment - reserve
		body := markdown.Blocks(said, r.comment(f, s, true))
		if body.Len() > limit {
			body = markdown.Blocks(said, r.comment(f, s, false))
		}
		if body.Len() > limit { // a huge suggestion: write the comment without it
			body = markdown.Blocks(said, r.comment(f, nil, false))
		}
		c.Body = r.finish(body, limit)
		out = append(out, c)
	}
	return out
}

// comment writes one inline comment.
func (r *renderer) comment(f domain.Finding, s *domain.Suggestion, evidence bool) markdown.Text {
	head := markdown.Bold(r.words.Labelled(r.words.Severity(f.Severity), r.title(f)))
	if f.Scope == "pre_existing" {
		head = r.words.Say(wording.Aside, head, r.words.Say(wording.ExistedBefore))
	}
	parts := []markdown.Text{head}
	if f.Earlier != nil {
		parts = append(parts, r.returnedNote(f.Earlier))
	}
	if f.Reopened {
		parts = append(parts, r.words.Say(wording.DismissedBefore))
	}
	parts = append(parts, r.explanation(f), r.guidelineQuote(f))
	if t := r.line(f.ModelExplanation(), maxExplanation); !t.Empty() {
		parts = append(parts, r.words.Say(wording.ModelExplains, t))
	}
	if strings.Contains(f.Trigger, "\n") {
		parts = append(parts, r.words.Say(wording.When, markdown.Text{}), markdown.Code(clip.Runes(r.Redact(f.Trigger), maxTrigger, "…"), ""))
	} else if t := r.line(f.Trigger, maxTrigger); !t.Empty() {
		parts = append(parts, r.words.Say(wording.When, t))
	}
	parts = append(parts, r.alsoAt(f))
	block := markdown.Text{}
	if s != nil {
		block = r.suggestionBlock(s)
	}
	if block.Empty() {
		block = r.proseFix(f)
	}
	parts = append(parts, block)
	if evidence {
		parts = append(parts, r.evidence(f))
	}
	return markdown.Blocks(append(parts, r.footer(f))...)
}

// title returns the title of a finding, in the reader's language if a check wrote it.
func (r *renderer) title(f domain.Finding) markdown.Text {
	if !f.Origin.Deterministic() || f.Origin == domain.OriginRule {
		return r.line(f.Title, maxTitle)
	}
	return r.translate(f.Title, wording.Titles, maxTitle)
}

// explanation returns the explanation of a finding, in the reader's language if a check wrote it.
func (r *renderer) explanation(f domain.Finding) markdown.Text {
	prose := func(s string) markdown.Text { return r.words.Reader().Prose(r.Redact(s), maxExplanation) }
	if !f.Origin.Deterministic() {
		return prose(f.Explanation)
	}
	if f.Origin == domain.OriginRule {
		return r.words.Translate(f.Explanation, wording.RuleTexts, wording.Show{Words: prose, Name: prose})
	}
	return r.words.Translate(f.Explanation, wording.Explanations, wording.Show{Words: prose, Name: r.name})
}

// brief returns the first sentence of a finding's explanation.
func (r *renderer) brief(f domain.Finding) markdown.Text {
	first := func(s string) markdown.Text { return r.line(firstSentence(s), maxNote) }
	if !f.Origin.Deterministic() {
		return first(f.Explanation)
	}
	if f.Origin == domain.OriginRule {
		return r.words.Brief().Translate(f.Explanation, wording.RuleTexts, wording.Show{Words: first, Name: first})
	}
	return r.words.Brief().Translate(f.Explanation, wording.Explanations, wording.Show{Words: first, Name: r.name})
}

// suggestion returns the finding's suggestion if the host can apply it to the comment's lines: it was
// applied in memory, parses as far as known, lies within the anchor or beside removed lines, and has no secret.
func (r *renderer) suggestion(f domain.Finding) *domain.Suggestion {
	s := f.Suggestion
	if s == nil || !s.Applies || s.Parses == "no" || r.Policy.Fixes == "off" || s.Path != f.Anchor.Path || s.Start > s.End {
		return nil
	}
	if f.Anchor.Side != domain.Left && (s.Start < f.Anchor.StartLine || s.End > f.Anchor.EndLine) {
		return nil
	}
	if _, fits := markdown.Suggestion(s.New); !fits || r.Redact(s.New) != s.New {
		return nil
	}
	return s
}

// canApply reports whether the host can apply a suggestion by a click: it has a form for suggestions, and
// the comment can stand on all of their lines.
func (r *renderer) canApply(s *domain.Suggestion) bool {
	return r.Host.Suggestions != codehost.SuggestNone && (r.Host.MultiLine || s.Start == s.End)
}

// suggestionBlock returns the block of a suggestion: in the host's form, or as a diff if a click cannot apply it.
func (r *renderer) suggestionBlock(s *domain.Suggestion) markdown.Text {
	if !r.canApply(s) {
		return markdown.Blocks(r.words.Say(wording.ByHand), markdown.Change(r.Redact(s.Old), s.New))
	}
	block := markdown.Text{}
	if r.Host.Suggestions == codehost.SuggestRange {
		block, _ = markdown.SuggestionOver(s.New, s.End-s.Start)
	} else {
		block, _ = markdown.Suggestion(s.New)
	}
	return block
}

// fold returns a text that a click shows, or a text below a heading if the host does not render HTML.
func (r *renderer) fold(summary, body markdown.Text) markdown.Text {
	if r.Host.HTML {
		return markdown.Fold(summary, body)
	}
	return markdown.Blocks(markdown.Bold(summary), body)
}

// proseFix shows a change that the host cannot apply as code.
func (r *renderer) proseFix(f domain.Finding) markdown.Text {
	if f.Suggestion == nil || r.Policy.Fixes == "off" || f.Suggestion.Parses == "no" || strings.TrimSpace(f.Suggestion.New) == "" {
		return markdown.Text{}
	}
	return markdown.Blocks(r.words.Say(wording.ByHand), markdown.Code(r.Redact(f.Suggestion.New), ""))
}

// evidence writes the quotations that support a finding, folded.
func (r *renderer) evidence(f domain.Finding) markdown.Text {
	var items []markdown.Text
	proofs := slices.DeleteFunc(f.Proofs(), func(e domain.Evidence) bool { return e.Kind == domain.EvidenceModel })
	for i, e := range proofs {
		if i == maxEvidence {
			items = append(items, r.words.Count(wording.AndMore, len(proofs)-i))
			break
		}
		var place, quote markdown.Text
		if e.Path != "" {
			place = r.place(e.Path, e.Start, e.End)
		}
		if strings.TrimSpace(e.Quote) != "" {
			quote = markdown.Code(r.Redact(e.Quote), "")
		}
		note := r.line(e.Note, maxNote)
		if e.Kind == domain.EvidenceDoc {
			note = r.words.Say(wording.RestsOn, note)
		}
		items = append(items, markdown.Blocks(r.words.Labelled(place, note), quote))
	}
	if len(items) == 0 {
		return markdown.Text{}
	}
	return r.fold(r.words.Say(wording.Why), markdown.List(items...))
}

// alsoAt names the further places of a finding. It is empty without places.
func (r *renderer) alsoAt(f domain.Finding) markdown.Text {
	var items []markdown.Text
	places := f.AlsoAt()
	for i, e := range places {
		if i == maxPlaces {
			items = append(items, r.words.Count(wording.AndMore, len(places)-i))
			break
		}
		items = append(items, r.place(e.Path, e.Start, e.End))
	}
	if len(items) == 0 {
		return markdown.Text{}
	}
	return r.words.Say(wording.AlsoAt, r.words.List(items...))
}

// guidelineQuote quotes the guideline sentence that a finding is about, with a link to the version of the file that
// counts.
func (r *renderer) guidelineQuote(f domain.Finding) markdown.Text {
	e, is := f.Guideline()
	if !is {
		return markdown.Text{}
	}
	file := r.linked(e.Path, e.Path, func() string {
		if r.BaseLink == nil {
			return ""
		}
		return r.BaseLink(e.Path)
	})
	if file.Empty() { // the name cannot be shown, and a leading colon would begin a definition
		return r.line(e.Quote, maxSentence)
	}
	return r.words.Say(wording.Cites, file, r.line(e.Quote, maxSentence))
}

func (r *renderer) footer(f domain.Finding) markdown.Text {
	parts := []markdown.Text{r.words.Category(f.Category), markdown.Span(f.RuleID)}
	if !f.Origin.Deterministic() && f.Confidence < highConfidence {
		parts = append(parts, r.words.Say(wording.Confidence, r.words.Share(f.Confidence)))
	}
	if page := r.findingPage(f); page != "" {
		parts = append(parts, markdown.Link(r.words.Say(wording.Details), page))
	}
	small := markdown.Join(" · ", parts...)
	if r.Host.HTML {
		small = markdown.Format("<sub>%s</sub>", small)
	}
	return small
}

// findingPage returns the address of the finding's page, or of its run's. It is "" without a console.
func (r *renderer) findingPage(f domain.Finding) string {
	if r.FindingsURL == "" || f.ID == "" {
		return r.DetailsURL
	}
	return r.FindingsURL + f.ID
}

// place names lines of a file, as a link if LinkFor returns one. A path that leaves the tree is not linked,
// because it would lead to another page of the host.
func (r *renderer) place(path string, start, end int) markdown.Text {
	name := path
	switch {
	case start > 0 && end > start:
		name = fmt.Sprintf("%s:%d-%d", path, start, end)
	case start > 0:
		name = fmt.Sprintf("%s:%d", path, start)
	}
	return r.linked(path, name, func() string {
		if r.LinkFor == nil {
			return ""
		}
		return r.LinkFor(path, start, end)
	})
}

// linked shows a name of a file as a link if its path is valid, its name holds no secret, and link returns
// a URL.
func (r *renderer) linked(path, name string, link func() string) markdown.Text {
	shown := r.Redact(name)
	if shown != name || diff.CheckPath(path) != nil {
		return markdown.Span(shown)
	}
	url := link()
	if url == "" {
		return markdown.Span(shown)
	}
	return markdown.Link(markdown.Span(shown), url)
}

// returnedNote says that a finding was resolved before, with a link to the comment that first reported it.
func (r *renderer) returnedNote(e *domain.Earlier) markdown.Text {
	if !markdown.Linkable(e.URL) {
		return r.words.Say(wording.CameBack)
	}
	return r.words.Say(wording.CameBackLink, markdown.Link(r.words.Say(wording.EarlierComment), e.URL))
}

// noCommentReason says why a finding has no comment on a line. It is empty if the summary explains that elsewhere, or
// if the policy wants no comments.
func (r *renderer) noCommentReason(f domain.Finding) markdown.Text {
	switch {
	case r.noInline() && !meantSo(f), r.waits(f): // the heading says it
		return markdown.Text{}
	case f.Aside != "" || f.Route == domain.RouteSummary:
		return r.translate(f.Aside, wording.Asides, maxAside)
	case f.Anchor.Level != domain.AnchorLine:
		return r.words.Say(wording.AsideNoLine)
	}
	return r.words.Count(wording.AsideReview, r.MaxComments)
}

// firstSentence cuts a text after its first sentence.
func firstSentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if at := sentenceEnd.FindStringIndex(s); at != nil && at[0] > 0 {
		return strings.TrimSpace(s[:at[1]])
	}
	return s
}

// sentenceEnd matches a full stop before another sentence. In scripts without spaces no space follows it.
var sentenceEnd = regexp.MustCompile(`\. |。`)
