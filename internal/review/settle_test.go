package review_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// unsettled reviews head a so that its publish job dies after the submit. The host applied the submit
// if its error is ambiguous, and still does not show the review.
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

// A dead publish job is settled by asking the host. Until then events of the head join its run.
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
				testkit.OK(t, f.Service.SettlePublications(bg, 10)) // the host still does not show the review
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

// The run of a newer head settles the older one before its turn, and waits until the older one's
// outcome is known.
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

// away disconnects the repository of a fixture, and back reconnects it.
func away(f *reviewtest.Fixture) {
	f.T.Helper()
	testkit.OK(f.T, f.Store.DisconnectRepositories(bg, f.World.Tenant, f.World.Installation.ID))
}

func back(f *reviewtest.Fixture) {
	f.T.Helper()
	f.Host.Fail("review", nil)
	f.Host.Install, f.Host.Repositories = codehost.Installation{ID: f.World.Installation.ExternalID}, []codehost.RepoInfo{reviewtest.Repository()}
	f.Deliver(reviewtest.Added(1))
}

// interrupted reviews head a, and disconnects the repository while the publish job has no answer to its
// submit. The host applied the submit if its error is ambiguous. The job finds the disconnection at its
// next attempt.
func interrupted(f *reviewtest.Fixture, class codehost.Class) (run store.Run) {
	f.T.Helper()
	f.Host.Fail("submit", &codehost.Error{Class: class})
	f.Host.Fail("review", &codehost.Error{Class: codehost.ClassUnavailable})
	d := f.Processed(f.Event("opened", "a"))
	f.Until("the publish job waits", func() bool { return f.Job(d.RunID, domain.KindPublish).LastError != "" })
	f.Stop()
	f.Host.Fail("submit", nil)
	away(f)
	f.Settings.BackoffFirst, f.Settings.BackoffMax = time.Millisecond, time.Millisecond
	return f.Runs()[0]
}

// A repository that stays disconnected counts as gone after thirty days: the run ends.
func TestARepositoryThatStaysDisconnected(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := reviewtest.NewFixture(t, s)
		run := unsettled(f, codehost.ClassAmbiguous)
		away(f)
		for _, c := range []struct {
			days  int
			state string
		}{{29, "publishing"}, {2, "cancelled"}} {
			raw(fmt.Sprintf(`UPDATE publications SET settle_us = 1, updated_us = updated_us - %d`, int64(c.days)*(24*time.Hour).Microseconds()))
			testkit.OK(t, f.Service.SettlePublications(bg, 10))
			testkit.Equal(t, fmt.Sprint("after ", c.days, " more days"), f.States(), c.state)
		}
		pub, err := f.Store.PublicationOf(bg, f.World.Tenant, run.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "phase", pub.Phase, domain.PhaseAbandoned)
		ended, err := f.Store.RunForWork(bg, run.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "cause", ended.End, domain.EndDisconnected)
	})
}

// If it is unknown whether a review is visible when its repository is disconnected, its run stays open.
// After a reconnection the host is asked whether the head has its review.
func TestADisconnectedRepositoryIsAskedWhenItIsBack(t *testing.T) {
	for name, c := range map[string]struct {
		class  codehost.Class
		dead   bool // the job has died before, otherwise it finds the disconnection
		state  string
		end    domain.EndCause
		states string // after the next event
	}{
		"visible, the job has died":   {codehost.ClassAmbiguous, true, "completed", domain.EndPublished, "completed"},
		"visible, the job is at work": {codehost.ClassAmbiguous, false, "completed", domain.EndPublished, "completed"},
		"a draft, the job has died":   {codehost.ClassUnavailable, true, "failed", domain.EndError, "failed completed"},
		"a draft, the job is at work": {codehost.ClassUnavailable, false, "cancelled", domain.EndDisconnected, "cancelled completed"},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				f := reviewtest.NewFixture(t, s)
				var run store.Run
				if c.dead {
					run = unsettled(f, c.class)
					away(f)
				} else {
					run = interrupted(f, c.class)
					raw(`UPDATE jobs SET run_us = 0 WHERE kind = 'review.publish' AND state = 'queued'`)
					f.Start()
					f.Until("the job has ended", func() bool { return f.Job(run.ID, domain.KindPublish).State == domain.JobDone })
				}
				wrote := len(f.Host.Writes)
				f.Settle()
				for range 2 {
					testkit.OK(t, f.Service.SettlePublications(bg, 10))
					due, err := f.Store.UnsettledRuns(bg, 10)
					testkit.OK(t, err)
					testkit.Equal(t, "due at once", len(due), 0)
					raw(`UPDATE publications SET settle_us = 1 WHERE settle_us IS NOT NULL`)
				}
				testkit.OK(t, f.Service.SettlePublications(bg, 10))
				testkit.Equal(t, "runs", f.States(), "publishing")
				testkit.Equal(t, "writes", len(f.Host.Writes), wrote)
				busy, err := f.Store.AccessBusy(bg, f.World.Tenant, f.World.Installation.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "something waits for the access", busy, false)
				raw(`UPDATE publications SET created_us = 1`)
				raw(`UPDATE review_runs SET created_us = 1`)
				broken, err := f.Store.Violations(bg)
				testkit.OK(t, err)
				for _, v := range broken {
					testkit.Equal(t, v.Invariant, v.Count, 0)
				}

				back(f)
				d := f.Deliver(f.Event("reopened", "a"))
				f.Want(d, domain.DispositionCoalesced, "publishing")
				testkit.Equal(t, "into", d.RunID, run.ID)
				raw(`UPDATE publications SET settle_us = 1 WHERE settle_us IS NOT NULL`)
				testkit.OK(t, f.Service.SettlePublications(bg, 10))
				f.Settle()
				got := f.Runs()[0]
				testkit.Equal(t, "run", string(got.State)+" "+string(got.End), c.state+" "+string(c.end))
				f.Deliver(f.Event("reopened", "a"))
				testkit.Equal(t, "runs", f.States(), c.states)
				testkit.Equal(t, "visible", len(f.Host.Visible()), 1)
			})
		})
	}
}

// A run is settled immediately if the repository can still be reached another way.
func TestADisconnectedRepositoryThatIsReachedIsAskedAtOnce(t *testing.T) {
	for class, want := range map[codehost.Class]string{codehost.ClassAmbiguous: "completed", codehost.ClassUnavailable: "cancelled"} {
		t.Run(string(class), func(t *testing.T) {
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				f := reviewtest.NewFixture(t, s)
				interrupted(f, class)
				f.Host.Reached = true
				f.Host.Fail("review", nil)
				raw(`UPDATE jobs SET run_us = 0 WHERE kind = 'review.publish' AND state = 'queued'`)
				f.Start()
				f.Settle()
				testkit.OK(t, f.Service.SettlePublications(bg, 10))
				f.Settle()
				testkit.Equal(t, "runs", f.States(), want)
				reviews, err := f.Host.Reviews(bg, codehost.Repo{}, 1)
				testkit.OK(t, err)
				testkit.Equal(t, "reviews and drafts", len(reviews), len(f.Host.Visible()))
			})
		})
	}
}

// If the repository is disconnected, the run of a newer head that waits for an older one ends. After a
// reconnection, the older one is settled before the newer head is reviewed.
func TestANewerHeadOfADisconnectedRepository(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := reviewtest.NewFixture(t, s)
		now := func() {
			raw(`UPDATE publications SET settle_us = 1 WHERE settle_us IS NOT NULL`)
			raw(`UPDATE jobs SET run_us = 0, dispatched_us = NULL WHERE kind = 'review.run' AND state = 'queued'`)
		}
		unsettled(f, codehost.ClassAmbiguous)
		f.Processed(f.Event("synchronize", "b"))
		f.Until("the newer run waits", func() bool {
			return strings.Contains(f.Job(f.Runs()[1].ID, domain.KindReview).LastError, "not known yet")
		})
		away(f)
		f.Until("the newer run ends", func() bool { now(); return f.States() == "publishing cancelled" })
		back(f)
		f.Processed(f.Event("reopened", "b"))
		f.Until("both heads are reviewed", func() bool { now(); return f.States() == "completed cancelled completed" })
		testkit.Equal(t, "visible", len(f.Host.Visible()), 2)
	})
}

// Nothing can be visible before a draft was chosen, so the run ends with the connection.
func TestARepositoryThatIsDisconnectedBeforeTheChoice(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := reviewtest.NewFixture(t, s)
		f.Host.Fail("create", &codehost.Error{Class: codehost.ClassUnavailable})
		d := f.Processed(f.Event("opened", "a"))
		f.Until("the publish job waits", func() bool { return f.Job(d.RunID, domain.KindPublish).LastError != "" })
		away(f)
		raw(`UPDATE jobs SET run_us = 0, dispatched_us = NULL WHERE kind = 'review.publish' AND state = 'queued'`)
		f.Until("the run ends", func() bool { return f.States() == "cancelled" })
		pub, err := f.Store.PublicationOf(bg, f.World.Tenant, d.RunID)
		testkit.OK(t, err)
		testkit.Equal(t, "phase", pub.Phase, domain.PhaseAbandoned)
	})
}

// Only a check run that may have been created is waited for. After a refusal by the host or the gate,
// no list can show one.
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
