package httpapi_test

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/secret"
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

// as gives a person one more session, under a name, from an identity provider, or from a code host if
// provider is "".
func (w *world) as(name, who, provider string) {
	w.t.Helper()
	method := "github"
	if provider != "" {
		method = store.MethodOIDC + "x"
	}
	p := person{id: w.people[who].id, token: secret.NewToken(secret.Session).Reveal(), csrf: rand.Text()}
	_, err := w.store.OpenSession(bg, store.NewSession{TokenHash: secret.Hash(p.token), CSRF: p.csrf, User: p.id, Method: method, Provider: provider, Absolute: time.Hour})
	must(w.t, err)
	w.people[name] = p
}

// providerFor creates an identity provider for some tenants, or for all if none is given.
func (w *world) providerFor(slug string, tenants ...string) string {
	w.t.Helper()
	change := map[string]any{"slug": slug, "displayName": "Account of " + slug, "issuer": "https://" + slug + ".example.com"}
	if len(tenants) > 0 {
		change["tenants"] = tenants
	}
	var made auth.IdentityProvider
	w.made(&made, instanceAdmin, providersPath, provider(change))
	return made.ID
}

// tenants returns the number of tenants in a person's list.
func (w *world) tenants(who string) int {
	w.t.Helper()
	var list httpapi.List[httpapi.MyTenant]
	w.into(&list, w.call(who, http.MethodGet, "/api/me/tenants", ""))
	return len(list.Items)
}

// A session from a provider for some tenants has no rights on the instance.
func TestSessionOfATenantsProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.person("both", true, w.Tenant, domain.RoleAdmin)
	theirs := w.providerFor("theirs", w.other.Tenant.ID)
	w.as("by theirs", "both", theirs)
	var me httpapi.Me
	w.into(&me, w.call("by theirs", http.MethodGet, "/api/me", ""))
	testkit.Equal(t, "manages the instance", me.InstanceAdmin, false)
	testkit.Equal(t, "the provider", me.Session.Provider, theirs)
	testkit.Equal(t, "tenants", w.tenants("by theirs"), 0)
	link := w.call("by theirs", http.MethodGet, "/auth/codehost/login?link=1", "")
	testkit.Equal(t, "refused to link", strings.Contains(link.body, "for some tenants only"), true)
}

// A tenant's settings can only require the provider of the present session. Answers, the start page and /mcp
// say what a session lacks.
func TestRequiredIdentityProviderIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	required := w.providerFor("company")
	w.as("by company", member, required)
	w.as("by host", member, "")
	w.as("admin by company", admin, required)
	w.as("admin by host", admin, "")
	require := func(who string) reply {
		return w.call(who, http.MethodPut, w.tenantPath()+"/settings", `{"name":"A","hostOwnersAreAdmins":true,"collaborators":"none","membersWithoutHostRole":"none","authorMayApprove":false,"currency":"USD","timeZone":"UTC","requiredIdentityProviderId":"`+required+`"}`)
	}
	if got := require("admin by host"); got.status != http.StatusConflict || problemOf(t, got) != "other_provider" {
		t.Errorf("a session of another provider may require it: %d %s", got.status, got.body)
	}
	token := w.token(admin, "Editor").Secret
	w.showing(true)
	mcp := func() int { return w.call(anonymous, http.MethodPost, "/mcp", "{}", bearing(token)).status }
	testkit.Equal(t, "a token before", mcp(), http.StatusBadRequest)
	testkit.Equal(t, "required", require("admin by company").status, http.StatusOK)
	testkit.Equal(t, "a token whose owner has not signed in there", mcp(), http.StatusUnauthorized)

	rules := w.tenantPath() + "/rules"
	testkit.Equal(t, "a session of the provider", w.call("by company", http.MethodGet, rules, "").status, http.StatusOK)
	got := w.call("by host", http.MethodGet, rules, "")
	if got.status != http.StatusUnauthorized || problemOf(t, got) != "sign_in_with_provider" || !strings.Contains(got.body, "at /auth/oidc/company/login.") {
		t.Errorf("a session of another provider: %d %s", got.status, got.body)
	}
	for who, told := range map[string]bool{"by host": true, "by company": false} {
		testkit.Equal(t, who+": told on the start page", strings.Contains(w.call(who, http.MethodGet, "/", "").body, "/auth/oidc/company/login"), told)
		testkit.Equal(t, who+": tenants", w.tenants(who) == 0, told)
	}
}

// A slug is one part of a path, and the description requires that.
func TestSlugOfAnIdentityProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for _, slug := range []string{"Company", "a/b", "-a"} {
		testkit.Equal(t, slug, strings.Join(wrongFields(t, w.call(instanceAdmin, http.MethodPost, providersPath, provider(map[string]any{"slug": slug}))), " "), "/slug")
	}
}
