package httpapi_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// hostWorld is a world with a simulated GitHub, see [featuretest.GitHub.Install].
type hostWorld struct {
	*world
	raw  storetest.Raw
	sim  *featuretest.GitHub
	app  string
	repo store.Repository
}

func newHostWorld(t *testing.T, s *store.Store, raw storetest.Raw, change ...func(*httpapi.Options)) *hostWorld {
	t.Helper()
	h := &hostWorld{raw: raw, sim: featuretest.NewGitHub(t, s)}
	keys := h.sim.Hosts.Keyring
	h.world = newWorld(t, s, append([]func(*httpapi.Options){func(o *httpapi.Options) {
		o.Audit = audit.New(s, keys, telemetry.Discard()) // one keyring, because it seals the log's key
		people := auth.New(auth.Config{Store: s, Keyring: keys, Audit: o.Audit, Outbound: h.sim.Hosts.Factory, Hosts: h.sim.Hosts, BaseURL: o.BaseURL, Backoff: time.Nanosecond, Logger: o.Logger})
		t.Cleanup(func() { must(t, people.Close()) })
		o.Auth = people
	}}, change...)...)
	h.app, h.repo, _ = h.sim.Install(t, h.Tenant)
	return h
}

// surf returns a browser.
func surf(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	must(t, err)
	return &http.Client{Jar: jar}
}

// still makes a browser stop at redirects.
func still(c *http.Client) *http.Client {
	out := *c
	out.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &out
}

func (h *hostWorld) get(c *http.Client, at string) reply {
	h.t.Helper()
	resp, err := c.Get(at)
	must(h.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(h.t, err)
	return reply{resp.StatusCode, resp.Header, string(body)}
}

// signIn signs a person in with the host and adds them to the world's people under
// the login.
func (h *hostWorld) signIn(login string) {
	h.t.Helper()
	must(h.t, h.sim.Configure(simapi.Settings{SignInAs: login}))
	c := surf(h.t)
	if r := h.get(c, h.base+"/auth/codehost/login?app="+h.app+"&return=/"); r.status != http.StatusOK {
		h.t.Fatalf("the sign-in of %s ended with %d %s", login, r.status, r.body)
	}
	h.adopt(login, c)
}

func (h *hostWorld) adopt(login string, c *http.Client) {
	h.t.Helper()
	u, err := url.Parse(h.base)
	must(h.t, err)
	p := person{}
	for _, cookie := range c.Jar.Cookies(u) {
		if cookie.Name == "assay_session" {
			p.token = cookie.Value
		}
	}
	h.people[login] = p
	var me httpapi.Me
	h.into(&me, h.call(login, "GET", "/api/me", ""))
	p.id, p.csrf = me.ID, me.CSRFToken
	h.people[login] = p
}

// old moves the host's answers about a person into the past.
func (h *hostWorld) old(who string, by time.Duration) {
	h.t.Helper()
	h.raw(`UPDATE identity_tokens SET members_us = members_us - $1, roles_us = roles_us - $1`, by.Microseconds())
	h.raw(`UPDATE repository_roles SET checked_us = checked_us - $1 WHERE user_id = $2`, by.Microseconds(), h.people[who].id)
	h.raw(`UPDATE memberships SET confirmed_us = confirmed_us - $1 WHERE user_id = $2`, by.Microseconds(), h.people[who].id)
}

// A deciding route requests the role from the host now and refuses if the host does not give it. Views and
// lists use a stored answer for an hour.
func TestRoutesThatDecideAskTheHost(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newHostWorld(t, s, raw)
		must(t, h.sim.UpdateRepo(bg, "acme/one", simapi.RepoUpdate{Collaborators: map[string]string{"mona": "maintain"}}))
		h.signIn("mona")
		run := storetest.Run(t, s, storetest.PullRequest(t, s, h.repo, 7), "auto")
		view := h.tenantPath() + "/repositories/" + h.repo.ID + "/review-runs"
		rerun := func() int { return h.call("mona", "POST", view+"/"+run.ID+"/rerun", "").status }
		seen := func(path string) int { return h.call("mona", "GET", path, "").status }
		testkit.Equal(t, "a decision", rerun(), http.StatusAccepted)

		must(t, h.sim.UpdateRepo(bg, "acme/one", simapi.RepoUpdate{Collaborators: map[string]string{"mona": "read"}}))
		h.old("mona", 2*time.Minute)
		testkit.Equal(t, "a view with a stored answer", seen(view), http.StatusOK)
		testkit.Equal(t, "a decision that the host no longer allows", rerun(), http.StatusForbidden)
		_, err := h.sim.SetFault(simapi.Fault{Path: "^/(user|repositories|orgs)", Action: simapi.Respond, Status: 503, Times: -1})
		must(t, err)
		h.old("mona", 2*time.Minute)
		testkit.Equal(t, "a decision while the host is down", rerun(), http.StatusServiceUnavailable)
		testkit.Equal(t, "a view while the host is down", seen(view), http.StatusOK)
		h.old("mona", 2*time.Hour)
		testkit.Equal(t, "a view with an answer that is too old", seen(view), http.StatusServiceUnavailable)
		testkit.Equal(t, "a list with answers that are too old", seen(h.tenantPath()+"/repositories"), http.StatusServiceUnavailable)
		testkit.Equal(t, "the tenant", seen(h.tenantPath()+"/rules"), http.StatusOK)
	})
}

// A sign-in by a code host leads there and back through redirects. An invalid return ends on a page, without
// a session.
func TestSignInByCodeHostThroughABrowser(t *testing.T) {
	t.Parallel()
	s, raw := storetest.SQLiteRaw(t)
	h := newHostWorld(t, s, raw)
	must(t, h.sim.Configure(simapi.Settings{SignInAs: "mona"}))
	login := h.base + "/auth/codehost/login?app=" + h.app
	check := func(what string, r reply, status int, says string) {
		t.Helper()
		if r.status != status || !strings.Contains(r.body, says) || strings.Contains(r.body, "bad_verification") {
			t.Errorf("%s: %d %s, want %d with %q", what, r.status, r.body, status, says)
		}
		if strings.Contains(strings.Join(r.header.Values("Set-Cookie"), " "), "session") {
			t.Errorf("%s: got a session", what)
		}
	}
	mine := surf(t)
	begun := h.get(still(mine), login)
	if begun.status != http.StatusSeeOther || !strings.HasPrefix(begun.header.Get("Location"), h.sim.URL+"/login/oauth/authorize?") {
		t.Fatalf("%d %q", begun.status, begun.header.Get("Location"))
	}
	back := h.get(still(mine), begun.header.Get("Location")).header.Get("Location")
	check("another browser", h.get(still(surf(t)), back), 400, "This sign-in is over")
	if r := h.get(still(mine), back); r.status != http.StatusSeeOther || r.header.Get("Location") != "/" || !strings.Contains(r.header.Get("Set-Cookie"), "assay_session=") {
		t.Errorf("the browser that began: %d %v %s", r.status, r.header, r.body)
	}
	check("the same state again", h.get(still(mine), back), 400, "This sign-in is over")
	check("no state", h.get(still(mine), h.base+"/auth/codehost/callback?code=x"), 400, "This sign-in is over")
	must(t, h.sim.Configure(simapi.Settings{DenySignIn: true}))
	check("the person declines", h.get(mine, login), 400, "did not allow")
	check("a return to another site", h.get(still(mine), login+"&return=//evil.example"), 422, "")
	check("an unknown app", h.get(still(mine), h.base+"/auth/codehost/login?app=app_never"), 404, "The page does not exist, or you may not see it.")
	if r, err := http.Head(login); err != nil || r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("HEAD: %v %v", r, err)
	}
}
