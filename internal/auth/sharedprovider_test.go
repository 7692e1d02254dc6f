package auth_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/auth/oidc/oidctest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// many returns a list that is too long to be evaluated.
func many() []any {
	out := make([]any, 5001)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

// incomplete returns claims whose "groups" are incomplete in different ways.
func incomplete() map[string]map[string]any {
	return map[string]map[string]any{
		"too many values":       {"groups": many()},
		"groups left out":       {"hasgroups": true},
		"groups somewhere else": {"_claim_names": map[string]any{"groups": "src1"}, "_claim_sources": map[string]any{"src1": map[string]any{"endpoint": "https://claims.example.com"}}},
	}
}

// The mappings of one tenant must not close a provider to the people of another.
func TestOneTenantsMappingsDoNotRefuseTheOthers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newIDWorld(t, s)
		other := storetest.Tenant(t, s)
		w.mapping("member", "reviewers", "groups")
		_, err := w.auth.CreateRoleMapping(t.Context(), other, auth.OidcRoleMappingCreate{IdentityProviderID: w.company.ID, Claim: []string{"department"}, Value: "sales", Role: "admin"})
		testkit.OK(t, err)
		says := func(claims map[string]any) {
			w.server.Change(func(a *oidctest.Answers) { a.TokenClaims = claims })
		}
		roles := func(user string) [2]domain.Role {
			there, err := s.RoleOf(t.Context(), other, user)
			testkit.OK(t, err)
			return [2]domain.Role{w.role(user), there}
		}
		for name, claims := range incomplete() {
			t.Run(name, func(t *testing.T) {
				who := strings.ReplaceAll(name, " ", "-")
				says(map[string]any{"groups": []any{"reviewers"}})
				user := w.signIn(who).User
				testkit.Equal(t, "before", roles(user), [2]domain.Role{domain.RoleMember, ""})
				claims["department"] = "sales"
				says(claims)
				w.signIn(who)
				testkit.Equal(t, "after", roles(user), [2]domain.Role{domain.RoleMember, domain.RoleAdmin})
				entries, err := s.AuditEntries(t.Context(), w.tenant, store.AuditFilter{Action: "oidc-role-mapping.skip", Limit: 10})
				testkit.OK(t, err)
				if len(entries) == 0 || entries[0].TargetID != user || entries[0].Result != audit.Failed {
					t.Errorf("the tenant's log: %+v", entries)
				}
				delete(claims, "department")
				says(claims)
				w.signIn(who)
				testkit.Equal(t, "after the other tenant's mapping changed", roles(user), [2]domain.Role{domain.RoleMember, ""})
			})
		}
	})
}

// A person who is not a member anywhere can sign in too, because another tenant may be about to add the
// person.
func TestASharedProviderLetsStrangersIn(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	w := newIDWorld(t, s)
	storetest.Tenant(t, s)
	w.mapping("member", "reviewers", "groups")
	w.server.Change(func(a *oidctest.Answers) { a.TokenClaims = map[string]any{"groups": many()} })
	testkit.Equal(t, "role", w.role(w.signIn("ada").User), domain.Role(""))
	entries, err := s.AuditEntries(t.Context(), w.tenant, store.AuditFilter{Action: "oidc-role-mapping.skip", Limit: 10})
	testkit.OK(t, err)
	testkit.Equal(t, "entries about a stranger in the tenant's log", len(entries), 0)
}

// A provider for only one of several tenants refuses the sign-in, and nothing changes.
func TestAProviderOfOneTenantRefuses(t *testing.T) {
	t.Parallel()
	for name, claims := range incomplete() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storetest.SQLite(t)
			w := newIDWorld(t, s)
			storetest.Tenant(t, s)
			_, err := w.auth.UpdateIdentityProvider(t.Context(), w.company.ID, 0, auth.IdentityProviderUpdate{Tenants: patch.Of(auth.TenantChoice{IDs: []string{w.tenant.ID}})})
			testkit.OK(t, err)
			w.mapping("member", "reviewers", "groups")
			w.server.Change(func(a *oidctest.Answers) { a.TokenClaims = map[string]any{"groups": []any{"reviewers"}} })
			user := w.signIn("ada").User
			w.server.Change(func(a *oidctest.Answers) { a.TokenClaims = claims })
			if _, err := w.back(w.leave("ada")); !errs.Is(err, errs.Forbidden) {
				t.Errorf("error: %v", err)
			}
			testkit.Equal(t, "role", w.role(user), domain.RoleMember)
		})
	}
}
