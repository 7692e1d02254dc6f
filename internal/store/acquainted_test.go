package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestWhomATenantKnows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		person := func() string { return must2(s.CreateUser(bg, "Somebody", false))(t).ID }
		knows := func(tenant domain.Tenant, user string) bool {
			u, err := s.Acquainted(bg, tenant, user)
			if errs.Is(err, errs.NotFound) {
				return false
			}
			testkit.OK(t, err)
			testkit.Equal(t, "person", u.ID, user)
			return true
		}
		first := person()
		testkit.Equal(t, "anybody, in the only tenant", knows(w.Tenant, first), true)
		testkit.Equal(t, "anybody, in a tenant that is none", knows(domain.Tenant{ID: "ten_none"}, first), false)

		other := storetest.Seed(t, s)
		testkit.Equal(t, "nobody's id", knows(w.Tenant, "usr_none"), false)
		log := audit.New(s, storetest.Keyring(t, s), telemetry.Discard())
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
			"a member earlier":            {func(u string) { record(t, log, w.Tenant, "member.dismiss", u, "") }, true},
			"a member earlier, elsewhere": {func(u string) { record(t, log, other.Tenant, "member.dismiss", u, "") }, false},
			"an act that was refused":     {func(u string) { record(t, log, w.Tenant, "member.assign", u, audit.Refused) }, false},
			"an act about something else": {func(u string) { record(t, log, w.Tenant, "oidc-role-mapping.skip", u, "") }, false},
		} {
			t.Run(name, func(t *testing.T) {
				user := person()
				tc.link(user)
				testkit.Equal(t, "known", knows(w.Tenant, user), tc.want)
			})
		}
	})
}

func record(t *testing.T, log *audit.Log, tenant domain.Tenant, action, user, result string) {
	t.Helper()
	testkit.OK(t, log.Record(bg, audit.Act{Tenant: tenant, Action: action, Target: audit.Target{Kind: "member", ID: user}, Result: result}))
}
