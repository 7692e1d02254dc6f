package drive

import (
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/eval"
)

// A line of a prompt that names a place has the path and the name of a symbol with a space between them. Both
// may contain spaces.
func TestSightOfPathsWithSpaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		shown int
	}{
		"a space in the path":            {"--- my docs/a b.go func Whole\n    7   x\n", 1},
		"without a name":                 {"--- my docs/a b.go \n    7   x\n", 1},
		"another line":                   {"--- my docs/a b.go func Whole\n    8   x\n", 0},
		"a path with the same beginning": {"--- my docs/a b.go.txt Whole\n    7   x\n", 0},
		"the longer one of two":          {"--- my docs/a b.go c.go Whole\n    7   x\n", 0},
		"the longer one":                 {"--- my docs/a b.go c.go Whole\n    9   x\n", 1},
		"a file of the change":           {"=== my docs/a b.go\n    7 + x\n", 1},
		"a file of the change, and more": {"=== my docs/a b.go Whole\n    7 + x\n", 0},
		"no space":                       {"--- plain.go Whole\n    3   x\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, out := newShownLines(), eval.Head{}
			s.read(c.text)
			s.count([]eval.Definition{{Name: "Whole", Path: "my docs/a b.go", Line: 7}, {Name: "Other", Path: "my docs/a b.go c.go", Line: 9}, {Name: "Plain", Path: "plain.go", Line: 3}}, &diff.Set{}, &out)
			if out.Shown != c.shown || out.Elsewhere != 3 {
				t.Errorf("%d are shown of %d, want %d", out.Shown, out.Elsewhere, c.shown)
			}
		})
	}
}
