package drive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/eval/drive"
	"github.com/assay-dev/assay/internal/eval/script"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/testkit"
)

// lateDefects is the number of defects in the first head of a case. Every second one is serious.
const lateDefects = 12

// elsewhere returns a case whose first head has defects. Its five pushes change a function in another file
// that all of them call, so that a model sees their unchanged lines each time.
func elsewhere() (eval.Case, set) {
	const pushes = 5
	c := eval.Case{ID: "late", Kind: eval.Defect, Heads: pushes + 1}
	var text strings.Builder
	text.WriteString("package shop\n")
	for i := range lateDefects {
		fmt.Fprintf(&text, "\n// Step%d is a step.\nfunc Step%d(list []int) int {\n\treturn limit(list[%d+len(list)])\n}\n", i, i, i)
		for head := range pushes + 1 {
			line := strings.Count(text.String(), "\n") - 1
			c.Golden = append(c.Golden, eval.Golden{Path: "steps.go", Side: domain.Right, StartLine: line, EndLine: line, Head: head, Defect: fmt.Sprint("step ", i),
				Severity: []string{"high", "medium"}[i%2], Text: fmt.Sprintf("The index of step %d is behind the last element", i)})
		}
	}
	versions := []cases.Files{{"limit.go": "package shop\n"}}
	for head := range pushes + 1 {
		versions = append(versions, cases.Files{"steps.go": text.String(), "limit.go": fmt.Sprintf("package shop\n\nfunc limit(n int) int {\n\treturn min(n, %d)\n}\n", 10+head)})
	}
	return c, set{"late": versions}
}

// A noisy model finds half of the defects at each push, each time another half, while people push to other
// files. About lines that were reviewed before, it reports only new findings that are confirmed and serious.
func TestANoisyModelSaysNothingLate(t *testing.T) {
	t.Parallel()
	c, files := elsewhere()
	late, seen := 0, 0
	for seed := range 8 {
		noisy := func(c eval.Case, _, head int) (*ask.Models, error) {
			m, err := script.New(script.Options{Name: script.Noisy, Seed: uint64(100*seed + head), Recall: 0.5}, c, head)
			return all(m), err
		}
		got, err := drive.Run(t.Context(), files, []eval.Case{c}, drive.Options{Models: noisy, Checks: checks})
		testkit.OK(t, err)
		testkit.Equal(t, "error", got[0].Error, "")
		for head, h := range got[0].Heads[1:] {
			for _, f := range h.Stages[eval.Generated] {
				if f.Path == "steps.go" {
					seen++
				}
			}
			for _, f := range h.Stages[eval.Published] {
				if f.Path != "steps.go" {
					continue
				}
				late++
				var n int
				if _, err := fmt.Sscanf(f.Title, "step %d:", &n); err != nil || n%2 == 1 || f.Severity != "high" {
					t.Errorf("seed %d, push %d: %+v is new", seed, head+1, f)
				}
			}
		}
	}
	if late == 0 || seen <= late {
		t.Errorf("%d of %d reports on unchanged lines were published: the test proves nothing", late, seen)
	}
}
