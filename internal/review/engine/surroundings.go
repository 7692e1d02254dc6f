package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/change"
)

// Bounds of the surroundings of a hunk, in lines.
const (
	maxSymbolSize = 120 // of an enclosing symbol that is shown whole
	longBefore    = 60  // before a hunk in a longer symbol
	longAfter     = 30
	linesBefore   = 8 // without a symbol, or where those do not fit
	linesAfter    = 2
	maxWholeFile  = 150   // of a file that is shown whole
	maxHeads      = 8     // enclosing blocks whose first lines are shown
	maxHeadAbove  = 2_000 // lines that are searched for them
)

// span is a range of lines, both included.
type span struct{ from, to int }

// surround writes the surroundings of all hunks, up to so many tokens: small files that fit into their share whole, and of
// the others the enclosing symbols, or as much of them as fits, and then the rest of small files. Lines that were shown are
// left out, so a second call adds those that did not fit in the first.
func (p prompts) surround(ctx context.Context, b *contextBuilder, files []changedFile, tokens int) {
	whole := func(f changedFile, tokens int) bool {
		return len(f.lines) <= maxWholeFile && b.writeLines(f, "", []span{{1, len(f.lines)}}, tokens)
	}
	for i, f := range files {
		if whole(f, b.used()+(tokens-b.used())/(len(files)-i)) {
			continue
		}
		for _, h := range f.Hunks {
			name, wide, narrow := p.surroundings(ctx, f, h)
			if !b.writeLines(f, name, wide, tokens) {
				b.writeLines(f, name, narrow, tokens)
			}
		}
	}
	for _, f := range files {
		whole(f, tokens)
	}
}

// surroundings returns the symbol around a hunk and the lines that show it: the whole symbol or, if it is long, many
// lines of it, and a narrow choice of lines for a small budget. Both have the first lines of the blocks around the hunk.
func (p prompts) surroundings(ctx context.Context, f changedFile, h *diff.Hunk) (name string, wide, narrow []span) {
	first, last, ok := h.Range(domain.Right)
	if !ok {
		first, last = max(h.NewStart, 1), max(h.NewStart, 1)
	}
	at := change.FirstChanged(h)
	name, from, to := p.symbol(ctx, f.File.Path, at)
	heads := headsOf(f.lines, from, min(at, first))
	narrow = append(slices.Clone(heads), span{first - linesBefore, last + linesAfter})
	switch {
	case from == 0:
		return name, narrow, nil
	case to-from >= maxSymbolSize:
		wide = append(heads, span{max(from, first-longBefore), max(min(to, last+longAfter), last+linesAfter)})
		return name, wide, narrow
	}
	return name, []span{{min(from, first-linesAfter), max(to, last+linesAfter)}}, narrow
}

// headsOf returns the lines at which the blocks around a line begin, down to the first line of its symbol, in their order.
func headsOf(lines []string, from, at int) (out []span) {
	level := -1
	for n := min(at, len(lines)); n >= max(from, at-maxHeadAbove, 1) && len(out) < maxHeads; n-- {
		text := strings.TrimSpace(lines[n-1])
		in := len(lines[n-1]) - len(strings.TrimLeft(lines[n-1], " \t"))
		switch {
		case strings.Trim(text, "{})];, ") == "" || slices.ContainsFunc(noHeads, func(s string) bool { return strings.HasPrefix(text, s) }):
		case level < 0:
			level = in
		case in < level:
			level = in
			out = append(out, span{n, n})
		}
	}
	if from > 0 && (len(out) == 0 || out[len(out)-1].from != from) {
		out = append(out, span{from, from})
	}
	slices.Reverse(out)
	return out
}

// noHeads are the beginnings of lines that do not open a block: comments and directives.
var noHeads = []string{"#", "//", "/*", "*", "--"}

// writeLines writes the lines of ranges that were not shown yet, if all of them fit into a number of tokens. It reports
// whether they did.
func (b *contextBuilder) writeLines(f changedFile, name string, ranges []span, tokens int) bool {
	var due []int
	for _, r := range ranges {
		for n := max(r.from, 1); n <= min(r.to, len(f.lines)); n++ {
			if !b.shown[f.File.Path][n] {
				due = append(due, n)
			}
		}
	}
	slices.Sort(due)
	due = slices.Compact(due)
	var one strings.Builder
	for i, n := range due {
		if i == 0 {
			one.WriteString(strings.TrimRight("--- "+change.CleanPath(f.File.Path)+" "+change.ShowInvisible(name), " ") + "\n")
		} else if n != due[i-1]+1 {
			one.WriteString("      …\n")
		}
		fmt.Fprintf(&one, "%5d   %s\n", n, change.ShowLine(strings.TrimSuffix(f.lines[n-1], "\r")))
	}
	if !b.fits(one.Len(), tokens) {
		return false
	}
	b.WriteString(one.String())
	for _, n := range due {
		b.markShown(f.File.Path, n, n)
		if last := len(b.items) - 1; n > due[0] && b.items[last].End == n-1 {
			b.items[last].End = n
			continue
		}
		b.items = append(b.items, ContextItem{f.File.Path, n, n, name, around.WhySurroundings, ""})
	}
	return true
}
