package review_test

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/review/verdict"
	"github.com/assay-dev/assay/internal/review/verdict/verdicttest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// endsWith fails the test if the check of a run does not have the wanted verdict, its head and its id.
func endsWith(f *reviewtest.Fixture, run, head string, want verdict.Verdict) {
	f.T.Helper()
	want.Version, want.Head, want.Run = verdict.Version, storetest.SHA(head), run
	got, ok := verdicttest.Parse(f.Host.Check(run).Summary.String())
	testkit.Equal(f.T, "a verdict", ok, true)
	testkit.Equal(f.T, "verdict", got, want)
}

// The repository has no model, so that no review is complete.
func TestEveryEndOfARunHasAVerdict(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		first := f.Deliver(f.Event("opened", "a"))
		endsWith(f, first.RunID, "a", verdict.Verdict{State: verdict.Incomplete, Round: 1})
		second := f.Deliver(f.Event("synchronize", "b"))
		// no model is configured, so that the first review was not a round
		endsWith(f, second.RunID, "b", verdict.Verdict{State: verdict.Incomplete, Round: 1})
		draft := f.Deliver(f.Event("opened", "c", func(pr *codehost.PullRequest) { pr.Number, pr.Draft = 2, true }))
		endsWith(f, draft.RunID, "c", verdict.Verdict{State: verdict.Skipped})
		f.Snapshots.Block(func(context.Context, string) error {
			return errs.New(errs.TooLarge, "snapshot_too_large", "The diff is larger than allowed.")
		})
		failed := f.Deliver(f.Event("synchronize", "d"))
		testkit.Equal(t, "state", f.Runs()[len(f.Runs())-1].State, domain.RunFailed)
		endsWith(f, failed.RunID, "d", verdict.Verdict{State: verdict.Failed})
	})
}

// The verdict counts a dismissed finding of the pull request also if the newest run did not report it again.
func TestTheVerdictCountsDismissedFindingsOfEarlierRuns(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("a", divides, division)
		h.intent = "declines"
		f.Deliver(inThread(f, 50, "mona", "We accept it."))
		testkit.Equal(t, "state", h.known()[0].State, domain.FindingDismissed)
		h.push("b", divides+"// more\n")
		runs := f.Runs()
		got, ok := verdicttest.Parse(f.Host.Check(runs[len(runs)-1].ID).Summary.String())
		testkit.Equal(t, "a verdict", ok, true)
		testkit.Equal(t, "left", got.Left, verdict.Left{Dismissed: 1})
		testkit.Equal(t, "state", got.State, verdict.Clean)
	})
}
