package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// once allows a burst, and nothing more during a test.
func once(burst int) httpapi.Rate { return httpapi.Rate{PerSecond: 1e-6, Burst: burst} }

// tooOften checks that an answer is the page about too many requests.
func tooOften(t *testing.T, what string, got reply, hidden string) {
	t.Helper()
	after := got.header.Get("Retry-After")
	if got.status != http.StatusTooManyRequests || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || after == "" ||
		!strings.Contains(got.body, "<h1>The sign-in did not work</h1>") || !strings.Contains(got.body, "Try again in "+after+" seconds") {
		t.Errorf("%s: %d %v %s, want the page of a sign-in that failed", what, got.status, got.header, got.body)
	}
	if hidden != "" && strings.Contains(got.body, hidden) {
		t.Errorf("%s: the page repeats the sent text", what)
	}
}

// The people of an office behind one address sign in one after another while the same address also sends
// callbacks without a sign-in. Those are soon refused, and they do not prevent sign-ins that have begun.
func TestAnOfficeSignsIn(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		const people = 6
		w := newIDPWorld(t, s, raw, func(o *httpapi.Options) { o.Limits.Start, o.Limits.Guess = once(people+2), once(2) })
		noise := func(status int) {
			t.Helper()
			stray := w.tab().get("/auth/oidc/company/callback?code=x&state=" + secret.NewToken(secret.State).Reveal())
			testkit.Equal(t, "a callback without a sign-in", stray.status, status)
		}
		noise(http.StatusBadRequest)
		noise(http.StatusBadRequest)
		noise(http.StatusTooManyRequests)
		for range people { // the two halves of a sign-in do not count twice
			w.tab().signIn("ada")
			noise(http.StatusTooManyRequests)
		}
		under := w.tab() // began before the limit
		q := under.leave("ada")
		w.tab().leave("ada")
		late := w.tab().get("/auth/oidc/company/login")
		tooOften(t, "beginning one more", late, "")
		if got := under.back(q); got.status != http.StatusSeeOther {
			t.Errorf("returning while no sign-in may begin: %d %s", got.status, got.body)
		}
		tooOften(t, "the same answer a second time", under.back(q), q.Get("state"))
	})
}

// A callback that does not belong to a sign-in of this browser may be a guess.
func TestCallbacksThatMayBeGuesses(t *testing.T) {
	t.Parallel()
	for name, try := range map[string]func(w *idpWorld) reply{
		"an unknown state": func(w *idpWorld) reply {
			return w.tab().get("/auth/oidc/company/callback?code=x&state=" + secret.NewToken(secret.State).Reveal())
		},
		"no state":                   func(w *idpWorld) reply { return w.tab().get("/auth/oidc/company/callback?code=x") },
		"a text that is not a state": func(w *idpWorld) reply { return w.tab().get("/auth/oidc/company/callback?code=x&state=x") },
		"a state twice": func(w *idpWorld) reply {
			b := w.tab()
			q := b.leave("ada")
			q.Add("state", q.Get("state"))
			return b.back(q)
		},
		"a state of another browser": func(w *idpWorld) reply {
			q := w.tab().leave("ada")
			b := w.tab()
			b.leave("ada") // the browser has its own cookie
			return b.back(q)
		},
		"without the cookie": func(w *idpWorld) reply { b := w.tab(); q := b.leave("ada"); b.forget(); return b.back(q) },
		"at a code host": func(w *idpWorld) reply {
			b := w.tab()
			q := b.leave("ada")
			return b.get("/auth/codehost/callback?" + q.Encode())
		},
		"too late": func(w *idpWorld) reply {
			b := w.tab()
			q := b.leave("ada")
			w.raw(`UPDATE sign_in_states SET expires_us = 1`)
			return b.back(q)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, raw := storetest.SQLiteRaw(t)
			w := newIDPWorld(t, s, raw, func(o *httpapi.Options) { o.Limits.Guess = once(1) })
			if got := try(w); got.status != http.StatusBadRequest {
				t.Errorf("the first one: %d %s", got.status, got.body)
			}
			tooOften(t, "the second one", try(w), "")
		})
	}
}

// Links count against the limit before they are checked. After too many guesses a valid token is neither
// checked nor used up, and still works elsewhere. Abandoned sign-ins do not prevent the use of a link.
func TestLinksAreGuessedSlowly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, proxies(), func(o *httpapi.Options) { o.Limits.Guess = once(2) })
		office, elsewhere := forwarded("192.0.2.1"), forwarded("192.0.2.2")
		token := w.link(admin, time.Minute)
		page, body := "/auth/break-glass?token="+token, "token="+token
		for range 3 {
			w.call(anonymous, "GET", "/auth/codehost/callback", "", office)
		}
		testkit.Equal(t, "a wrong one", w.call(anonymous, "POST", "/auth/break-glass", "token="+secret.NewToken(secret.Link).Reveal(), form, office).status, http.StatusNotFound)
		testkit.Equal(t, "opening a wrong one", w.call(anonymous, "GET", "/auth/break-glass?token="+secret.NewToken(secret.Link).Reveal(), "", office).status, http.StatusNotFound)
		tooOften(t, "looking at the right one", w.call(anonymous, "GET", page, "", office), token)
		tooOften(t, "the right one", w.call(anonymous, "POST", "/auth/break-glass", body, form, office), token)
		testkit.Equal(t, "the page elsewhere", w.call(anonymous, "GET", page, "", elsewhere).status, http.StatusOK)
		testkit.Equal(t, "used elsewhere", w.call(anonymous, "POST", "/auth/break-glass", body, form, elsewhere).status, http.StatusSeeOther)
	})
}

// These limits apply if the service sets none.
func TestLimitsOfSignIns(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{"/auth/codehost/login": 100, "/auth/codehost/callback": 10, "/auth/break-glass?token=x": 10} {
		t.Run(path, func(t *testing.T) {
			w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { o.Limits.Start, o.Limits.Guess = httpapi.Rate{}, httpapi.Rate{} })
			passed := 0
			for range want {
				if w.call(anonymous, "GET", path, "").status != http.StatusTooManyRequests {
					passed++
				}
			}
			if passed < want {
				t.Errorf("%d of %d pass at once", passed, want)
			}
		})
	}
}
