package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// gitea makes a connection of a tenant with its access to an account.
func gitea(t testing.TB, s *store.Store, tenant domain.Tenant, account domain.HostID) (store.ProviderConnection, store.Access) {
	t.Helper()
	c := must2(s.CreateProviderConnection(bg, tenant, store.ProviderConnection{ID: domain.NewID("con"), Kind: string(domain.Gitea), Name: domain.NewID("name"), BaseURL: "https://Git.example/",
		Owner: "octo", Token: []byte("sealed"), Repositories: "[]", Enabled: true}))(t)
	return c, must2(s.UpsertConnectionAccess(bg, tenant, accessOf(c, account)))(t)
}

func accessOf(c store.ProviderConnection, account domain.HostID) store.Access {
	return store.Access{Kind: c.Kind, Connection: c.ID, Host: c.BaseURL, AccountID: account, AccountLogin: c.Owner}
}

func named(ids ...domain.HostID) (out []store.Repository) {
	for _, id := range ids {
		out = append(out, store.Repository{ExternalID: id, Owner: "octo", Name: "r" + string(id), DefaultBranch: "main"})
	}
	return out
}

func idsOf(list []store.Repository) string {
	var out []string
	for _, r := range list {
		out = append(out, string(r.ExternalID))
	}
	slices.Sort(out)
	return fmt.Sprint(out)
}

// An installation's access has the installation's id and follows its state.
func TestAccessOfAnInstallation(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		app, tenant := storetest.App(t, s), storetest.Tenant(t, s)
		seen := store.Installation{AppID: app.ID, ExternalID: "71", AccountID: "5", AccountLogin: "octo", AccountType: "Organization"}
		i := must2(s.UpsertInstallation(bg, seen))(t)
		a := must2(s.Access(bg, i.ID))(t)
		testkit.Equal(t, "access", fmt.Sprint(a.Tenant, a.Kind, a.Installation == i.ID, a.Connection, a.Host, a.AccountID, a.AccountLogin, a.State),
			fmt.Sprint("", "github", true, "", store.HostAddress(app.WebURL), "5", "octo", "unplaced"))
		testkit.Equal(t, "placed", must2(s.PlaceInstallation(bg, tenant, i.ID))(t), true)
		seen.AccountLogin = "renamed"
		must2(s.UpsertInstallation(bg, seen))(t)
		a = must2(s.Access(bg, i.ID))(t)
		testkit.Equal(t, "placed and renamed", fmt.Sprint(a.Tenant, a.AccountLogin, a.State), fmt.Sprint(tenant.ID, "renamed", "active"))
		for _, state := range []domain.InstallationState{domain.InstallationSuspended, domain.InstallationDeleted, domain.InstallationActive} {
			testkit.OK(t, s.SetInstallationState(bg, i.ID, state))
			testkit.Equal(t, "state", must2(s.Access(bg, i.ID))(t).State, state)
		}
	})
}

func TestSyncAccessRepositories(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant := storetest.Tenant(t, s)
		_, a := gitea(t, s, tenant, "1")
		testkit.Equal(t, "host", a.Host, "https://git.example")
		changes, taken, err := s.SyncAccessRepositories(bg, tenant, a.ID, append(named("1", "2", "{8f0c}"), named("2")...))
		testkit.OK(t, err)
		testkit.Equal(t, "added", idsOf(changes.Added)+idsOf(taken), "[1 2 {8f0c}][]")

		found := named("1", "{8f0c}", "3")
		found[0].Name = "renamed"
		changes, taken, err = s.SyncAccessRepositories(bg, tenant, a.ID, found)
		testkit.OK(t, err)
		testkit.Equal(t, "added, changed, gone", idsOf(changes.Added)+idsOf(changes.Changed)+idsOf(changes.Gone)+idsOf(taken), "[3][1][2][]")
		all := must2(s.AccessRepositories(bg, tenant, a.ID))(t)
		testkit.Equal(t, "all", idsOf(all), "[1 2 3 {8f0c}]")
		for _, r := range all {
			testkit.Equal(t, "access", r.Access+r.Installation, a.ID)
			testkit.Equal(t, "state of "+string(r.ExternalID), r.State == "disconnected", r.ExternalID == "2")
		}

		// Another access of the tenant to the same host takes no repository over.
		_, b := gitea(t, s, tenant, "2")
		changes, taken, err = s.SyncAccessRepositories(bg, tenant, b.ID, named("1", "2", "{8f0c}"))
		testkit.OK(t, err)
		testkit.Equal(t, "comes over, taken", idsOf(changes.Added)+idsOf(taken), "[2][1 {8f0c}]")

		// Another tenant has its own rows, and cannot list into this one's access.
		other := storetest.Tenant(t, s)
		_, theirs := gitea(t, s, other, "1")
		changes, taken, err = s.SyncAccessRepositories(bg, other, theirs.ID, named("1"))
		testkit.OK(t, err)
		testkit.Equal(t, "of another tenant", idsOf(changes.Added)+idsOf(taken), "[1][]")
		_, _, err = s.SyncAccessRepositories(bg, other, a.ID, named("9"))
		wantKind(t, err, errs.NotFound)
		_, _, err = s.SyncAccessRepositories(bg, tenant, a.ID, make([]store.Repository, store.MaxAccessRepositories+1))
		testkit.Equal(t, "too many", err != nil, true)
	})
}

// The repositories of a deleted connection are there for the next connection to the same account.
func TestAccessOutlivesItsConnection(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant := storetest.Tenant(t, s)
		first, a := gitea(t, s, tenant, "1")
		_, _, err := s.SyncAccessRepositories(bg, tenant, a.ID, named("1"))
		testkit.OK(t, err)
		before := must2(s.AccessRepositories(bg, tenant, a.ID))(t)[0]

		second := must2(s.CreateProviderConnection(bg, tenant, store.ProviderConnection{ID: domain.NewID("con"), Kind: first.Kind, Name: "second", BaseURL: first.BaseURL, Owner: "octo",
			Token: []byte("sealed"), Repositories: "[]", Enabled: true}))(t)
		_, err = s.UpsertConnectionAccess(bg, tenant, accessOf(second, "1"))
		wantKind(t, err, errs.Conflict)

		testkit.OK(t, s.DeleteProviderConnection(bg, tenant, first.ID))
		testkit.Equal(t, "state", must2(s.Access(bg, a.ID))(t).State, domain.InstallationDeleted)
		testkit.Equal(t, "repository", must2(s.Repository(bg, tenant, before.ID))(t).State, "disconnected")
		_, err = s.AccessOfConnection(bg, tenant, first.ID)
		wantKind(t, err, errs.NotFound)

		back := must2(s.UpsertConnectionAccess(bg, tenant, accessOf(second, "1")))(t)
		testkit.Equal(t, "the same access", back.ID+back.Connection, a.ID+second.ID)
		_, _, err = s.SyncAccessRepositories(bg, tenant, back.ID, named("1"))
		testkit.OK(t, err)
		testkit.Equal(t, "the same repository", must2(s.Repository(bg, tenant, before.ID))(t).State, "active")

		// A connection that changes to another account leaves the first one's repositories.
		moved := must2(s.UpsertConnectionAccess(bg, tenant, accessOf(second, "2")))(t)
		testkit.Equal(t, "another access", moved.ID != a.ID, true)
		testkit.Equal(t, "repository of the account before", must2(s.Repository(bg, tenant, before.ID))(t).State, "disconnected")
		testkit.Equal(t, "access now", must2(s.AccessOfConnection(bg, tenant, second.ID))(t).ID, moved.ID)
		_, err = s.UpsertConnectionAccess(bg, storetest.Tenant(t, s), accessOf(second, "1"))
		wantKind(t, err, errs.NotFound)
	})
}

// Two apps reach one repository, and a process of the previous version writes no access. Both rows are
// still read.
func TestRepositoryOfTwoInstallations(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant, app := storetest.Tenant(t, s), storetest.App(t, s)
		one, two := storetest.Installation(t, s, app, tenant), storetest.Installation(t, s, app, tenant)
		v := store.Repository{Installation: one.ID, ExternalID: "7", Owner: "octo", Name: "repo", DefaultBranch: "main"}
		a := must2(s.UpsertRepository(bg, tenant, v))(t)
		v.Installation = two.ID
		b := must2(s.UpsertRepository(bg, tenant, v))(t)
		testkit.Equal(t, "two rows", a.ID != b.ID && a.Access == one.ID && b.Access == two.ID, true)
		again := must2(s.UpsertRepository(bg, tenant, v))(t)
		testkit.Equal(t, "the same row", again.ID, b.ID)
	})
}

// A repository has its place, even if its connection is gone, and is found by its access.
func TestWhereARepositoryIs(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		c, a := gitea(t, s, w.Tenant, "5")
		_, _, err := s.SyncAccessRepositories(bg, w.Tenant, a.ID, named("1", "2"))
		testkit.OK(t, err)
		through := must2(s.RepositoriesPage(bg, w.Tenant, store.RepositoryFilter{Through: c.ID, Limit: 10}))(t)
		testkit.Equal(t, "through the connection", idsOf(through), "[1 2]")
		testkit.Equal(t, "through the installation", len(must2(s.RepositoriesPage(bg, w.Tenant, store.RepositoryFilter{Through: w.Installation.ID, Limit: 10}))(t)), 1)
		testkit.Equal(t, "through nothing", len(must2(s.RepositoriesPage(bg, w.Tenant, store.RepositoryFilter{Through: "con_none", Limit: 10}))(t)), 0)
		testkit.Equal(t, "host of an installation", must2(s.HostOf(bg, w.Tenant, w.Repository.ID))(t), store.RepositoryHost{Kind: "github", Web: w.App.WebURL})
		testkit.Equal(t, "host of a connection", must2(s.HostOf(bg, w.Tenant, through[0].ID))(t), store.RepositoryHost{Kind: "gitea", Web: "https://Git.example/"})
		testkit.OK(t, s.DeleteProviderConnection(bg, w.Tenant, c.ID))
		testkit.Equal(t, "after the connection", must2(s.HostOf(bg, w.Tenant, through[0].ID))(t), store.RepositoryHost{Kind: "gitea", Web: "https://git.example"})
		_, err = s.HostOf(bg, w.Tenant, "rep_none")
		testkit.Equal(t, "of an unknown repository", errs.Is(err, errs.NotFound), true)
	})
}
