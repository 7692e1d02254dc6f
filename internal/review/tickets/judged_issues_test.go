package tickets_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A run's issues come with the verdicts of that run alone. In a repository that became public an issue has its key alone.
func TestIssuesThatARunJudged(t *testing.T) {
	each(t, func(w *world) {
		w.read()
		link := w.link("PAY-1")
		first, second := storetest.Run(w.T, w.Store, w.pull, "rerun:1"), storetest.Run(w.T, w.Store, w.pull, "rerun:2")
		met := store.ACCheck{CriterionID: "c", Criterion: "The sum is shown.", Verdict: "met", Evidence: "[]"}
		testkit.OK(w, w.Store.PutACChecks(bg, w.tenant, first.ID, link, []store.ACCheck{met, {CriterionID: "d", Verdict: "not_met", Evidence: "[]"}}))
		testkit.OK(w, w.Store.PutACChecks(bg, w.tenant, second.ID, link, []store.ACCheck{met}))
		for run, want := range map[string]int{first.ID: 2, second.ID: 1} {
			r, err := w.Store.Run(bg, w.tenant, run)
			testkit.OK(w, err)
			got, err := w.Judged(bg, w.tenant, w.repository, r)
			testkit.OK(w, err)
			if len(got) != 1 || got[0].IssueKey != "PAY-1" || got[0].Title == "" || len(got[0].Checks) != want || got[0].Checks[0].Verdict != "met" {
				w.Errorf("run %s: %+v, want %d verdicts", run, got, want)
			}
		}
		w.repository.Private = false
		w.read()
		got, err := w.Judged(bg, w.tenant, w.repository, second)
		testkit.OK(w, err)
		if len(got) != 1 || !got[0].KeyOnly || got[0].Title != "" || len(got[0].Checks) != 0 {
			w.Errorf("public: %+v", got)
		}
	})
}
