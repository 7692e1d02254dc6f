package drive_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/eval/drive"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestChangedRuns: an outcome tells which parts of a file with known places changed, also at its beginning and end, in
// files that come or go, and under a new name.
func TestChangedRuns(t *testing.T) {
	t.Parallel()
	lines := func(list ...string) string { return strings.Join(list, "\n") + "\n" }
	many := lines("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p")
	code := set{"runs": {
		{"one.go": many, "gone.go": lines("x", "y"), "old.go": many, "other.go": many},
		{"one.go": lines("new", "a", "b", "C", "D2", "d", "e", "g", "h", "i", "j", "k", "l", "m", "n", "P1", "P2"),
			"come.go": lines("1", "2", "3"), "new.go": strings.Replace(many, "a\n", "", 1), "other.go": strings.Replace(many, "a\n", "", 1)},
	}}
	c := eval.Case{ID: "runs", Kind: eval.Defect, Golden: []eval.Golden{
		{Path: "one.go", Side: domain.Right, StartLine: 1, EndLine: 1}, {Path: "gone.go", Side: domain.Left, StartLine: 1, EndLine: 1},
		{Path: "come.go", Side: domain.Right, StartLine: 1, EndLine: 1}, {Path: "old.go", Side: domain.Left, StartLine: 1, EndLine: 1}}}
	got, err := drive.Run(t.Context(), code, []eval.Case{c}, drive.Options{Checks: checks})
	testkit.OK(t, err)
	want := map[string][]eval.Run{
		"one.go":  {{Old: 1, New: 1, NewLines: 1}, {Old: 3, OldLines: 1, New: 4, NewLines: 2}, {Old: 6, OldLines: 1, New: 8}, {Old: 15, OldLines: 2, New: 16, NewLines: 2}},
		"gone.go": {{Old: 1, OldLines: 2, New: 1}},
		"come.go": {{Old: 1, New: 1, NewLines: 3}},
		"new.go":  {{Old: 1, OldLines: 1, New: 1}},
	}
	if len(got) != 1 || got[0].Error != "" || !reflect.DeepEqual(got[0].Heads[0].Runs, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	huge := set{"runs": {{"one.go": strings.Repeat("a\nb\nc\nd\n", eval.MaxRuns+1)}, cases.Files{"one.go": strings.Repeat("a\nb\nc\nD\n", eval.MaxRuns+1)}}}
	c.Golden = c.Golden[:1]
	got, err = drive.Run(t.Context(), huge, []eval.Case{c}, drive.Options{Checks: checks})
	testkit.OK(t, err)
	if got[0].Error != "" || len(got[0].Heads[0].Runs) != 0 {
		t.Errorf("%q, %d runs of a file with too many", got[0].Error, len(got[0].Heads[0].Runs["one.go"]))
	}
}
