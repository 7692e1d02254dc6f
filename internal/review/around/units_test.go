package around

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// source makes a new file of about so many tokens with lines of its own.
func source(path string, tokens int, lines ...string) *change.Target {
	class, language := diff.Classify(path, nil)
	t := enginetest.TargetOf(path, max(tokens*7/2/69-len(lines), 1))
	t.File.Class, t.File.Language = class, language
	h := t.Hunks[0]
	for _, l := range lines {
		h.Lines = append(h.Lines, diff.Line{Op: diff.Add, New: h.NewStart + len(h.Lines), Text: l})
		h.NewLines++
	}
	return t
}

func TestUnits(t *testing.T) {
	t.Parallel()
	const limit = 2_500
	for name, c := range map[string]struct {
		targets []*change.Target
		imports map[string]string // by path
		want    string
	}{
		"nothing in common": {[]*change.Target{source("a/x.go", 1000), source("b/y.go", 1000), source("c/z.go", 1000)},
			nil, "a/x.go | b/y.go | c/z.go"},
		"a test": {[]*change.Target{source("a/x.go", 1000), source("b/y.go", 1000), source("a/x_test.go", 1000)},
			nil, "a/x.go a/x_test.go | b/y.go"},
		"a test in another folder": {[]*change.Target{source("src/main/java/shop/Cart.java", 1000), source("src/main/java/other/Mail.java", 1000),
			source("src/test/java/shop/CartTest.java", 1000)},
			nil,
			"src/main/java/shop/Cart.java src/test/java/shop/CartTest.java | src/main/java/other/Mail.java"},
		"a name": {[]*change.Target{source("a/x.go", 1000, "func Total() int {"), source("b/y.go", 1000),
			source("c/z.go", 1000, "\treturn a.Total()")},
			nil, "a/x.go c/z.go | b/y.go"},
		"of another language": {[]*change.Target{source("a/x.go", 1000, "func Total() int {"), source("b/y.go", 1000),
			source("c/z.py", 1000, "  return Total()")},
			nil, "a/x.go | b/y.go | c/z.py"},
		"an import": {[]*change.Target{source("web/cart.ts", 1000), source("web2/mail.ts", 1000), source("pages/home.ts", 1000)},
			map[string]string{"pages/home.ts": "import { sum } from '../web/cart'\n"}, "web/cart.ts pages/home.ts | web2/mail.ts"},
		"a folder": {[]*change.Target{source("a/x.go", 1000), source("b/y.go", 1000), source("a/z.go", 1000)},
			nil, "a/x.go a/z.go | b/y.go"},
		"the closest first": {[]*change.Target{source("a/x.go", 1000), source("a/y.go", 1000), source("a/x_test.go", 1000),
			source("a/y_test.go", 1000)},
			nil,
			"a/x.go a/x_test.go | a/y.go a/y_test.go"},
		"without room": {[]*change.Target{source("a/x.go", 1800), source("b/y.go", 200), source("a/x_test.go", 1800)},
			nil, "a/x.go | b/y.go | a/x_test.go"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 5 {
				var all []facts
				for _, x := range c.targets {
					all = append(all, factsOf(x, []byte(c.imports[x.File.Path])))
				}
				var units []string
				for _, u := range group(c.targets, bonds(all), limit) {
					var paths []string
					for _, x := range u {
						paths = append(paths, x.File.Path)
					}
					units = append(units, strings.Join(paths, " "))
				}
				if got := strings.Join(units, " | "); got != c.want {
					t.Fatalf("units %s, want %s", got, c.want)
				}
			}
		})
	}
}
