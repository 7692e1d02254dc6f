package fixrun_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

const movedText = "The head of the pull request moved"

// A change while the model is asked is seen before the first write.
func TestNothingIsDeliveredAfterAChangeMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *world)
		reason string
		said   bool
	}{
		"fixes are off":      {func(w *world) { w.Policy(`{"fixes":"off"}`) }, "does not allow this delivery", false},
		"silent":             {func(w *world) { w.Policy(`{"fixes":"commit","publishMode":"silent"}`) }, "does not allow this delivery", false},
		"approval":           {func(w *world) { w.Policy(`{"fixes":"commit","publishMode":"approval"}`) }, "does not allow this delivery", false},
		"the pull is closed": {func(w *world) { w.set(func(p *codehost.PullRequest) { p.Open = false }) }, "was closed", false},
		"the head moved and no webhook came": {func(w *world) {
			w.set(func(p *codehost.PullRequest) { p.HeadSHA = storetest.SHA("pushed") })
			w.Host.Tips["topic"] = storetest.SHA("pushed")
		}, "moved", true},
		"the finding is dismissed": {func(w *world) {
			testkit.OK(w.T, w.Store.SetFindingState(bg, w.World.Tenant, w.Review.PullRequest, w.Review.ID, []string{w.Known()[0].ID}, domain.FindingDismissed))
		}, "not open any more", false},
	} {
		for _, d := range []domain.FixDelivery{domain.FixSuggestions, domain.FixBranch} {
			t.Run(name+"/"+string(d), func(t *testing.T) {
				each(t, domain.FixCommit, func(t *testing.T, w *world) {
					w.Fixer.during = func() { c.change(w) }
					run := w.do(d)
					if run.State != domain.FixCancelled || !strings.Contains(run.Reason, c.reason) {
						t.Errorf("state %s, reason %q", run.State, run.Reason)
					}
					testkit.Equal(t, "commits, pull requests, branches", fmt.Sprint(len(w.Host.made), len(w.Host.pulls), len(w.Host.Tips)), "0 0 2")
					said := w.comments()
					testkit.Equal(t, "the thread says that the head moved", len(said) == 1 && strings.Contains(said[0], movedText), c.said)
					if !c.said && len(said) > 0 {
						t.Errorf("comments: %q", said)
					}
				})
			})
		}
	}
}

// A branch that moves during the commit ends the fix run with one comment, also if the answer to the comment is lost.
func TestAMovedBranchIsSaidOnce(t *testing.T) {
	each(t, domain.FixCommit, func(t *testing.T, w *world) {
		w.Host.before, w.Host.left = func() { w.Host.Tips["topic"] = storetest.SHA("pushed") }, 0
		run := w.do(domain.FixCommit)
		testkit.Equal(t, "state", run.State, domain.FixCancelled)
		said := w.comments()
		testkit.Require(t, "comments", len(said), 1)
		testkit.Equal(t, "the thread says why", strings.Contains(said[0], movedText), true)
	})
}

// The branch has the commit, and the host refuses the pull request.
func TestARefusedPullRequestIsNamed(t *testing.T) {
	each(t, domain.FixCommit, func(t *testing.T, w *world) {
		w.Host.barred = &codehost.Error{Class: codehost.ClassForbidden, Status: 403}
		run := w.do(domain.FixBranch)
		if run.State != domain.FixFailed || !strings.Contains(run.Reason, run.Branch) || run.CommitSHA == "" {
			t.Errorf("state %s, reason %q, branch %q", run.State, run.Reason, run.Branch)
		}
		testkit.Equal(t, "comments that name a fix", len(w.comments()), 0)
	})
}

// A host that forbids comments, as on a locked conversation, gets no second attempt, and the fix run names the refusal.
func TestAForbiddenCommentIsNamed(t *testing.T) {
	each(t, domain.FixSuggestions, func(t *testing.T, w *world) {
		w.Host.Fail("reply", &codehost.Error{Class: codehost.ClassForbidden, Status: 403})
		run := w.do(domain.FixSuggestions)
		testkit.Equal(t, "state", run.State, domain.FixCompleted)
		testkit.Equal(t, "the reason names the refusal", strings.Contains(run.Reason, "The host refused 1 of the comments, because"), true)
		testkit.Equal(t, "comments", len(w.comments()), 0)
	})
}

// One of several requests at the same time starts a fix run, and the limit of a head holds.
func TestRequestsAtOnceStayWithinTheLimits(t *testing.T) {
	each(t, domain.FixSuggestions, func(t *testing.T, w *world) {
		w.Fixer.refuse = fix.NoFix
		for range store.MaxFixRunsOfHead + 1 {
			ids := make(chan string, 8)
			var all sync.WaitGroup
			for range cap(ids) {
				all.Go(func() {
					run, err := w.request("")
					if err == nil {
						ids <- run.ID
					} else if !errs.Is(err, errs.Conflict) {
						t.Error(err)
					}
				})
			}
			all.Wait()
			for range len(ids) {
				w.wait(<-ids)
			}
		}
		list, err := w.Store.FixRuns(bg, w.World.Tenant, w.Repository.ID, store.FixRunFilter{})
		testkit.OK(t, err)
		if len(list) > store.MaxFixRunsOfHead {
			t.Errorf("%d fix runs of one head", len(list))
		}
	})
}

// The log of acts has the fix run that a command started, with the login of the person who wrote it.
func TestTheCommandIsAudited(t *testing.T) {
	each(t, domain.FixCommit, func(t *testing.T, w *world) {
		w.Deliver(reviewtest.Comment(72, "chief", "/assay fix"))
		w.Deliver(reviewtest.Comment(72, "chief", "/assay fix"))
		list, err := w.Store.FixRuns(bg, w.World.Tenant, w.Repository.ID, store.FixRunFilter{})
		testkit.OK(t, err)
		testkit.Require(t, "fix runs", len(list), 1)
		acts, err := w.Store.AuditEntries(bg, w.World.Tenant, store.AuditFilter{Action: "fix-run.create", Limit: 5})
		testkit.OK(t, err)
		testkit.Require(t, "entries", len(acts), 1)
		testkit.Equal(t, "target", acts[0].TargetID, list[0].ID)
		if !strings.Contains(acts[0].Body, "chief") {
			t.Errorf("the entry does not name the person: %s", acts[0].Body)
		}
	})
}
