package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// Bounds of code that a claim shows from other places than its own and its evidence (design choices: a second opinion gets about what
// the first check may read for one claim, [lookup.ClaimTokens]).
const (
	maxLooked      = 8        // pieces that the first check has looked up
	maxLookedLines = 40       // lines of a piece
	maxLookedBytes = 16 << 10 // of all pieces
	maxLeftBytes   = 4 << 10  // of the places that still use a removed name
	lookedWidth    = 300      // characters of a line, as tools show them
	leastMargin    = 10       // a claim that is shown with fewer lines around it has no room for other places
)

// lookedLines returns the places of looked-up code in the order in which they were shown first: neighbours are joined, and the
// [maxLooked] longest are kept.
func lookedLines(seen []change.Exhibit) []finding.Lines {
	var out []finding.Lines
	for _, e := range seen {
		if len(e.Line) == 0 || e.Path == "" {
			continue
		}
		l := finding.Lines{Path: e.Path, Left: e.Left, First: int(e.Line[0]), Last: int(e.Line[len(e.Line)-1])}
		i := slices.IndexFunc(out, func(o finding.Lines) bool {
			return o.Path == l.Path && o.Left == l.Left && l.First <= o.Last+1 && o.First <= l.Last+1
		})
		if i < 0 {
			out = append(out, l)
			continue
		}
		out[i].First, out[i].Last = min(out[i].First, l.First), max(out[i].Last, l.Last)
	}
	if len(out) > maxLooked {
		long := slices.Clone(out)
		slices.SortStableFunc(long, func(a, b finding.Lines) int { return cmp.Compare(b.Last-b.First, a.Last-a.First) })
		out = slices.DeleteFunc(out, func(l finding.Lines) bool { return !slices.Contains(long[:maxLooked], l) })
	}
	return out
}

// places writes pieces of code until its room is used up.
type places struct {
	strings.Builder
	room int // bytes
}

// put writes a piece below its heading, each line cut to [lookedWidth], or that it is left out.
func (p *places) put(heading, text string) bool {
	var b strings.Builder
	for l := range strings.Lines(text) {
		b.WriteString(clip.Runes(strings.TrimSuffix(l, "\n"), lookedWidth, " […]") + "\n")
	}
	if len(heading)+b.Len() > p.room {
		p.WriteString(heading + " [left out: no room]\n")
		return false
	}
	p.room -= len(heading) + b.Len()
	p.WriteString(heading + "\n" + b.String())
	return true
}

// lookedBefore writes the code that the first check looked up and the claim does not show otherwise, and keeps it as looked-up code. It
// returns "" if nothing was looked up, and without room for it. Code that an earlier claim of the prompt shows is named.
func (c *claim) lookedBefore(ctx context.Context, src change.Source, v view) string {
	out := places{room: v.looked}
	for _, l := range c.it.Check.Looked {
		x, text, ok := c.piece(ctx, src, l)
		if v.looked == 0 || !ok || c.showsLines(l) {
			continue
		}
		heading := fmt.Sprintf("--- %s:%d-%d%s", change.CleanPath(l.Path), l.First, min(l.Last, l.First+maxLookedLines-1),
			c.noteOn(l.Path, sideOf(l.Left)))
		if cut := l.First + maxLookedLines; cut <= l.Last {
			text += fmt.Sprintf("[lines %d-%d are left out]\n", cut, l.Last)
		}
		if slices.Contains(v.done, l) {
			fmt.Fprintf(&out, "%s, as at an earlier claim\n", heading)
		} else if !out.put(heading, text) {
			continue
		}
		c.seen = append(c.seen, x)
	}
	return out.String()
}

// piece returns lines of a file as an exhibit and as text, at most [maxLookedLines], and whether they are there.
func (c *claim) piece(ctx context.Context, src change.Source, l finding.Lines, about ...change.Span) (x change.Exhibit, text string,
	ok bool,
) {
	side := sideOf(l.Left)
	blob, err := src.Blob(ctx, side, l.Path)
	lines := change.Lines(blob)
	if err != nil || l.First < 1 || l.First > len(lines) || l.Last < l.First {
		return x, "", false
	}
	last := min(l.Last, l.First+maxLookedLines-1, len(lines))
	if len(about) == 0 {
		about = []change.Span{{First: l.First, Last: last}}
	}
	var f *diff.File
	if side == domain.Right {
		f = c.set.File(l.Path)
	}
	_, language := diff.Classify(l.Path, nil)
	x, text = exhibit(language, lines, l.First, last, marks(f, side), about...)
	x.Path, x.Left = l.Path, l.Left
	return x, text, true
}

func sideOf(left bool) domain.Side {
	if left {
		return domain.Left
	}
	return domain.Right
}

// leftBehind writes the places that still use the symbols which the claimed lines defined before the change, and keeps them like
// cited code, because their lines with the name prove the claim. It returns "" for a claim about other lines.
func (c *claim) leftBehind(ctx context.Context, s scene, v view) string {
	if v.margin < leastMargin {
		return ""
	}
	out := places{room: maxLeftBytes}
	for _, symbol := range removedBy(c.it, c.set.File(c.it.Anchor.Path), s.related) {
		for _, e := range s.related.StillUsed(ctx, s.src, []*around.Symbol{symbol}) {
			var about []change.Span
			for i, l := range strings.Split(e.Text, "\n") {
				if strings.Contains(l, symbol.UsedName) {
					about = append(about, change.Span{First: e.Start + i, Last: e.Start + i})
				}
			}
			x, text, ok := c.piece(ctx, s.src, finding.Lines{Path: e.Path, First: e.Start, Last: e.End}, about...)
			heading := fmt.Sprintf("--- %s:%d-%d (%s)", change.CleanPath(e.Path), e.Start, e.End, change.OneLine(e.Note))
			if ok && out.put(heading, text) {
				c.cited = append(c.cited, x)
			}
		}
	}
	return out.String()
}

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
