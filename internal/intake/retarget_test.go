package intake_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// into sets the target branch of the pull request of an event. The branch's newest commit is named after it.
func into(branch string) func(*codehost.PullRequest) {
	return func(pr *codehost.PullRequest) { pr.BaseRef, pr.BaseSHA = branch, storetest.SHA(branch) }
}

// grown makes a change into main add a file with a secret that parent already has.
func grown(f *reviewtest.Fixture) {
	f.Snapshots.Beyond = map[string]string{storetest.SHA("main"): reviewtest.SecretLine(), "": reviewtest.SecretLine()}
}

// shown returns the result that the host shows for the commit: its newest check run.
func shown(f *reviewtest.Fixture) string {
	c := f.Host.Newest()
	return strings.TrimSpace(c.Status + " " + c.Conclusion)
}

// A change into another branch is a different change, whichever event reveals the new target. The added code
// is reviewed once.
func TestAnotherTargetIsReviewed(t *testing.T) {
	for name, tell := range map[string]func(f *reviewtest.Fixture){
		"its event":            func(f *reviewtest.Fixture) { f.Deliver(f.Event("edited", "a", into("main"))) },
		"a label":              func(f *reviewtest.Fixture) { f.Deliver(f.Event("labeled", "a", into("main"), reviewtest.Labels("x"))) },
		"ready":                func(f *reviewtest.Fixture) { f.Deliver(f.Event("ready_for_review", "a", into("main"))) },
		"a request for review": func(f *reviewtest.Fixture) { f.Deliver(f.Event("review_requested", "a", into("main"))) },
		"the list of open pull requests": func(f *reviewtest.Fixture) {
			f.Event("edited", "a", into("main"), lately(10))
		},
		"the event, twice": func(f *reviewtest.Fixture) {
			ev := f.Event("edited", "a", into("main"))
			f.Deliver(ev)
			ev.PullRequest.Title += "." // otherwise it would be a repetition
			f.Deliver(ev)
		},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				grown(f)
				f.Deliver(f.Event("opened", "a", into("parent")))
				testkit.Require(t, "before", shown(f), "completed success")
				tell(f)
				sweepTwice(f)
				testkit.Require(t, "runs", f.States(), "completed completed")
				testkit.Equal(t, "key", f.Runs()[1].TriggerKey, "auto:after:"+f.Runs()[0].ID)
				testkit.Equal(t, "targets", f.Runs()[0].BaseRef+" "+f.Runs()[1].BaseRef, "parent main")
				testkit.Equal(t, "result on the host", shown(f), "completed failure")
				testkit.Equal(t, "visible reviews", len(f.Host.Visible()), 2)
			})
		})
	}
}

// An edit of title or text does not start a review.
func TestAnEditOfTheSameTargetStartsNothing(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Deliver(f.Event("opened", "a"))
		d := f.Deliver(f.Event("edited", "a", func(pr *codehost.PullRequest) { pr.Title = "Another title" }))
		f.Want(d, domain.DispositionIgnored, "completed")
		testkit.Equal(t, "reason", d.Reason, codehost.ReasonUnusedAction)
	})
}

// From the event on, the host no longer shows the old success, also while the review of the former target is
// ending, and before a worker begins.
func TestAnotherTargetTakesTheOldVerdictBack(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		grown(f)
		f.Deliver(f.Event("opened", "a", into("parent")))
		testkit.Require(t, "before", shown(f), "completed success")
		f.Host.Busy(true) // needless requests are refused
		began, release := f.Hold("a")
		f.Processed(f.Event("edited", "a", into("main")))
		reviewtest.Receive(t, began)
		f.Until("the success is withdrawn", func() bool { return shown(f) == "in_progress" || shown(f) == "queued" })
		f.Processed(f.Event("edited", "a", into("release")))
		f.Until("the run onto main is over", func() bool { return strings.HasPrefix(f.States(), "completed superseded") })
		release()
		f.Settle()
		f.Until("the last one is published", func() bool { return f.States() == "completed superseded completed" })
		runs := f.Runs()
		testkit.Equal(t, "end", runs[1].End, domain.EndRetargeted)
		testkit.Equal(t, "successor", runs[1].SupersededBy, runs[2].ID)
		f.Until("the newest check has the verdict", func() bool { return shown(f) == "completed success" })
	})
}

// If the former target comes back, no model is needed: the verdict against it is known and is published
// again.
func TestAFormerTargetNeedsNoSecondReview(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Models.Set(func(int) (llm.Response, error) { return reviewtest.SilentModel(0) })
		grown(f)
		f.Deliver(f.Event("opened", "a", into("main")))
		testkit.Require(t, "into main", shown(f), "completed failure")
		f.Deliver(f.Event("edited", "a", into("parent")))
		testkit.Require(t, "runs", f.States(), "completed completed")
		testkit.Equal(t, "into parent", shown(f), "completed success")
		for _, known := range f.Known() {
			testkit.Equal(t, "a finding that is not in the change", known.State, domain.FindingResolved)
		}
		calls := f.Models.Calls
		for i, back := range []string{"main", "parent", "main", "parent", "main"} {
			f.Deliver(f.Event("edited", "a", into(back)))
			want := map[string]string{"main": "completed failure", "parent": "completed success"}[back]
			testkit.Equal(t, "back into "+back, shown(f), want)
			testkit.Equal(t, "calls", f.Models.Calls, calls)
			testkit.Equal(t, "runs", len(f.Runs()), 3+i)
		}
		testkit.Equal(t, "open findings", len(f.Known()), 1)
		testkit.Equal(t, "state", f.Known()[0].State, domain.FindingOpen)
		counts, err := f.Store.Violations(bg)
		testkit.OK(t, err)
		for _, v := range counts {
			testkit.Equal(t, v.Invariant, v.Count, 0)
		}
	})
}

// A run that is not created, or is skipped, does not leave the verdict of another target visible.
func TestAnotherTargetThatIsNotReviewed(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		change func(*codehost.PullRequest)
		states string
	}{
		"as a draft":                   {"{}", reviewtest.Drafted, "completed skipped"},
		"into a branch without a rule": {`{"triggers":{"targetBranches":["parent"]}}`, func(*codehost.PullRequest) {}, "completed skipped"},
		"without a push":               {`{"triggers":{"opened":true,"push":false}}`, func(*codehost.PullRequest) {}, "completed completed"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Policy(c.policy)
				f.Deliver(f.Event("opened", "a", into("parent")))
				testkit.Require(t, "before", shown(f), "completed success")
				f.Deliver(f.Event("edited", "a", into("main"), c.change))
				sweepTwice(f)
				testkit.Equal(t, "runs", f.States(), c.states)
				testkit.Equal(t, "the check is that of the last run", f.Host.Newest().ExternalID, f.Runs()[1].ID)
			})
		})
	}
}

// If two events of the same second have different targets, the host decides which one is right.
func TestTargetsOfOneSecond(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		first := f.Event("opened", "a", into("parent"))
		second := f.Event("edited", "a", into("main"), func(pr *codehost.PullRequest) { pr.UpdatedAt = first.PullRequest.UpdatedAt })
		f.Deliver(second)
		f.Deliver(first) // late
		testkit.Equal(t, "runs", f.States(), "completed")
		testkit.Equal(t, "target", f.Runs()[0].BaseRef, "main")
	})
}

// A host's answer with milliseconds does not count as newer than an event of the same second without them.
func TestATargetOfTheSecondOfAnAnswer(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		second := time.Now().Add(10 * time.Minute).Truncate(time.Second)
		at := func(ms int) func(*codehost.PullRequest) {
			return func(pr *codehost.PullRequest) { pr.UpdatedAt = second.Add(time.Duration(ms) * time.Millisecond) }
		}
		f.Deliver(f.Event("opened", "a", into("parent"), at(-1000)))
		f.Event("edited", "a", into("parent"), at(239))
		sweepTwice(f)
		testkit.Require(t, "runs after the answer", f.States(), "completed")
		told := f.Event("edited", "a", into("main"), at(0))
		f.Event("edited", "a", into("main"), at(517))
		f.Deliver(told)
		testkit.Equal(t, "runs", f.States(), "completed completed")
		testkit.Equal(t, "target", f.Runs()[1].BaseRef, "main")
	})
}

// A list that was read before an event of the same second does not restore the former target.
func TestAListOlderThanAnEventOfItsSecond(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		grown(f)
		opened := f.Event("opened", "a", into("parent"), lately(10))
		f.Deliver(opened)
		f.Deliver(f.Event("edited", "a", into("main"), func(pr *codehost.PullRequest) { pr.UpdatedAt = opened.PullRequest.UpdatedAt }))
		testkit.Require(t, "runs before", f.States(), "completed completed")
		f.Host.Stale = []codehost.PullRequest{*opened.PullRequest}
		sweepTwice(f)
		testkit.Equal(t, "runs", f.States(), "completed completed")
		testkit.Equal(t, "result on the host", shown(f), "completed failure")
	})
}

// Rewriting a target branch changes the pull request's change, although no event reports it: the sweep
// compares, and the added code is reviewed. For a branch that only grew, the sweep sends one request for all
// of its pull requests, once.
func TestTheSweepSeesARewrittenTarget(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		older, tip := storetest.SHA("older"), storetest.SHA("main")
		f.Snapshots.Beyond = map[string]string{older: reviewtest.SecretLine(), "": reviewtest.SecretLine()}
		f.Host.Tips = map[string]string{"main": tip}
		for n := 1; n <= 3; n++ {
			f.Deliver(f.Event("opened", fmt.Sprint("head", n), into("main"), func(pr *codehost.PullRequest) { pr.Number = n }))
		}
		f.Host.Tips["main"] = storetest.SHA("grown")
		before := f.Host.Compares
		sweepTwice(f)
		testkit.Equal(t, "runs after the branch has grown", f.States(), "completed completed completed")
		testkit.Equal(t, "comparisons", f.Host.Compares-before, 1)

		f.Host.Tips["main"] = storetest.SHA("rewritten")
		f.Host.MergeBases = map[string]string{storetest.SHA("grown") + " " + storetest.SHA("rewritten"): older,
			storetest.SHA("rewritten") + " " + storetest.SHA("head1"): older}
		for n := 2; n <= 3; n++ { // these branched off earlier
			f.Host.MergeBases[storetest.SHA("rewritten")+" "+storetest.SHA(fmt.Sprint("head", n))] = tip
		}
		before, reads := f.Host.Compares, f.Host.BranchReads
		sweepTwice(f)
		testkit.Equal(t, "runs after it was rewritten", f.States(), "completed completed completed completed")
		testkit.Equal(t, "merge base", f.Runs()[3].MergeBase, older)
		testkit.Equal(t, "result on the host", f.Host.Shown(storetest.SHA("head1")).Conclusion, "failure")
		testkit.Equal(t, "comparisons", f.Host.Compares-before, 4+1) // the additional one belongs to the run
		testkit.Equal(t, "requests for the branch", f.Host.BranchReads-reads, 2+1)
	})
}

// A check that its job could not publish, and a check with an outdated result, are published again.
func TestTheSweepMendsChecks(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := reviewtest.NewFixture(t, s)
		f.Host.Fail("check", &codehost.Error{Class: codehost.ClassInvalid})
		f.Deliver(f.Event("opened", "a", lately(5)))
		testkit.Require(t, "checks", f.Host.Wrote("new check"), 0)
		f.Host.Fail("check", nil)
		sweepTwice(f)
		testkit.Equal(t, "checks at once", f.Host.Wrote("new check"), 0)
		raw(`UPDATE review_runs SET finished_us = finished_us - 7200000000`)
		raw(`DELETE FROM write_attempts`)
		sweepTwice(f)
		testkit.Equal(t, "later", shown(f), "completed success")
		raw(`UPDATE review_runs SET verdict = 'failure'`)
		raw(`UPDATE publications SET payload = REPLACE(payload, '"conclusion":"success"', '"conclusion":"failure"')`)
		sweepTwice(f)
		testkit.Equal(t, "corrected result", shown(f), "completed failure")
		writes := f.Host.Wrote("check")
		sweepTwice(f)
		testkit.Equal(t, "writes where nothing differs", f.Host.Wrote("check"), writes)
	})
}
