package drive_test

import (
	"os"
	"testing"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/eval/drive"
	"github.com/assay-dev/assay/internal/eval/score"
	"github.com/assay-dev/assay/internal/eval/script"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestContextRecall measures how many definitions prompts show, among those that changes use and that their
// hunks do not show: at least 95 percent if they stand in changed files, and 75 percent in others. All
// findings of an oracle come through. It needs a list of cases (ASSAY_CASES, JSON lines) and a folder of git
// copies (ASSAY_REPOS). The repository does not contain them.
func TestContextRecall(t *testing.T) {
	set := casesAtHand(t)
	all, err := set.Cases(t.Context())
	testkit.OK(t, err)
	var named []eval.Case
	for _, c := range all {
		if len(c.Definitions) > 0 || len(c.Golden) > 0 {
			named = append(named, c)
		}
	}
	got, err := drive.Run(t.Context(), set, named, drive.Options{Checks: checks, Parallel: 2, Models: scripted(script.Oracle)})
	testkit.OK(t, err)
	r := score.Score(got, score.Options{})
	if r.Counts.Reviewed == 0 {
		t.Fatal("no case has a git copy")
	}
	for m, want := range map[score.Measure]float64{score.ContextHere: 0.95, score.ContextElsewhere: 0.75} {
		v := r.Measures[m]
		if v == nil || v.Value < want {
			t.Errorf("%s: %+v, want %v", m, v, want)
			continue
		}
		t.Logf("%s: %v of %v", m, v.Num, v.Den)
	}
	for _, m := range []score.Measure{score.Recall, score.Precision} {
		if v := r.QualityBy("strict").Measures[m]; v == nil || v.Value < 1 {
			t.Errorf("%s of an oracle: %+v", m, v)
		}
	}
	t.Logf("%+v", r.Counts)
}

// casesAtHand returns the cases that the environment names, and skips the test without them.
func casesAtHand(t *testing.T) eval.Set {
	t.Helper()
	list, folder := os.Getenv("ASSAY_CASES"), os.Getenv("ASSAY_REPOS")
	if list == "" || folder == "" {
		t.Skip("ASSAY_CASES and ASSAY_REPOS name no cases and git copies to measure with")
	}
	return cases.List(list, folder)
}
