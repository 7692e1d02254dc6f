package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
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
	parts := chunks(targets, 6000)
	seen := map[string]int{}
	for i, c := range parts {
		sum := 0
		for _, target := range c.targets {
			for _, h := range target.hunks {
				sum += hunkTokens(h)
			}
		}
		if sum > 6000+200 && c.hunks() > 1 {
			t.Errorf("part %d has %d tokens in %d hunks", i, sum, c.hunks())
		}
		for _, id := range c.ids() {
			seen[id]++
		}
	}
	for _, target := range targets {
		for _, h := range target.hunks {
			if seen[h.ID] != 1 {
				t.Errorf("hunk %s is in %d parts", h.ID, seen[h.ID])
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
			a, b, ok := c.halve()
			if !ok || a.hunks() == 0 || b.hunks() == 0 || a.hunks()+b.hunks() != c.hunks() {
				t.Fatalf("ok %v, %d + %d of %d hunks", ok, a.hunks(), b.hunks(), c.hunks())
			}
			if got, want := append(a.ids(), b.ids()...), c.ids(); strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("hunks %v, want %v", got, want)
			}
		})
	}
	single := chunk{}
	single.add(targetOf("a", 10))
	if _, _, ok := single.halve(); ok {
		t.Error("one hunk was cut")
	}
}
