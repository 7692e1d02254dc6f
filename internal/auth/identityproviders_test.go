package auth_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// provider returns a request to create an identity provider that is never contacted, with changes.
func provider(t testing.TB, change map[string]any) auth.IdentityProviderCreate {
	t.Helper()
	body := map[string]any{"slug": "company", "displayName": "Company account", "issuer": "https://id.example.com", "clientId": "assay", "clientSecret": "s3" + "cret", "tenants": "all", "listed": true}
	for k, v := range change {
		if body[k] = v; v == nil {
			delete(body, k)
		}
	}
	b, err := json.Marshal(body)
	testkit.OK(t, err)
	return featuretest.Request[auth.IdentityProviderCreate](t, string(b))
}

// newProvider enters an identity provider.
func newProvider(t testing.TB, w *featuretest.World, change map[string]any) auth.IdentityProvider {
	t.Helper()
	made, err := w.Features.Auth.CreateIdentityProvider(t.Context(), provider(t, change))
	testkit.OK(t, err)
	return made
}

// changeProvider changes a provider at its present version.
func changeProvider(t testing.TB, w *featuretest.World, id, body string) (auth.IdentityProvider, error) {
	t.Helper()
	return w.Features.Auth.UpdateIdentityProvider(t.Context(), id, 0, featuretest.Request[auth.IdentityProviderUpdate](t, body))
}

func TestIdentityProviderLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		made := newProvider(t, w, nil)
		if shown, err := json.Marshal(made); err != nil || strings.Contains(string(shown), "s3"+"cret") {
			t.Errorf("the secret is shown: %s, %v", shown, err)
		}
		testkit.Equal(t, "redirect address", made.RedirectURL, "https://assay.example.com/auth/oidc/company/callback")
		testkit.Equal(t, "scopes", strings.Join(made.Scopes, " "), "openid profile")
		testkit.Equal(t, "enabled", made.Enabled, true)
		if _, err := w.Features.Auth.CreateIdentityProvider(t.Context(), provider(t, nil)); !errs.Is(err, errs.Conflict) || code(t, err) != "already_exists" {
			t.Errorf("slug twice: %v", err)
		}
		listed := featuretest.Request[auth.IdentityProviderUpdate](t, `{"listed":false}`)
		if _, err := w.Features.Auth.UpdateIdentityProvider(t.Context(), made.ID, 9, listed); !errs.Is(err, errs.Stale) {
			t.Errorf("stale: %v", err)
		}

		changed, err := w.Features.Auth.UpdateIdentityProvider(t.Context(), made.ID, made.Version, featuretest.Request[auth.IdentityProviderUpdate](t, `{"displayName":"Staff","issuer":"https://id.example.com"}`))
		testkit.OK(t, err)
		testkit.Equal(t, "secret stays", *changed.ClientSecretUpdatedAt, *made.ClientSecretUpdatedAt)
		testkit.Equal(t, "name", changed.DisplayName, "Staff")
		testkit.Equal(t, "tenants", changed.Tenants.All, true)
		_, err = changeProvider(t, w, made.ID, `{"issuer":"https://other.example.com"}`)
		testkit.Equal(t, "another issuer", featuretest.Pointers(t, err), "/issuer")
		changed, err = changeProvider(t, w, made.ID, `{"clientSecret":"another one","tenants":["`+w.Tenant.ID+`"],"hostUserId":{"host":"https://GitLab.example.com/"}}`)
		testkit.OK(t, err)
		if !changed.ClientSecretUpdatedAt.After(*made.ClientSecretUpdatedAt) || !slices.Equal(changed.Tenants.IDs, []string{w.Tenant.ID}) || changed.HostUserID.Host != "https://gitlab.example.com" {
			t.Errorf("%+v after a change", changed)
		}
		changed, err = changeProvider(t, w, made.ID, `{"hostUserId":null}`)
		testkit.OK(t, err)
		if changed.HostUserID != nil {
			t.Error("the host stays after null")
		}

		all, err := w.Features.Auth.IdentityProviders(t.Context(), store.Cursor{}, 10)
		testkit.OK(t, err)
		testkit.Require(t, "listed", len(all), 1)
		testkit.Equal(t, "with its tenant", all[0].Tenants.IDs[0], w.Tenant.ID)
		testkit.OK(t, w.Features.Auth.DeleteIdentityProvider(t.Context(), made.ID))
		if _, err := changeProvider(t, w, made.ID, `{"listed":false}`); !errs.Is(err, errs.NotFound) {
			t.Errorf("changed after its deletion: %v", err)
		}
		if err := w.Features.Auth.DeleteIdentityProvider(t.Context(), made.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("deleted twice: %v", err)
		}
	})
}

func TestIdentityProviderRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		change map[string]any
		fields string
	}{
		"no issuer":                  {map[string]any{"issuer": nil}, "/issuer"},
		"issuer without a scheme":    {map[string]any{"issuer": "id.example.com"}, "/issuer"},
		"issuer with a query":        {map[string]any{"issuer": "https://id.example.com?x=1"}, "/issuer"},
		"scope of two":               {map[string]any{"scopes": []string{"openid profile"}}, "/scopes/0"},
		"unknown tenant":             {map[string]any{"tenants": []string{domain.NewID("ten")}}, "/tenants"},
		"the same tenant twice":      {map[string]any{"tenants": []string{w.Tenant.ID, w.Tenant.ID}}, "/tenants/1"},
		"name with a direction mark": {map[string]any{"displayName": "a\u202eb"}, "/displayName"},
		"host without a scheme":      {map[string]any{"hostUserId": map[string]any{"host": "gitlab"}}, "/hostUserId/host"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.Features.Auth.CreateIdentityProvider(t.Context(), provider(t, tc.change))
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.fields)
		})
	}
}

func TestRoleMappingLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		mine := newProvider(t, w, map[string]any{"slug": "mine", "tenants": []string{w.Tenant.ID}})
		foreign := newProvider(t, w, map[string]any{"slug": "foreign", "tenants": []string{w.Other.Tenant.ID}})
		off := newProvider(t, w, map[string]any{"slug": "off", "enabled": false})
		names, err := w.Features.Auth.TenantProviders(t.Context(), w.Tenant)
		testkit.OK(t, err)
		if len(names) != 1 || names[0] != (auth.ProviderName{ID: mine.ID, Slug: "mine", Name: "Company account"}) {
			t.Errorf("providers of the tenant: %+v", names)
		}

		enter := func(provider string, claim ...string) (auth.OidcRoleMapping, error) {
			return w.Features.Auth.CreateRoleMapping(t.Context(), w.Tenant, auth.OidcRoleMappingCreate{IdentityProviderID: provider, Claim: claim, Value: "Reviewers", Role: "member"})
		}
		claim := []string{"https://example.com/roles", "a.b"}
		made, err := enter(mine.ID, claim...)
		testkit.OK(t, err)
		testkit.Equal(t, "claim", strings.Join(made.Claim, "|"), "https://example.com/roles|a.b")
		if _, err := enter(mine.ID, claim...); !errs.Is(err, errs.Conflict) || code(t, err) != "already_exists" {
			t.Errorf("twice: %v", err)
		}
		_, unknown := enter(domain.NewID("idp"), claim...)
		for name, id := range map[string]string{"another tenant's": foreign.ID, "switched off": off.ID} {
			_, err := enter(id, claim...)
			testkit.Equal(t, name, featuretest.Pointers(t, err), "/identityProviderId")
			testkit.Equal(t, name+", like an unknown provider", err.Error(), unknown.Error())
		}
		_, err = enter(mine.ID, "a", "")
		testkit.Equal(t, "empty name", featuretest.Pointers(t, err), "/claim/1")

		// A role that only the mapping gave ends with the mapping. A role that was given by hand stays.
		member := w.Person("Mona", domain.RoleMember)
		stranger, err := s.CreateUser(t.Context(), "Eve", false)
		testkit.OK(t, err)
		for _, m := range []store.Membership{{User: stranger.ID, Role: domain.RoleMember, Source: domain.SourceMapping, SourceID: made.ID},
			{User: member, Role: domain.RoleAdmin, Source: domain.SourceMapping, SourceID: made.ID}} {
			testkit.OK(t, s.GrantMember(t.Context(), w.Tenant, m))
		}
		all, err := w.Features.Auth.RoleMappings(t.Context(), w.Tenant, store.Cursor{}, 10)
		testkit.OK(t, err)
		testkit.Require(t, "listed", len(all), 1)
		testkit.OK(t, w.Features.Auth.DeleteRoleMapping(t.Context(), w.Tenant, made.ID))
		if err := w.Features.Auth.DeleteRoleMapping(t.Context(), w.Tenant, made.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("deleted twice: %v", err)
		}
		for who, want := range map[string]domain.Role{stranger.ID: "", member: domain.RoleMember} {
			got, err := s.RoleOf(t.Context(), w.Tenant, who)
			testkit.OK(t, err)
			testkit.Equal(t, who, got, want)
		}
	})
}

func TestProviderGoesWithWhatItGave(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		p := newProvider(t, w, map[string]any{"tenants": []string{w.Tenant.ID, w.Other.Tenant.ID}})
		person, err := s.CreateUser(t.Context(), "Eve", false)
		testkit.OK(t, err)
		for _, in := range []domain.Tenant{w.Tenant, w.Other.Tenant} {
			m, err := s.CreateRoleMapping(t.Context(), in, store.RoleMapping{Provider: p.ID, Claim: `["groups"]`, Value: "x", Role: domain.RoleMember})
			testkit.OK(t, err)
			testkit.OK(t, s.GrantMember(t.Context(), in, store.Membership{User: person.ID, Role: domain.RoleMember, Source: domain.SourceMapping, SourceID: m.ID}))
		}
		roles := func() string {
			a, err := s.RoleOf(t.Context(), w.Tenant, person.ID)
			testkit.OK(t, err)
			b, err := s.RoleOf(t.Context(), w.Other.Tenant, person.ID)
			testkit.OK(t, err)
			return string(a) + " " + string(b)
		}
		testkit.Equal(t, "before", roles(), "member member")
		_, err = changeProvider(t, w, p.ID, `{"tenants":["`+w.Tenant.ID+`"]}`)
		testkit.OK(t, err)
		testkit.Equal(t, "one tenant removed", roles(), "member ")
		testkit.OK(t, w.Features.Auth.DeleteIdentityProvider(t.Context(), p.ID))
		testkit.Equal(t, "the provider deleted", roles(), " ")
	})
}
