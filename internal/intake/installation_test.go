package intake_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// installed returns an event of an installation, by default of a new one.
func installed(action string, external int64, repos ...codehost.RepoInfo) codehost.Event {
	return codehost.Event{Kind: codehost.KindInstallation, Name: "installation", Action: action, Repositories: repos,
		Installation: &codehost.Installation{ID: domain.NumberID(external), AccountID: "31", AccountLogin: "other", AccountType: "Organization"}}
}

func installation(f *reviewtest.Fixture, external int64) store.Installation {
	f.T.Helper()
	got, err := f.Store.InstallationByExternal(bg, f.World.App.ID, domain.NumberID(external))
	testkit.OK(f.T, err)
	return got
}

// repositoryStates returns the states of the tenant's repositories.
func repositoryStates(f *reviewtest.Fixture) (out string) {
	f.T.Helper()
	got, err := f.Store.Repositories(bg, f.World.Tenant)
	testkit.OK(f.T, err)
	for _, r := range got {
		out += r.Name + ":" + r.State + " "
	}
	return out
}

func TestAnInstallationOfAStrangerWaits(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		d := f.Deliver(installed("created", 555, reviewtest.Repository()))
		f.Want(d, domain.DispositionApplied, "")
		testkit.Equal(t, "reason", d.Reason, "the installation waits to be placed in a tenant")
		inst := installation(f, 555)
		testkit.Equal(t, "state", inst.State, domain.InstallationUnplaced)
		testkit.Equal(t, "tenant", inst.Tenant, "")
		testkit.Equal(t, "repositories", repositoryStates(f), "")

		ev := f.Event("opened", "a")
		ev.Installation = &codehost.Installation{ID: "555"}
		d = f.Deliver(ev)
		f.Want(d, domain.DispositionIgnored, "")
		testkit.Equal(t, "tenant of the delivery", d.Tenant, "")

		placed, err := f.Store.PlaceInstallation(bg, f.World.Tenant, inst.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "placed", placed, true)
		ev = f.Event("synchronize", "b")
		ev.Installation = &codehost.Installation{ID: "555"}
		f.Want(f.Deliver(ev), domain.DispositionRun, "completed")
	})
}

func TestAnInstallationWithAPlace(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Place = f.World.Tenant.ID
		d := f.Deliver(installed("created", 555, reviewtest.Repository()))
		f.Want(d, domain.DispositionApplied, "")
		testkit.Equal(t, "tenant of the delivery", d.Tenant, f.World.Tenant.ID)
		testkit.Equal(t, "state", installation(f, 555).State, domain.InstallationActive)
		testkit.Equal(t, "repositories", repositoryStates(f), "repo:active ")

		ev := f.Event("opened", "a")
		ev.Installation = &codehost.Installation{ID: "555"}
		f.Host.Install.Suspended = true
		f.Want(f.Deliver(installed("suspend", 555)), domain.DispositionApplied, "")
		testkit.Equal(t, "state", installation(f, 555).State, domain.InstallationSuspended)
		testkit.Equal(t, "repositories", repositoryStates(f), "repo:disconnected ")
		d = f.Deliver(ev)
		f.Want(d, domain.DispositionIgnored, "")
		testkit.Equal(t, "reason", d.Reason, "the installation is suspended")

		stale := memberByHost(f, installation(f, 555))
		testkit.Equal(t, "the host's answers about people are old", stale(), false)
		f.Host.Install.Suspended = false
		f.Host.Repositories = []codehost.RepoInfo{reviewtest.Repository(), {ExternalID: "78", Owner: "octo", Name: "second"}}
		f.Want(f.Deliver(installed("unsuspend", 555)), domain.DispositionApplied, "")
		testkit.Equal(t, "the host's answers about people are old", stale(), true)
		testkit.Equal(t, "state", installation(f, 555).State, domain.InstallationActive)
		testkit.Equal(t, "repositories", repositoryStates(f), "repo:active second:active ")
		f.Want(f.Deliver(ev), domain.DispositionRun, "completed")

		f.Host.Absent = true
		f.Want(f.Deliver(installed("deleted", 555)), domain.DispositionApplied, "completed")
		testkit.Equal(t, "state", installation(f, 555).State, domain.InstallationDeleted)
		testkit.Equal(t, "repositories", repositoryStates(f), "repo:disconnected second:disconnected ")
		ev = f.Event("synchronize", "b")
		ev.Installation = &codehost.Installation{ID: "555"}
		f.Want(f.Deliver(ev), domain.DispositionIgnored, "completed")
	})
}

// memberByHost adds a member whose role came from an installation. The returned function reports whether the
// host must be queried again about the member.
func memberByHost(f *reviewtest.Fixture, i store.Installation) (stale func() bool) {
	u, err := f.Store.CreateUser(bg, "Mona", false)
	testkit.OK(f.T, err)
	id, err := f.Store.CreateIdentity(bg, store.Identity{UserID: u.ID, Issuer: "https://host.example.com", Subject: "7", Kind: store.IdentityCodeHost})
	testkit.OK(f.T, err)
	testkit.OK(f.T, f.Store.SaveHostToken(bg, store.HostToken{Identity: id.ID, App: i.AppID, Access: []byte("sealed")}, time.Hour, 0))
	testkit.OK(f.T, f.Store.GrantMember(bg, domain.Tenant{ID: i.Tenant}, store.Membership{User: u.ID, Role: domain.RoleMember, Source: domain.SourceHost, SourceID: i.ID}))
	return func() bool {
		tokens, err := f.Store.HostTokensOf(bg, u.ID)
		testkit.OK(f.T, err)
		return len(tokens) == 1 && tokens[0].StaleUS > 0
	}
}

func TestAnInstallationThatWasNeverAnnounced(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Place = f.World.Tenant.ID
		f.Host.Install = codehost.Installation{ID: "556", AccountID: "32", AccountLogin: "late", AccountType: "User"}
		f.Host.Repositories = []codehost.RepoInfo{reviewtest.Repository()}
		ev := f.Event("opened", "a")
		ev.Installation = &codehost.Installation{ID: "556"}
		f.Want(f.Deliver(ev), domain.DispositionRun, "completed")
		testkit.Equal(t, "account", installation(f, 556).AccountLogin, "late")
	})
}

func TestAnInstallationThatTheHostDoesNotKnow(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Absent = true
		ev := f.Event("opened", "a")
		ev.Installation = &codehost.Installation{ID: "557"}
		d := f.Deliver(ev)
		f.Want(d, domain.DispositionIgnored, "")
		testkit.Equal(t, "reason", d.Reason, "the installation is gone")
		f.Want(f.Deliver(installed("deleted", 557)), domain.DispositionIgnored, "")
		f.Want(f.Deliver(installed("renamed", 557)), domain.DispositionIgnored, "")
	})
}

// A renamed organisation is the same installation: its name and the names of its repositories change, and a
// pull request is reviewed once. A redelivered event does not restore a former name.
func TestARenamedOrganisation(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Place = f.World.Tenant.ID
		f.Host.Install = codehost.Installation{ID: "555", AccountID: "31", AccountLogin: "other", AccountType: "Organization"}
		f.Host.Repositories = []codehost.RepoInfo{reviewtest.Repository()}
		made := installed("created", 555)
		made.Repositories = f.Host.Repositories
		f.Want(f.Deliver(made), domain.DispositionApplied, "")
		before := installation(f, 555)
		rename := func(login, runs string) {
			ev := installed("renamed", 555)
			ev.Installation.AccountLogin = login
			f.Want(f.Deliver(ev), domain.DispositionApplied, runs)
		}
		f.Host.Install.AccountLogin = "other-new"
		rename("other-new", "")
		after := installation(f, 555)
		testkit.Equal(t, "installation", after.ID+" "+after.AccountLogin+" "+string(after.State), before.ID+" other-new "+string(before.State))
		testkit.Equal(t, "repositories", repositoryStates(f), "repo:active ")
		ev := f.Event("opened", "a")
		repo := reviewtest.Repository()
		repo.Owner = "other-new"
		ev.Repository, ev.Installation = &repo, &codehost.Installation{ID: "555"}
		f.Want(f.Deliver(ev), domain.DispositionRun, "completed")
		rows, err := f.Store.Repositories(bg, f.World.Tenant)
		testkit.OK(t, err)
		testkit.Equal(t, "repository", rows[0].Owner+"/"+rows[0].Name, "other-new/repo")

		f.Host.Install.AccountLogin = "other-third"
		rename("other-third", "completed")
		rename("other-new", "completed")
		testkit.Equal(t, "name after an earlier event", installation(f, 555).AccountLogin, "other-third")
	})
}

func TestRepositoriesComeAndGo(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Want(f.Deliver(codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "added", Repositories: []codehost.RepoInfo{reviewtest.Repository(), second}}), domain.DispositionApplied, "")
		testkit.Equal(t, "repositories", repositoryStates(f), "repo:active second:active ")
		f.Deliver(codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "removed", RepositoriesRemoved: []codehost.RepoInfo{second}})
		testkit.Equal(t, "repositories", repositoryStates(f), "repo:active second:disconnected ")
		renamed := reviewtest.Repository()
		renamed.Name = "renamed"
		f.Deliver(codehost.Event{Kind: codehost.KindRepository, Action: "renamed", Repository: &renamed})
		testkit.Equal(t, "repositories", repositoryStates(f), "renamed:active second:disconnected ")
		f.Deliver(codehost.Event{Kind: codehost.KindRepository, Action: "deleted", Repository: &renamed})
		testkit.Equal(t, "repositories", repositoryStates(f), "renamed:disconnected second:disconnected ")
	})
}

func TestTwoTenantsDoNotMeet(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		other := storetest.Tenant(t, f.Store)
		inst := storetest.Installation(t, f.Store, f.World.App, other)
		f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
		ev := f.Event("opened", "a", func(pr *codehost.PullRequest) { pr.Number = 2 })
		ev.Installation = &codehost.Installation{ID: inst.ExternalID}
		d := f.Deliver(ev) // the same repository number, under another tenant's installation
		f.Want(d, domain.DispositionRun, "completed completed")
		testkit.Equal(t, "tenant of the delivery", d.Tenant, other.ID)
		if _, err := f.Store.Run(bg, f.World.Tenant, d.RunID); err == nil {
			t.Fatal("the first tenant reads the second one's run")
		}
	})
}
