package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// public changes the public base URL as an instance admin, and returns the answer.
func (w *world) public(base string) reply {
	w.t.Helper()
	got := w.call(instanceAdmin, "PUT", "/api/instance/settings", `{"publicBaseUrl":"`+base+`"}`)
	testkit.Require(w.t, "status of the settings", got.status, http.StatusOK)
	return got
}

// cookie returns a cookie that an answer sets.
func cookie(t *testing.T, r reply, name string) *http.Cookie {
	t.Helper()
	for _, line := range r.header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		must(t, err)
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no cookie %s in %q", name, r.header.Values("Set-Cookie"))
	return nil
}

func carries(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: value}) }
}

// enter signs a person in by a one-time link, and returns the answer.
func (w *world) enter(who string, more ...func(*http.Request)) reply {
	w.t.Helper()
	got := w.call(anonymous, "POST", "/auth/break-glass", "token="+w.link(who, time.Minute), append(more, form)...)
	testkit.Require(w.t, "status of the sign-in", got.status, http.StatusSeeOther)
	return got
}

func (w *world) me(c ...func(*http.Request)) int {
	w.t.Helper()
	return w.call(anonymous, "GET", "/api/me", "", c...).status
}

const (
	hsts   = "Strict-Transport-Security"
	hosted = "__Host-assay_session"
	plain  = "assay_session"
)

// The settings change the public base URL while the process runs, and browsers get the new one at once.
func TestCookiesFollowTheBaseURLOfNow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		before := w.enter(admin)
		old := cookie(t, before, plain)
		testkit.Equal(t, "Secure on loopback", old.Secure, false)
		testkit.Equal(t, "HSTS on loopback", before.header.Get(hsts), "")

		changed := w.public("https://assay.example.com")
		testkit.Equal(t, "HSTS in the answer to the change", changed.header.Get(hsts), "max-age=31536000")
		testkit.Equal(t, "HSTS of a probe", w.call(anonymous, "GET", "/healthz", "").header.Get(hsts), "max-age=31536000")
		testkit.Equal(t, "an earlier session", w.me(carries(plain, old.Value)), http.StatusOK)

		after := w.enter(admin, carries(plain, old.Value))
		fresh := cookie(t, after, hosted)
		testkit.Equal(t, "Secure, path and domain", [3]any{fresh.Secure, fresh.Path, fresh.Domain}, [3]any{true, "/", ""})
		testkit.Equal(t, "age of the earlier cookie", cookie(t, after, plain).MaxAge, -1)
		testkit.Equal(t, "the earlier session, after a new sign-in", w.me(carries(plain, old.Value)), http.StatusUnauthorized)
		testkit.Equal(t, "the new session", w.me(carries(hosted, fresh.Value)), http.StatusOK)
		testkit.Equal(t, "the new session in a cookie that another host could set", w.me(carries(plain, fresh.Value)), http.StatusUnauthorized)

		begun := cookie(t, w.call(anonymous, "GET", "/auth/codehost/login", ""), "__Host-assay_signin")
		testkit.Equal(t, "Secure of a sign-in under way", begun.Secure, true)
	})
}

func TestLogoutTakesBothCookiesAway(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "https://assay.example.com"} {
		t.Run("at "+base, func(t *testing.T) {
			w := newWorld(t, storetest.SQLite(t))
			one := cookie(t, w.enter(member), plain).Value
			two := cookie(t, w.enter(admin), plain).Value
			if base != "" {
				w.public(base)
			}
			var me struct{ CSRFToken string }
			w.into(&me, w.call(anonymous, "GET", "/api/me", "", carries(hosted, one), carries(plain, two)))
			out := w.call(anonymous, "POST", "/auth/logout", "", carries(hosted, one), carries(plain, two), header("X-CSRF-Token", me.CSRFToken))
			testkit.Require(t, "status", out.status, http.StatusNoContent)
			for _, name := range []string{hosted, plain} {
				c := cookie(t, out, name)
				testkit.Equal(t, "age, value and Secure of "+name, [3]any{c.MaxAge, c.Value, c.Secure}, [3]any{-1, "", name == hosted})
			}
			testkit.Equal(t, "the one session", w.me(carries(hosted, one)), http.StatusUnauthorized)
			testkit.Equal(t, "the other session", w.me(carries(plain, two)), http.StatusUnauthorized)
		})
	}
}

// If a browser sends two cookies, the one with a valid session counts. A sign-in ends that session, whatever
// the other cookie contains.
func TestSignInEndsTheSessionThatCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	over := secret.NewToken(secret.Session).Reveal() // of a session that does not exist
	mine := cookie(t, w.enter(member), plain).Value
	testkit.Equal(t, "the valid session", w.me(carries(hosted, over), carries(plain, mine)), http.StatusOK)
	w.enter(admin, carries(hosted, over), carries(plain, mine))
	testkit.Equal(t, "the same after a new sign-in", w.me(carries(plain, mine)), http.StatusUnauthorized)
}

// A base URL that returns to plain http on this machine removes the cookie prefix. Sessions in cookies with
// the prefix stay valid.
func TestCookiesGoBackToPlainHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.public("https://assay.example.com")
	secured := cookie(t, w.enter(admin), hosted).Value
	testkit.Equal(t, "HSTS after going back", w.public(w.base).header.Get(hsts), "")
	testkit.Equal(t, "an earlier session", w.me(carries(hosted, secured)), http.StatusOK)
	testkit.Equal(t, "Secure", cookie(t, w.enter(admin), plain).Secure, false)
}

// The first run changes the base URL too.
func TestCookiesAfterTheFirstRun(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	f := newFresh(t, s)
	token, ok, err := f.instance.NewToken(bg)
	must(t, err)
	testkit.Require(t, "there is a token", ok, true)
	v := f.visitor()
	opened := v.send("POST", "/setup/session", `{"token":"`+token.Reveal()+`"}`)
	inside := carries("assay_setup", cookie(t, opened, "assay_setup").Value)
	named := v.send("POST", "/setup", url.Values{"step": {"instance"}, "name": {"Ours"}, "publicBaseUrl": {"https://assay.example.com"}}.Encode(), inside, header("Origin", f.base))
	testkit.Require(t, "naming", named.status, http.StatusOK)
	testkit.Equal(t, "HSTS", v.send("GET", "/setup", "").header.Get(hsts), "max-age=31536000")
	user, err := s.CreateUser(bg, "Ada", true)
	must(t, err)
	w := &world{t: t, store: s, people: map[string]person{admin: {id: user.ID}}}
	in := v.send("POST", "/auth/break-glass", "token="+w.link(admin, time.Minute), header("Origin", f.base))
	testkit.Equal(t, "Secure", cookie(t, in, hosted).Secure, true)
}
