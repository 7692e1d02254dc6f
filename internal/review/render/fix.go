package render

import (
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/wording"
)

// Fix is everything that the comment about the fix of one finding depends on.
type Fix struct {
	Finding  domain.Finding
	InThread bool          // the comment stands in the thread of the finding
	Refused  markdown.Text // why there is no fix; empty for a fix
	Instead  markdown.Text // why the fix is suggested and not delivered as asked; empty for none
	Commit   string        // that has the fix; "" if it is suggested
	PullURL  string        // of the pull request that brings the commit; "" for none
	// Block has the new lines of the whole thread, for hosts that apply them by a click. BlockAbove is the number of lines that it
	// replaces above the last line of the thread. nil: Changes are shown as diffs.
	Block      *string
	BlockAbove int
	Changes    []FixChange

	Policy  domain.Policy
	Host    codehost.Capabilities
	LinkFor func(path string, start, end int) string // see [Input]
	Redact  func(text string) string
}

// FixChange replaces lines of a file.
type FixChange struct {
	Path       string
	Start, End int // replaced lines, 1-based and inclusive
	Old, New   string
}

// FixComment writes the comment about the fix of one finding. Code passes the secret scan; a block with a secret becomes a diff.
func FixComment(in Fix) markdown.Text {
	r := renderer{words: wording.In(in.Policy.Language),
		Input: Input{Policy: in.Policy, LinkFor: in.LinkFor, Redact: in.Redact, Host: in.Host}.withDefaults()}
	var parts []markdown.Text
	if !in.InThread || r.Host.LineThreads {
		a := in.Finding.Anchor
		parts = append(parts, r.words.Labelled(r.place(a.Path, a.StartLine, a.EndLine), r.title(in.Finding)))
	}
	commit := markdown.Span(in.Commit[:min(len(in.Commit), shortHead)])
	switch {
	case !in.Refused.Empty():
		parts = append(parts, r.words.Say(wording.FixNotMade, in.Refused))
	case in.PullURL != "":
		pull := r.words.Say(wording.PullRequest)
		if markdown.Linkable(in.PullURL) {
			pull = markdown.Link(pull, in.PullURL)
		}
		parts = append(parts, r.words.Say(wording.FixByBranch, commit, pull))
	case in.Commit != "":
		parts = append(parts, r.words.Say(wording.FixByCommit, commit))
	default:
		if !in.Instead.Empty() {
			parts = append(parts, r.words.Say(wording.FixInstead, in.Instead))
		}
		parts = append(parts, r.words.Say(wording.FixOffered), r.fixBlock(in))
	}
	return r.finish(markdown.Blocks(parts...), r.Host.MaxComment-reserve)
}

// fixBlock returns the block that the host applies by a click, or else the changes as diffs.
func (r *renderer) fixBlock(in Fix) markdown.Text {
	if in.Block != nil && r.Redact(*in.Block) == *in.Block {
		block, fits := markdown.Suggestion(*in.Block)
		if r.Host.Suggestions == codehost.SuggestRange {
			block, fits = markdown.SuggestionOver(*in.Block, in.BlockAbove)
		}
		if fits {
			return block
		}
	}
	parts := make([]markdown.Text, 0, 2*len(in.Changes))
	for _, c := range in.Changes {
		parts = append(parts, r.place(c.Path, c.Start, c.End), markdown.Change(r.Redact(c.Old), r.Redact(c.New)))
	}
	return markdown.Blocks(parts...)
}

// ThreadLines returns the lines of the new version on which the comment of a finding stands. ok is false if it stands on removed
// lines or on no line.
func ThreadLines(f domain.Finding, p domain.Policy, host codehost.Capabilities) (first, last int, ok bool) {
	r := renderer{Input: Input{Policy: p, Host: host}.withDefaults()}
	first, last = f.Anchor.StartLine, f.Anchor.EndLine
	if s := r.suggestion(f); s != nil && r.canApply(s) {
		return s.Start, s.End, true
	}
	if first <= 0 || !r.Host.MultiLine {
		first = last
	}
	return first, last, last > 0 && f.Anchor.Side != domain.Left
}
