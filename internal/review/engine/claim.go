package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
)

// claimFor writes the block of a claim: what is said, the rule that it is about, and
// the code around it. The diff is redacted and so is the source.
func claimFor(ctx context.Context, set *diff.Set, src Source, rules []Rule, it *item) claim {
	return claimWithin(ctx, set, src, rules, it, verifyMargin)
}

// claimWithin writes it with so many lines of code before and after its place. Of
// less than the usual ones what was removed is cut, too.
func claimWithin(ctx context.Context, set *diff.Set, src Source, rules []Rule, it *item, margin int) claim {
	f := &it.f
	c := claim{it: it}
	var b strings.Builder
	fmt.Fprintf(&b, "title: %s\n", oneLine(StripInvisible(f.Title)))
	fmt.Fprintf(&b, "path: %s\n", cleanPath(f.Anchor.Path))
	fmt.Fprintf(&b, "lines: %d-%d\n", f.Anchor.StartLine, f.Anchor.EndLine)
	if f.Anchor.Side == domain.Left {
		b.WriteString("side: LEFT (removed lines)\n")
	}
	if t := oneLine(StripInvisible(f.Trigger)); t != "" {
		fmt.Fprintf(&b, "trigger: %s\n", t)
	}
	if it.resolves {
		b.WriteString("question: this was reported before the code changed; is the defect still there?\n")
	}
	if r, ok := ruleOf(rules, f); ok {
		fmt.Fprintf(&b, "rule of this repository that the code is said to violate: %s. %s\n", oneLine(r.Title), oneLine(r.Instruction))
	}
	fence := backticks(f.Anchor.Quote)
	fmt.Fprintf(&b, "quote:\n%s\n%s\n%s\n", fence, showLines(f.Anchor.Quote), fence)
	code, removed := c.window(ctx, set, src, f, margin)
	if margin < verifyMargin {
		removed = cut(removed, margin*removedWidth)
	}
	for _, e := range f.Evidence {
		if e.Kind == "code" && e.Quote != "" && e.Path != f.Anchor.Path {
			code += c.cite(ctx, src, e)
		}
	}
	for _, a := range it.apart {
		code += c.cite(ctx, src, domain.Evidence{Path: a.Path, Start: a.StartLine, End: a.EndLine, Quote: a.Quote})
	}
	fence = backticks(code)
	fmt.Fprintf(&b, "code:\n%s\n%s%s\n", fence, code, fence)
	if removed != "" {
		fence = backticks(removed)
		fmt.Fprintf(&b, "removed by the change, no longer there:\n%s\n%s%s\n", fence, removed, fence)
	}
	c.Text = b.String()
	return c
}

// ruleOf is the rule that a finding is about: as it is now, else as the finding quotes
// it, where this review has not read it.
func ruleOf(rules []Rule, f *domain.Finding) (Rule, bool) {
	if r, ok := ruleByID(rules, f.RuleID); ok {
		return r, true
	}
	i := slices.IndexFunc(f.Evidence, func(e domain.Evidence) bool { return e.Kind == domain.EvidenceRule })
	if i < 0 || !strings.HasPrefix(f.RuleID, repoPrefix) {
		return Rule{}, false
	}
	e := f.Evidence[i]
	return Rule{Title: cmp.Or(e.Note, e.Path), Instruction: e.Quote}, true
}

// removedWidth is how many bytes of removed code are shown for a line around a claim,
// where there is little room.
const removedWidth = 100

// citedMargin is how many lines are shown before and after evidence of another file,
// which may be shorter than what proves anything.
const citedMargin = 3

// cite writes evidence of another file, from the version in which it stands, and keeps
// it as what may prove the claim. What does not stand there is written as it was cited,
// and proves nothing.
func (c *claim) cite(ctx context.Context, src Source, e domain.Evidence) string {
	_, language := diff.Classify(e.Path, nil)
	for _, side := range []domain.Side{domain.Right, domain.Left} {
		blob, err := src.Blob(ctx, side, e.Path)
		lines := fileLines(blob)
		if err != nil || e.Start < 1 || e.End < e.Start || e.End > len(lines) || !holds(lines[e.Start-1:e.End], e.Quote) {
			continue
		}
		first, last := max(e.Start-citedMargin, 1), min(e.End+citedMargin, len(lines))
		lines = lines[:last]
		shown := showLines(strings.Join(lines[first-1:], "\n"))
		copy(lines[first-1:], strings.Split(shown, "\n"))
		x, when := newExhibit(language, lines, first-1, first, span{e.Start, e.End}), ""
		if x.left = side == domain.Left; x.left {
			when = " (before the change, no longer there)"
		}
		c.cited = append(c.cited, x)
		return fmt.Sprintf("--- %s:%d-%d%s\n%s\n", cleanPath(e.Path), first, last, when, shown)
	}
	return fmt.Sprintf("--- %s:%d-%d\n%s\n", cleanPath(e.Path), e.Start, e.End, showLines(e.Quote))
}

// holds reports whether a quotation stands in lines, white space aside.
func holds(lines []string, quote string) bool {
	text := squeeze(strings.Join(lines, "\n"))
	return slices.ContainsFunc(anchor.Readings(quote), func(q string) bool { return strings.Contains(text, squeeze(q)) })
}

// fileLines are the lines of a file without their ends.
func fileLines(blob []byte) []string {
	return strings.Split(strings.TrimSuffix(string(blob), "\n"), "\n")
}

// lineOf is the line of a file with which a quotation begins; of none the first.
func lineOf(lines []string, quote string) span {
	begin, _, _ := strings.Cut(strings.TrimSpace(quote), "\n")
	for i, l := range lines {
		if t := squeeze(begin); t != "" && strings.Contains(squeeze(l), t) {
			return span{i + 1, i + 1}
		}
	}
	return span{1, 1}
}

// window returns the lines around the claim's place with numbers, added lines
// marked, and apart from them the lines that the change removed in sight. What may
// prove the claim is kept with it.
func (c *claim) window(ctx context.Context, set *diff.Set, src Source, of *domain.Finding, margin int) (code, removed string) {
	a := of.Anchor
	f := set.File(a.Path)
	side, path := a.Side, a.Path
	if side == "" {
		side = domain.Right
	}
	if side == domain.Left && f != nil {
		path = f.BasePath()
	}
	_, language := diff.Classify(path, nil)
	if f != nil && side == domain.Right {
		language = f.Language
	}
	blob, err := src.Blob(ctx, side, path)
	lines := fileLines(blob)
	place := span{a.StartLine, a.EndLine}
	if place.first < 1 { // of a finding on the file as a whole the quotation has a place
		place = lineOf(lines, a.Quote)
	}
	about := []span{place}
	for _, e := range of.Evidence {
		if e.Kind == "code" && e.Path == a.Path {
			about = append(about, span{e.Start, e.End})
		}
	}
	first, last := max(place.first-margin, 1), place.last+margin
	if err != nil { // without the file, the hunks are all there is
		return c.hunks(f, side, language, first, last, about), ""
	}
	first = min(first, max(len(lines)-margin, 1)) // an old place may lie beyond a file that shrank
	lines = lines[:min(last, len(lines))]
	var b strings.Builder
	for n := first; n <= len(lines); n++ {
		m := " "
		if f != nil && changed(f, side, n, n) {
			m = "+"
			if side == domain.Left {
				m = "-"
			}
		}
		line := strings.TrimSuffix(lines[n-1], "\r")
		lines[n-1] = ShowInvisible(line)
		fmt.Fprintf(&b, "%5d %s %s\n", n, m, showLine(line))
	}
	c.shown = append(c.shown, newExhibit(language, lines, first-1, first, about...))
	if f == nil || side == domain.Left {
		return b.String(), ""
	}
	return b.String(), removedNear(f, first, last)
}

// hunks writes the hunks of a file of which there is nothing else, and keeps their
// lines of one side as what may prove the claim.
func (c *claim) hunks(f *diff.File, side domain.Side, language string, first, last int, about []span) string {
	if f == nil {
		return ""
	}
	var b strings.Builder
	for _, h := range f.Hunks {
		lo, hi, ok := h.Range(side)
		if !ok || hi < first || lo > last {
			continue
		}
		writeHunk(&b, h)
		var text []string
		for _, l := range h.Lines {
			if side == domain.Right && l.Op != diff.Delete || side == domain.Left && l.Op != diff.Add {
				text = append(text, ShowInvisible(strings.TrimSuffix(l.Text, "\r")))
			}
		}
		c.shown = append(c.shown, newExhibit(language, text, 0, lo, about...))
	}
	return b.String()
}

// removedNear writes what the change removed near some lines of the new version.
func removedNear(f *diff.File, first, last int) string {
	var b strings.Builder
	for _, h := range f.Hunks {
		if lo, hi, ok := h.Range(domain.Right); !ok || hi < first || lo > last {
			continue
		}
		for _, l := range h.Lines {
			if l.Op == diff.Delete {
				fmt.Fprintf(&b, "%5d - %s\n", l.Old, showLine(l.Text))
			}
		}
	}
	return b.String()
}

// changed reports whether a line from first to last is added (RIGHT) or removed
// (LEFT).
func changed(f *diff.File, side domain.Side, first, last int) bool {
	for _, h := range f.Hunks {
		if from, to, ok := h.Range(side); ok && from <= last && to >= first && h.Changed(side, first, last) {
			return true
		}
	}
	return false
}

func showLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = ShowInvisible(strings.TrimSuffix(l, "\r"))
	}
	return strings.Join(lines, "\n")
}
