package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// Bounds of looked-up code that a second opinion gets with a claim (design choices: twice the usual number of
// definitions and uses that decide one, each whole as a tool shows it).
const (
	maxLooked      = 8  // pieces
	maxLookedLines = 40 // lines of a piece
	lookedMargin   = 10 // a claim that is shown with fewer lines around it has no room for looked-up code
)

// lookedLines returns the places of looked-up code, each once, the newest last, at most [maxLooked].
func lookedLines(seen []change.Exhibit) (out []finding.Lines) {
	for _, e := range seen {
		if len(e.Line) == 0 || e.Path == "" {
			continue
		}
		l := finding.Lines{Path: e.Path, Left: e.Left, First: int(e.Line[0]), Last: int(e.Line[len(e.Line)-1])}
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out[max(len(out)-maxLooked, 0):]
}

// lookedBefore writes the code that the first check looked up and the claim does not show otherwise, and keeps
// it as looked-up code. It returns "" if there is none, or no room for it.
func (c *claim) lookedBefore(ctx context.Context, src change.Source, margin int) string {
	if margin < lookedMargin {
		return ""
	}
	var b strings.Builder
	for _, l := range c.it.Check.Looked {
		side := domain.Right
		if l.Left {
			side = domain.Left
		}
		blob, err := src.Blob(ctx, side, l.Path)
		lines := change.Lines(blob)
		if err != nil || l.First < 1 || l.First > len(lines) || c.showsLines(l) {
			continue
		}
		last := min(l.Last, l.First+maxLookedLines-1, len(lines))
		_, language := diff.Classify(l.Path, nil)
		x, text := exhibit(language, lines, l.First, last, marks(c.set.File(l.Path), side), change.Span{First: l.First, Last: last})
		x.Path, x.Left = l.Path, l.Left
		c.seen = append(c.seen, x)
		fmt.Fprintf(&b, "--- %s:%d-%d\n%s", change.CleanPath(l.Path), l.First, last, text)
		if last < l.Last {
			fmt.Fprintf(&b, "[lines %d-%d are left out]\n", last+1, l.Last)
		}
	}
	return b.String()
}

// leftBehind writes the places that still use symbols which the claimed lines defined before the change, and keeps them as
// looked-up code. It returns "" for a claim about other lines.
func (c *claim) leftBehind(ctx context.Context, s scene) string {
	a := c.it.Anchor
	if a.Side != domain.Left {
		return ""
	}
	var b strings.Builder
	for _, e := range s.related.StillUsed(ctx, s.src, s.related.Gone(wordsOf(a.Quote))) {
		lines := strings.Split(strings.TrimSuffix(e.Text, "\n"), "\n")
		_, language := diff.Classify(e.Path, nil)
		x := change.NewExhibit(language, lines, 0, e.Start, change.Span{First: e.Start, Last: e.End})
		x.Path = e.Path
		c.seen = append(c.seen, x)
		fmt.Fprintf(&b, "--- %s:%d-%d (%s)\n", change.CleanPath(e.Path), e.Start, e.End, change.OneLine(e.Note))
		for _, l := range lines {
			b.WriteString(change.ShowLine(change.ShowInvisible(strings.TrimSuffix(l, "\r"))) + "\n")
		}
	}
	return b.String()
}

// wordsOf returns the identifiers of some lines, each once.
func wordsOf(code string) []string {
	words := identifier.FindAllString(code, -1)
	slices.Sort(words)
	return slices.Compact(words)
}

var identifier = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)

// showsLines reports whether the window of the claim shows all of some lines.
func (c *claim) showsLines(l finding.Lines) bool {
	a := c.it.Anchor
	return l.Path == a.Path && l.Left == (a.Side == domain.Left) &&
		slices.ContainsFunc(c.shown, func(x change.Exhibit) bool { return holds(x, l.First, l.Last) })
}

// holds reports whether an exhibit has all of some lines.
func holds(x change.Exhibit, first, last int) bool {
	return len(x.Line) > 0 && int(x.Line[0]) <= first && last <= int(x.Line[len(x.Line)-1])
}
