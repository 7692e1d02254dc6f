package auth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	giteaapi "github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// The host's rights of people apply to those who signed in through it.
func TestPeopleOfAConnection(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, at string) {
		raw := storetest.Beside(t, at)
		h := newGiteaWorld(t, s, raw)
		h.signIn("rita")
		h.expect("rita", "nothing") // nothing is stored yet
		h.sync()
		h.expect("rita", "member view none") // from the synchronisation
		for who, want := range map[string]string{"olga": "admin manage manage", "mia": "member review none", "guest": "nothing", "stranger": "nothing"} {
			h.signIn(who)
			h.expect(who, want) // from the sign-in
		}

		// For people who have not signed in, only ids and rights are stored, and no names.
		raw(`DELETE FROM host_members`)
		h.team("late", "read", "zoe")
		h.sync()
		kept := fmt.Sprint(storetest.Dump(t, at)["host_members"])
		if strings.Contains(kept, "zoe") || strings.Contains(kept, "robot") || !strings.Contains(kept, "mia") {
			t.Errorf("stored names: %s", kept)
		}

		// A right ends when the host no longer reports it.
		h.team("writers", "write")
		h.sync()
		h.expect("mia", "nothing")
		h.team("writers", "write", "mia")
		h.sync()
		h.expect("mia", "member review none")

		// The settings of the tenant decide the roles of owners and collaborators.
		h.settings(`{"hostOwnersAreAdmins":false,"collaborators":"member","membersWithoutHostRole":"none"}`)
		h.sync()
		h.expect("olga", "member manage manage")
		h.expect("guest", "member review none")

		// A name is not an identity: its new owner gets no rights from it, and its former owner keeps them.
		testkit.OK(t, h.sim.UpdateUser(t.Context(), "mia", simapi.UserUpdate{Login: "mia-2"}))
		_, err := h.sim.CreateUser(t.Context(), simapi.UserSpec{Login: "mia"})
		testkit.OK(t, err)
		first := h.people["mia"].User
		h.signIn("mia-2")
		testkit.Equal(t, "person of a renamed account", h.people["mia-2"].User, first)
		h.signIn("mia")
		h.expect("mia", "nothing")
		h.expect("mia-2", "member review none")
		h.sync()
		h.expect("mia", "nothing")
		h.expect("mia-2", "member review none")
		h.facts("member.grant", "member.withdraw", "member.change")
	})
}

// A deciding act requests the host's present answer by the person's id, and an error never grants a right.
func TestDecidingActsAskTheConnection(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGiteaWorld(t, s, raw)
		h.team("managers", "admin", "max")
		h.sync()
		h.signIn("max", "mia", "rita", "stranger")
		testkit.Equal(t, "a manager decides", h.decides("max", h.one), "manage")
		testkit.Equal(t, "a writer does not manage", h.decides("mia", h.one), "review")
		testkit.Equal(t, "a reader does not manage", h.decides("rita", h.one), "view")
		testkit.Equal(t, "a reader sees", h.sees("rita", h.one), "view")
		testkit.Equal(t, "a stranger sees", h.sees("stranger", h.one), "nothing")
		testkit.Equal(t, "a stranger decides", h.decides("stranger", h.one), "nothing")

		// A withdrawn right ends at the next act, before any synchronisation.
		h.team("managers", "admin")
		testkit.Equal(t, "within the minute", h.decides("max", h.one), "manage")
		h.old(2 * time.Minute)
		testkit.Equal(t, "a view with a stored answer", h.sees("max", h.one), "manage")
		testkit.Equal(t, "after the minute", h.decides("max", h.one), "none")
		testkit.Equal(t, "a view afterwards", h.sees("max", h.one), "none")

		// Another person who now has the name has no influence on the rights of its former owner.
		testkit.OK(t, h.sim.UpdateUser(t.Context(), "rita", simapi.UserUpdate{Login: "rita-2"}))
		h.team("managers", "admin", "rita") // another person
		h.old(2 * time.Minute)
		testkit.Equal(t, "the former owner of the name", h.decides("rita", h.one), "view")
		testkit.Equal(t, "the former owner of the name sees", h.sees("rita", h.one), "view")

		h.team("managers", "admin", "max")
		h.sync()
		testkit.Equal(t, "given again", h.decides("max", h.one), "manage")
		fault, err := h.sim.SetFault(simapi.Fault{Path: "^/repo", Action: simapi.Respond, Status: 503, Times: -1})
		testkit.OK(t, err)
		h.old(2 * time.Minute)
		testkit.Equal(t, "an act while the host is down", h.decides("max", h.one), "unavailable")
		testkit.Equal(t, "a view while the host is down", h.sees("max", h.one), "manage")
		h.old(2 * time.Hour)
		testkit.Equal(t, "a view with an answer that is too old", h.sees("max", h.one), "unavailable")
		testkit.Equal(t, "a list with answers that are too old", h.lists("max"), "unavailable")
		testkit.Equal(t, "the tenant", h.role("max"), "member")
		h.old(25 * time.Hour)
		testkit.Equal(t, "the tenant after a day", h.role("max"), "unavailable")
		testkit.OK(t, h.sim.ReleaseFault(fault.ID, ""))
		h.sync(h.two)
		testkit.Equal(t, "the host answers only about another repository", h.role("max"), "host_does_not_say")
		h.sync()
		testkit.Equal(t, "the host is back", h.decides("max", h.one), "manage")
	})
}

// Public read access on a repository gives no role to a member.
func TestPublicRepositoriesOfAConnectionGiveNoRole(t *testing.T) {
	t.Parallel()
	s, raw := storetest.SQLiteRaw(t)
	h := newGiteaWorld(t, s, raw)
	h.sync()
	h.signIn("rita")
	testkit.Equal(t, "an act", h.decides("rita", h.two), "none")
	testkit.Equal(t, "a view", h.sees("rita", h.two), "none")
	h.old(2 * time.Minute)
	testkit.OK(t, h.sim.ChangeRepo(t.Context(), "acme/two", giteaapi.RepoChange{Collaborators: map[string]string{"rita": "read"}}))
	h.sync()
	testkit.Equal(t, "an act of a reader by name", h.decides("rita", h.two), "view")
	testkit.Equal(t, "a view of a reader by name", h.sees("rita", h.two), "view")
	h.old(2 * time.Minute)
	testkit.Equal(t, "an act later", h.decides("rita", h.two), "view")
}

// Rights from a connection end with the connection, with the right to use the identity provider, and with the
// last repository. Data that is no longer needed is deleted.
func TestMembershipEndsWithTheConnection(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, at string) {
		h := newGiteaWorld(t, s, storetest.Beside(t, at))
		h.sync()
		h.signIn("rita", "olga")
		hostMade := func() int {
			return strings.Count(strings.Join(storetest.Dump(t, at)["memberships"], "\n"), h.access.ID)
		}
		provider := func(body string) {
			t.Helper()
			_, err := h.Features.Auth.UpdateIdentityProvider(t.Context(), h.provider, 0, featuretest.Request[auth.IdentityProviderUpdate](t, body))
			testkit.OK(t, err)
		}
		swept := func() {
			t.Helper()
			testkit.OK(t, h.Features.Auth.SweepLapsed(t.Context()))
		}
		testkit.Require(t, "memberships", hostMade(), 2)
		swept()
		h.expect("rita", "member view none")

		provider(`{"hostUserId":null}`)
		swept()
		h.expect("rita", "nothing")
		provider(`{"hostUserId":{"host":"` + h.url + `"}}`)
		h.sync()
		h.expect("rita", "member view none")

		testkit.OK(t, h.sim.ChangeRepo(t.Context(), "acme/one", giteaapi.RepoChange{Delete: true}))
		_, _, err := s.SyncAccessRepositories(t.Context(), h.Tenant, h.access.ID, []store.Repository{{ExternalID: h.two.ExternalID, Owner: h.two.Owner, Name: h.two.Name}})
		testkit.OK(t, err)
		swept()
		h.expect("rita", "nothing")
		h.expect("olga", "admin manage manage")
		if kept := strings.Join(storetest.Dump(t, at)["host_members"], "\n"); strings.Contains(kept, h.one.ID) || !strings.Contains(kept, h.two.ID) {
			t.Errorf("kept of people: %s", kept)
		}

		testkit.OK(t, s.DeleteProviderConnection(t.Context(), h.Tenant, h.access.Connection))
		h.expect("olga", "nothing") // at once
		swept()
		if kept := storetest.Dump(t, at)["host_members"]; hostMade() != 0 || len(kept) != 0 {
			t.Errorf("%d memberships are left, and people %v", hostMade(), kept)
		}
	})
}

// A disabled connection gets no requests. Its rights count for a day, and then not until the host confirms
// them again.
func TestDisabledConnection(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGiteaWorld(t, s, raw)
		h.sync()
		h.signIn("mia")
		raw(`UPDATE provider_connections SET enabled = $1`, false)
		testkit.Equal(t, "an act", h.decides("mia", h.one), "connection_disabled")
		testkit.Equal(t, "a view", h.sees("mia", h.one), "review")
		h.old(2 * time.Hour)
		testkit.Equal(t, "a view later", h.sees("mia", h.one), "connection_disabled")
		h.old(25 * time.Hour)
		h.expect("mia", "nothing")
		raw(`UPDATE provider_connections SET enabled = $1`, true)
		testkit.Equal(t, "enabled, before a query", h.sees("mia", h.one), "unavailable")
		h.sync()
		h.expect("mia", "member review none")
	})
}

// Rights from a connection are independent of another host that answers about the person.
func TestConnectionBesideAnInstallation(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGitHubWorld(t, s, raw)
		row, err := s.CreateProviderConnection(t.Context(), h.Tenant, store.ProviderConnection{ID: domain.NewID("pcn"), Kind: string(domain.Gitea), Name: "Forge", BaseURL: "https://git.example.com", Owner: "octo", Token: []byte("sealed"), Repositories: "[]", Enabled: true})
		testkit.OK(t, err)
		a, err := s.UpsertConnectionAccess(t.Context(), h.Tenant, store.Access{Kind: row.Kind, Connection: row.ID, Host: row.BaseURL, AccountID: "1", AccountLogin: "octo"})
		testkit.OK(t, err)
		h.signIn("stranger")
		testkit.OK(t, s.GrantMember(t.Context(), h.Tenant, store.Membership{User: h.people["stranger"].User, Role: domain.RoleMember, Source: domain.SourceHost, SourceID: a.ID}))
		h.signIn("stranger") // asks GitHub
		h.expect("stranger", "member none none")
		testkit.OK(t, s.DeleteProviderConnection(t.Context(), h.Tenant, row.ID))
		h.expect("stranger", "nothing")
		h.signIn("stranger")
		if mine, err := s.MembershipsOf(t.Context(), h.people["stranger"].User); err != nil || len(mine) != 0 {
			t.Errorf("%+v, %v", mine, err)
		}
	})
}
