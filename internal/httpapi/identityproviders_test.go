package httpapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

const providersPath = "/api/instance/identity-providers"

// provider is a request body with changes.
func provider(change map[string]any) string {
	body := map[string]any{"slug": "company", "displayName": "Company account", "issuer": "https://id.example.com", "clientId": "assay", "clientSecret": "s3" + "cret", "tenants": "all", "listed": true}
	for k, v := range change {
		if body[k] = v; v == nil {
			delete(body, k)
		}
	}
	b, _ := json.Marshal(body)
	return string(b)
}

func TestIdentityProviderLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		var made, changed auth.IdentityProvider
		answer := w.made(&made, instanceAdmin, providersPath, provider(nil))
		if strings.Contains(answer.body, "s3"+"cret") || strings.Contains(w.logs.String(), "s3"+"cret") {
			t.Error("the secret is in an answer or a log")
		}
		testkit.Equal(t, "redirect address", made.RedirectURL, "https://assay.example.com/auth/oidc/company/callback")
		testkit.Equal(t, "scopes", strings.Join(made.Scopes, " "), "openid profile")
		testkit.Equal(t, "enabled", made.Enabled, true)
		path := providersPath + "/" + made.ID

		twice := w.call(instanceAdmin, http.MethodPost, providersPath, provider(nil))
		testkit.Equal(t, "slug twice", twice.status, http.StatusConflict)
		testkit.Equal(t, "slug twice, code", problemOf(t, twice), "already_exists")
		testkit.Equal(t, "stale", w.call(instanceAdmin, http.MethodPatch, path, `{"listed":false}`, header("If-Match", `"v9"`)).status, http.StatusPreconditionFailed)

		w.into(&changed, w.call(instanceAdmin, http.MethodPatch, path, `{"displayName":"Staff","issuer":"https://id.example.com"}`, header("If-Match", answer.header.Get("ETag"))))
		testkit.Equal(t, "secret stays", *changed.ClientSecretUpdatedAt, *made.ClientSecretUpdatedAt)
		testkit.Equal(t, "name", changed.DisplayName, "Staff")
		testkit.Equal(t, "tenants", changed.Tenants.All, true)
		testkit.Equal(t, "issuer", strings.Join(wrongFields(t, w.call(instanceAdmin, http.MethodPatch, path, `{"issuer":"https://other.example.com"}`)), " "), "/issuer")
		w.into(&changed, w.call(instanceAdmin, http.MethodPatch, path, `{"clientSecret":"another one","tenants":["`+w.Tenant.ID+`"],"hostUserId":{"host":"https://GitLab.example.com/"}}`))
		if !changed.ClientSecretUpdatedAt.After(*made.ClientSecretUpdatedAt) || !slices.Equal(changed.Tenants.IDs, []string{w.Tenant.ID}) || changed.HostUserID.Host != "https://gitlab.example.com" {
			t.Errorf("%+v after a change", changed)
		}
		changed = auth.IdentityProvider{}
		w.into(&changed, w.call(instanceAdmin, http.MethodPatch, path, `{"hostUserId":null}`))
		if changed.HostUserID != nil {
			t.Error("the host stays after null")
		}

		var all httpList[auth.IdentityProvider]
		w.into(&all, w.call(instanceAdmin, http.MethodGet, providersPath, ""))
		testkit.Require(t, "listed", len(all.Items), 1)
		testkit.Equal(t, "with its tenant", all.Items[0].Tenants.IDs[0], w.Tenant.ID)
		testkit.Equal(t, "deleted", w.call(instanceAdmin, http.MethodDelete, path, "").status, http.StatusNoContent)
		testkit.Equal(t, "gone", w.call(instanceAdmin, http.MethodPatch, path, `{"listed":false}`).status, http.StatusNotFound)
		testkit.Equal(t, "gone", w.call(instanceAdmin, http.MethodDelete, path, "").status, http.StatusNotFound)
	})
}

func TestIdentityProviderRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		change map[string]any
		fields []string
	}{
		"slug of capitals":         {map[string]any{"slug": "Company"}, []string{"/slug"}},
		"no issuer":                {map[string]any{"issuer": nil}, []string{"/issuer"}},
		"issuer without a scheme":  {map[string]any{"issuer": "id.example.com"}, []string{"/issuer"}},
		"issuer with a query":      {map[string]any{"issuer": "https://id.example.com?x=1"}, []string{"/issuer"}},
		"no secret":                {map[string]any{"clientSecret": ""}, []string{"/clientSecret"}},
		"scope of two":             {map[string]any{"scopes": []string{"openid profile"}}, []string{"/scopes/0"}},
		"tenant that nobody has":   {map[string]any{"tenants": []string{domain.NewID("ten")}}, []string{"/tenants"}},
		"the same tenant twice":    {map[string]any{"tenants": []string{w.Tenant.ID, w.Tenant.ID}}, []string{"/tenants/1"}},
		"tenants is another word":  {map[string]any{"tenants": "some"}, []string{"/tenants"}},
		"name that turns the text": {map[string]any{"displayName": "a\u202eb"}, []string{"/displayName"}},
		"host without a scheme":    {map[string]any{"hostUserId": map[string]any{"host": "gitlab"}}, []string{"/hostUserId/host"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(instanceAdmin, http.MethodPost, providersPath, provider(tc.change))
			if fields := wrongFields(t, got); !slices.Equal(fields, tc.fields) {
				t.Errorf("wrong fields are %v, want %v: %s", fields, tc.fields, got.body)
			}
		})
	}
}

func TestRoleMappingLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		var mine, foreign, off auth.IdentityProvider
		w.made(&mine, instanceAdmin, providersPath, provider(map[string]any{"slug": "mine", "tenants": []string{w.Tenant.ID}}))
		w.made(&foreign, instanceAdmin, providersPath, provider(map[string]any{"slug": "foreign", "tenants": []string{w.other.Tenant.ID}}))
		w.made(&off, instanceAdmin, providersPath, provider(map[string]any{"slug": "off", "enabled": false}))
		var names httpList[auth.ProviderName]
		w.into(&names, w.call(admin, http.MethodGet, w.tenantPath()+"/identity-providers", ""))
		if len(names.Items) != 1 || names.Items[0] != (auth.ProviderName{ID: mine.ID, Slug: "mine", Name: "Company account"}) {
			t.Errorf("providers of the tenant: %+v", names.Items)
		}

		path := w.tenantPath() + "/oidc-role-mappings"
		body := func(provider string) string {
			return `{"identityProviderId":"` + provider + `","claim":["https://example.com/roles","a.b"],"value":"Reviewers","role":"member"}`
		}
		var made auth.OidcRoleMapping
		w.made(&made, admin, path, body(mine.ID))
		testkit.Equal(t, "claim", strings.Join(made.Claim, "|"), "https://example.com/roles|a.b")
		testkit.Equal(t, "twice", problemOf(t, w.call(admin, http.MethodPost, path, body(mine.ID))), "already_exists")
		unknown := w.call(admin, http.MethodPost, path, body(domain.NewID("idp")))
		for name, id := range map[string]string{"another tenant's": foreign.ID, "switched off": off.ID} {
			got := w.call(admin, http.MethodPost, path, body(id))
			testkit.Equal(t, name, got.body, unknown.body)
			testkit.Equal(t, name, strings.Join(wrongFields(t, got), " "), "/identityProviderId")
		}
		testkit.Equal(t, "empty name", strings.Join(wrongFields(t, w.call(admin, http.MethodPost, path, `{"identityProviderId":"`+mine.ID+`","claim":["a",""],"value":"x","role":"admin"}`)), " "), "/claim/1")

		// What the mapping alone gave goes with it; what a hand gave stays.
		for _, m := range []store.Membership{{User: w.people[instanceAdmin].id, Role: domain.RoleMember, Source: domain.SourceMapping, SourceID: made.ID},
			{User: w.people[member].id, Role: domain.RoleAdmin, Source: domain.SourceMapping, SourceID: made.ID}} {
			must(t, s.GrantMember(bg, w.Tenant, m))
		}
		var all httpList[auth.OidcRoleMapping]
		w.into(&all, w.call(admin, http.MethodGet, path, ""))
		testkit.Require(t, "listed", len(all.Items), 1)
		testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, path+"/"+made.ID, "").status, http.StatusNoContent)
		testkit.Equal(t, "gone", w.call(admin, http.MethodDelete, path+"/"+made.ID, "").status, http.StatusNotFound)
		for who, want := range map[string]domain.Role{instanceAdmin: "", member: domain.RoleMember} {
			got, err := s.RoleOf(bg, w.Tenant, w.people[who].id)
			must(t, err)
			testkit.Equal(t, who, got, want)
		}
	})
}

func TestProviderGoesWithWhatItGave(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		var p auth.IdentityProvider
		w.made(&p, instanceAdmin, providersPath, provider(map[string]any{"tenants": []string{w.Tenant.ID, w.other.Tenant.ID}}))
		person := w.people[instanceAdmin].id
		for _, in := range []domain.Tenant{w.Tenant, w.other.Tenant} {
			m, err := s.CreateRoleMapping(bg, in, store.RoleMapping{Provider: p.ID, Claim: `["groups"]`, Value: "x", Role: domain.RoleMember})
			must(t, err)
			must(t, s.GrantMember(bg, in, store.Membership{User: person, Role: domain.RoleMember, Source: domain.SourceMapping, SourceID: m.ID}))
		}
		roles := func() string {
			a, err := s.RoleOf(bg, w.Tenant, person)
			must(t, err)
			b, err := s.RoleOf(bg, w.other.Tenant, person)
			must(t, err)
			return string(a) + " " + string(b)
		}
		testkit.Equal(t, "before", roles(), "member member")
		var changed auth.IdentityProvider
		w.into(&changed, w.call(instanceAdmin, http.MethodPatch, providersPath+"/"+p.ID, `{"tenants":["`+w.Tenant.ID+`"]}`))
		testkit.Equal(t, "one tenant taken out", roles(), "member ")
		w.call(instanceAdmin, http.MethodDelete, providersPath+"/"+p.ID, "")
		testkit.Equal(t, "the provider deleted", roles(), " ")
	})
}
