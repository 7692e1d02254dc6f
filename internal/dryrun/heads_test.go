package dryrun_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// A changed setting of the check says which of the newest heads would be blocked: by a finding, or because they have no
// complete review. Heads without a change of the check are not counted.
func TestWhatIfCountsTheHeadsThatTheCheckWouldBlock(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, run store.Run) {
		draft := w.Event("opened", "draft")
		draft.PullRequest.Number, draft.PullRequest.Draft = 3, true
		w.Host.Set(*draft.PullRequest)
		w.Deliver(draft)
		blocked := func(doc string) (out string) {
			got := w.whatIf(doc)
			testkit.Require(t, doc+": heads are counted", got.Check != nil, true)
			h := *got.Check
			for _, c := range h.Changed {
				if c.Number > 1 {
					out += fmt.Sprintf(" %d %s %v", c.Number, c.State, c.Blocks)
				}
			}
			more := 0
			for _, c := range h.Changed {
				if c.Blocks {
					more++
				} else {
					more--
				}
			}
			testkit.Equal(t, doc+": the sums agree", h.BlockedAfter-h.BlockedBefore, more)
			if h.Heads < 2 || h.BlockedAfter > h.Heads {
				t.Errorf("%s: %+v", doc, h)
			}
			return strings.TrimSpace(out)
		}
		testkit.Equal(t, "no setting of the check changes", w.whatIf(`{"minSeverity":"high"}`).Check == nil, true)
		testkit.Equal(t, "it was not blocked", run.Verdict, "neutral")
		testkit.Equal(t, "findings", blocked(`{"check":{"failOn":"low"}}`), "2 completed true")
		testkit.Equal(t, "findings that are not shown", blocked(`{"check":{"failOn":"low"},"minSeverity":"critical","paths":{"exclude":["**"]}}`), "")
		testkit.Equal(t, "an unread head", blocked(`{"check":{"unreviewed":{"preset":"strict"}}}`), "3 skipped true")
		testkit.Equal(t, "an end that is named", blocked(`{"check":{"unreviewed":{"preset":"strict","skipped":"neutral"}}}`), "")
		testkit.Equal(t, "both", blocked(`{"check":{"failOn":"low","unreviewed":{"skipped":"fail"}}}`), "3 skipped true 2 completed true")
		testkit.OK(t, w.Store.PutSetting(bg, w.World.Tenant, w.Repository.ID, store.SettingPolicy, `{"check":{"unreviewed":{"preset":"strict"}}}`))
		testkit.Equal(t, "taken back", blocked(`{}`), "3 skipped false")
	})
}

// A review that would be only a check is counted, and one with findings is not.
func TestWhatIfCountsReviewsThatWouldBeOnlyACheck(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, _ store.Run) {
		for doc, want := range map[string]int{
			`{"cleanReview":"check"}`: 0, // it has findings
			`{"cleanReview":"check","minSeverity":"critical","profile":"quiet","categories":{"bug":false,"security":false,"maintainability":false}}`: 1,
			`{"minSeverity":"critical","profile":"quiet","categories":{"bug":false,"security":false,"maintainability":false}}`:                       0,
		} {
			got := w.whatIf(doc)
			testkit.Equal(t, doc+": in all", got.Totals.CheckOnly, want)
			testkit.Equal(t, doc+": the review", got.Reviews[0].CheckOnly, want == 1)
		}
	})
}
