package drive

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/testkit"
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

// Each route is watched, that of the panel too.
func TestEachRouteIsWatched(t *testing.T) {
	t.Parallel()
	s := newShownLines()
	m := s.watch(&ask.Models{Fast: ask.Route{Client: mute{}}, Standard: ask.Route{Client: mute{}}, Strong: ask.Route{Client: mute{}},
		Panel: ask.Route{Client: mute{}}})
	for path, r := range map[string]ask.Route{"fast.go": m.Fast, "standard.go": m.Standard, "strong.go": m.Strong, "panel.go": m.Panel} {
		_, err := r.Client.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Text: "=== " + path + "\n    7 + x\n"}}})
		testkit.OK(t, err)
		testkit.Equal(t, path, s.lines[heading{text: path}][7], true)
	}
	testkit.Equal(t, "no panel", s.watch(&ask.Models{}).Panel.Client, nil)
}

// mute is a client that says nothing.
type mute struct{ llm.Client }

func (mute) Complete(context.Context, llm.Request) (llm.Response, error) { return llm.Response{}, nil }
