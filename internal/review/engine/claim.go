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
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// scene holds what claims are about: the change, its files, its rules and the places that are related to it. The diff and
// the files are redacted.
type scene struct {
	set     *diff.Set
	src     change.Source
	rules   []Rule
	related around.Relations
	release newestRelease
}

// view chooses the code of the claimed file that a claim shows.
type view struct {
	margin int             // lines before and after its place
	looked int             // most bytes of looked-up code; 0 for none
	union  change.Span     // lines that it shows together with other claims; zero for none
	near   change.Span     // lines near it and those claims, from which removed lines are shown; zero for none
	with   string          // the claim that shows these lines; "" for itself
	done   []finding.Lines // looked-up code that other claims of the prompt show
}

// claim writes the block of a claim: its text, the rule that it is about, and the code around its place. Below
// [verifyMargin] lines, removed code is cut too.
func (s scene) claim(ctx context.Context, it *finding.Item, v view) claim {
	f := &it.Finding
	c := claim{it: it, set: s.set}
	var b strings.Builder
	fmt.Fprintf(&b, "title: %s\n", change.OneLine(change.StripInvisible(f.Title)))
	fmt.Fprintf(&b, "path: %s\n", change.CleanPath(f.Anchor.Path))
	fmt.Fprintf(&b, "lines: %d-%d\n", f.Anchor.StartLine, f.Anchor.EndLine)
	if f.Anchor.Side == domain.Left {
		b.WriteString("side: LEFT (removed lines)\n")
	}
	b.WriteString(writeTrigger(f.Trigger))
	if it.Resolves {
		b.WriteString("question: this was reported before the code changed; is the defect still there?\n")
		c.notes = append(c.notes, "claims-earlier")
	}
	b.WriteString(checkedBefore(it.Check))
	if it.Reply != "" {
		fenced(&b, "reply of a person:", it.Reply+"\n")
		c.notes = append(c.notes, "claims-reply")
	}
	if r, ok := ruleOf(s.rules, f); ok {
		fmt.Fprintf(&b, "rule of this repository that the code is said to violate: %s. %s\n", change.OneLine(r.Title),
			change.OneLine(r.Instruction))
		c.notes = append(c.notes, "claims-rule")
	}
	fenced(&b, "quote:", change.ShowLines(f.Anchor.Quote)+"\n")
	code, removed := c.window(ctx, s.src, v)
	if v.margin < verifyMargin {
		removed = change.Cut(removed, v.margin*removedWidth)
	}
	for _, e := range f.Evidence {
		if e.Kind == "code" && e.Quote != "" && !c.showsEvidence(e) {
			code += c.cite(ctx, s.src, v.margin, e)
		}
	}
	for _, a := range it.Apart {
		code += c.cite(ctx, s.src, v.margin, domain.Evidence{Path: a.Path, Start: a.StartLine, End: a.EndLine, Quote: a.Quote})
	}
	label := "code:"
	if v.with != "" {
		label = "code: with its removed lines as at claim " + v.with
	}
	fenced(&b, label, code)
	fenced(&b, "also at (name in also_at the labels of those where the same defect holds):", c.furtherPlaces(ctx, s.src))
	fenced(&b, "in its place now:", c.replacement(ctx, s.src, v.margin))
	fenced(&b, "still used here:", c.leftBehind(ctx, s, v))
	fenced(&b, "in the newest release:", c.releaseNote(s, v))
	fenced(&b, "looked up by the first check:", c.lookedBefore(ctx, s.src, v))
	fenced(&b, "removed by the change, no longer there:", removed)
	fmt.Fprintf(&b, "proof: %s\n", c.proofPlaces())
	c.Text = b.String()
	return c
}

// fenced writes a label and a fenced text below it. Without a text it writes nothing, except a label that refers to other lines.
func fenced(b *strings.Builder, label, text string) {
	if text != "" {
		fence := change.Fence(text)
		fmt.Fprintf(b, "%s\n%s\n%s%s\n", label, fence, text, fence)
	} else if !strings.HasSuffix(label, ":") {
		b.WriteString(label + "\n")
	}
}

// checkedBefore returns the lines of a claim about its first check, or "" before that check.
func checkedBefore(c finding.Check) string {
	var said string
	switch c.Said {
	case domain.VerdictConfirmed:
		said = "confirmed, but its quote is not code that proves the claim"
	case domain.VerdictRefuted:
		said = "refuted, but its quote is not code that disproves the claim"
	case domain.VerdictUnproven:
		said = "unproven"
	default:
		return ""
	}
	if c.Reason != "" {
		return "first check: " + said + "\nits reason: " + c.Reason + "\n"
	}
	return "first check: " + said + "\n"
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

// citedMargin is how many lines are shown before and after cited evidence and before and after the lines that took
// the place of removed ones, because these may be shorter than what proves anything.
const citedMargin = 3

// showsEvidence reports whether the window of the claim shows evidence from the claimed file. Evidence of other lines, and
// of the other version, is cited like that of other files.
func (c claim) showsEvidence(e domain.Evidence) bool {
	a := c.it.Anchor
	return e.Path == a.Path && slices.ContainsFunc(c.shown, func(x change.Exhibit) bool {
		return holds(x, e.Start, e.End) && (a.Side != domain.Left || hasWords(x, e.Quote))
	})
}

// hasWords reports whether an exhibit has the words of a quotation, white space aside.
func hasWords(e change.Exhibit, quote string) bool {
	return slices.ContainsFunc(anchor.Readings(quote), func(q string) bool { return strings.Contains(e.Text, change.StripSpace(q)) })
}

// replacement writes the lines of the new version that stand in the place of a claim's removed lines, and keeps them,
// because they may prove the claim. It returns "" for a claim about other lines and if the file is gone.
func (c *claim) replacement(ctx context.Context, src change.Source, margin int) string {
	a := c.it.Anchor
	f := c.set.File(a.Path)
	if a.Side != domain.Left || f == nil {
		return ""
	}
	from, to, ok := f.Replacement(a.StartLine, a.EndLine)
	blob, err := src.Blob(ctx, domain.Right, f.Path)
	lines := change.Lines(blob)
	if !ok || err != nil || from > len(lines) {
		return ""
	}
	first, last := max(from-min(margin, citedMargin), 1), min(to+min(margin, citedMargin), len(lines))
	x, text := exhibit(f.Language, lines, first, last, marks(f, domain.Right), change.Span{First: from, Last: to})
	c.now = append(c.now, x)
	return text
}

// marks returns the number of a line in a version and the mark for changed lines, as the prompt shows them.
func marks(f *diff.File, side domain.Side) func(n int) string {
	return func(n int) string {
		m := " "
		if f != nil && change.HasChanged(f, side, n, n) {
			m = "+"
			if side == domain.Left {
				m = "-"
			}
		}
		return fmt.Sprintf("%5d %s ", n, m)
	}
}

// maxCitedLines is the maximum number of lines of a piece of evidence that a claim shows.
const maxCitedLines = 40

// cite writes cited evidence from the version in which it stands, with at most margin lines around it, and keeps it, because
// it may prove the claim. A quote that does not stand there is written as it was cited, and proves nothing.
func (c *claim) cite(ctx context.Context, src change.Source, margin int, e domain.Evidence) string {
	_, language := diff.Classify(e.Path, nil)
	margin = min(margin, citedMargin)
	for _, side := range []domain.Side{domain.Right, domain.Left} {
		blob, err := src.Blob(ctx, side, e.Path)
		lines := change.Lines(blob)
		if err != nil || !stands(lines, e) {
			continue
		}
		first := max(e.Start-margin, 1)
		last := min(e.End+margin, first+maxCitedLines-1, len(lines))
		x, shown := exhibit(language, lines, first, last, func(int) string { return "" }, change.Span{First: e.Start, Last: min(e.End, last)})
		x.Path, x.Left = e.Path, side == domain.Left
		c.cited = append(c.cited, x)
		return fmt.Sprintf("--- %s:%d-%d%s\n%s", change.CleanPath(e.Path), first, last, c.noteOn(e.Path, side), shown)
	}
	return fmt.Sprintf("--- %s:%d-%d\n%s\n", change.CleanPath(e.Path), e.Start, e.End, change.ShowLines(change.Cut(e.Quote, change.MaxProof)))
}

// noteOn returns the words behind the path of shown code that is of another version or proves nothing.
func (c claim) noteOn(path string, side domain.Side) string {
	switch {
	case side == domain.Left:
		return " (before the change, no longer there)"
	case c.isChangedTestOrDocument(path):
		return " (a test or document of this change, which proves nothing)"
	}
	return ""
}

// exhibit returns lines first to last of a file as an exhibit, and as text for the prompt: each line is shortened, with what
// before returns in front of it. It changes lines.
func exhibit(language string, lines []string, first, last int, before func(n int) string, about ...change.Span) (change.Exhibit, string) {
	var b strings.Builder
	lines = lines[:last]
	for n := first; n <= last; n++ {
		line := strings.TrimSuffix(lines[n-1], "\r")
		lines[n-1] = change.ShowInvisible(line)
		b.WriteString(before(n) + change.ShowLine(line) + "\n")
	}
	return change.NewExhibit(language, lines, first-1, first, about...), b.String()
}

// stands reports whether evidence stands in lines of a file, at its place.
func stands(lines []string, e domain.Evidence) bool {
	return e.Start >= 1 && e.Start <= e.End && e.End <= len(lines) && containsQuote(lines[e.Start-1:e.End], e.Quote)
}

// containsQuote reports whether a quotation stands in lines, white space aside.
func containsQuote(lines []string, quote string) bool {
	text := change.StripSpace(strings.Join(lines, "\n"))
	return slices.ContainsFunc(anchor.Readings(quote), func(q string) bool { return strings.Contains(text, change.StripSpace(q)) })
}

// window returns the lines around the claim's place, with numbers and marks for added lines, and the removed
// lines near them. It keeps the lines that may prove the claim.
func (c *claim) window(ctx context.Context, src change.Source, v view) (code, removed string) {
	a := c.it.Anchor
	f := c.set.File(a.Path)
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
	lines := change.Lines(blob)
	place := change.Span{First: a.StartLine, Last: a.EndLine}
	if place.First < 1 { // of a finding on the file as a whole the quotation has a place
		place = change.FindLine(lines, a.Quote)
	}
	c.place = place
	about := []change.Span{place}
	for _, e := range c.it.Evidence {
		if e.Kind == "code" && e.Path == a.Path && (side == domain.Right || err != nil || stands(lines, e)) {
			about = append(about, change.Span{First: e.Start, Last: e.End})
		}
	}
	first, last := max(place.First-v.margin, 1), place.Last+v.margin
	if v.union.First > 0 {
		first, last = min(first, v.union.First), max(last, v.union.Last)
	}
	if err != nil { // without the file, the hunks are all there is
		code = c.hunks(f, side, language, first, last, about)
	} else {
		first = min(first, max(len(lines)-v.margin, 1)) // an old place may lie beyond a file that shrank
		var x change.Exhibit
		x, code = exhibit(language, lines, first, min(last, len(lines)), marks(f, side), about...)
		c.shown = append(c.shown, x)
		if f != nil && side == domain.Right {
			near := change.Span{First: place.First - removedMargin, Last: place.Last + removedMargin}
			if v.near.First > 0 {
				near = v.near
			}
			removed = removedNear(f, max(near.First, first), min(near.Last, last))
		}
	}
	if v.with != "" {
		return "", ""
	}
	return code, removed
}

// hunks writes the hunks of a file if there is nothing else of it, and keeps their lines of one side, which
// may prove the claim.
func (c *claim) hunks(f *diff.File, side domain.Side, language string, first, last int, about []change.Span) string {
	if f == nil {
		return ""
	}
	var b strings.Builder
	for _, h := range f.Hunks {
		lo, hi, ok := h.Range(side)
		if !ok || hi < first || lo > last {
			continue
		}
		change.WriteHunk(&b, h)
		var text []string
		for _, l := range h.Lines {
			if side == domain.Right && l.Op != diff.Delete || side == domain.Left && l.Op != diff.Add {
				text = append(text, change.ShowInvisible(strings.TrimSuffix(l.Text, "\r")))
			}
		}
		c.shown = append(c.shown, change.NewExhibit(language, text, 0, lo, about...))
	}
	return b.String()
}

// removedMargin is how many lines before and after a claim's place its removed lines are shown for. They tell what was there
// before, and prove nothing.
const removedMargin = 20

// removedNear writes what the change removed from some lines of the new version, or from between them.
func removedNear(f *diff.File, first, last int) string {
	var b strings.Builder
	for _, h := range f.Hunks {
		at := h.NewStart // line of the new version behind the removed ones
		for _, l := range h.Lines {
			switch {
			case l.Op != diff.Delete:
				at = l.New + 1
			case at >= first && at <= last+1:
				fmt.Fprintf(&b, "%5d - %s\n", l.Old, change.ShowLine(l.Text))
			}
		}
	}
	return b.String()
}
