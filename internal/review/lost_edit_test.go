package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

var answerLost = &codehost.Error{Class: codehost.ClassAmbiguous, Op: "edit"}

// dueNow makes a job with a lost answer due now.
func dueNow(f *reviewtest.Fixture, kind domain.JobKind, run string) {
	f.T.Helper()
	_, err := f.Store.EnqueueAwaited(bg, f.World.Tenant, kind, run)
	testkit.OK(f.T, err)
	f.Settle()
}

// If the host applies an edit whose answer was lost after the edit of a later run, the text of the
// later run is written once more.
func TestALateEditDoesNotStay(t *testing.T) {
	for op, shown := range map[string]func(f *reviewtest.Fixture) string{
		"edit review":  func(f *reviewtest.Fixture) string { return f.Host.Visible()[0] },
		"edit comment": func(f *reviewtest.Fixture) string { return f.Host.Comments[0].Body },
	} {
		t.Run(op, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Service.LostEdit = time.Nanosecond
				h := newHistory(f)
				h.calls("high")
				h.push("a", divides, division)
				f.Host.Fail(op, answerLost)
				h.push("b", "// nothing is left\n")
				f.Host.Fail(op, nil)
				h.push("c", divides, division)
				want := shown(f)
				applyLate(f)
				if shown(f) == want {
					t.Fatal("the late edit changes nothing")
				}
				dueNow(f, domain.KindReflect, f.Runs()[1].ID)
				testkit.Equal(t, "shown", shown(f), want)
			})
		})
	}
}

// applyLate makes the host apply the edits whose answers were lost. A job that was retried has made
// more than one.
func applyLate(f *reviewtest.Fixture) {
	f.T.Helper()
	if f.Host.ApplyLate() == 0 {
		f.T.Fatal("no edit is late")
	}
}

// The check of a published review shows its outcome, even if the host applies the earlier edit with the
// instructions for deciding late.
func TestALateCheckDoesNotStay(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Service.LostEdit = time.Nanosecond
		began, release := f.Hold("a")
		f.Policy(`{"publishMode":"approval"}`)
		f.Snapshots.Lines[storetest.SHA("a")] = twoFindings()
		d := f.Processed(f.Event("opened", "a"))
		reviewtest.Receive(t, began)
		shows(f, d.RunID, "in_progress : Review under way")
		f.Host.Fail("check", answerLost)
		release()
		f.Until("the edit was sent", func() bool { return f.Host.Lost() == 1 })
		f.Settle()
		f.Host.Fail("check", nil)
		a, err := f.Store.ApprovalOfRun(bg, f.World.Tenant, d.RunID)
		testkit.OK(t, err)
		_, err = decide(f, a, approval.Decision{To: domain.ApprovalApproved})
		testkit.OK(t, err)
		f.Settle()
		want := said(f, d.RunID)
		if !strings.HasPrefix(want, "completed") {
			t.Fatalf("the check of a published review: %s", want)
		}
		applyLate(f)
		dueNow(f, domain.KindCheck, d.RunID)
		testkit.Equal(t, "check", said(f, d.RunID), want)
	})
}

// A job without a lost answer creates no follow-up job. A job with one creates one that is due a minute
// later.
func TestTheLookAfterALostEditComesOnce(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.calls("high")
		h.push("a", divides, division)
		f.Host.Fail("edit comment", answerLost)
		h.push("b", "// nothing is left\n")
		f.Host.Fail("edit comment", nil)
		f.Host.ApplyLate()
		count := func() (n int) {
			all, err := f.Store.JobsOf(bg, f.Runs()[1].ID)
			testkit.OK(t, err)
			for _, j := range all {
				if j.Kind == domain.KindReflect {
					n++
				}
			}
			return n
		}
		testkit.Equal(t, "jobs while the first is tried", count(), 1)
		for range 2 { // the second one is the follow-up itself
			dueNow(f, domain.KindReflect, f.Runs()[1].ID)
			testkit.Equal(t, "jobs", count(), 2)
		}
	})
}
