package httpapi_test

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/auth/oidc/oidctest"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A browser goes to the provider and returns with a session that has the mapped role. A second sign-in opens
// a new session for the same person.
func TestOIDCThroughABrowser(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newIDPWorld(t, s, raw)
		b := w.tab()
		w.groups("reviewers", "others")
		q := b.leave("ada")
		got := b.back(q)
		if got.status != http.StatusSeeOther || got.header.Get("Location") != "/t/x?tab=1" || got.header.Get("Referrer-Policy") != "no-referrer" || got.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("callback: %d %v", got.status, got.header)
		}
		cookie, err := http.ParseSetCookie(got.header.Get("Set-Cookie"))
		must(t, err)
		if cookie.Name != "assay_session" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" || cookie.MaxAge <= 0 {
			t.Errorf("session cookie: %s", cookie)
		}
		testkit.Equal(t, "name", b.me(), "Person ada")
		var list httpList[httpapi.Session]
		b.into(&list, b.get("/api/me/sessions"))
		if len(list.Items) != 1 || list.Items[0].Method != "oidc:company" || !list.Items[0].Current {
			t.Errorf("sessions: %+v", list.Items)
		}
		var can httpapi.Access
		b.into(&can, b.get(w.tenantPath()+"/access"))
		testkit.Equal(t, "role", can.Role, "member")
		testkit.Equal(t, "another tenant", b.get("/api/tenants/"+w.other.Tenant.ID+"/access").status, http.StatusNotFound)

		first := b.cookie("assay_session")
		w.groups("others")
		b.signIn("ada")
		testkit.Equal(t, "the session before", w.call(anonymous, "GET", "/api/me", "", header("Cookie", "assay_session="+first)).status, http.StatusUnauthorized)
		testkit.Equal(t, "name", b.me(), "Person ada")
		testkit.Equal(t, "the tenant, without the group", b.get(w.tenantPath()+"/access").status, http.StatusNotFound)
		for what, kept := range map[string]string{"code": q.Get("code"), "state": q.Get("state"), "session": first, "client secret": oidctest.ClientSecret(), "binding": b.cookie("assay_signin")} {
			if kept == "" || strings.Contains(w.logs.String(), kept) {
				t.Errorf("the log has the %s, or the test does not have it", what)
			}
		}
	})
}

// An invalid return ends on a page that says what to do. The browser keeps its session and does not get
// another one.
func TestOIDCThroughABrowserRefuses(t *testing.T) {
	t.Parallel()
	const over = "Begin again, and allow cookies."
	says := func(c map[string]any) func(*testing.T, *tab) {
		return func(_ *testing.T, b *tab) { b.server.Change(func(a *oidctest.Answers) { a.TokenClaims = c }) }
	}
	for name, tc := range map[string]struct {
		before func(t *testing.T, b *tab)               // runs before the browser leaves
		until  func(t *testing.T, b *tab, q url.Values) // runs before it returns
		status int
		says   string // part of the page
		ends   bool   // ends all sessions of the provider
	}{
		"wrong state":               {until: func(_ *testing.T, _ *tab, q url.Values) { q.Set("state", secret.NewToken(secret.State).Reveal()) }, status: 400, says: over},
		"state that is not a token": {until: func(_ *testing.T, _ *tab, q url.Values) { q.Set("state", "<script>"+strings.Repeat("x", 5000)) }, status: 400, says: over},
		"two states":                {until: func(_ *testing.T, _ *tab, q url.Values) { q.Add("state", q.Get("state")) }, status: 400, says: "Begin again"},
		"answer of another browser": {until: func(_ *testing.T, b *tab, q url.Values) {
			for name, values := range b.tab().leave("eve") {
				q[name] = values
			}
		}, status: 400, says: over},
		"no cookies":     {until: func(_ *testing.T, b *tab, _ url.Values) { b.forget() }, status: 400, says: over},
		"forged binding": {until: func(_ *testing.T, b *tab, _ url.Values) { b.bind("x") }, status: 400, says: over},
		"the person declined": {until: func(_ *testing.T, _ *tab, q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
			q.Set("error_description", "<b>declined</b> by "+rand.Text())
		}, status: 403, says: "you declined"},
		"the provider does not know the client": {until: func(_ *testing.T, _ *tab, q url.Values) {
			q.Del("code")
			q.Set("error", "unauthorized_client")
		}, status: 403, says: "administrator"},
		"switched off meanwhile": {until: func(t *testing.T, b *tab, _ url.Values) {
			testkit.Equal(t, "off", b.call(instanceAdmin, http.MethodPatch, "/api/instance/identity-providers/"+b.id, `{"enabled":false}`).status, http.StatusOK)
		}, status: 404, says: "the ways to sign in", ends: true},
		"groups left out": {before: says(map[string]any{"hasgroups": true}), status: 403, says: "administrator"},
		"the token endpoint is down": {until: func(_ *testing.T, b *tab, _ url.Values) {
			b.server.Change(func(a *oidctest.Answers) {
				a.Replace = func(rw http.ResponseWriter, r *http.Request) bool {
					if r.URL.Path == "/oauth/token" {
						http.Error(rw, "down: "+oidctest.ClientSecret(), http.StatusBadGateway)
					}
					return r.URL.Path == "/oauth/token"
				}
			})
		}, status: 503, says: "Try again later"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, raw := storetest.SQLiteRaw(t)
			w := newIDPWorld(t, s, raw)
			b := w.tab()
			w.groups("reviewers")
			b.signIn("bob") // another person used this browser before
			session := b.cookie("assay_session")
			if tc.before != nil {
				tc.before(t, b)
			}
			q := b.leave("ada")
			if tc.until != nil {
				tc.until(t, b, q)
			}
			session, kept := b.cookie("assay_session"), session
			got := b.back(q)
			if got.status != tc.status || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(got.body, tc.says) {
				t.Errorf("%d %s, want %d and %q:\n%s", got.status, got.header.Get("Content-Type"), tc.status, tc.says, got.body)
			}
			if !strings.Contains(got.body, `<a href="/">Begin again</a>`) {
				t.Error("the page has no link")
			}
			if got.header.Get("Set-Cookie") != "" || got.header.Get("Location") != "" || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("headers: %v", got.header)
			}
			if session == kept { // the browser keeps its session unless its provider ended
				testkit.Equal(t, "signed-in person", b.me(), map[bool]string{false: "Person bob"}[tc.ends])
			}
			log := w.logs.String()
			if tc.status == http.StatusForbidden && !strings.Contains(log, `"provider":"company"`) {
				t.Error("the log does not have the reason for the operator")
			}
			for what, v := range map[string]string{"state": q.Get("state"), "code": q.Get("code"), "the provider's text": q.Get("error_description"), "client secret": oidctest.ClientSecret(), "session": kept} {
				if v != "" && (strings.Contains(got.body, v) || strings.Contains(log, v)) {
					t.Errorf("%s is in the page or the log", what)
				}
			}
		})
	}
}

// bind gives the browser another binding.
func (b *tab) bind(value string) {
	u, err := url.Parse(b.base)
	must(b.t, err)
	b.client.Jar.SetCookies(u, []*http.Cookie{{Name: "assay_signin", Value: value, Path: "/"}})
}

// A person whose claims map to no role is signed in, sees no tenant, and reads what to do.
func TestOIDCWithoutAMappedClaim(t *testing.T) {
	t.Parallel()
	s, raw := storetest.SQLiteRaw(t)
	w := newIDPWorld(t, s, raw)
	b := w.tab()
	b.signIn("ada")
	testkit.Equal(t, "the tenant", b.get(w.tenantPath()+"/access").status, http.StatusNotFound)
	if home := b.get("/"); home.status != http.StatusOK || !strings.Contains(home.body, "administrator") {
		t.Errorf("the start page does not say what to do: %d %s", home.status, home.body)
	}
}

// These requests to begin a sign-in are refused.
func TestOIDCLoginRefuses(t *testing.T) {
	t.Parallel()
	s, raw := storetest.SQLiteRaw(t)
	w := newIDPWorld(t, s, raw)
	for query, want := range map[string]int{"?return=//evil.example.com": 422, "?return=https://evil.example.com": 422, "?return=/%255cevil.example.com": 422, "?return=/a&return=/b": 422,
		"?return=/api/me": 422, "?next=/": 422, "?link=2": 422, "?link=1": 401, "?%zz": 400, "": 303, "?return=": 303, "?return=/t/x%3Ftab%3D1": 303} {
		got := w.tab().get("/auth/oidc/company/login" + query)
		if got.status != want || want != 303 && (!strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || strings.Contains(got.body, "evil")) {
			t.Errorf("login%s: %d %s", query, got.status, got.body)
		}
	}
	w.server.Change(func(a *oidctest.Answers) {
		a.Replace = func(rw http.ResponseWriter, _ *http.Request) bool {
			http.Error(rw, "no", http.StatusBadGateway)
			return true
		}
	})
	w.provider("down", strings.Replace(w.server.Issuer, "127.0.0.1", "localhost", 1))
	if got := w.tab().get("/auth/oidc/down/login"); got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, "Try again later") {
		t.Errorf("a provider that is down: %d %s", got.status, got.body)
	}
}

// A second provider's account can be added only in a young session, and never if it belongs to another
// person.
func TestOIDCLinks(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newIDPWorld(t, s, raw)
		testkit.Equal(t, "for all tenants", w.call(instanceAdmin, http.MethodPatch, "/api/instance/identity-providers/"+w.id, `{"tenants":"all"}`).status, http.StatusOK)
		link := func(b *tab, subject string) url.Values {
			r := b.get("/auth/oidc/company/login?link=1&return=/t/x")
			if r.status != http.StatusSeeOther {
				t.Fatalf("%d %s", r.status, r.body)
			}
			return w.server.SignIn(t, r.header.Get("Location"), subject)
		}
		b, other := w.tab(), w.tab()
		other.signIn("bob")
		b.signIn("ada")
		testkit.Equal(t, "the same person's second account", b.back(link(b, "ada-2")).status, http.StatusSeeOther)
		testkit.Equal(t, "signed-in person", b.me(), "Person ada")
		other.signIn("ada-2")
		testkit.Equal(t, "person of the second account", other.me(), "Person ada")
		if got := b.back(link(b, "bob")); got.status != http.StatusConflict || got.header.Get("Set-Cookie") != "" || !strings.Contains(got.body, "belongs to another person") {
			t.Errorf("another person's account: %d %s", got.status, got.body)
		}
		testkit.Equal(t, "signed-in person", b.me(), "Person ada")
		q := link(b, "ada-3")
		w.raw(`UPDATE sessions SET created_us = created_us - $1`, (auth.LinkAge + time.Minute).Microseconds())
		if got := b.back(q); got.status != http.StatusForbidden || !strings.Contains(got.body, "Sign in again") {
			t.Errorf("an old session: %d %s", got.status, got.body)
		}
		if got := b.get("/auth/oidc/company/login?link=1"); got.status != http.StatusForbidden || !strings.Contains(got.body, "Sign in again") {
			t.Errorf("an old session at the beginning: %d %s", got.status, got.body)
		}
	})
}
