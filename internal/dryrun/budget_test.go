package dryrun_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// refusing refuses every call of a model.
type refusing struct {
	ask.Recorder
	code, words string
	asked       int
}

// Before implements [ask.Recorder].
func (r *refusing) Before(context.Context, ask.Call) (string, error) {
	r.asked++
	return "", errs.Wrap(ask.ErrBudget, errs.Conflict, r.code, "%s", r.words)
}

// If the month's budget has no room, the pull request says so and no other one is tried. The limit of one
// review does not affect the next review. Both are reported.
func TestADryRunWithoutBudgetSaysSo(t *testing.T) {
	for code, want := range map[string]struct {
		looked int    // pull requests for which a call was attempted
		second string // why the second one failed
	}{
		store.CodeBudget: {1, "spent on the pull requests before it"},
		store.CodeLimit:  {2, "No room."},
	} {
		t.Run(code, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.Models.Set(func(int) (llm.Response, error) { return llm.Response{Text: "{}"}, nil })
				r := &refusing{code: code, words: "No room."}
				w.models.Recorder = r
				w.pull(2, "two", merged)
				run, got := w.do(`{"pullRequests":[1,2]}`)
				testkit.Equal(t, "state", run.State, domain.DryRunFailed)
				testkit.Equal(t, "failed", got.Totals.Failed, 2)
				tried := 0
				for _, p := range got.PullRequests {
					if strings.Contains(p.Reason, "No room.") {
						tried++
					}
				}
				testkit.Equal(t, "looked at", fmt.Sprint(tried), fmt.Sprint(want.looked))
				if second := got.PullRequests[1].Reason; !strings.Contains(second, want.second) || r.asked == 0 {
					t.Errorf("the second one: %q, after %d calls", second, r.asked)
				}
			})
		})
	}
}
