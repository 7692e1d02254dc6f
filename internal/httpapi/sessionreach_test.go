package httpapi_test

import (
	"crypto/rand"
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

// as gives one of the people one more session, which came from an identity
// provider, under a name of its own; "" is a code host.
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

// providerFor enters an identity provider for some tenants; none are all.
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

// opens is what a session is answered at a tenant: the status, and for 401 the
// code and whether the answer says a text.
func (w *world) opens(t *testing.T, who, tenant string, status int, code, says string) {
	t.Helper()
	got := w.call(who, http.MethodGet, "/api/tenants/"+tenant+"/rules", "")
	if got.status != status || code != "" && problemOf(t, got) != code || !strings.Contains(got.body, says) {
		t.Errorf("%s: %d %s, want %d %s %q", who, got.status, got.body, status, code, says)
	}
	if never := w.call(who, http.MethodGet, "/api/tenants/ten_never/rules", ""); status == http.StatusNotFound && got.body != never.body {
		t.Errorf("%s: %s, want the answer for a tenant that never was: %s", who, got.body, never.body)
	}
}

// tenants are how many somebody's list has.
func (w *world) tenants(who string) int {
	w.t.Helper()
	var list httpapi.List[httpapi.MyTenant]
	w.into(&list, w.call(who, http.MethodGet, "/api/me/tenants", ""))
	return len(list.Items)
}

// A session holds in the tenants that may use the identity provider it came
// from, and manages the instance only where that is for all tenants.
func TestSessionHoldsWhereItsProviderMay(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		w.person("both", true, w.Tenant, domain.RoleAdmin)
		must(t, s.SetMember(bg, w.other.Tenant, w.people["both"].id, domain.RoleMember, domain.SourceHand))
		theirs := w.providerFor("theirs", w.other.Tenant.ID)
		for name, row := range map[string]struct {
			provider    string
			mine, other int
			instance    int
		}{
			"a code host":                       {"", 200, 200, 200},
			"a provider for all":                {w.providerFor("all"), 200, 200, 200},
			"a provider of mine":                {w.providerFor("mine", w.Tenant.ID), 200, 404, 403},
			"a provider of theirs":              {theirs, 404, 200, 403},
			"a provider of both":                {w.providerFor("two", w.Tenant.ID, w.other.Tenant.ID), 200, 200, 403},
			"a provider that nobody knows":      {"idp_never", 401, 401, 401},
			"a provider that is not known more": {"unknown", 401, 401, 401},
		} {
			t.Run(name, func(t *testing.T) {
				if row.provider == "unknown" { // a session of an older version
					w.as(name, "both", theirs)
					raw(`UPDATE sessions SET provider_id = '' WHERE token_hash = $1`, secret.Hash(w.people[name].token))
				} else {
					w.as(name, "both", row.provider)
				}
				w.opens(t, name, w.Tenant.ID, row.mine, "", "")
				w.opens(t, name, w.other.Tenant.ID, row.other, "", "")
				testkit.Equal(t, "the instance", w.call(name, http.MethodGet, providersPath, "").status, row.instance)
				if row.mine == http.StatusUnauthorized {
					return
				}
				want := 0
				for _, status := range []int{row.mine, row.other} {
					want += map[int]int{200: 1}[status]
				}
				testkit.Equal(t, "tenants", w.tenants(name), want)
				var me httpapi.Me
				w.into(&me, w.call(name, http.MethodGet, "/api/me", ""))
				testkit.Equal(t, "manages the instance", me.InstanceAdmin, row.instance == 200)
				testkit.Equal(t, "the provider", me.Session.Provider, row.provider)
				link := w.call(name, http.MethodGet, "/auth/codehost/login?link=1", "")
				testkit.Equal(t, "refused to link", strings.Contains(link.body, "for some tenants only"), row.instance == 403)
			})
		}
		w.as("theirs", "both", theirs)
		testkit.Equal(t, "opened to mine", w.call(instanceAdmin, http.MethodPatch, providersPath+"/"+theirs, `{"tenants":["`+w.Tenant.ID+`"]}`).status, 200)
		w.opens(t, "theirs", w.Tenant.ID, 200, "", "")
		w.opens(t, "theirs", w.other.Tenant.ID, 404, "", "")
	})
}

// A tenant that requires an identity provider is there for members in sessions
// of that provider, and of one-time links. Members are told where to sign in;
// others see what they always see.
func TestRequiredIdentityProvider(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		required, another, foreign := w.providerFor("company"), w.providerFor("another"), w.providerFor("foreign", w.other.Tenant.ID)
		for who, provider := range map[string]string{"by company": required, "by another": another, "by host": "", "by foreign": foreign} {
			w.as("admin "+who, admin, provider)
			w.as("member "+who, member, provider)
			w.as("stranger "+who, stranger, provider)
		}
		put := func(who, provider, name string) reply {
			return w.call(who, http.MethodPut, w.tenantPath()+"/settings", `{"name":"`+name+`","hostOwnersAreAdmins":true,"collaborators":"none","membersWithoutHostRole":"none","authorMayApprove":false,"currency":"USD","timeZone":"UTC","requiredIdentityProviderId":"`+provider+`"}`)
		}
		never := put("admin by company", "idp_never", "A")
		testkit.Equal(t, "a provider that never was", strings.Join(wrongFields(t, never), " "), "/requiredIdentityProviderId")
		testkit.Equal(t, "another tenant's provider", put("admin by company", foreign, "A").body, never.body)
		for _, who := range []string{"admin by host", "admin by another", admin} {
			got := put(who, required, "A")
			if got.status != http.StatusConflict || problemOf(t, got) != "other_provider" || !strings.Contains(got.body, "/auth/oidc/company/login") {
				t.Errorf("%s may require it: %d %s", who, got.status, got.body)
			}
		}
		w.opens(t, "admin by host", w.Tenant.ID, 200, "", "")
		token := w.token(admin, "Editor").Secret
		w.showing(true)
		mcp := func(what string, status int) {
			t.Helper()
			testkit.Equal(t, "a token "+what, w.call(anonymous, http.MethodPost, "/mcp", "{}", bearing(token)).status, status)
		}
		mcp("before", http.StatusBadRequest)

		testkit.Equal(t, "set", put("admin by company", required, "A").status, http.StatusOK)
		for _, who := range []string{"admin", "member"} {
			w.opens(t, who+" by company", w.Tenant.ID, 200, "", "")
			w.opens(t, who, w.Tenant.ID, 200, "", "") // by a one-time link
			for _, by := range []string{" by another", " by host"} {
				w.opens(t, who+by, w.Tenant.ID, 401, "sign_in_with_provider", "Sign in with Account of company, at /auth/oidc/company/login.")
				testkit.Equal(t, who+by+": tenants", w.tenants(who+by), 0)
			}
			w.opens(t, who+" by foreign", w.Tenant.ID, 404, "", "")
		}
		for _, who := range []string{stranger, "stranger by company", "stranger by host", "stranger by foreign", instanceAdmin} {
			w.opens(t, who, w.Tenant.ID, 404, "", "")
		}
		for who, told := range map[string]bool{"member by host": true, "member by company": false, "member by foreign": false, "stranger by host": false} {
			got := w.call(who, http.MethodGet, "/", "")
			testkit.Equal(t, who+" is told on the page", strings.Contains(got.body, "/auth/oidc/company/login"), told)
		}

		mcp("whose owner has not signed in there", http.StatusUnauthorized)
		_, err := s.CreateIdentity(bg, store.Identity{UserID: w.people[admin].id, Issuer: "https://company.example.com", Subject: "1", Kind: store.IdentityOIDC})
		must(t, err)
		mcp("whose owner has", http.StatusBadRequest)
		raw(`UPDATE identities SET used_us = used_us - 605000000000`)
		mcp("whose owner has not for seven days", http.StatusUnauthorized)

		testkit.Equal(t, "another setting, by a link", put(admin, required, "B").status, http.StatusOK)
		testkit.Equal(t, "switched off", w.call(instanceAdmin, http.MethodPatch, providersPath+"/"+required, `{"enabled":false}`).status, 200)
		w.opens(t, "admin by company", w.Tenant.ID, 401, "unauthenticated", "")
		w.opens(t, "member by host", w.Tenant.ID, 401, "sign_in_with_provider", "one-time link")
		testkit.Equal(t, "deleted", w.call(instanceAdmin, http.MethodDelete, providersPath+"/"+required, "").status, 204)
		w.opens(t, "member by host", w.Tenant.ID, 401, "sign_in_with_provider", "one-time link")
		testkit.Equal(t, "another setting, though it is gone", put(admin, required, "C").status, http.StatusOK)
		testkit.Equal(t, "taken back", put(admin, "", "C").status, http.StatusOK)
		w.opens(t, "member by host", w.Tenant.ID, 200, "", "")
	})
}

// A provider that is switched off or deleted ends its sessions at once, and for
// good; others go on.
func TestProviderEndsItsSessions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		for what, end := range map[string]func(path string) reply{
			"switched off": func(path string) reply { return w.call(instanceAdmin, http.MethodPatch, path, `{"enabled":false}`) },
			"deleted":      func(path string) reply { return w.call(instanceAdmin, http.MethodDelete, path, "") },
		} {
			slug := strings.ReplaceAll(what, " ", "-")
			id, beside := w.providerFor(slug), w.providerFor(slug+"-not")
			w.as("one", admin, id)
			w.as("two", member, id)
			w.as("three", member, beside)
			if got := end(providersPath + "/" + id); got.status >= 300 {
				t.Fatalf("%s: %d %s", what, got.status, got.body)
			}
			for who, status := range map[string]int{"one": 401, "two": 401, "three": 200, admin: 200, member: 200} {
				testkit.Equal(t, what+": "+who, w.call(who, http.MethodGet, "/api/me", "").status, status)
			}
			log := w.call(instanceAdmin, http.MethodGet, "/api/instance/audit?limit=1", "")
			testkit.Equal(t, what+": how many is in the log", strings.Contains(log.body, "Sessions that ended: 2."), true)
			w.call(instanceAdmin, http.MethodPatch, providersPath+"/"+id, `{"displayName":"Renamed while it is off"}`)
			log = w.call(instanceAdmin, http.MethodGet, "/api/instance/audit?limit=1", "")
			testkit.Equal(t, what+": another change ends none", strings.Contains(log.body, "Sessions that ended"), what == "deleted")
			w.call(instanceAdmin, http.MethodPatch, providersPath+"/"+id, `{"enabled":true}`)
			testkit.Equal(t, what+", and on again", w.call("one", http.MethodGet, "/api/me", "").status, 401)
		}
	})
}

// An admin of a tenant ends what a member's sessions give there, until the next
// sign-in; an admin of the instance ends the sessions themselves.
func TestSignOutOfOthers(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		path := w.tenantPath() + "/members/"
		mona := w.people[member].id
		must(t, s.SetMember(bg, w.other.Tenant, mona, domain.RoleMember, domain.SourceHand))
		w.as("mona elsewhere", member, "")
		unknown := w.call(admin, http.MethodPost, path+"usr_never/sign-out", "")
		testkit.Equal(t, "nobody", unknown.status, 404)
		testkit.Equal(t, "another tenant's admin", w.call(admin, http.MethodPost, path+w.people[stranger].id+"/sign-out", "").body, unknown.body)
		testkit.Equal(t, "by a member", w.call(member, http.MethodPost, path+mona+"/sign-out", "").status, 403)
		testkit.Equal(t, "by another tenant's admin", w.call(stranger, http.MethodPost, path+mona+"/sign-out", "").status, 404)
		w.opens(t, member, w.Tenant.ID, 200, "", "")

		testkit.Equal(t, "by an admin", w.call(admin, http.MethodPost, path+mona+"/sign-out", "").status, 204)
		for _, who := range []string{member, "mona elsewhere"} {
			w.opens(t, who, w.Tenant.ID, 401, "sign_in_again", "An admin of this tenant")
			w.opens(t, who, w.other.Tenant.ID, 200, "", "")
			testkit.Equal(t, "tenants of "+who, w.tenants(who), 1)
		}
		w.opens(t, admin, w.Tenant.ID, 200, "", "")
		w.as("mona again", member, "")
		w.opens(t, "mona again", w.Tenant.ID, 200, "", "")
		must(t, s.DropSessions(bg, time.Hour))
		w.opens(t, member, w.Tenant.ID, 401, "sign_in_again", "")
		log := w.call(admin, http.MethodGet, w.tenantPath()+"/audit?limit=1", "")
		testkit.Equal(t, "in the tenant's log", strings.Contains(log.body, "member.sign-out"), true)

		all := "/api/instance/users/" + mona + "/sessions"
		testkit.Equal(t, "all, by a tenant's admin", w.call(admin, http.MethodDelete, all, "").status, 403)
		testkit.Equal(t, "all, of nobody", w.call(instanceAdmin, http.MethodDelete, "/api/instance/users/usr_never/sessions", "").status, 404)
		testkit.Equal(t, "all", w.call(instanceAdmin, http.MethodDelete, all, "").status, 204)
		for _, who := range []string{member, "mona elsewhere", "mona again"} {
			testkit.Equal(t, who+" at the end", w.call(who, http.MethodGet, "/api/me", "").status, 401)
		}
		testkit.Equal(t, "others at the end", w.call(admin, http.MethodGet, "/api/me", "").status, 200)
		log = w.call(instanceAdmin, http.MethodGet, "/api/instance/audit?limit=1", "")
		testkit.Equal(t, "in the instance's log", strings.Contains(log.body, "session.end-all") && strings.Contains(log.body, "Sessions that ended: 3."), true)
		w.as("mona at last", member, "")
		must(t, s.DropSessions(bg, time.Hour)) // forgets what no session is left for
		w.opens(t, "mona at last", w.Tenant.ID, 200, "", "")
	})
}
