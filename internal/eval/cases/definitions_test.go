package cases

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestDefinitionsThatChangedLinesUse(t *testing.T) {
	t.Parallel()
	filler := "\n// " + strings.Repeat("x\n// ", 12) + "\n"
	text := func(body string) string {
		return "package shop\n\nimport (\n\t\"fmt\"\n\n\tm \"example.com/shop/money\"\n)\n" + filler +
			"func local(n int) int { return n }\n" + filler +
			"func Total(c Cart, gone bool) int {\n\tvar sum int\n" + body + "\treturn sum\n}\nfunc near() int { return 1 }\n"
	}
	others := Files{
		"go.mod":           "module example.com/shop\n",
		"cart.go":          "package shop\n\n// Cart holds.\ntype Cart struct {\n\tItems []Item\n}\n\nfunc (c Cart) Count() int { return len(c.Items) }\n\ntype Item struct{ Cents int }\n\nconst (\n\tlow = iota\n\thigh\n)\n\nvar Rate = 3\n",
		"double.go":        "package shop\n\ntype Other struct{}\n\nfunc (Other) Count() int { return 0 }\n\nfunc unused() {}\n",
		"cart_test.go":     "package shop\n\nfunc testOnly() int { return 1 }\n",
		"money/money.go":   "package money\n\nfunc Round(n int) int { return n }\n",
		"broken/broken.go": "package broken\n\nfunc {\n",
		"x.pb.go":          "package shop\n\nfunc generated() int { return 1 }\n",
	}
	with := func(body string) Files {
		out := Files{"total.go": text(body)}
		for p, c := range others {
			out[p] = c
		}
		return out
	}
	for name, c := range map[string]struct {
		base, head string
		want       []eval.Definition
	}{
		"a method of a type, not of another": {"", "\tsum = c.Count()\n", []eval.Definition{{Name: "Count", Path: "cart.go", Line: 8}}},
		"another package":                    {"", "\tsum = m.Round(sum)\n", []eval.Definition{{Name: "Round", Path: "money/money.go", Line: 3}}},
		"a constant of a group, a variable":  {"", "\tsum = high + Rate\n", []eval.Definition{{Name: "high", Path: "cart.go", Line: 14}, {Name: "Rate", Path: "cart.go", Line: 17}}},
		"the same file, outside the hunk":    {"", "\tsum = local(2)\n", []eval.Definition{{Name: "local", Path: "total.go", Line: 22}}},
		"a type, without its fields":         {"", "\tfor _, i := range []Item{} {\n\t\tsum += i.Cents\n\t}\n", []eval.Definition{{Name: "Item", Path: "cart.go", Line: 10}}},
		"removed lines":                      {"\tsum = c.Count()\n", "", []eval.Definition{{Name: "Count", Path: "cart.go", Line: 8}}},
		"shown by the hunk":                  {"", "\tsum = near()\n", nil},
		"another module":                     {"", "\tfmt.Println()\n", nil},
		"tests and generated files":          {"", "\tsum = testOnly() + generated()\n", nil},
		"without a declaration":              {"", "\tsum = nowhere.At(all)\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, head := with(c.base), with(c.head)
			heads, done, err := OpenFiles(t.Context(), base, head)
			testkit.OK(t, err)
			defer done()
			set, err := diff.Parse(heads[0].Diff)
			testkit.OK(t, err)
			got := definitions(set, inFiles(base), inFiles(head))
			same(t, got, c.want)
			for _, d := range got {
				if l := strings.Split(head[d.Path], "\n")[d.Line-1]; !strings.Contains(l, d.Name) {
					t.Errorf("at %s:%d is %q", d.Path, d.Line, l)
				}
			}
		})
	}
}

// The search ends for packages that import each other in a cycle, or themselves.
func TestDefinitionsOfPackagesInACircle(t *testing.T) {
	t.Parallel()
	files := func(n string) Files {
		return Files{"go.mod": "module x.org/x\n", "a/a.go": "package a\n\nimport (\n\t\"x.org/x/a\"\n\t\"x.org/x/b\"\n)\n\nvar _ = a.A\n\nfunc A() int { return b.B() + " + n + " }\n",
			"b/b.go": "package b\n\nimport \"x.org/x/a\"\n\nfunc B() int { return a.A() }\n"}
	}
	base, head := files("1"), files("2")
	heads, done, err := OpenFiles(t.Context(), base, head)
	testkit.OK(t, err)
	defer done()
	set, err := diff.Parse(heads[0].Diff)
	testkit.OK(t, err)
	same(t, definitions(set, inFiles(base), inFiles(head)), []eval.Definition{{Name: "B", Path: "b/b.go", Line: 5}})
}
