package drive

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestContextItems: the headings of prompts become items with their lines, and code that stands elsewhere does not.
func TestContextItems(t *testing.T) {
	t.Parallel()
	text := `<DATA-0a1b surrounding code, unchanged, for understanding only>
--- my docs/a b.go
    1   package p
      …
    5   func A() {
    6   // a comment
--- b.go F
    9   func F() {}
--- c.go G (used here; this change alters a check in: A)
   12   A()
--- c_test.go TestA (a test of: A)
    3   A()
--- go.mod (the manifest)
    1   module m
--- gone.go
</DATA-0a1b>
<DATA-0a1b change to review>
=== d.go
    7 + x
</DATA-0a1b>
`
	claims := "<DATA-0a1b claims and code>\n=== claim c1\nquote:\n```\n--- not a heading\n```\ncode:\n```\n    7 + x\n```\n--- e.go:4-5 (before the change, no longer there)\n    4   y\n    5   z\n</DATA-0a1b>\n"
	tool := "<DATA-0a1b result of a call>\n--- f.go (of 9 lines)\n    1   one\n</DATA-0a1b>\n"
	var log contextLog
	log.read(llm.Request{System: "stage: generate\n\nYou review.", Messages: []llm.Message{{Text: text}}})
	for range 2 {
		log.read(llm.Request{System: "stage: verify\n", Messages: []llm.Message{{Text: claims}, {Text: tool}}})
	}
	var out eval.Head
	useful := []eval.Useful{{Path: "my docs/a b.go", StartLine: 5, EndLine: 7}, {Path: "d.go", StartLine: 7, EndLine: 7}, {Path: "f.go", StartLine: 1, EndLine: 1}}
	log.finish(eval.Case{Useful: useful}, &diff.Set{Files: []*diff.File{{Path: "d.go"}, {Path: "my docs/a b.go"}}}, map[place]bool{{"d.go", 7}: true}, &out)
	var got []string
	for _, i := range out.Context {
		got = append(got, fmt.Sprintf("%s %s %s %d-%d %q %d×%d", i.Stage, i.Kind, i.Path, i.StartLine, i.EndLine, i.What, i.Bytes, i.Times))
	}
	want := []string{`generate surroundings my docs/a b.go 1-1 "" 18×1`, `generate surroundings my docs/a b.go 5-6 "" 40×1`, `generate definition b.go 9-9 "F" 20×1`,
		`generate use c.go 12-12 "G (used here; this change alters a check in: A)" 12×1`, `generate test c_test.go 3-3 "TestA (a test of: A)" 12×1`,
		`generate other go.mod 1-1 "(the manifest)" 17×1`, `verify claim e.go 4-5 "4-5 (before the change, no longer there)" 20×2`, `verify look-up f.go 1-1 "(of 9 lines)" 12×2`}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Three useful lines of the first file and one that only a tool showed; two of the first are shown, and one of them is a
	// comment. Six shown lines beside the change are code.
	testkit.Equal(t, "share", *out.ContextShare, eval.ContextShare{Marked: 4, MarkedShown: 2, Lines: 6, Useful: 1})
}

func TestContextItemsAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range eval.MaxContext + 3 {
		fmt.Fprintf(&b, "--- f%d.go %s\n    1   x\n", i, strings.Repeat("w", 500))
	}
	var log contextLog
	log.read(llm.Request{System: "stage: generate\n", Messages: []llm.Message{{Text: b.String()}}})
	var out eval.Head
	log.finish(eval.Case{}, &diff.Set{}, nil, &out)
	if len(out.Context) != eval.MaxContext || out.ContextCut != 3 || len(out.Context[0].What) > maxWhat {
		t.Errorf("%d items, %d cut", len(out.Context), out.ContextCut)
	}
}
