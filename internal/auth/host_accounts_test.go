package auth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/bitbucket"
	bucketapi "github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// bitbucketWorld has a Bitbucket Data Center, where no sign-in proves accounts. Its project acme has the private repository one, which
// mia may write to, and the public repository two. The members Ada, Ben and Cem of the tenant were added by hand.
type bitbucketWorld struct {
	*connectedWorld
	sim           *bitbucket.Server
	ada, ben, cem string
}

func newBitbucketWorld(t *testing.T, s *store.Store, raw storetest.Raw) *bitbucketWorld {
	t.Helper()
	ctx := t.Context()
	sim, err := bitbucket.New(bitbucket.Options{DataDir: t.TempDir(), DataCenter: true})
	testkit.OK(t, err)
	h := &bitbucketWorld{connectedWorld: newConnectedWorld(t, s, raw, featuretest.Serve(t, sim, "")), sim: sim}
	for _, login := range []string{"mia", "rita", "robot"} {
		_, err := sim.CreateUser(ctx, simapi.UserSpec{Login: login})
		testkit.OK(t, err)
	}
	_, err = sim.CreateUser(ctx, simapi.UserSpec{Login: "acme", Type: "Organization", Members: map[string]string{"robot": "admin"}})
	testkit.OK(t, err)
	for _, spec := range []simapi.RepoSpec{{Name: "one", Collaborators: map[string]string{"mia": "write", "rita": "read"}}, {Name: "two", Public: true}} {
		spec.Owner, spec.Files = "acme", map[string]string{"a": "a"}
		_, err := sim.CreateRepo(ctx, spec)
		testkit.OK(t, err)
	}
	token, err := sim.NewToken(ctx, "robot", bucketapi.TokenSpec{Name: "assay"})
	testkit.OK(t, err)
	var all []store.Repository
	h.access, all = h.Connect(domain.BitbucketDataCenter, h.url, token.Text)
	h.one, h.two = all[0], all[1]
	for name, id := range map[string]*string{"Ada": &h.ada, "Ben": &h.ben, "Cem": &h.cem} {
		u, err := s.CreateUser(ctx, name, false)
		testkit.OK(t, err)
		testkit.OK(t, s.SetMember(ctx, h.Tenant, u.ID, domain.RoleMember, domain.SourceHand))
		*id = u.ID
	}
	return h
}

// account finds the id of a host account by its login.
func (h *bitbucketWorld) account(login string) string {
	h.t.Helper()
	found, err := h.Features.Auth.HostAccounts(h.t.Context(), h.Tenant, h.access.Connection, login)
	testkit.OK(h.t, err)
	testkit.Require(h.t, "accounts of "+login, len(found.Items), 1)
	return found.Items[0].ID
}

func (h *bitbucketWorld) link(user, login string) error {
	_, err := h.Features.Auth.LinkHostAccount(h.t.Context(), h.Tenant, h.ada, user, h.access.Connection, auth.HostAccountPut{AccountID: h.account(login), Login: login})
	return err
}

func (h *bitbucketWorld) answer(user, login string, mine bool) error {
	_, err := h.Features.Auth.AnswerHostAccount(h.t.Context(), h.Tenant, user, h.access.Connection, auth.HostAccountAnswer{AccountID: h.account(login), Mine: mine})
	return err
}

// has returns a member's roles on the private repository, for a view and for a deciding act.
func (h *bitbucketWorld) has(user string) string {
	h.t.Helper()
	role, err := h.Store.RoleOf(h.t.Context(), h.Tenant, user)
	testkit.OK(h.t, err)
	sees, err := h.Features.Auth.RepositoryRole(h.t.Context(), h.Tenant, h.one, user, role, false)
	testkit.OK(h.t, err)
	decides, err := h.Features.Auth.RepositoryRole(h.t.Context(), h.Tenant, h.one, user, role, true)
	testkit.OK(h.t, err)
	return sees.String() + " " + decides.String()
}

// An account that an admin links gives a member the rights of the account after the member confirms it, and only until it
// is unlinked, the host withdraws the rights, or the membership ends.
func TestAccountsAreLinkedByHand(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newBitbucketWorld(t, s, raw)
		ctx := t.Context()
		h.sync()
		testkit.Equal(t, "before a link", h.has(h.ada), "none none")
		testkit.OK(t, h.link(h.ada, "mia"))
		testkit.Equal(t, "an unconfirmed link", h.has(h.ada), "none none")
		mia := domain.HostID(h.account("mia"))
		if _, err := s.PersonOfHost(ctx, h.Tenant, h.access.ID, mia); !errs.Is(err, errs.NotFound) {
			t.Errorf("the person of an unconfirmed link: %v", err)
		}
		barred, err := s.IsHostUser(ctx, h.Tenant, h.access.ID, h.ada, mia, "")
		testkit.OK(t, err)
		testkit.Equal(t, "an unconfirmed link bars its person from approving", barred, true)

		testkit.Equal(t, "the account of another member", code(t, h.link(h.ben, "mia")), "account_taken")
		testkit.Equal(t, "an answer about another account", code(t, h.answer(h.ada, "rita", true)), "not_found")
		testkit.OK(t, h.answer(h.ada, "mia", true))
		testkit.Equal(t, "a confirmed link", h.has(h.ada), "review review")
		testkit.Equal(t, "a second answer", code(t, h.answer(h.ada, "mia", false)), "not_found")
		who, err := s.PersonOfHost(ctx, h.Tenant, h.access.ID, mia)
		testkit.OK(t, err)
		testkit.Equal(t, "the person of the account", who.ID, h.ada)
		h.sync()
		testkit.Equal(t, "after a synchronisation", h.has(h.ada), "review review")
		memberships, err := s.Memberships(ctx, h.Tenant, h.ada)
		testkit.OK(t, err)
		testkit.Equal(t, "a link gives no membership", len(memberships), 1)

		// A refused link counts nowhere, and frees the account.
		testkit.OK(t, h.link(h.ben, "rita"))
		testkit.OK(t, h.answer(h.ben, "rita", false))
		testkit.Equal(t, "a refused link", h.has(h.ben), "none none")
		testkit.OK(t, h.link(h.cem, "rita"))
		testkit.OK(t, h.answer(h.cem, "rita", true))
		testkit.Equal(t, "the account's person", h.has(h.cem), "view view")

		people, err := h.Features.Tracking.ConnectionPeople(ctx, h.Tenant, h.access.Connection)
		testkit.OK(t, err)
		testkit.Equal(t, "people", fmt.Sprint(people), "{0 0 2 1 0 none}")

		// The host withdraws the right, and deletes the account.
		testkit.OK(t, h.sim.ChangeRepo(ctx, "acme/one", bucketapi.RepoChange{Collaborators: map[string]string{"mia": "read"}}))
		h.old(2 * time.Minute)
		if got := h.has(h.ada); !strings.HasSuffix(got, " view") {
			t.Errorf("after the host lowered the right: %s", got)
		}
		h.sync()

		// Another account, and no account.
		testkit.OK(t, h.Features.Auth.UnlinkHostAccount(ctx, h.Tenant, h.ada, h.access.Connection))
		testkit.Equal(t, "unlinked", h.has(h.ada), "none none")
		testkit.Equal(t, "unlinked again", code(t, h.Features.Auth.UnlinkHostAccount(ctx, h.Tenant, h.ada, h.access.Connection)), "not_found")

		// The link ends with the membership.
		testkit.OK(t, s.DismissMember(ctx, h.Tenant, h.cem))
		testkit.OK(t, s.SetMember(ctx, h.Tenant, h.cem, domain.RoleMember, domain.SourceHand))
		links, err := s.HostAccountLinks(ctx, h.Tenant, h.cem)
		testkit.OK(t, err)
		testkit.Equal(t, "links of a former member", len(links), 0)
	})
}

// A link that a sign-in or an identity provider proves wins over a link by hand, whenever it was made.
func TestProvenAccountsWin(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newBitbucketWorld(t, s, raw)
		h.sync()
		testkit.OK(t, h.link(h.ada, "mia"))
		testkit.OK(t, h.answer(h.ada, "mia", true))
		_, err := s.CreateIdentity(t.Context(), store.Identity{UserID: h.ben, Issuer: h.access.Host, Subject: h.account("mia"), Kind: store.IdentityCodeHost})
		testkit.OK(t, err)
		h.old(2 * time.Minute)
		if got := h.has(h.ada); !strings.HasSuffix(got, " none") {
			t.Errorf("by hand, where another person proved the account: %s", got)
		}
		who, err := s.PersonOfHost(t.Context(), h.Tenant, h.access.ID, domain.HostID(h.account("mia")))
		testkit.OK(t, err)
		testkit.Equal(t, "the person of the account", who.ID, h.ben)
		testkit.Equal(t, "an account that another person proved", code(t, h.link(h.cem, "mia")), "account_taken")
		testkit.OK(t, h.Features.Auth.UnlinkHostAccount(t.Context(), h.Tenant, h.ada, h.access.Connection))
		testkit.Equal(t, "an account that another person proved", code(t, h.link(h.cem, "mia")), "account_proven")
		testkit.Equal(t, "another account of a proven person", code(t, h.link(h.ben, "rita")), "account_proven")
	})
}

// After an unlink, a member keeps the roles that an identity provider proves, without waiting for a synchronisation.
func TestUnlinkKeepsProvenRoles(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newBitbucketWorld(t, s, raw)
		ctx := t.Context()
		idp, err := s.CreateIdentityProvider(ctx, store.IdentityProvider{ID: domain.NewID("idp"), Slug: domain.NewID("slug"), Issuer: "https://id.example", ClientSecret: []byte("sealed"),
			Scopes: "[]", Tenants: []string{h.Tenant.ID}, Enabled: true, HostUserID: h.url})
		testkit.OK(t, err)
		_, err = s.CreateIdentity(ctx, store.Identity{UserID: h.ada, Issuer: idp.Issuer, Subject: h.account("mia"), Kind: store.IdentityOIDC})
		testkit.OK(t, err)
		testkit.OK(t, h.link(h.ada, "mia"))
		testkit.OK(t, h.answer(h.ada, "mia", true))
		h.sync()
		testkit.OK(t, h.Features.Auth.UnlinkHostAccount(ctx, h.Tenant, h.ada, h.access.Connection))
		roles, err := s.RolesOn(ctx, h.Tenant, h.one.ID)
		testkit.OK(t, err)
		testkit.Require(t, "roles", len(roles), 1)
		testkit.Equal(t, "the role", roles[0].User+" "+roles[0].Role, h.ada+" review")
	})
}
