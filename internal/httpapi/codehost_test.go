package httpapi_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/gate"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/sim/github"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// hostWorld is a world with a simulated code host on a listener of its own: the
// organisation acme has the app, two repositories, an owner and a member.
type hostWorld struct {
	*world
	raw        storetest.Raw
	sim        *github.Server
	simURL     string
	app        string
	inst       simapi.Installation
	repo, also store.Repository
}

func newHostWorld(t *testing.T, s *store.Store, raw storetest.Raw, change ...func(*httpapi.Options)) *hostWorld {
	t.Helper()
	h := &hostWorld{raw: raw, app: "app_sim"}
	listener := httptest.NewUnstartedServer(nil)
	h.simURL = "http://" + listener.Listener.Addr().String()
	var err error
	h.sim, err = github.New(github.Options{DataDir: t.TempDir(), BaseURL: h.simURL})
	must(t, err)
	listener.Config.Handler = h.sim.Handler()
	listener.Start()
	t.Cleanup(func() { listener.Close(); must(t, h.sim.Close()) })
	u, err := url.Parse(h.simURL)
	must(t, err)
	port, err := strconv.Atoi(u.Port())
	must(t, err)

	keys := storetest.Keyring(t, s)
	factory := outbound.New(outbound.Policy{LoopbackPorts: []int{port}})
	t.Cleanup(factory.Close)
	hosts := &connect.Hosts{Store: s, Keyring: keys, Factory: factory, Gate: gate.New(gate.Config{Store: s, Owner: "test", Limits: gate.DefaultLimits()}), Logger: slog.New(slog.DiscardHandler)}
	h.world = newWorld(t, s, append([]func(*httpapi.Options){func(o *httpapi.Options) {
		o.Audit = audit.New(s, keys, telemetry.Discard()) // one keyring: the log's key is sealed with it
		people := auth.New(auth.Config{Store: s, Keyring: keys, Audit: o.Audit, Outbound: factory, Hosts: hosts, BaseURL: o.BaseURL, Backoff: time.Nanosecond, Logger: o.Logger})
		t.Cleanup(func() { must(t, people.Close()) })
		o.Auth = people
	}}, change...)...)
	org, err := h.sim.CreateUser(bg, simapi.UserSpec{Login: "acme", Type: "Organization", Members: map[string]string{"olga": "admin", "mona": "member"}})
	must(t, err)
	for _, login := range []string{"outsider", "nobody"} {
		_, err = h.sim.CreateUser(bg, simapi.UserSpec{Login: login})
		must(t, err)
	}
	app, err := h.sim.RegisterApp(bg, simapi.AppSpec{Slug: "assay", Owner: "acme"})
	must(t, err)
	one, err := h.sim.CreateRepo(bg, simapi.RepoSpec{Owner: "acme", Name: "one", Files: map[string]string{"a": "a"}, Collaborators: map[string]string{"mona": "write", "outsider": "read"}})
	must(t, err)
	two, err := h.sim.CreateRepo(bg, simapi.RepoSpec{Owner: "acme", Name: "two", Files: map[string]string{"a": "a"}})
	must(t, err)
	h.inst, err = h.sim.Install(bg, simapi.InstallSpec{AppID: app.ID, Account: "acme"})
	must(t, err)

	row := store.App{ID: h.app, Kind: "github", WebURL: h.simURL, APIURL: h.simURL + "/api/v3/", ExternalID: domain.NumberID(app.ID), Slug: app.Slug, ClientID: app.ClientID}
	for column, into := range map[string]struct {
		to    *[]byte
		value string
	}{"private_key": {&row.PrivateKey, app.PrivateKeyPEM}, "webhook_secret": {&row.WebhookSecret, "w"}, "client_secret": {&row.ClientSecret, app.ClientSecret}} {
		*into.to, err = keys.SealSecret(bg, connect.AppScope(h.app, column), secret.New(into.value))
		must(t, err)
	}
	_, err = s.CreateApp(bg, row)
	must(t, err)
	inst, err := s.SeeInstallation(bg, store.Installation{AppID: h.app, ExternalID: domain.NumberID(h.inst.ID), AccountID: domain.NumberID(org.ID), AccountLogin: "acme", AccountType: "Organization"})
	must(t, err)
	_, err = s.PlaceInstallation(bg, h.Tenant, inst.ID)
	must(t, err)
	for into, r := range map[*store.Repository]simapi.Repo{&h.repo: one, &h.also: two} {
		_, name, _ := strings.Cut(r.FullName, "/")
		*into, err = s.SeeRepository(bg, h.Tenant, store.Repository{Installation: inst.ID, ExternalID: domain.NumberID(r.ID), Owner: "acme", Name: name, DefaultBranch: "main", Private: true})
		must(t, err)
	}
	return h
}

// surf is a browser.
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

// signIn lets somebody sign in with the host, and makes them one of the world's
// people under the login.
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

// standing is the role in the tenant with those on the repositories.
func (h *hostWorld) standing(who string) string {
	h.t.Helper()
	r := h.call(who, "GET", h.tenantPath()+"/access", "")
	if r.status != http.StatusOK {
		return strconv.Itoa(r.status)
	}
	var a httpapi.Access
	must(h.t, json.Unmarshal([]byte(r.body), &a))
	out := a.Role
	for _, id := range []string{h.repo.ID, h.also.ID} {
		role := "none"
		for _, on := range a.Repositories {
			if on.RepositoryID == id {
				role = on.Role
			}
		}
		out += " " + role
	}
	return out
}

// old makes everything that the host said of somebody older.
func (h *hostWorld) old(who string, by time.Duration) {
	h.t.Helper()
	h.raw(`UPDATE identity_tokens SET members_us = members_us - $1, roles_us = roles_us - $1`, by.Microseconds())
	h.raw(`UPDATE repository_roles SET checked_us = checked_us - $1 WHERE user_id = $2`, by.Microseconds(), h.people[who].id)
	h.raw(`UPDATE memberships SET confirmed_us = confirmed_us - $1 WHERE user_id = $2`, by.Microseconds(), h.people[who].id)
}

func (h *hostWorld) expect(who, want string) {
	h.t.Helper()
	if got := h.standing(who); got != want {
		h.t.Errorf("%s has %q, want %q", who, got, want)
	}
}

func TestSignInByCodeHost(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newHostWorld(t, s, raw)
		for login, want := range map[string]string{"olga": "admin manage manage", "mona": "member review view", "outsider": "404", "nobody": "404"} {
			h.signIn(login)
			h.expect(login, want)
		}
		first := h.people["mona"].id
		h.signIn("mona")
		if h.people["mona"].id != first {
			t.Error("the second sign-in made another person")
		}

		// A login name is no identity: the person keeps everything under a new one,
		// and who takes the old one is somebody else.
		must(t, h.sim.UpdateUser(bg, "mona", simapi.UserUpdate{Login: "mona-lisa"}))
		h.signIn("mona-lisa")
		if h.people["mona-lisa"].id != first {
			t.Error("a renamed account became another person")
		}
		h.expect("mona-lisa", "member review view")
		_, err := h.sim.CreateUser(bg, simapi.UserSpec{Login: "mona"})
		must(t, err)
		h.signIn("mona")
		if h.people["mona"].id == first {
			t.Error("who took the login name over became the same person")
		}
		h.expect("mona", "404")

		// What changes on the host counts when it is asked again.
		must(t, h.sim.UpdateRepo(bg, "acme/one", simapi.RepoUpdate{Collaborators: map[string]string{"mona-lisa": "maintain"}}))
		h.old("mona-lisa", 2*time.Hour)
		h.expect("mona-lisa", "member manage view")
		must(t, h.sim.UpdateUser(bg, "acme", simapi.UserUpdate{Members: map[string]string{"mona-lisa": ""}}))
		_, err = s.MarkPersonStale(bg, h.simURL, strconv.FormatInt(h.subject(first), 10))
		must(t, err)
		h.expect("mona-lisa", "404")

		// The settings of the tenant decide what owners and collaborators become.
		must(t, s.PutSetting(bg, h.Tenant, "", store.SettingTenant, `{"hostOwnersAreAdmins":false,"collaborators":"member","membersWithoutHostRole":"none"}`))
		h.signIn("olga")
		h.expect("olga", "member manage manage")
		h.signIn("outsider")
		h.expect("outsider", "member view none")
		h.signIn("nobody")
		h.expect("nobody", "404")
		must(t, s.PutSetting(bg, h.Tenant, "", store.SettingTenant, `{"collaborators":"member","membersWithoutHostRole":"view"}`))
		h.expect("outsider", "member view view")
	})
}

// subject is the host's id of a person.
func (h *hostWorld) subject(user string) int64 {
	h.t.Helper()
	all, err := h.store.IdentitiesOf(bg, user)
	must(h.t, err)
	n, err := strconv.ParseInt(all[0].Subject, 10, 64)
	must(h.t, err)
	return n
}

func TestDecidingActsAskTheHost(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newHostWorld(t, s, raw)
		must(t, h.sim.UpdateRepo(bg, "acme/one", simapi.RepoUpdate{Collaborators: map[string]string{"mona": "maintain"}}))
		h.signIn("mona")
		pull := storetest.PullRequest(t, s, h.repo, 7)
		run := storetest.Run(t, s, pull, "auto")
		path := h.tenantPath() + "/repositories/" + h.repo.ID + "/review-runs"
		rerun := path + "/" + run.ID + "/rerun"
		want := func(what string, r reply, status int) {
			t.Helper()
			if r.status != status {
				t.Errorf("%s: %d %s, want %d", what, r.status, r.body, status)
			}
		}
		want("a decision", h.call("mona", "POST", rerun, ""), http.StatusAccepted)

		must(t, h.sim.UpdateRepo(bg, "acme/one", simapi.RepoUpdate{Collaborators: map[string]string{"mona": "read"}}))
		want("a decision within the minute", h.call("mona", "POST", rerun, ""), http.StatusAccepted)
		h.old("mona", 2*time.Minute)
		want("a view of the cache", h.call("mona", "GET", path, ""), http.StatusOK)
		want("a decision after it", h.call("mona", "POST", rerun, ""), http.StatusForbidden)

		fault, err := h.sim.SetFault(simapi.Fault{Path: "^/(user|repositories|orgs)", Action: simapi.Respond, Status: 503, Times: -1})
		must(t, err)
		h.old("mona", 2*time.Minute)
		want("a decision while the host is down", h.call("mona", "POST", rerun, ""), http.StatusServiceUnavailable)
		want("a view while the host is down", h.call("mona", "GET", path, ""), http.StatusOK)
		h.old("mona", 2*time.Hour)
		want("a view of what is too old", h.call("mona", "GET", path, ""), http.StatusServiceUnavailable)
		want("a list of what is too old", h.call("mona", "GET", h.tenantPath()+"/repositories", ""), http.StatusServiceUnavailable)
		want("the tenant", h.call("mona", "GET", h.tenantPath()+"/rules", ""), http.StatusOK)
		h.old("mona", 25*time.Hour)
		want("the tenant after a day", h.call("mona", "GET", h.tenantPath()+"/rules", ""), http.StatusServiceUnavailable)
		want("an admin by hand", h.call(admin, "GET", path, ""), http.StatusOK)
		must(t, h.sim.ReleaseFault(fault.ID, ""))
		want("the host is back", h.call("mona", "GET", path, ""), http.StatusOK)

		// A token that is over is renewed; one that cannot be is forgotten.
		h.raw(`UPDATE identity_tokens SET access_expires_us = 1`)
		h.old("mona", 2*time.Minute)
		want("a decision with a token that is over", h.call("mona", "POST", rerun, ""), http.StatusForbidden)
		h.raw(`UPDATE identity_tokens SET access_expires_us = 1, refresh_expires_us = 1`)
		h.old("mona", 2*time.Minute)
		want("a decision without a token", h.call("mona", "POST", rerun, ""), http.StatusUnauthorized)
	})
}

func TestSignInIsRefused(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, testSignInIsRefused)
}

func testSignInIsRefused(t *testing.T, s *store.Store, raw storetest.Raw) {
	h := newHostWorld(t, s, raw)
	must(t, h.sim.Configure(simapi.Settings{SignInAs: "mona"}))
	login := h.base + "/auth/codehost/login?app=" + h.app
	// begin goes to the host and back, up to the address of the callback.
	begin := func(c *http.Client) string {
		t.Helper()
		r := h.get(still(c), login)
		if r.status != http.StatusSeeOther || !strings.HasPrefix(r.header.Get("Location"), h.simURL+"/login/oauth/authorize?") {
			t.Fatalf("%d %q", r.status, r.header.Get("Location"))
		}
		if r = h.get(still(c), r.header.Get("Location")); r.status != http.StatusFound {
			t.Fatalf("%d %s", r.status, r.body)
		}
		return r.header.Get("Location")
	}
	check := func(what string, r reply, status int, says string) {
		t.Helper()
		if r.status != status || !strings.Contains(r.body, says) || strings.Contains(r.body, "bad_verification") {
			t.Errorf("%s: %d %s, want %d with %q", what, r.status, r.body, status, says)
		}
		for _, c := range r.header.Values("Set-Cookie") {
			if strings.Contains(c, "session") {
				t.Errorf("%s: got a session", what)
			}
		}
	}
	const over = "This sign-in is over"

	mine := surf(t)
	back := begin(mine)
	check("another browser", h.get(still(surf(t)), back), 400, over)
	if r := h.get(still(mine), back); r.status != http.StatusSeeOther || r.header.Get("Location") != "/" {
		t.Errorf("the browser that began: %d %s", r.status, r.body)
	}
	check("the same state again", h.get(still(mine), back), 400, over)

	back = begin(mine)
	h.raw(`UPDATE sign_in_states SET expires_us = 1`)
	check("after ten minutes", h.get(still(mine), back), 400, over)

	back = begin(mine)
	check("another state", h.get(still(mine), strings.Replace(back, "state=assay_state_", "state=assay_state_x", 1)), 400, over)
	check("no state", h.get(still(mine), h.base+"/auth/codehost/callback?code=x"), 400, over)
	u, err := url.Parse(back)
	must(t, err)
	q := u.Query()
	q.Set("code", "wrong")
	check("another code", h.get(still(mine), h.base+"/auth/codehost/callback?"+q.Encode()), 400, "did not complete")

	must(t, h.sim.Configure(simapi.Settings{DenySignIn: true}))
	check("the person says no", h.get(mine, login), 400, "did not allow")
	must(t, h.sim.Configure(simapi.Settings{SignInAs: "mona"}))

	back = begin(mine)
	_, err = h.sim.SetFault(simapi.Fault{Path: "^/login/oauth/access_token", Action: simapi.Respond, Status: 502})
	must(t, err)
	check("the host is down", h.get(still(mine), back), 503, "does not answer")

	for target, ok := range map[string]bool{"/t/x": true, "": true, "//evil.example": false, `/\evil.example`: false, "https://evil.example": false, "/%2f%2fevil.example": true, "/%0d%0aX: y": false, "evil": false, "/api/me": false} {
		r := h.get(still(surf(t)), login+"&return="+url.QueryEscape(target))
		if target == "/%2f%2fevil.example" {
			ok = false
		}
		if ok != (r.status == http.StatusSeeOther) || !ok && r.status != http.StatusUnprocessableEntity {
			t.Errorf("return %q: %d", target, r.status)
		}
	}
	check("an unknown app", h.get(still(mine), h.base+"/auth/codehost/login?app=app_never"), 404, "nothing here")
	if r, err := http.Head(login); err != nil || r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("HEAD: %v %v", r, err)
	}
}

func TestLinkingNeedsAYoungSession(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, testLinkingNeedsAYoungSession)
}

func testLinkingNeedsAYoungSession(t *testing.T, s *store.Store, raw storetest.Raw) {
	h := newHostWorld(t, s, raw)
	must(t, h.sim.Configure(simapi.Settings{SignInAs: "mona"}))
	link := h.base + "/auth/codehost/login?link=1&app=" + h.app
	if r := h.get(still(surf(t)), link); r.status != http.StatusUnauthorized {
		t.Errorf("without a session: %d", r.status)
	}
	c := surf(t)
	u, err := url.Parse(h.base)
	must(t, err)
	c.Jar.SetCookies(u, []*http.Cookie{{Name: "assay_session", Value: h.people[admin].token}})
	if r := h.get(c, link); r.status != http.StatusOK {
		t.Fatalf("linking: %d %s", r.status, r.body)
	}
	h.adopt("linked", c)
	if h.people["linked"].id != h.people[admin].id {
		t.Error("the account belongs to another person than the one who linked it")
	}
	must(t, h.sim.Configure(simapi.Settings{SignInAs: "olga"}))
	if r := h.get(c, link); r.status != http.StatusConflict {
		t.Errorf("a second account of one host: %d", r.status)
	}
	h.raw(`UPDATE sessions SET created_us = created_us - 660000000`)
	if r := h.get(c, link); r.status != http.StatusForbidden {
		t.Errorf("an old session: %d", r.status)
	}
	var list httpapi.List[httpapi.Session]
	h.into(&list, h.call("linked", "GET", "/api/me/sessions", ""))
	if len(list.Items) != 1 || !list.Items[0].Current || list.Items[0].Method != "github" || list.Items[0].ProviderID != h.app {
		t.Errorf("sessions: %+v", list)
	}
	if r := h.call(member, "DELETE", "/api/me/sessions/"+list.Items[0].ID, ""); r.status != http.StatusNotFound {
		t.Errorf("somebody else's session: %d", r.status)
	}
	if r := h.call("linked", "DELETE", "/api/me/sessions/"+list.Items[0].ID, ""); r.status != http.StatusNoContent {
		t.Errorf("one's own session: %d", r.status)
	}
	if r := h.call("linked", "GET", "/api/me", ""); r.status != http.StatusUnauthorized {
		t.Errorf("after it was ended: %d", r.status)
	}
}

func TestProvidersAreListed(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, testProvidersAreListed)
}

func testProvidersAreListed(t *testing.T, s *store.Store, raw storetest.Raw) {
	h := newHostWorld(t, s, raw)
	var list httpapi.List[auth.Provider]
	h.into(&list, h.call(anonymous, "GET", "/auth/providers", ""))
	if len(list.Items) != 1 || list.Items[0].Kind != "codehost" || list.Items[0].Slug != h.app || list.Items[0].LoginURL != "/auth/codehost/login?app="+h.app {
		t.Errorf("%+v", list)
	}
}
