package change

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// sizedTarget returns a file with hunks of the given sizes in lines.
func sizedTarget(path string, sizes ...int) *Target {
	t := &Target{File: &diff.File{Path: path, Class: diff.ClassSource}}
	for i, n := range sizes {
		h := &diff.Hunk{ID: fmt.Sprintf("%s#%d", path, i), NewStart: 1 + i*1000, NewLines: n}
		for j := range n {
			h.Lines = append(h.Lines, diff.Line{Op: diff.Add, New: h.NewStart + j, Text: strings.Repeat("x", 60)})
		}
		t.Hunks = append(t.Hunks, h)
		t.File.Hunks = append(t.File.Hunks, h)
	}
	return t
}

func TestChunksKeepEveryHunkOnce(t *testing.T) {
	t.Parallel()
	targets := []*Target{sizedTarget("a", 10, 10), sizedTarget("b", 400, 400, 400), sizedTarget("c", 1), sizedTarget("d", 900),
		sizedTarget("e", 5)}
	parts := Split([][]*Target{targets}, 6000, nil)
	seen := map[string]int{}
	for i, c := range parts {
		sum := 0
		for _, target := range c.Targets {
			for _, h := range target.Hunks {
				sum += hunkTokens(h)
			}
		}
		if sum > 6000+200 {
			t.Errorf("part %d has %d tokens in %d hunks", i, sum, c.HunkCount())
		}
		for _, target := range c.Targets {
			for _, h := range target.Hunks {
				seen[h.ID] += len(h.Lines)
			}
		}
	}
	for _, target := range targets {
		for _, h := range target.Hunks {
			if seen[h.ID] != len(h.Lines) {
				t.Errorf("the parts have %d lines of hunk %s, want %d", seen[h.ID], h.ID, len(h.Lines))
			}
		}
	}
	if len(parts) < 4 {
		t.Errorf("%d parts", len(parts))
	}
}

func TestHalve(t *testing.T) {
	t.Parallel()
	for name, targets := range map[string][]*Target{
		"one file":        {sizedTarget("a", 10, 10, 10, 10)},
		"two files":       {sizedTarget("a", 10), sizedTarget("b", 10)},
		"large one first": {sizedTarget("a", 500), sizedTarget("b", 1, 1)},
		"large one last":  {sizedTarget("a", 1, 1), sizedTarget("b", 500)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c Chunk
			for _, x := range targets {
				c.Add(x)
			}
			a, b, ok := c.Halve(nil)
			if !ok || a.HunkCount() == 0 || b.HunkCount() == 0 || a.HunkCount()+b.HunkCount() != c.HunkCount() {
				t.Fatalf("ok %v, %d + %d of %d hunks", ok, a.HunkCount(), b.HunkCount(), c.HunkCount())
			}
			if got, want := append(a.HunkIDs(), b.HunkIDs()...), c.HunkIDs(); strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("hunks %v, want %v", got, want)
			}
		})
	}
	single := Chunk{}
	single.Add(sizedTarget("a", 1))
	if _, _, ok := single.Halve(nil); ok {
		t.Error("one line was cut")
	}
}

// A hunk that is too large is cut before the first line of a symbol. The parts hold all its lines, in their order and
// with their numbers.
func TestPieces(t *testing.T) {
	t.Parallel()
	every := func(n int) SymbolAt { // a symbol begins with every n-th line
		return func(_ string, line int) (string, int, int) { return "f", (line-1)/n*n + 1, (line-1)/n*n + n }
	}
	mixed := &diff.Hunk{ID: "m", OldStart: 1, NewStart: 1, OldLines: 600, NewLines: 600}
	for i := range 300 {
		mixed.Lines = append(mixed.Lines, diff.Line{Op: diff.Context, Old: 2*i + 1, New: 2*i + 1, Text: "same"},
			diff.Line{Op: diff.Delete, Old: 2*i + 2, Text: "before"}, diff.Line{Op: diff.Add, New: 2*i + 2, Text: "after"})
	}
	removed := &diff.Hunk{ID: "r", OldStart: 5, OldLines: 300}
	for i := range 300 {
		removed.Lines = append(removed.Lines, diff.Line{Op: diff.Delete, Old: i + 5, Text: "gone"})
	}
	for name, c := range map[string]struct {
		hunk   *diff.Hunk
		symbol SymbolAt
		begin  int // each part begins at a line number divisible by this, because each symbol has so many lines
	}{
		"no symbols":    {sizedTarget("a", 1000).Hunks[0], nil, 0},
		"symbols":       {sizedTarget("a", 1000).Hunks[0], every(7), 7},
		"large symbols": {sizedTarget("a", 1000).Hunks[0], every(400), 0},
		"changed lines": {mixed, nil, 0},
		"removed lines": {removed, nil, 0},
		"one line":      {sizedTarget("a", 1).Hunks[0], every(7), 0},
		"nothing known": {sizedTarget("a", 500).Hunks[0], func(string, int) (string, int, int) { return "", 0, 0 }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []diff.Line
			const limit = 1000
			for i, p := range pieces("a", c.hunk, limit, c.symbol) {
				all = append(all, p.Lines...)
				if p.ID != c.hunk.ID || hunkTokens(p) > limit {
					t.Errorf("part %d: id %q, %d tokens", i, p.ID, hunkTokens(p))
				}
				first, last, ok := p.Range(domain.Right)
				begins, ends := 0, 0
				for _, l := range p.Lines {
					if l.New > 0 {
						if ends = l.New; begins == 0 {
							begins = l.New
						}
					}
				}
				if ok != (begins > 0) || ok && (first != begins || last != ends) {
					t.Errorf("part %d: new lines %d to %d (%v), want %d to %d", i, first, last, ok, begins, ends)
				}
				if i > 0 && p.Lines[0].Op == diff.Add && c.hunk == mixed {
					t.Errorf("part %d begins between a removed line and what takes its place", i)
				}
				if c.begin > 0 && (first-1)%c.begin != 0 {
					t.Errorf("part %d begins with line %d, which begins no symbol", i, first)
				}
			}
			if len(all) != len(c.hunk.Lines) || !slices.Equal(all, c.hunk.Lines) {
				t.Errorf("the parts have %d lines of %d", len(all), len(c.hunk.Lines))
			}
		})
	}
}
