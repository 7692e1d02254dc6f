package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/testkit"
)

// Each piece that a prompt shows is an item with its reason, and pieces without room are not.
func TestContextItemsOfAPrompt(t *testing.T) {
	t.Parallel()
	b := newContextBuilder(change.Chunk{}, 200)
	piece := func(path string, text string) structure.Piece {
		return structure.Piece{Path: path, Symbol: "Total", Start: 3, End: 4, Text: text}
	}
	b.write([]around.Excerpt{{Piece: piece("b.go", "one\ntwo\n"), Why: around.WhyDefinition},
		{Piece: piece("c.go", strings.Repeat("long\n", 2000)), Why: around.WhyCaller, Note: "used here: Sum"},
		{Piece: piece("d.go", "one\n"), Why: around.WhyCaller, Note: "used here; this change alters a check in: Sum, Round"}}, 200)
	f := changedFile{Target: &change.Target{File: &diff.File{Path: "a.go"}}, lines: []string{"1", "2", "3", "4", "5", "6"}}
	b.writeLines(f, "Sum", []span{{1, 2}, {5, 6}}, 200)
	log := &contextLog{}
	log.add(b.items)
	log.add(b.items) // another pass shows the same
	var got []string
	for _, i := range log.items(func(s string) string { return strings.ReplaceAll(s, "Round", "[redacted]") }) {
		got = append(got, fmt.Sprintf("%s %s:%d-%d %s %s", i.Why, i.Path, i.Start, i.End, i.Symbol, i.About))
	}
	testkit.Equal(t, "items", strings.Join(got, "\n"), "definition b.go:3-4 Total \ncaller d.go:3-3 Total Sum, [redacted]\n"+
		"surroundings a.go:1-2 Sum \nsurroundings a.go:5-6 Sum ")
}

// A review keeps a bounded number of items, the most telling reasons first.
func TestContextItemsAreBounded(t *testing.T) {
	t.Parallel()
	log := &contextLog{}
	for i := range maxContextItems + 10 {
		log.add([]ContextItem{{Path: fmt.Sprintf("f%d.go", i), Why: around.WhySurroundings}, {Path: fmt.Sprintf("f%d.go", i), Why: around.WhyTest}})
	}
	got := log.items(func(s string) string { return s })
	testkit.Equal(t, "items", len(got), maxContextItems)
	testkit.Equal(t, "reason", got[len(got)-1].Why, around.WhyTest)
	var none *contextLog
	none.add(got) // a prompt that is not recorded
}
