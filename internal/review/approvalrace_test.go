package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// If two events race, one takes effect and the other one finds that it is decided.
func TestDecisionsThatRace(t *testing.T) {
	approve := func(f *reviewtest.Fixture, a store.Approval) error {
		_, err := decide(f, a, approval.Decision{To: domain.ApprovalApproved})
		return err
	}
	reject := func(f *reviewtest.Fixture, a store.Approval) error {
		_, err := decide(f, a, approval.Decision{To: domain.ApprovalRejected})
		return err
	}
	for name, c := range map[string]struct {
		decides func(f *reviewtest.Fixture, a store.Approval) error
		other   func(f *reviewtest.Fixture, a store.Approval) error
		mayLose bool // the other one may fail with a conflict
	}{
		"two approvers":                {approve, approve, true},
		"approve and reject":           {approve, reject, true},
		"approve while a push arrives": {approve, func(f *reviewtest.Fixture, _ store.Approval) error { f.Send(f.Event("synchronize", "b")); return nil }, false},
		"approve while it is closed":   {approve, func(f *reviewtest.Fixture, _ store.Approval) error { f.Send(f.Event("closed", "a")); return nil }, false},
		"reject while it expires":      {reject, func(f *reviewtest.Fixture, _ store.Approval) error { return f.Services.Runs.Expire(bg, 10) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			eachAt(t, storetest.Both, func(t *testing.T, f *reviewtest.Fixture, url string) {
				a := waits(f)
				lapse(t, url)
				first, second := make(chan error, 1), make(chan error, 1)
				go func() { first <- c.decides(f, a) }()
				if c.mayLose {
					go func() { second <- c.other(f, a) }()
				} else {
					second <- c.other(f, a)
				}
				one, two := <-first, <-second
				f.Settle()
				after, err := f.Store.Approval(bg, f.World.Tenant, a.Output)
				testkit.OK(t, err)
				run, err := f.Store.RunForWork(bg, a.Run)
				testkit.OK(t, err)
				published := len(f.Host.Visible())
				won := 0
				for _, e := range []error{one, two} {
					if e == nil {
						won++
					} else if !errs.Is(e, errs.Conflict) {
						t.Error(e)
					}
				}
				if c.mayLose {
					testkit.Equal(t, "winners", won, 1)
				}
				steps := slices.DeleteFunc(storetest.Dump(t, url)["approval_transitions"], func(row string) bool {
					return !strings.Contains(row, a.Output)
				})
				decided := fmt.Sprint(after.State, " ", run.State, " ", run.End, " ", published, " ", len(steps))
				legal := []string{"published completed published 1 3", "rejected cancelled rejected 0 2", "expired superseded superseded 0 2", "expired cancelled closed 0 2", "expired cancelled expired 0 2",
					"approved superseded superseded 0 2", "approved cancelled closed 0 2"} // approved, and overtaken before it was visible
				if !slices.Contains(legal, decided) {
					t.Errorf("%s (%v, %v)", decided, one, two)
				}
				if !c.mayLose && (one == nil) == strings.HasPrefix(decided, "expired") {
					t.Errorf("the decision says %v, and it is %s", one, decided)
				}
			})
		})
	}
}

// A comment decides by the digits of the waiting review. A comment with old or wrong digits is answered
// with the current ones.
func TestDecisionsByComment(t *testing.T) {
	eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, url string) {
		f.Host.Roles = map[string]string{"writer": "write", "mona": "admin", "reader": "read"}
		waits(f)
		f.Deliver(reviewtest.Comment(1, "writer", "/assay review"))
		now, err := f.Store.ApprovalOfPull(bg, f.World.Tenant, f.Runs()[1].PullRequest)
		testkit.OK(t, err)
		testkit.Equal(t, "two waited", f.States(), "superseded awaiting_approval")
		comment := func(id int64, author, body string, change ...func(*codehost.EventComment)) store.Delivery {
			ev := reviewtest.Comment(id, author, body)
			for _, c := range change {
				c(ev.Comment)
			}
			return f.Deliver(ev)
		}
		own := func(c *codehost.EventComment) { c.AuthorID = "5" }
		d := comment(2, "writer", "/assay approve "+strings.Repeat("0", 12))
		testkit.Equal(t, "wrong digits", d.Reason, "another review waits than the one that was named")
		testkit.Equal(t, "too few", comment(3, "writer", "/assay approve "+now.Digest[:11]).Reason, d.Reason)
		testkit.Equal(t, "a reader", comment(4, "reader", "/assay approve "+now.Digest[:12]).Reason, "the author of the command has no permission for it")
		testkit.Equal(t, "the author", comment(5, "mona", "/assay approve "+now.Digest[:12], own).Reason, "the author of the command has no permission for it")
		testkit.Equal(t, "under another name", comment(6, "writer", "/assay approve "+now.Digest[:12], own).Reason, "the author of the command has no permission for it")
		answer := f.Host.Said(codehost.Spot{Number: 1})
		contains(t, answer[0].Body, "`/assay approve "+now.Digest[:12]+"`")
		testkit.Equal(t, "still", f.States(), "superseded awaiting_approval")
		done := comment(7, "writer", "/assay APPROVE "+strings.ToUpper(now.Digest[:12])+"\nthank you", func(c *codehost.EventComment) { c.AuthorID = "6" })
		testkit.Equal(t, "applied", done.Disposition, domain.DispositionApplied)
		f.Settle()
		testkit.Equal(t, "runs", f.States(), "superseded completed")
		after, err := f.Store.Approval(bg, f.World.Tenant, now.Output)
		testkit.OK(t, err)
		testkit.Equal(t, "who", fmt.Sprint(after.State, " ", after.How, " ", after.DecidedName, " ", after.Comment), "published comment writer 7")
		again := comment(7, "writer", "/assay approve "+now.Digest[:12])
		testkit.Equal(t, "the same comment again", again.Disposition, domain.DispositionApplied)
		testkit.Equal(t, "another one", comment(8, "writer", "/assay reject "+now.Digest[:12]+" noise").Reason, "no review of the pull request waits for approval")
	})
}

// A reason follows the digits.
func TestRejectByComment(t *testing.T) {
	eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, url string) {
		f.Host.Roles = map[string]string{"writer": "write"}
		a := waits(f)
		f.Deliver(reviewtest.Comment(1, "writer", "/assay reject "+a.Digest+" It is "+strings.Repeat("very ", 300)+"noisy"))
		f.Settle()
		after, err := f.Store.Approval(bg, f.World.Tenant, a.Output)
		testkit.OK(t, err)
		testkit.Equal(t, "state", after.State, domain.ApprovalRejected)
		testkit.Equal(t, "note", len([]rune(after.Note)), 500)
		contains(t, f.Host.Said(codehost.Spot{Number: 1})[0].Body, "The review is rejected")
	})
}

// While reviews of the repository are off, a waiting review still waits and can be decided. No check
// run is made, and the open one is closed.
func TestWaitingReviewsWhileReviewsAreOff(t *testing.T) {
	eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, url string) {
		a := waits(f)
		f.Policy(`{"publishMode":"approval","enabled":false}`)
		_, err := decide(f, a, approval.Decision{To: domain.ApprovalRejected})
		testkit.OK(t, err)
		f.Settle()
		shows(f, a.Run, "completed neutral: Rejected")
	})
}
