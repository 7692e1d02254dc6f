package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/enginetest"
)

// New comments that switch analysers off are named in a notice, and are not findings.
func TestNewSwitchesAreANotice(t *testing.T) {
	t.Parallel()
	many := "package x\n" + strings.Repeat("\nvar _ = 1 //nolint\n", maxNamed+3)
	for name, c := range map[string]struct {
		base, head enginetest.Tree
		want       string // end of the notice
	}{
		"no comment":     {nil, enginetest.Tree{"a.go": "package x\n"}, ""},
		"a new comment":  {nil, enginetest.Tree{"a.go": "package x\n\nvar A = 1 //nolint:all\n"}, ": a.go:3 (nolint)."},
		"an old comment": {enginetest.Tree{"a.go": "package x //nolint\n"}, enginetest.Tree{"a.go": "package x //nolint\n\nvar A = 1\n"}, ""},
		"many comments":  {nil, enginetest.Tree{"a.go": many}, ", 3 more."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			base := c.base
			if base == nil {
				base = enginetest.Tree{}
			}
			in.shows(base, c.head, nil)
			res := review(t, in, Deps{})
			i := slices.IndexFunc(res.Notices, func(n string) bool { return strings.HasPrefix(n, "New comments switch findings of analysers off") })
			if (i >= 0) != (c.want != "") || i >= 0 && !strings.HasSuffix(res.Notices[i], c.want) || len(res.Findings) > 0 {
				t.Errorf("notices %q, findings %v", res.Notices, res.Findings)
			}
		})
	}
}
