package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// The quoted code of a finding has moved, and similar code is at its old place: equal lines of another
// function, or lines that the move left behind. The finding moves with its code, even if no model
// mentions it.
func TestAFindingGoesWithItsCode(t *testing.T) {
	t.Parallel()
	const other = "package y\n\nvar other = 1\n"
	function := func(name, call string, lines ...string) string {
		return "\nfunc " + name + "(t *T) {\n\tfor _, c := range cases {\n\t\tprepare(t)\n\t\tgot := " + call + "(c)\n\t\t" + strings.Join(lines, "\n\t\t") + "\n\t}\n\tfinish(t)\n}\n"
	}
	const twin = "report(got, c.want, c.name)"
	first, second := function("first", "cut", twin, "sorted(c)"), function("second", "trim", twin, "counted(c)")
	short := "\n// load reads the state.\nfunc load() {\n\ts.st = empty()\n\traw := read(path)\n\tuse(raw)\n}\n"
	const moving = "return act(ctx, discard, id, reason)"
	leaving := "\nfunc leaving() error {\n\t" + moving + "\n}\n"
	arriving := func(line string) string {
		return "\nfunc arriving() error {\n\tprepare(one)\n\tprepare(two)\n" + line + "\treturn nil\n}\n"
	}
	for name, c := range map[string]struct {
		line         int
		quote        string
		before       enginetest.Tree
		after        enginetest.Tree
		path, symbol string
	}{
		"its twin stays in the file": {8, twin,
			enginetest.Tree{"x.go": "package x\n\n" + first + second, "y.go": other}, enginetest.Tree{"x.go": "package x\n" + second, "y.go": other + first}, "y.go", "first"},
		"few characters, with their function": {6, "s.st = empty()",
			enginetest.Tree{"x.go": "package x\n\nvar path = home\n" + strings.TrimPrefix(short, "\n"), "y.go": other}, enginetest.Tree{"x.go": "package x\n\nvar path = home\n", "y.go": other + short}, "y.go", "load"},
		"half of the quoted lines stay": {5, moving + "\n}",
			enginetest.Tree{"x.go": "package x\n\n" + leaving[1:] + arriving(""), "y.go": other}, enginetest.Tree{"x.go": "package x\n" + "\nfunc leaving() error {\n}\n" + arriving("\t"+moving+"\n"), "y.go": other}, "x.go", "arriving"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.ReviewedHunks, in.Models = map[string]bool{}, models(atLine(c.line, c.quote, ""))
			base := enginetest.Tree{"y.go": other}
			in.shows(base, c.before, nil)
			res := review(t, in, Deps{})
			if len(res.Open()) != 1 {
				t.Fatalf("first: %+v, dropped %v", res.Findings, res.Stats)
			}
			id := res.Open()[0].ID
			in.publish(res)
			in.Models = models(atLine(0, "", ""))
			in.shows(base, c.after, nil)
			res = review(t, in, Deps{})
			if open := res.Open(); len(open) != 1 || open[0].ID != id || open[0].Anchor.Path != c.path || open[0].Anchor.Symbol != c.symbol || open[0].State != domain.FindingOpen {
				t.Fatalf("%+v, resolved %v", open, res.Resolved)
			}
		})
	}
}
