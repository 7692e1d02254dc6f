package render

import (
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/wording"
)

// Reply is everything that the answer to a reply depends on.
type Reply struct {
	Outcome domain.ReplyOutcome
	Finding domain.Finding // with its place at the head
	Head    string
	Reason  string // text of a model, "" for none
	Quote   string // the code that proves the outcome, "" for none
	// ProposedRule reports that the reply led to a proposed rule; RulesURL is the page where people decide about it, or "".
	ProposedRule bool
	RulesURL     string

	Policy      domain.Policy
	Host        codehost.Capabilities
	LinkFor     func(path string, start, end int) string // see [Input]
	Redact      func(text string) string
	FindingsURL string // see [Input]
}

// Answer writes the answer to a reply. Every text from a model or from code passes the sanitiser and the secret scan. It is empty if
// the outcome needs no answer.
func Answer(in Reply) markdown.Text {
	r := renderer{words: wording.In(in.Policy.Language),
		Input: Input{Policy: in.Policy, LinkFor: in.LinkFor, Redact: in.Redact, Host: in.Host, FindingsURL: in.FindingsURL}.withDefaults()}
	place := r.place(in.Finding.Anchor.Path, in.Finding.Anchor.StartLine, in.Finding.Anchor.EndLine)
	head := markdown.Span(in.Head[:min(len(in.Head), shortHead)])
	var parts []markdown.Text
	switch in.Outcome {
	case domain.ReplyStands:
		parts = append(parts, r.words.Say(wording.ReplyStands, place), r.quoted(in.Quote), r.prose(in.Reason))
	case domain.ReplyNotMended:
		parts = append(parts, r.words.Say(wording.ReplyNotMended, head, place), r.quoted(in.Quote), r.prose(in.Reason))
	case domain.ReplyRight:
		parts = append(parts, r.words.Say(wording.ReplyRight), r.quoted(in.Quote))
	case domain.ReplyDeclined:
		parts = append(parts, r.words.Say(wording.SayDismissed))
	case domain.ReplyMended:
		parts = append(parts, r.words.Say(wording.ReplyMended, head))
	case domain.ReplyKept:
		parts = append(parts, r.words.Say(wording.SayOwnFinding))
	case domain.ReplyUndecided:
		parts = append(parts, r.prose(in.Reason), r.words.Say(wording.ReplyUndecided, markdown.Span("/assay ignore <reason>")))
	case domain.ReplyExplained:
		parts = append(parts, r.explained(in.Finding))
	case domain.ReplyNoted:
	default:
		return markdown.Text{}
	}
	if in.ProposedRule {
		parts = append(parts, r.proposed(in.RulesURL))
	}
	if r.Host.LineThreads && in.Outcome != domain.ReplyStands && in.Outcome != domain.ReplyNotMended && in.Outcome != domain.ReplyExplained {
		parts = append([]markdown.Text{place}, parts...) // such a host shows the answer in the conversation
	}
	return r.finish(markdown.Blocks(parts...), r.Host.MaxComment-reserve)
}

// proposed says that the reply led to a proposed rule, and where people decide about it.
func (r *renderer) proposed(url string) markdown.Text {
	page := r.words.Say(wording.RulesPage)
	if markdown.Linkable(url) {
		page = markdown.Link(page, url)
	}
	return r.words.Say(wording.ReplyRule, page)
}

// shortHead is how many digits of a commit are shown.
const shortHead = 7

// quoted shows code that proves something; empty without code.
func (r *renderer) quoted(code string) markdown.Text {
	if code == "" {
		return markdown.Text{}
	}
	return markdown.Code(r.Redact(code), "")
}

// prose shows a model's words.
func (r *renderer) prose(text string) markdown.Text {
	return r.words.Reader().Prose(r.Redact(text), maxExplanation)
}

// explained writes all that is known about a finding: the text of its comment, with the quotations unfolded.
func (r *renderer) explained(f domain.Finding) markdown.Text {
	r.Host.HTML = false // nothing is folded
	place := r.place(f.Anchor.Path, f.Anchor.StartLine, f.Anchor.EndLine)
	full, limit := markdown.Blocks(place, r.comment(f, nil, true)), r.Host.MaxComment-reserve
	if full.Len() > limit {
		return markdown.Blocks(place, r.comment(f, nil, false))
	}
	return full
}
