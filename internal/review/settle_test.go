package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// unsettled reviews head a so that its publish job dies after the submit, which
// was applied where the error of the host is ambiguous, and while the host says
// nothing about the review.
func unsettled(f *reviewtest.Fixture, class codehost.Class) (run store.Run) {
	f.T.Helper()
	f.Stop()
	f.Settings.Attempts, f.Settings.BackoffFirst, f.Settings.BackoffMax = 2, time.Millisecond, time.Millisecond
	f.Start()
	f.Host.Fail("submit", &codehost.Error{Class: class})
	f.Host.Fail("review", &codehost.Error{Class: codehost.ClassUnavailable})
	d := f.Deliver(f.Event("opened", "a"))
	f.Until("the publish job is dead", func() bool { return f.Job(d.RunID, domain.KindPublish).State == domain.JobDead })
	f.Settle()
	f.Host.Fail("submit", nil)
	testkit.Equal(f.T, "runs", f.States(), "publishing")
	got, err := f.Store.UnsettledRuns(bg, 10)
	testkit.OK(f.T, err)
	testkit.Require(f.T, "unsettled", len(got), 1)
	return got[0]
}

// What a dead publish job left open is settled by asking, and events of the head
// join its run until then.
func TestAPublicationIsLeftOpenUntilTheHostSays(t *testing.T) {
	for class, c := range map[codehost.Class]struct {
		state   string
		visible int
		check   string
		next    domain.Disposition
		states  string
	}{
		codehost.ClassAmbiguous:   {"completed", 1, "success", domain.DispositionCoalesced, "completed"},
		codehost.ClassUnavailable: {"failed", 0, "neutral", domain.DispositionRun, "failed completed"},
	} {
		t.Run(string(class), func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				run := unsettled(f, class)
				d := f.Deliver(f.Event("reopened", "a"))
				f.Want(d, domain.DispositionCoalesced, "publishing")
				testkit.Equal(t, "into", d.RunID, run.ID)
				testkit.OK(t, f.Service.SettlePublications(bg, 10)) // the host still says nothing
				testkit.Equal(t, "runs", f.States(), "publishing")
				testkit.Equal(t, "check runs", f.Host.Wrote("check"), 0)
				due, err := f.Store.UnsettledRuns(bg, 10)
				testkit.OK(t, err)
				testkit.Require(t, "due again at once", len(due), 0)

				f.Host.Fail("review", nil)
				settled, err := f.Service.Publisher.Settle(bg, run, f.Host, codehost.Repo{Owner: "octo", Name: "repo"}, 0)
				testkit.OK(t, err)
				testkit.Equal(t, "settled", settled, true)
				f.Settle()
				testkit.Equal(t, "runs", f.States(), c.state)
				testkit.Equal(t, "visible", len(f.Host.Visible()), c.visible)
				testkit.Equal(t, "check", concluded(f, run.ID), c.check)
				f.Want(f.Deliver(f.Event("reopened", "a")), c.next, c.states)
				testkit.Equal(t, "visible in the end", len(f.Host.Visible()), 1)
			})
		})
	}
}

// The run of a newer head asks what became of the older one before its turn, and
// is not begun before it knows.
func TestANewerHeadSettlesTheOlderOne(t *testing.T) {
	for class, c := range map[codehost.Class]struct {
		states  string
		visible int
	}{
		codehost.ClassAmbiguous:   {"completed completed", 2},
		codehost.ClassUnavailable: {"failed completed", 1},
	} {
		t.Run(string(class), func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				unsettled(f, class)
				testkit.OK(t, f.Service.SettlePublications(bg, 10))
				f.Processed(f.Event("synchronize", "b"))
				newer := func() store.Job { return f.Job(f.Runs()[1].ID, domain.KindReview) }
				f.Until("the newer run waits", func() bool { return strings.Contains(newer().LastError, "not known yet") })
				testkit.Equal(t, "counted failures", newer().Attempts, 0)
				testkit.Equal(t, "runs", f.States(), "publishing queued")

				f.Host.Fail("review", nil)
				f.Until("both have ended", func() bool { return f.States() == c.states })
				testkit.Equal(t, "visible", len(f.Host.Visible()), c.visible)
			})
		})
	}
}

// A repository that is disconnected while it is not known: there is nobody to
// ask, so the run is cancelled and nothing is written.
func TestADisconnectedRepositoryIsNotAskedAbout(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		run := unsettled(f, codehost.ClassAmbiguous)
		wrote := len(f.Host.Writes)
		testkit.OK(t, f.Store.DisconnectRepositories(bg, f.World.Tenant, f.World.Installation.ID))
		testkit.OK(t, f.Service.SettlePublications(bg, 10))
		f.Settle()
		got := f.Runs()[0]
		testkit.Equal(t, "run", string(got.State)+" "+string(got.End), "cancelled "+string(domain.EndDisconnected))
		pub, err := f.Store.PublicationOf(bg, f.World.Tenant, run.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "phase", pub.Phase, domain.PhaseAbandoned)
		testkit.Equal(t, "writes", len(f.Host.Writes), wrote)
		due, err := f.Store.UnsettledRuns(bg, 10)
		testkit.OK(t, err)
		testkit.Require(t, "unsettled", len(due), 0)
	})
}

// Only a check run that may have been made is waited for: a refusal of the host,
// or of the gate, leaves nothing that a list could still show.
func TestARefusedCheckRunIsMadeAtOnce(t *testing.T) {
	for _, class := range []codehost.Class{codehost.ClassLimited, codehost.ClassUnavailable} {
		t.Run(string(class), func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Stop()
				f.Settings.BackoffFirst = time.Millisecond
				f.Start()
				f.Host.Fail("check", &codehost.Error{Class: class, RetryAfter: time.Second})
				d := f.Processed(f.Event("opened", "a"))
				f.Until("the check run was refused", func() bool { return f.Job(d.RunID, domain.KindReflect).LastError != "" })
				f.Host.Fail("check", nil)
				f.Until("the check run is made", func() bool { return f.Host.Check(d.RunID).Conclusion == "success" })
				f.Until("the job is done", func() bool { return f.Job(d.RunID, domain.KindReflect).State == domain.JobDone })
				testkit.Equal(t, "check runs", f.Host.Wrote("new check"), 1)
			})
		})
	}
}
