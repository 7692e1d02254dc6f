package dryrun_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
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

// A head whose review a silent policy kept off the host has no verdict of its findings: its check is that of such an end, or the
// failure of an earlier review of the head.
func TestWhatIfCountsHeadsOfSilentReviews(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, run store.Run) {
		heads := func(doc string) string {
			h := w.whatIf(doc).Check
			testkit.Require(t, doc+": heads are counted", h != nil, true)
			for _, c := range h.Changed {
				if c.Number == run.Number {
					return fmt.Sprint(c.State, " ", c.Blocks)
				}
			}
			return ""
		}
		set := func(body string) {
			testkit.OK(t, w.Store.PutSetting(bg, w.World.Tenant, w.Repository.ID, store.SettingPolicy, body))
		}
		set(`{"publishMode":"silent"}`)
		_, err := w.Service.Runs.Rerun(bg, run, "silent", domain.Asker{})
		testkit.OK(t, err)
		w.Settle()
		set(`{}`)
		testkit.Equal(t, "findings that are not shown", heads(`{"check":{"failOn":"low"}}`), "")
		testkit.Equal(t, "an end without a review", heads(`{"check":{"unreviewed":{"skipped":"fail"}}}`), "completed true")
		testkit.OK(t, w.Store.SetVerdict(bg, w.World.Tenant, run.ID, domain.CheckFailure))
		testkit.Equal(t, "blocked by an earlier review already", heads(`{"check":{"unreviewed":{"skipped":"fail"}}}`), "")
	})
}

// A head stays blocked by a violation of a mandatory rule that an earlier review found. What its check shows now is what its
// review published.
func TestWhatIfKeepsAHeadBlockedByACarriedViolation(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, run store.Run) {
		rule, err := w.Dry.Tenant.CreateRule(bg, w.World.Tenant, "", tenant.RuleCreate{Title: "t", Instruction: "i", Severity: "low", Mandatory: true})
		testkit.OK(t, err)
		found, err := w.Store.RunFindings(bg, w.World.Tenant, run.ID)
		testkit.OK(t, err)
		f := found[0]
		f.Known, f.Basis, f.RuleID, f.Severity, f.Route = true, nil, domain.RulePrefix+rule.ID, domain.Low, domain.RouteInline
		f.Verdict = domain.VerdictConfirmed
		_, err = w.Store.SaveRunFindings(bg, run, []domain.Finding{f})
		testkit.OK(t, err)
		const doc = `{"check":{"failOn":"critical"}}`
		h := w.whatIf(doc).Check
		testkit.Equal(t, "published as neutral: before, after", fmt.Sprint(h.BlockedBefore, h.BlockedAfter), "0 1")
		testkit.OK(t, w.Store.SetVerdict(bg, w.World.Tenant, run.ID, domain.CheckFailure))
		h = w.whatIf(doc).Check
		testkit.Equal(t, "published as a failure: before, after", fmt.Sprint(h.BlockedBefore, h.BlockedAfter, len(h.Changed)), "1 1 0")
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
