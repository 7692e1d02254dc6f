package intake_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

// placed gives the fixture an installation 555 that reaches the repositories, on a host whose answers lag
// behind its events by lag.
func placed(f *reviewtest.Fixture, lag time.Duration, repos ...codehost.RepoInfo) {
	f.T.Helper()
	f.Stop()
	f.Place, f.Services.Intake.Lag = f.World.Tenant.ID, lag
	f.Settings.BackoffFirst, f.Settings.BackoffMax = 10*time.Millisecond, 10*time.Millisecond
	f.Host.Install = codehost.Installation{ID: "555", AccountID: "31", AccountLogin: "other", AccountType: "Organization"}
	f.Host.Repositories = repos
	f.Start()
	f.Want(f.Deliver(installed("created", 555, repos...)), domain.DispositionApplied, "")
}

var second = codehost.RepoInfo{ExternalID: "78", Owner: "octo", Name: "second"}

// of555 returns an event of that installation.
func of555(kind codehost.EventKind, action string, change func(*codehost.Event)) codehost.Event {
	ev := codehost.Event{Kind: kind, Name: string(kind), Action: action, Installation: &codehost.Installation{ID: "555"}}
	change(&ev)
	return ev
}

// takingAway has events that remove objects which the host still has.
func takingAway() map[string]codehost.Event {
	repo := reviewtest.Repository()
	return map[string]codehost.Event{
		"installation deleted":   installed("deleted", 555),
		"installation suspended": installed("suspend", 555),
		"repositories removed": of555(codehost.KindInstallationRepositories, "removed", func(ev *codehost.Event) {
			ev.RepositoriesRemoved = []codehost.RepoInfo{repo, second}
		}),
		"repository deleted":     of555(codehost.KindRepository, "deleted", func(ev *codehost.Event) { ev.Repository = &repo }),
		"repository transferred": of555(codehost.KindRepository, "transferred", func(ev *codehost.Event) { ev.Repository = &repo }),
	}
}

func TestUnconfirmedEventsRemoveNothing(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		placed(f, time.Nanosecond, reviewtest.Repository(), second)
		for name, ev := range takingAway() {
			t.Run(name, func(t *testing.T) {
				d := f.Deliver(ev)
				testkit.Equal(t, "disposition", d.Disposition, domain.DispositionIgnored)
				testkit.Equal(t, "reason says it", strings.HasPrefix(d.Reason, "not confirmed: the installation "), true)
				testkit.Equal(t, "state", installation(f, 555).State, domain.InstallationActive)
				testkit.Equal(t, "repositories", repositoryStates(f), "repo:active second:active ")
			})
		}
	})
}

// A host's answers may lag behind its events, so that a new event waits.
func TestAnEventThatTheHostDoesNotShowYetWaits(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		placed(f, time.Hour, reviewtest.Repository(), second)
		for name, ev := range takingAway() {
			t.Run(name, func(t *testing.T) {
				guid := f.Send(ev)
				id := f.Delivery(guid).ID
				f.Until("the job waits", func() bool {
					all, err := f.Store.JobsOf(bg, id)
					testkit.OK(t, err)
					return all[0].State == domain.JobQueued && all[0].RunUS > f.Delivery(guid).ReceivedUS+(50*time.Minute).Microseconds()
				})
				testkit.Equal(t, "disposition", f.Delivery(guid).Disposition, domain.Disposition(""))
				testkit.Equal(t, "repositories", repositoryStates(f), "repo:active second:active ")
			})
		}
	})
}

func TestAHostThatCannotBeAskedIsAskedAgain(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		placed(f, time.Hour, reviewtest.Repository())
		f.Host.Fail("installation", &codehost.Error{Class: codehost.ClassUnavailable})
		guid := f.Send(installed("deleted", 555))
		id := f.Delivery(guid).ID
		f.Until("it was tried", func() bool {
			all, err := f.Store.JobsOf(bg, id)
			testkit.OK(t, err)
			return all[0].Attempts > 0
		})
		testkit.Equal(t, "state", installation(f, 555).State, domain.InstallationActive)
		f.Host.Leave()
		f.Host.Fail("installation", nil)
		f.Until("it is applied", func() bool { return f.Delivery(guid).Disposition == domain.DispositionApplied })
		testkit.Equal(t, "state", installation(f, 555).State, domain.InstallationDeleted)
	})
}

// Old events of installations and repositories, sent again with new ids, do not undo the host's present
// state.
func TestRepeatedEventsOfAnInstallation(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		placed(f, time.Nanosecond, reviewtest.Repository())
		created := installed("created", 555, reviewtest.Repository())
		added := of555(codehost.KindInstallationRepositories, "added", func(ev *codehost.Event) { ev.Repositories = []codehost.RepoInfo{second} })
		suspended := installed("suspend", 555)
		f.Host.Install.Suspended = true
		f.Want(f.Deliver(suspended), domain.DispositionApplied, "")
		f.Host.Install.Suspended = false
		f.Want(f.Deliver(installed("unsuspend", 555)), domain.DispositionApplied, "")
		f.Want(f.Deliver(suspended), domain.DispositionIgnored, "")
		testkit.Equal(t, "state", installation(f, 555).State, domain.InstallationActive)

		f.Want(f.Deliver(added), domain.DispositionApplied, "")
		testkit.Equal(t, "repositories", repositoryStates(f), "repo:active second:active ")
		f.Want(f.Deliver(of555(codehost.KindInstallationRepositories, "removed", func(ev *codehost.Event) { ev.RepositoriesRemoved = []codehost.RepoInfo{second} })), domain.DispositionApplied, "")
		f.Deliver(added) // the host no longer has it
		testkit.Equal(t, "repositories", repositoryStates(f), "repo:active second:disconnected ")

		f.Host.Absent = true
		f.Want(f.Deliver(installed("deleted", 555)), domain.DispositionApplied, "")
		f.Want(f.Deliver(created), domain.DispositionIgnored, "")
		testkit.Equal(t, "state", installation(f, 555).State, domain.InstallationDeleted)
	})
}
