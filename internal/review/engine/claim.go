package engine

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// claimFor writes the block of a claim: what is said, and the code around it.
// The diff is redacted and so is the source.
func claimFor(ctx context.Context, set *diff.Set, src Source, it *item) claim {
	f := &it.f
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
	fence := backticks(f.Anchor.Quote)
	fmt.Fprintf(&b, "quote:\n%s\n%s\n%s\n", fence, showLines(f.Anchor.Quote), fence)
	code, removed := window(ctx, set, src, f.Anchor)
	for _, e := range f.Evidence {
		if e.Kind == "code" && e.Quote != "" && e.Path != f.Anchor.Path {
			code += fmt.Sprintf("--- %s:%d-%d\n%s\n", cleanPath(e.Path), e.Start, e.End, showLines(e.Quote))
		}
	}
	fence = backticks(code)
	fmt.Fprintf(&b, "code:\n%s\n%s%s\n", fence, code, fence)
	if removed != "" {
		fence = backticks(removed)
		fmt.Fprintf(&b, "removed by the change, no longer there:\n%s\n%s%s\n", fence, removed, fence)
	}
	return claim{Text: b.String(), Code: bareCode(code), Removed: bareCode(removed), it: it}
}

// window returns the lines around an anchor with numbers, added lines marked,
// and apart from them the lines that the change removed in sight.
func window(ctx context.Context, set *diff.Set, src Source, a domain.Anchor) (code, removed string) {
	f := set.File(a.Path)
	side, path := a.Side, a.Path
	if side == "" {
		side = domain.Right
	}
	if side == domain.Left && f != nil {
		path = f.BasePath()
	}
	first, last := max(a.StartLine-verifyMargin, 1), a.EndLine+verifyMargin
	var b strings.Builder
	blob, err := src.Blob(ctx, side, path)
	if err == nil {
		lines := strings.Split(strings.TrimSuffix(string(blob), "\n"), "\n")
		first = min(first, max(len(lines)-verifyMargin, 1)) // an old place may lie beyond a file that shrank
		for n := first; n <= min(last, len(lines)); n++ {
			m := " "
			if f != nil && changed(f, side, n, n) {
				m = "+"
				if side == domain.Left {
					m = "-"
				}
			}
			fmt.Fprintf(&b, "%5d %s %s\n", n, m, ShowInvisible(strings.TrimSuffix(lines[n-1], "\r")))
		}
	}
	if f == nil {
		return b.String(), ""
	}
	var gone strings.Builder
	for _, h := range f.Hunks {
		if lo, hi, ok := h.Range(side); !ok || hi < first || lo > last {
			continue
		}
		if err != nil { // without the file, the hunk is all there is
			writeHunk(&b, h)
			continue
		}
		if side == domain.Left {
			continue
		}
		for _, l := range h.Lines {
			if l.Op == diff.Delete {
				fmt.Fprintf(&gone, "%5d - %s\n", l.Old, ShowInvisible(l.Text))
			}
		}
	}
	return b.String(), gone.String()
}

// gutter is the number and mark before a line of code.
var gutter = regexp.MustCompile(`^ *\d+ [-+ ] ?`)

// bareCode takes the numbers and marks off again, for comparing quotes.
func bareCode(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(gutter.ReplaceAllString(line, ""))
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
