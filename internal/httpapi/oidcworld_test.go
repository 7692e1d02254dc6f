package httpapi_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/auth/oidc/oidctest"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// idpWorld is a world with a real OpenID provider named "company". Admins of the world's tenant may map its
// claims, and one mapping makes the group reviewers members.
type idpWorld struct {
	*world
	raw    storetest.Raw
	server *oidctest.Server
	out    *outbound.Factory
	id     string // id of the provider
}

func newIDPWorld(t *testing.T, s *store.Store, raw storetest.Raw, change ...func(*httpapi.Options)) *idpWorld {
	t.Helper()
	w := &idpWorld{raw: raw}
	w.world = newWorld(t, s, append([]func(*httpapi.Options){func(o *httpapi.Options) {
		w.server = oidctest.New(t, o.BaseURL+"/auth/oidc/company/callback")
		w.out = outbound.New(outbound.Policy{LoopbackPorts: []int{w.server.Port}, RootCAs: w.server.Roots})
		t.Cleanup(w.out.Close)
		people := auth.New(auth.Config{Store: s, Keyring: o.Tracking.Keyring, Audit: o.Audit, Outbound: w.out, BaseURL: o.BaseURL, Logger: o.Logger})
		t.Cleanup(func() { must(t, people.Close()) })
		o.Auth = people
	}}, change...)...)
	w.id = w.provider("company", w.server.Issuer)
	w.maps("reviewers", "member")
	return w
}

// provider creates an identity provider as an instance admin.
func (w *idpWorld) provider(slug, issuer string) string {
	w.t.Helper()
	var made struct{ ID, RedirectURL string }
	w.made(&made, instanceAdmin, "/api/instance/identity-providers", `{"slug":"`+slug+`","displayName":"Company","issuer":"`+issuer+`","clientId":"`+oidctest.ClientID+
		`","clientSecret":"`+oidctest.ClientSecret()+`","tenants":["`+w.Tenant.ID+`"],"listed":true}`)
	testkit.Equal(w.t, "redirect address", made.RedirectURL, w.base+"/auth/oidc/"+slug+"/callback")
	return made.ID
}

// maps gives a group a role in the world's tenant.
func (w *idpWorld) maps(group, role string) {
	w.t.Helper()
	var made struct{ ID string }
	w.made(&made, admin, w.tenantPath()+"/oidc-role-mappings", `{"identityProviderId":"`+w.id+`","claim":["groups"],"value":"`+group+`","role":"`+role+`"}`)
}

// groups sets the groups that the provider sends from now on.
func (w *idpWorld) groups(names ...any) {
	w.server.Change(func(a *oidctest.Answers) { a.TokenClaims = map[string]any{"groups": names} })
}

// tab is a browser with its cookies.
type tab struct {
	*idpWorld
	client *http.Client
}

func (w *idpWorld) tab() *tab { return &tab{w, surf(w.t)} }

// get opens a path of the service, and stops at redirects. The answer is checked against the description.
func (b *tab) get(path string) reply {
	b.t.Helper()
	return b.call(anonymous, http.MethodGet, path, "", header("Origin", ""), func(r *http.Request) {
		for _, c := range b.client.Jar.Cookies(r.URL) {
			r.AddCookie(c)
		}
	}).kept(b)
}

// kept stores the cookies of an answer as a browser does.
func (r reply) kept(b *tab) reply {
	u, err := url.Parse(b.base)
	must(b.t, err)
	b.client.Jar.SetCookies(u, (&http.Response{Header: r.header}).Cookies())
	return r
}

// cookie returns the value of one of the browser's cookies.
func (b *tab) cookie(name string) string {
	u, err := url.Parse(b.base)
	must(b.t, err)
	for _, c := range b.client.Jar.Cookies(u) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// forget deletes all cookies.
func (b *tab) forget() {
	jar, err := cookiejar.New(nil)
	must(b.t, err)
	b.client.Jar = jar
}

// leave begins a sign-in and completes the provider's part. It returns the query with which the browser
// returns.
func (b *tab) leave(subject string) url.Values {
	b.t.Helper()
	r := b.get("/auth/oidc/company/login?return=" + url.QueryEscape("/t/x?tab=1"))
	to := r.header.Get("Location")
	if r.status != http.StatusSeeOther || !strings.HasPrefix(to, b.server.Issuer+"/") {
		b.t.Fatalf("login: %d to %q: %s", r.status, to, r.body)
	}
	return b.server.SignIn(b.t, to, subject)
}

// back returns to the service with a query.
func (b *tab) back(q url.Values) reply {
	b.t.Helper()
	return b.get("/auth/oidc/company/callback?" + q.Encode())
}

// signIn performs leave and back.
func (b *tab) signIn(subject string) {
	b.t.Helper()
	if r := b.back(b.leave(subject)); r.status != http.StatusSeeOther || r.header.Get("Location") != "/t/x?tab=1" {
		b.t.Fatalf("callback of %s: %d to %q: %s", subject, r.status, r.header.Get("Location"), r.body)
	}
}

// me returns the name of the signed-in person, or "".
func (b *tab) me() string {
	b.t.Helper()
	r := b.get("/api/me")
	if r.status == http.StatusUnauthorized {
		return ""
	}
	var me httpapi.Me
	b.into(&me, r)
	return me.Name
}
