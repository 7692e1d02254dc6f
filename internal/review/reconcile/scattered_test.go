package reconcile

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// A short line that left an edited place is searched for beside it: within three lines, in the same
// file.
func TestScatteredLinesNextToAPlace(t *testing.T) {
	t.Parallel()
	at := func(path string, line int) spot {
		return spot{file: &diff.File{Path: path}, hunk: &diff.Hunk{Lines: []diff.Line{{Op: diff.Add, New: line, Text: "defer stop()"}}}}
	}
	edited := Place{Anchor: domain.Anchor{Path: "a.go", Level: domain.AnchorLine, StartLine: 89, EndLine: 90}, edited: true}
	spots := []spot{at("a.go", 85), at("a.go", 86), at("a.go", 93), at("a.go", 94), at("b.go", 88)}
	var lines []int
	for _, s := range nextTo(edited, spots) {
		lines = append(lines, s.line())
	}
	if !slices.Equal(lines, []int{86, 93}) {
		t.Errorf("next to 89-90: %v", lines)
	}
	if gone := nextTo(Place{Anchor: edited.Anchor}, spots); len(gone) != 0 {
		t.Errorf("next to an unknown place: %v", gone)
	}
}
