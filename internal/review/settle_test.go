package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// unsettled reviews head a so that its publish job dies after the submit, which
// was applied where the error of the host is ambiguous, and while the host says
// nothing about the review.
func (f *fixture) unsettled(class codehost.Class) (run store.Run) {
	f.t.Helper()
	f.stop()
	f.settings.Attempts, f.settings.BackoffFirst, f.settings.BackoffMax = 2, time.Millisecond, time.Millisecond
	f.start()
	f.host.Fail("submit", &codehost.Error{Class: class})
	f.host.Fail("review", &codehost.Error{Class: codehost.ClassUnavailable})
	d := f.deliver(f.event("opened", "a"))
	f.until("the publish job is dead", func() bool { return f.job(d.RunID, domain.KindPublish).State == domain.JobDead })
	f.settle()
	f.host.Fail("submit", nil)
	testkit.Equal(f.t, "runs", f.states(), "publishing")
	got, err := f.store.UnsettledRuns(bg, 10)
	testkit.OK(f.t, err)
	testkit.Require(f.t, "unsettled", len(got), 1)
	return got[0]
}

// job is the job of a kind of a run.
func (f *fixture) job(run string, kind domain.JobKind) (found store.Job) {
	f.t.Helper()
	all, err := f.store.JobsOf(bg, run)
	testkit.OK(f.t, err)
	for _, j := range all {
		if j.Kind == kind {
			found = j
		}
	}
	return found
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
			each(t, func(t *testing.T, f *fixture) {
				run := f.unsettled(class)
				d := f.deliver(f.event("reopened", "a"))
				f.want(d, domain.DispositionCoalesced, "publishing")
				testkit.Equal(t, "into", d.RunID, run.ID)
				testkit.OK(t, f.service.SettlePublications(bg, 10)) // the host still says nothing
				testkit.Equal(t, "runs", f.states(), "publishing")
				testkit.Equal(t, "check runs", f.host.Wrote("check"), 0)
				due, err := f.store.UnsettledRuns(bg, 10)
				testkit.OK(t, err)
				testkit.Require(t, "due again at once", len(due), 0)

				f.host.Fail("review", nil)
				settled, err := f.service.Publisher.Settle(bg, run, f.host, codehost.Repo{Owner: "octo", Name: "repo"}, 0)
				testkit.OK(t, err)
				testkit.Equal(t, "settled", settled, true)
				f.settle()
				testkit.Equal(t, "runs", f.states(), c.state)
				testkit.Equal(t, "visible", len(f.host.Visible()), c.visible)
				testkit.Equal(t, "check", f.host.Check(run.ID).Conclusion, c.check)
				f.want(f.deliver(f.event("reopened", "a")), c.next, c.states)
				testkit.Equal(t, "visible in the end", len(f.host.Visible()), 1)
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
			each(t, func(t *testing.T, f *fixture) {
				f.unsettled(class)
				testkit.OK(t, f.service.SettlePublications(bg, 10))
				f.processed(f.event("synchronize", "b"))
				newer := func() store.Job { return f.job(f.runs()[1].ID, domain.KindReview) }
				f.until("the newer run waits", func() bool { return strings.Contains(newer().LastError, "not known yet") })
				testkit.Equal(t, "counted failures", newer().Attempts, 0)
				testkit.Equal(t, "runs", f.states(), "publishing queued")

				f.host.Fail("review", nil)
				f.until("both have ended", func() bool { return f.states() == c.states })
				testkit.Equal(t, "visible", len(f.host.Visible()), c.visible)
			})
		})
	}
}

// A repository that is disconnected while it is not known: there is nobody to
// ask, so the run is cancelled and nothing is written.
func TestADisconnectedRepositoryIsNotAskedAbout(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		run := f.unsettled(codehost.ClassAmbiguous)
		wrote := len(f.host.Writes)
		testkit.OK(t, f.store.DisconnectRepositories(bg, f.world.Tenant, f.world.Installation.ID))
		testkit.OK(t, f.service.SettlePublications(bg, 10))
		f.settle()
		got := f.runs()[0]
		testkit.Equal(t, "run", string(got.State)+" "+string(got.End), "cancelled "+string(domain.EndDisconnected))
		pub, err := f.store.PublicationOf(bg, f.world.Tenant, run.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "phase", pub.Phase, domain.PhaseAbandoned)
		testkit.Equal(t, "writes", len(f.host.Writes), wrote)
		due, err := f.store.UnsettledRuns(bg, 10)
		testkit.OK(t, err)
		testkit.Require(t, "unsettled", len(due), 0)
	})
}

// Only a check run that may have been made is waited for: a refusal of the host,
// or of the gate, leaves nothing that a list could still show.
func TestARefusedCheckRunIsMadeAtOnce(t *testing.T) {
	for _, class := range []codehost.Class{codehost.ClassLimited, codehost.ClassUnavailable} {
		t.Run(string(class), func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.stop()
				f.settings.BackoffFirst = time.Millisecond
				f.start()
				f.host.Fail("check", &codehost.Error{Class: class, RetryAfter: time.Second})
				d := f.processed(f.event("opened", "a"))
				f.until("the check run was refused", func() bool { return f.job(d.RunID, domain.KindReflect).LastError != "" })
				f.host.Fail("check", nil)
				f.until("the check run is made", func() bool { return f.host.Check(d.RunID).Conclusion == "success" })
				f.until("the job is done", func() bool { return f.job(d.RunID, domain.KindReflect).State == domain.JobDone })
				testkit.Equal(t, "check runs", f.host.Wrote("check"), 1)
			})
		})
	}
}
