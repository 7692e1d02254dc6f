package gitrepo

import (
	"strings"
	"testing"
)

// The output of git and its memory are bounded: a change beyond the bounds is cut, and says so.
func TestBoundedDiffs(t *testing.T) {
	t.Parallel()
	r := open(t)
	first := commit(t, r, Change{Branch: "main", Files: map[string]string{"a": "a\n"}})
	second := commit(t, r, Change{Branch: "main", Files: map[string]string{"b": strings.Repeat("b\n", 1000)}})
	for _, c := range []struct {
		name string
		most int
		cut  bool
	}{{"within", 1 << 20, false}, {"beyond", 500, true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, cut, err := r.bounded(t.Context(), c.most, "diff-tree", "-r", "-p", first, second)
			if err != nil || cut != c.cut || len(out) > c.most || len(out) == 0 {
				t.Errorf("%d bytes, cut %v, %v", len(out), cut, err)
			}
		})
	}
	if _, _, err := r.bounded(t.Context(), 500, "diff-tree", "-r", "-p", first, strings.Repeat("1", 40)); err == nil {
		t.Error("a commit that is not there gives a diff")
	}
}
