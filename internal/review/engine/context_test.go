package engine

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
)

// goFunc is a function of Go with that many statements, one of them changed to "changed".
func goFunc(name string, statements int, changed string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func %s(n int) int {\n\ttotal := n\n", name)
	for i := range statements {
		if i == statements/2 {
			fmt.Fprintf(&b, "\ttotal += %s\n", changed)
		}
		fmt.Fprintf(&b, "\ttotal = total*3 + %d // %s %s\n", i, name, strings.Repeat("x", 90))
	}
	return b.String() + "\treturn total\n}\n"
}

// contextOf returns the part of a prompt before the change.
func contextOf(prompt string) string {
	context, _, _ := strings.Cut(prompt, " change to review>")
	return context
}

// Code that does not fit is left out, and the code behind it is shown: surroundings of other hunks, definitions, uses.
func TestContextGoesOnBehindCodeThatDoesNotFit(t *testing.T) {
	t.Parallel()
	base, head := enginetest.Tree{"z/zz.go": "package z\n\n// Later adds one.\nfunc Later(n int) int { return n + 1 }\n"}, enginetest.Tree{}
	for i := range 4 {
		base[fmt.Sprintf("a%d.go", i)] = "package p\n\n" + goFunc(fmt.Sprintf("big%d", i), 110, "1")
	}
	base["b.go"] = "package p\n\nimport \"x/z\"\n\nfunc small(n int) int {\n\tif n > 7 {\n\t\treturn 8\n\t}\n\n\n\n\n\n\n\treturn n\n}\n"
	maps.Copy(head, base)
	for p, text := range base {
		head[p] = strings.ReplaceAll(strings.ReplaceAll(text, "total += 1\n", "total += 2\n"), "\treturn n\n", "\treturn z.Later(n)\n")
	}
	prompt, _ := shownOf(t, base, head)
	shown := contextOf(prompt)
	for _, want := range []string{"    7   \t\treturn 8\n", "--- z/zz.go Later\n", "--- a3.go big3\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%.3000s", want, shown)
		}
	}
}

// Surroundings use about 40 % of the room while there are definitions to show, and the whole context is as large as the
// diff at most.
func TestSurroundingsLeaveRoomForDefinitions(t *testing.T) {
	t.Parallel()
	base, head := enginetest.Tree{}, enginetest.Tree{}
	calls := ""
	for i := range 100 {
		base[fmt.Sprintf("lib/f%d.go", i)] = "package lib\n\n" + goFunc(fmt.Sprintf("Wanted%d", i), 4, "1")
		calls += fmt.Sprintf("\ttotal += Wanted%d(n) // %s\n", i, strings.Repeat("y", 60))
	}
	for i := range 6 {
		base[fmt.Sprintf("lib/a%02d.go", i)] = "package lib\n\n" + goFunc(fmt.Sprintf("big%d", i), 100, "1")
	}
	maps.Copy(head, base)
	for i := range 6 {
		p := fmt.Sprintf("lib/a%02d.go", i)
		head[p] = strings.Replace(base[p], "\ttotal += 1\n", calls, 1)
	}
	in := sampleChange(t)
	var prompt string
	m := &scripted{verify: confirmAll, generate: func(_ int, user string) (llm.Response, error) {
		prompt = user
		return findings()(0, user)
	}}
	in.Models = models(m)
	in.Models.Strong.Window = enginetest.LargeWindow
	in.Tier = tierT1
	in.shows(base, head, nil)
	in.Source = grepped{in.Source.(enginetest.Files), new([]snapshot.Query)}
	review(t, in, Deps{})
	shown := contextOf(prompt)
	if n := strings.Count(shown, " Wanted"); n < 40 {
		t.Errorf("%d of 100 definitions are shown", n)
	}
	if n := llm.EstimateTokens(len(shown)); n > contextCap*11/10 || n < contextCap*8/10 {
		t.Errorf("%d tokens of context", n)
	}
}

// Each file gets its share of the searched names, and their number is bounded.
func TestNamesAreTakenFromAllFiles(t *testing.T) {
	t.Parallel()
	head := enginetest.Tree{}
	for i := range 10 {
		var b strings.Builder
		for k := range 100 {
			fmt.Fprintf(&b, "\tCalled%dx%d()\n", i, k)
		}
		head[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("package p\n\nfunc f%d() {\n%s}\n", i, b.String())
	}
	_, queries := shownOf(t, enginetest.Tree{}, head)
	words := map[string]bool{}
	for _, q := range queries {
		for _, w := range q.Words {
			if q.Defined && strings.HasPrefix(w, "Called") {
				words[w] = true
			}
		}
	}
	for i := range 10 {
		if !words[fmt.Sprintf("Called%dx50", i)] {
			t.Errorf("file %d: its names are not searched", i)
		}
	}
	if len(words) > 600 || len(words) < 550 {
		t.Errorf("%d names are searched", len(words))
	}
}

// A long function is shown in part, with its first line and those of the blocks around the hunk. A small file is shown
// whole, a large one is not.
func TestSurroundingsOfAHunk(t *testing.T) {
	t.Parallel()
	filler, inner := strings.Repeat("    work()\n", 90), strings.Repeat("            work()\n", 90)
	long := "import os\n\ndef long(items):\n    limit = 5\n" + filler + "    for item in items:\n        while item.open:\n" +
		inner + "            item.take(1)\n" + inner + "    return limit\n"
	small := "first = 1\n\n\n\n\n\n\n\ndef small(x):\n    return x\n" + strings.Repeat("\n", 40) + "last = 2\n"
	lines := strings.Repeat("# a remark\n", 160)
	base := enginetest.Tree{"long.py": long, "small.py": small, "large.py": "first = 3\n" + lines + small}
	head := enginetest.Tree{}
	for p, text := range base {
		head[p] = strings.ReplaceAll(strings.ReplaceAll(text, "take(1)", "take(2)"), "return x", "return x + 1")
	}
	prompt, _ := shownOf(t, base, head)
	shown := contextOf(prompt)
	for _, want := range []string{"    3   def long(items):\n", "   95       for item in items:\n", "   96           while item.open:\n",
		"--- small.py", "    1   first = 1\n", "   51   last = 2\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "first = 3") {
		t.Error("the whole large file is shown")
	}
	if n := strings.Count(shown, "work()"); n > 120 || n < 60 {
		t.Errorf("%d lines of the long function are shown", n)
	}
}
