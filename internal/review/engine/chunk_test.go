package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
)

// targetOf makes a file with hunks of the given sizes in lines.
func targetOf(path string, sizes ...int) *target {
	t := &target{file: &diff.File{Path: path, Class: diff.ClassSource}}
	for i, n := range sizes {
		h := &diff.Hunk{ID: fmt.Sprintf("%s#%d", path, i), NewStart: 1 + i*1000, NewLines: n}
		for j := range n {
			h.Lines = append(h.Lines, diff.Line{Op: diff.Add, New: h.NewStart + j, Text: strings.Repeat("x", 60)})
		}
		t.hunks = append(t.hunks, h)
		t.file.Hunks = append(t.file.Hunks, h)
	}
	return t
}

func TestChunksKeepEveryHunkOnce(t *testing.T) {
	t.Parallel()
	targets := []*target{targetOf("a", 10, 10), targetOf("b", 400, 400, 400), targetOf("c", 1), targetOf("d", 900), targetOf("e", 5)}
	parts := chunks([][]*target{targets}, 6000, nil)
	seen := map[string]int{}
	for i, c := range parts {
		sum := 0
		for _, target := range c.targets {
			for _, h := range target.hunks {
				sum += hunkTokens(h)
			}
		}
		if sum > 6000+200 {
			t.Errorf("part %d has %d tokens in %d hunks", i, sum, c.hunks())
		}
		for _, target := range c.targets {
			for _, h := range target.hunks {
				seen[h.ID] += len(h.Lines)
			}
		}
	}
	for _, target := range targets {
		for _, h := range target.hunks {
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
	for name, targets := range map[string][]*target{
		"one file":        {targetOf("a", 10, 10, 10, 10)},
		"two files":       {targetOf("a", 10), targetOf("b", 10)},
		"large one first": {targetOf("a", 500), targetOf("b", 1, 1)},
		"large one last":  {targetOf("a", 1, 1), targetOf("b", 500)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c chunk
			for _, x := range targets {
				c.add(x)
			}
			a, b, ok := c.halve(nil)
			if !ok || a.hunks() == 0 || b.hunks() == 0 || a.hunks()+b.hunks() != c.hunks() {
				t.Fatalf("ok %v, %d + %d of %d hunks", ok, a.hunks(), b.hunks(), c.hunks())
			}
			if got, want := append(a.ids(), b.ids()...), c.ids(); strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("hunks %v, want %v", got, want)
			}
		})
	}
	single := chunk{}
	single.add(targetOf("a", 1))
	if _, _, ok := single.halve(nil); ok {
		t.Error("one line was cut")
	}
}

// A hunk that is too large is cut before the lines with which symbols begin; all
// its lines are in the parts, in their order, with their numbers.
func TestPieces(t *testing.T) {
	t.Parallel()
	every := func(n int) symbolAt { // a symbol begins with every n-th line
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
		symbol symbolAt
		begin  int // what the numbers of the lines with which parts begin have in common: a symbol of so many lines
	}{
		"no symbols":    {targetOf("a", 1000).hunks[0], nil, 0},
		"symbols":       {targetOf("a", 1000).hunks[0], every(7), 7},
		"large symbols": {targetOf("a", 1000).hunks[0], every(400), 0},
		"changed lines": {mixed, nil, 0},
		"removed lines": {removed, nil, 0},
		"one line":      {targetOf("a", 1).hunks[0], every(7), 0},
		"nothing known": {targetOf("a", 500).hunks[0], func(string, int) (string, int, int) { return "", 0, 0 }, 0},
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

// A new file that is too large for one call is reviewed in parts, also where a
// model takes less than expected; what stays unreviewed of a hunk leaves the whole
// hunk to the next run.
func TestALargeNewFile(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	code.WriteString("package x\n")
	for i := range 700 {
		fmt.Fprintf(&code, "\nfunc f%d() int {\n\treturn compute(%d, \"a text that takes some room\")\n}\n", i, i)
	}
	tooLong := &llm.Error{Class: llm.ClassContextLength, Status: 400}
	for name, c := range map[string]struct {
		answer func(n int, user string) (llm.Response, error)
		lines  int // fewest lines that the model saw
		whole  bool
	}{
		"in parts": {func(int, string) (llm.Response, error) { return findings()(0, "") }, 2801, true},
		"a small context": {func(_ int, user string) (llm.Response, error) {
			if len(user) > 20_000 {
				return llm.Response{}, tooLong
			}
			return findings()(0, "")
		}, 2801, true},
		"one part fails": {func(_ int, user string) (llm.Response, error) {
			if strings.Contains(user, "+ func f3()") {
				return llm.Response{}, tooLong
			}
			return findings()(0, "")
		}, 2000, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := map[string]bool{}
			var mu sync.Mutex
			m := &scripted{verify: confirmAll, generate: func(n int, user string) (llm.Response, error) {
				r, err := c.answer(n, user)
				mu.Lock()
				defer mu.Unlock()
				for l := range strings.Lines(user) {
					if number, _, added := strings.Cut(l, " + "); added && err == nil {
						seen[strings.TrimSpace(number)] = true
					}
				}
				return r, err
			}}
			in := change(t)
			in.Models = models(m)
			in.shows(tree{}, tree{"a.go": code.String()}, nil)
			res := review(t, in, Deps{})
			if len(seen) < c.lines || (len(res.Hunks) == 1) != c.whole || (res.ModelState == ModelComplete) != c.whole {
				t.Errorf("%d lines were seen, hunks %v, %s: %s", len(seen), res.Hunks, res.ModelState, res.ModelNote)
			}
		})
	}
}
