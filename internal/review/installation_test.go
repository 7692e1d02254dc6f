package review_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// installed is an event of an installation, by default of one that is new.
func (f *fixture) installed(action string, external int64, repos ...codehost.RepoInfo) codehost.Event {
	return codehost.Event{Kind: codehost.KindInstallation, Name: "installation", Action: action, Repositories: repos,
		Installation: &codehost.Installation{ID: external, AccountID: 31, AccountLogin: "other", AccountType: "Organization"}}
}

func (f *fixture) installation(external int64) store.Installation {
	f.t.Helper()
	got, err := f.store.InstallationByExternal(bg, f.world.App.ID, external)
	testkit.OK(f.t, err)
	return got
}

// repositoryStates says the states of the tenant's repositories.
func (f *fixture) repositoryStates() (out string) {
	f.t.Helper()
	got, err := f.store.Repositories(bg, f.world.Tenant)
	testkit.OK(f.t, err)
	for _, r := range got {
		out += r.Name + ":" + r.State + " "
	}
	return out
}

func TestAnInstallationOfAStrangerWaits(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		d := f.deliver(f.installed("created", 555, repository))
		f.want(d, domain.DispositionApplied, "")
		testkit.Equal(t, "reason", d.Reason, "the installation waits to be placed in a tenant")
		inst := f.installation(555)
		testkit.Equal(t, "state", inst.State, domain.InstallationUnplaced)
		testkit.Equal(t, "tenant", inst.Tenant, "")
		testkit.Equal(t, "repositories", f.repositoryStates(), "")

		ev := f.event("opened", "a")
		ev.Installation = &codehost.Installation{ID: 555}
		d = f.deliver(ev)
		f.want(d, domain.DispositionIgnored, "")
		testkit.Equal(t, "tenant of the delivery", d.Tenant, "")

		placed, err := f.store.PlaceInstallation(bg, f.world.Tenant, inst.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "placed", placed, true)
		ev = f.event("synchronize", "b")
		ev.Installation = &codehost.Installation{ID: 555}
		f.want(f.deliver(ev), domain.DispositionRun, "completed")
	})
}

func TestAnInstallationWithAPlace(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.place = f.world.Tenant.ID
		d := f.deliver(f.installed("created", 555, repository))
		f.want(d, domain.DispositionApplied, "")
		testkit.Equal(t, "tenant of the delivery", d.Tenant, f.world.Tenant.ID)
		testkit.Equal(t, "state", f.installation(555).State, domain.InstallationActive)
		testkit.Equal(t, "repositories", f.repositoryStates(), "repo:active ")

		ev := f.event("opened", "a")
		ev.Installation = &codehost.Installation{ID: 555}
		f.want(f.deliver(f.installed("suspend", 555)), domain.DispositionApplied, "")
		testkit.Equal(t, "state", f.installation(555).State, domain.InstallationSuspended)
		testkit.Equal(t, "repositories", f.repositoryStates(), "repo:disconnected ")
		d = f.deliver(ev)
		f.want(d, domain.DispositionIgnored, "")
		testkit.Equal(t, "reason", d.Reason, "the installation is suspended")

		f.host.Repositories = []codehost.RepoInfo{repository, {ExternalID: 78, Owner: "octo", Name: "second"}}
		f.want(f.deliver(f.installed("unsuspend", 555)), domain.DispositionApplied, "")
		testkit.Equal(t, "state", f.installation(555).State, domain.InstallationActive)
		testkit.Equal(t, "repositories", f.repositoryStates(), "repo:active second:active ")
		f.want(f.deliver(ev), domain.DispositionRun, "completed")

		f.want(f.deliver(f.installed("deleted", 555)), domain.DispositionApplied, "completed")
		testkit.Equal(t, "state", f.installation(555).State, domain.InstallationDeleted)
		testkit.Equal(t, "repositories", f.repositoryStates(), "repo:disconnected second:disconnected ")
		ev = f.event("synchronize", "b")
		ev.Installation = &codehost.Installation{ID: 555}
		f.want(f.deliver(ev), domain.DispositionIgnored, "completed")
	})
}

func TestAnInstallationThatWasNeverAnnounced(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.place = f.world.Tenant.ID
		f.host.Install = codehost.Installation{ID: 556, AccountID: 32, AccountLogin: "late", AccountType: "User"}
		f.host.Repositories = []codehost.RepoInfo{repository}
		ev := f.event("opened", "a")
		ev.Installation = &codehost.Installation{ID: 556}
		f.want(f.deliver(ev), domain.DispositionRun, "completed")
		testkit.Equal(t, "account", f.installation(556).AccountLogin, "late")
	})
	each(t, func(t *testing.T, f *fixture) {
		f.host.Absent = true
		ev := f.event("opened", "a")
		ev.Installation = &codehost.Installation{ID: 557}
		d := f.deliver(ev)
		f.want(d, domain.DispositionIgnored, "")
		testkit.Equal(t, "reason", d.Reason, "the installation is gone")
		f.want(f.deliver(f.installed("deleted", 557)), domain.DispositionIgnored, "")
		f.want(f.deliver(f.installed("renamed", 557)), domain.DispositionIgnored, "")
	})
}

func TestRepositoriesComeAndGo(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		second := codehost.RepoInfo{ExternalID: 78, Owner: "octo", Name: "second"}
		f.want(f.deliver(codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "added", Repositories: []codehost.RepoInfo{repository, second}}), domain.DispositionApplied, "")
		testkit.Equal(t, "repositories", f.repositoryStates(), "repo:active second:active ")
		f.deliver(codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "removed", RepositoriesRemoved: []codehost.RepoInfo{second}})
		testkit.Equal(t, "repositories", f.repositoryStates(), "repo:active second:disconnected ")
		renamed := repository
		renamed.Name = "renamed"
		f.deliver(codehost.Event{Kind: codehost.KindRepository, Action: "renamed", Repository: &renamed})
		testkit.Equal(t, "repositories", f.repositoryStates(), "renamed:active second:disconnected ")
		f.deliver(codehost.Event{Kind: codehost.KindRepository, Action: "deleted", Repository: &renamed})
		testkit.Equal(t, "repositories", f.repositoryStates(), "renamed:disconnected second:disconnected ")
	})
}

func TestTwoTenantsDoNotMeet(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		other := storetest.Tenant(t, f.store)
		inst := storetest.Installation(t, f.store, f.world.App, other)
		f.want(f.deliver(f.event("opened", "a")), domain.DispositionRun, "completed")
		ev := f.event("opened", "a", func(pr *codehost.PullRequest) { pr.Number = 2 })
		ev.Installation = &codehost.Installation{ID: inst.ExternalID}
		d := f.deliver(ev) // the same repository by number, under another tenant's installation
		f.want(d, domain.DispositionRun, "completed completed")
		testkit.Equal(t, "tenant of the delivery", d.Tenant, other.ID)
		if _, err := f.store.Run(bg, f.world.Tenant, d.RunID); err == nil {
			t.Fatal("the first tenant reads the second one's run")
		}
	})
}
