package store_test

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestPeopleKnownToATenant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		person := func() string { return must2(s.CreateUser(bg, "Somebody", false))(t).ID }
		knows := func(tenant domain.Tenant, user string) bool {
			u, err := s.KnownPerson(bg, tenant, user)
			if errs.Is(err, errs.NotFound) {
				return false
			}
			testkit.OK(t, err)
			testkit.Equal(t, "person", u.ID, user)
			return true
		}
		first := person()
		testkit.Equal(t, "a person, in the only tenant", knows(w.Tenant, first), true)
		testkit.Equal(t, "a person, in an unknown tenant", knows(domain.Tenant{ID: "ten_none"}, first), false)

		other := storetest.Seed(t, s)
		testkit.Equal(t, "an unknown id", knows(w.Tenant, "usr_none"), false)
		provider := func(all bool, tenants ...string) string {
			id := domain.NewID("idp")
			p := must2(s.CreateIdentityProvider(bg, store.IdentityProvider{ID: id, Slug: id[len(id)-20:], DisplayName: "P", Issuer: "https://" + id, ClientID: "c", ClientSecret: []byte("x"),
				Scopes: "[]", AllTenants: all, Tenants: tenants, Enabled: true}))(t)
			return p.Issuer
		}
		signedIn := func(issuer string) func(user string) {
			return func(user string) {
				must2(s.CreateIdentity(bg, store.Identity{UserID: user, Issuer: issuer, Subject: user, Kind: store.IdentityOIDC}))(t)
			}
		}
		for name, tc := range map[string]struct {
			link func(user string)
			want bool
		}{
			"nothing":                     {func(string) {}, false},
			"a member elsewhere":          {func(u string) { testkit.OK(t, s.SetMember(bg, other.Tenant, u, domain.RoleAdmin, domain.SourceHand)) }, false},
			"a member":                    {func(u string) { testkit.OK(t, s.SetMember(bg, w.Tenant, u, domain.RoleMember, domain.SourceHand)) }, true},
			"a role on a repository":      {func(u string) { testkit.OK(t, s.SetRepositoryRole(bg, w.Tenant, w.Repository.ID, u, "view")) }, true},
			"no role on a repository":     {func(u string) { testkit.OK(t, s.SetRepositoryRole(bg, w.Tenant, w.Repository.ID, u, "none")) }, false},
			"a role elsewhere":            {func(u string) { testkit.OK(t, s.SetRepositoryRole(bg, other.Tenant, other.Repository.ID, u, "manage")) }, false},
			"a provider of this tenant":   {signedIn(provider(false, w.Tenant.ID)), true},
			"a provider of another":       {signedIn(provider(false, other.Tenant.ID)), false},
			"a provider of all":           {signedIn(provider(true)), false},
			"no provider that is known":   {signedIn("https://gone.example"), false},
			"a member earlier":            {func(u string) { record(t, s, w.Tenant, "member.dismiss", u, "ok") }, true},
			"a member by invitation":      {func(u string) { record(t, s, w.Tenant, "member.join", u, "ok") }, true},
			"a member earlier, elsewhere": {func(u string) { record(t, s, other.Tenant, "member.dismiss", u, "ok") }, false},
			"an act that was refused":     {func(u string) { record(t, s, w.Tenant, "member.assign", u, "refused") }, false},
			"an act about something else": {func(u string) { record(t, s, w.Tenant, "oidc-role-mapping.skip", u, "ok") }, false},
		} {
			t.Run(name, func(t *testing.T) {
				user := person()
				tc.link(user)
				testkit.Equal(t, "known", knows(w.Tenant, user), tc.want)
			})
		}
	})
}

// record writes an entry about a person into a tenant's log.
func record(t *testing.T, s *store.Store, tenant domain.Tenant, action, user, result string) {
	t.Helper()
	testkit.OK(t, s.InTx(bg, func(ctx context.Context) error {
		log, err := s.LockAuditLog(ctx, tenant)
		if err != nil {
			return err
		}
		e := auditEntry(log.Size)
		e.Action, e.Result, e.TargetKind, e.TargetID = action, result, "member", user
		return s.AppendAudit(ctx, tenant, log.Size, []store.AuditEntry{e}, log.Size, nil, "head")
	}))
}
