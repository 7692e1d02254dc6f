package auth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// forgeURL is the address of the connections in these tests. No request is sent to it.
const forgeURL = "https://git.example.com"

// connected makes a connection of a tenant to the forge with some repositories.
func (w *idWorld) connected(t domain.Tenant, repos ...domain.HostID) (store.Access, []store.Repository) {
	w.Helper()
	row, err := w.store.CreateProviderConnection(w.Context(), t, store.ProviderConnection{ID: domain.NewID("pcn"), Kind: string(domain.Forgejo), Name: "Forge", BaseURL: forgeURL, Owner: "octo",
		Token: []byte("sealed"), Repositories: "[]", Enabled: true})
	testkit.OK(w, err)
	a, err := w.store.UpsertConnectionAccess(w.Context(), t, store.Access{Kind: row.Kind, Connection: row.ID, Host: row.BaseURL, AccountID: "1", AccountLogin: "octo"})
	testkit.OK(w, err)
	var list []store.Repository
	for _, id := range repos {
		list = append(list, store.Repository{ExternalID: id, Owner: "octo", Name: "r" + string(id), Private: true})
	}
	_, _, err = w.store.SyncAccessRepositories(w.Context(), t, a.ID, list)
	testkit.OK(w, err)
	list, err = w.store.AccessRepositories(w.Context(), t, a.ID)
	testkit.OK(w, err)
	return a, list
}

// says sets the host whose user ids the provider's subjects are, and the tenants that may use the provider.
func (w *idWorld) says(host string, tenants auth.TenantChoice) {
	w.Helper()
	in := auth.IdentityProviderUpdate{Tenants: patch.Of(tenants)}
	if host != "" {
		in.HostUserID = patch.To(auth.HostUserID{Host: host})
	}
	_, err := w.auth.UpdateIdentityProvider(w.Context(), w.company.ID, 0, in)
	testkit.OK(w, err)
}

func members(account string, words map[domain.HostID]string) (out []codehost.Member) {
	for id, word := range words {
		out = append(out, codehost.Member{ID: id, Login: "login-" + string(id), Permission: word, Account: account})
	}
	return out
}

// on returns a person's role in a tenant and on a repository.
func (w *idWorld) on(t domain.Tenant, repo store.Repository, user string) string {
	w.Helper()
	role, err := w.auth.TenantRole(w.Context(), t, user)
	testkit.OK(w, err)
	got, err := w.auth.RepositoryRole(w.Context(), t, repo, user, role, false)
	testkit.OK(w, err)
	return strings.TrimSpace(string(role) + " " + got.String())
}

func TestKeepMembers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newIDWorld(t, s)
		w.says("https://Git.example.com/", auth.TenantChoice{All: true})
		a, repos := w.connected(w.tenant, "5", "6")
		keep := func(at int, list []codehost.Member) {
			t.Helper()
			testkit.OK(t, w.auth.KeepMembers(t.Context(), w.tenant, a, repos[at], list))
		}
		seven, eight := w.signIn("7").User, w.signIn("8").User
		keep(0, members(codehost.AccountMember, map[domain.HostID]string{"7": "write", "8": "none", "9": "admin"}))
		keep(1, members("", map[domain.HostID]string{"7": "admin", "8": "emperor"}))
		testkit.Equal(t, "7", w.on(w.tenant, repos[0], seven)+", "+w.on(w.tenant, repos[1], seven), "member review, member manage")
		testkit.Equal(t, "8 has no role, and an unknown one", w.on(w.tenant, repos[0], eight), "none")
		testkit.Equal(t, "9 signs in later", w.on(w.tenant, repos[0], w.signIn("9").User), "member manage")

		// A role that one repository withdraws stays if another repository gives it.
		keep(0, nil)
		testkit.Equal(t, "7 after the first list", w.on(w.tenant, repos[1], seven), "none") // an outsider there
		keep(1, append(members("", map[domain.HostID]string{"7": "read"}), members(codehost.AccountOwner, map[domain.HostID]string{"7": "write"})...))
		testkit.Equal(t, "7, listed twice", w.on(w.tenant, repos[1], seven), "admin manage")
		row, err := s.RepositoryRole(t.Context(), w.tenant, repos[1].ID, seven)
		testkit.OK(t, err)
		testkit.Equal(t, "the greater right, but too old for deciding acts", fmt.Sprint(row.Role, " ", row.AgeUS >= time.Minute.Microseconds()), "review true")

		// The access does not reach one repository, and the list of another one has no end.
		elsewhere, theirs := w.connected(storetest.Tenant(t, s), "5")
		if err := w.auth.KeepMembers(t.Context(), w.tenant, a, theirs[0], nil); !errs.Is(err, errs.NotFound) {
			t.Errorf("another tenant's repository: %v", err)
		}
		if err := w.auth.KeepMembers(t.Context(), w.tenant, elsewhere, repos[0], nil); !errs.Is(err, errs.NotFound) {
			t.Errorf("another tenant's access: %v", err)
		}
		if err := w.auth.KeepMembers(t.Context(), w.tenant, a, repos[0], make([]codehost.Member, codehost.MaxMembers+1)); err == nil || errs.Is(err, errs.NotFound) {
			t.Errorf("too many members: %v", err)
		}
		most := make([]codehost.Member, codehost.MaxMembers)
		for i := range most {
			most[i] = codehost.Member{ID: domain.NumberID(int64(i + 1)), Permission: "read", Account: codehost.AccountMember}
		}
		keep(0, most)
		testkit.Equal(t, "one of very many", w.on(w.tenant, repos[0], eight), "member view")
	})
}

// A sign-in makes a person a user of a host only if the provider reports it and the tenant may use the
// provider. An id that already belongs to another person is not linked again.
func TestAHostUserNeedsATrustedProvider(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newIDWorld(t, s)
		other := storetest.Tenant(t, s)
		a, repos := w.connected(w.tenant, "5")
		b, theirs := w.connected(other, "5")
		all := members(codehost.AccountMember, map[domain.HostID]string{"7": "write", "8": "write"})
		seven := w.signIn("7").User
		expect := func(what, user, here, there string) {
			t.Helper()
			testkit.OK(t, w.auth.KeepMembers(t.Context(), w.tenant, a, repos[0], all))
			testkit.OK(t, w.auth.KeepMembers(t.Context(), other, b, theirs[0], all))
			testkit.OK(t, w.auth.SweepLapsed(t.Context()))
			testkit.Equal(t, what, w.on(w.tenant, repos[0], user)+", "+w.on(other, theirs[0], user), here+", "+there)
		}
		expect("no provider says so", seven, "none", "none")
		w.says("https://elsewhere.example.com", auth.TenantChoice{All: true})
		expect("ids of another host", seven, "none", "none")
		w.says(forgeURL, auth.TenantChoice{IDs: []string{other.ID}})
		expect("for one tenant", w.signIn("7").User, "none", "member review")
		w.says(forgeURL, auth.TenantChoice{All: true})
		expect("for all", seven, "member review", "member review")
		w.off()
		expect("switched off", seven, "none", "none")
		_, err := w.auth.UpdateIdentityProvider(t.Context(), w.company.ID, 0, auth.IdentityProviderUpdate{Enabled: patch.Of(true)})
		testkit.OK(t, err)

		idOwner, err := s.CreateUser(t.Context(), "Owner of the id", false)
		testkit.OK(t, err)
		_, err = s.CreateIdentity(t.Context(), store.Identity{UserID: idOwner.ID, Issuer: forgeURL, Subject: "8", Kind: store.IdentityCodeHost})
		testkit.OK(t, err)
		expect("an id that already belongs to another person", w.signIn("8").User, "none", "none")
		expect("the owner of that id", idOwner.ID, "none", "none")
	})
}

// If the answers about an active person get old, the connection is synchronised once, and not while such a
// job is under way.
func TestOldAnswersWantASynchronisation(t *testing.T) {
	t.Parallel()
	s, raw := storetest.SQLiteRaw(t)
	w := newIDWorld(t, s)
	w.says(forgeURL, auth.TenantChoice{All: true})
	a, repos := w.connected(w.tenant, "5")
	testkit.OK(t, w.auth.KeepMembers(t.Context(), w.tenant, a, repos[0], members(codehost.AccountMember, map[domain.HostID]string{"7": "write"})))
	seven := w.signIn("7").User
	jobs := func() int {
		t.Helper()
		testkit.Equal(t, "role", w.on(w.tenant, repos[0], seven), "member review")
		all, err := s.JobsOf(t.Context(), a.Connection)
		testkit.OK(t, err)
		return len(all)
	}
	testkit.Equal(t, "with young answers", jobs(), 0)
	for _, change := range []string{`UPDATE host_members SET kept_us = kept_us - $1`, `UPDATE repository_roles SET checked_us = checked_us - $1`} {
		raw(change, (51 * time.Minute).Microseconds())
	}
	testkit.Equal(t, "with old ones", jobs(), 1)
	testkit.Equal(t, "and again", jobs(), 1)
	testkit.OK(t, s.RequestSync(t.Context(), w.tenant, a.Connection))
	testkit.Equal(t, "while one waits", jobs(), 1)
	for _, change := range []string{`UPDATE host_members SET kept_us = kept_us - $1`, `UPDATE repository_roles SET checked_us = checked_us - $1`} {
		raw(change, time.Hour.Microseconds())
	}
	roles, err := w.auth.RepositoryRoles(t.Context(), w.tenant, seven, domain.RoleMember)
	testkit.OK(t, err)
	if !errs.Is(roles.Late(), errs.Unavailable) || roles.On(repos[0].ID) != perm.RepoNone {
		t.Errorf("with too old ones: %v, %v", roles.On(repos[0].ID), roles.Late())
	}
}
