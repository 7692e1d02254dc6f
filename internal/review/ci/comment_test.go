package ci_test

import (
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

// impatient makes the fixture's worker retry failed jobs at once.
func impatient(f *reviewtest.Fixture) {
	f.Stop()
	f.Settings.BackoffFirst, f.Settings.BackoffMax = 10*time.Millisecond, 10*time.Millisecond
	f.Start()
}

// After a lost answer of the host to the new comment, the comment is found and not written again. After a lost answer to an edit,
// the edit is repeated.
func TestOneCommentAfterLostAnswers(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		impatient(f)
		f.Host.Fail("reply", &codehost.Error{Class: codehost.ClassAmbiguous})
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
		f.Deliver(ended("a", "failure"))
		testkit.Equal(t, "comments", len(comments(f)), 1)
		testkit.Equal(t, "writes", f.Host.Wrote("reply"), 1)
		row := f.Runs()[0]
		v, err := f.Store.CIComment(bg, f.World.Tenant, row.PullRequest)
		testkit.OK(t, err)
		testkit.Equal(t, "known", v.State == store.CICommentShown && v.Host == comments(f)[0].ID, true)

		f.Host.Fail("edit reply", &codehost.Error{Class: codehost.ClassUnavailable})
		f.Host.Builds.Jobs[storetest.SHA("b")] = []codehost.Job{job("17", "test", "success")}
		f.Deliver(f.Event("synchronize", "b"))
		f.Send(ended("b", "success"))
		f.Until("the edit was tried", func() bool { return f.Host.Wrote("edit reply") == 0 && intents(t, f, v.ID) > 1 })
		f.Host.Fail("edit reply", nil)
		f.Settle()
		testkit.Equal(t, "comments", len(comments(f)), 1)
		testkit.Equal(t, "edited", strings.Contains(comments(f)[0].Body, "passes"), true)
	})
}

// intents counts the intents of writes of the comment.
func intents(t *testing.T, f *reviewtest.Fixture, id string) int {
	t.Helper()
	w, err := f.Store.Writes(bg, f.World.Tenant, "ci", id)
	testkit.OK(t, err)
	return len(w)
}

// A worker that dies after the host's answer and before the record leaves one comment: the next one finds it.
func TestAWorkerDiesAfterTheComment(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
		f.Deliver(ended("a", "failure"))
		pull := f.Runs()[0].PullRequest
		v, err := f.Store.CIComment(bg, f.World.Tenant, pull)
		testkit.OK(t, err)
		testkit.OK(t, f.Store.ShowCIComment(bg, f.World.Tenant, v.ID, "", "")) // as before the record
		row, err := f.Store.PullRequest(bg, f.World.Tenant, pull)
		testkit.OK(t, err)
		testkit.OK(t, f.Service.Runs.LookAtJobs(bg, f.World.Tenant, row))
		f.Settle()
		testkit.Equal(t, "comments", len(comments(f)), 1)
		v, err = f.Store.CIComment(bg, f.World.Tenant, pull)
		testkit.OK(t, err)
		testkit.Equal(t, "found", v.Host, comments(f)[0].ID)
	})
}

// A head that moves while its job is explained gets no comment about the old one.
func TestTheHeadMovesMeanwhile(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
		f.Models.Set(func(int) (llm.Response, error) {
			pr := codehost.PullRequest{Number: 1, Open: true, HeadSHA: storetest.SHA("b"), BaseRef: "main"}
			f.Host.Set(pr)
			return llm.Response{Text: explained, StopReason: llm.StopEnd}, nil
		})
		f.Deliver(ended("a", "failure"))
		testkit.Equal(t, "analysis", all(t, f)[0].State, domain.CICompleted)
		testkit.Equal(t, "comments", len(comments(f)), 0)
		f.Host.Builds.Jobs[storetest.SHA("c")] = []codehost.Job{job("17", "test", "failure")}
		f.Deliver(f.Event("synchronize", "c"))
		f.Host.Set(codehost.PullRequest{Number: 1, Open: true, HeadSHA: storetest.SHA("d"), BaseRef: "main"})
		f.Deliver(ended("c", "failure"))
		testkit.Equal(t, "a head that the host does not have is not looked at", len(all(t, f)), 1)
	})
}

// A comment that a person deletes is not written again.
func TestADeletedCommentStaysAway(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
		f.Deliver(ended("a", "failure"))
		f.Host.Fail("edit reply", &codehost.Error{Class: codehost.ClassNotFound})
		for _, head := range []string{"b", "c"} {
			f.Host.Builds.Jobs[storetest.SHA(head)] = []codehost.Job{job("17", "test", "failure")}
			f.Deliver(f.Event("synchronize", head))
			f.Deliver(ended(head, "failure"))
		}
		testkit.Equal(t, "replies", f.Host.Wrote("reply"), 1)
		v, err := f.Store.CIComment(bg, f.World.Tenant, f.Runs()[0].PullRequest)
		testkit.OK(t, err)
		testkit.Equal(t, "gone", v.State, store.CICommentGone)
	})
}

// Ends of our own check lead to nothing, and a completed analysis is an event of the tenant.
func TestOwnChecksAndTheEvent(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
		ev := ended("a", "failure")
		ev.Check.AppID = ev.AppID
		testkit.Equal(t, "our own", f.Deliver(ev).Reason, "the check is ours")
		ev = ended("a", "failure")
		ev.Name, ev.Check.Name, ev.Check.AppID = "status", codehost.CheckName, ""
		testkit.Equal(t, "our own status", f.Deliver(ev).Reason, "the check is ours")
		testkit.Equal(t, "a success without a failure", f.Deliver(ended("a", "success")).Reason, "no failed job of the pull request is known")
		testkit.Equal(t, "another head", f.Deliver(ended("z", "failure")).Reason, "no open pull request has this head")
		testkit.Equal(t, "analyses", len(all(t, f)), 0)
	})
}
