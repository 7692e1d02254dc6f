package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/gate"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/sim/github"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// fresh is an instance that nobody has set up, beside a simulated host with
// ada, who owns the organisation acme, and eve.
type fresh struct {
	t        *testing.T
	store    *store.Store
	raw      storetest.Raw
	keys     *secret.Keyring
	out      *outbound.Factory
	hosts    *connect.Hosts
	sim      *github.Server
	simURL   string
	base     string
	instance *instance.Service
	code     *featuretest.Connections // the hosts of provider connections
}

func newFresh(t *testing.T, s *store.Store, raw storetest.Raw, change ...func(*instance.Config)) *fresh {
	t.Helper()
	f := &fresh{t: t, store: s, raw: raw, keys: storetest.Keyring(t, s), code: &featuretest.Connections{}}
	listener := httptest.NewUnstartedServer(nil)
	f.simURL = "http://" + listener.Listener.Addr().String()
	var err error
	f.sim, err = github.New(github.Options{DataDir: t.TempDir(), BaseURL: f.simURL})
	must(t, err)
	listener.Config.Handler = f.sim.Handler()
	listener.Start()
	t.Cleanup(func() { listener.Close(); must(t, f.sim.Close()) })
	_, err = f.sim.CreateUser(bg, simapi.UserSpec{Login: "acme", Type: "Organization", Members: map[string]string{"ada": "admin"}})
	must(t, err)
	_, err = f.sim.CreateUser(bg, simapi.UserSpec{Login: "eve"})
	must(t, err)
	_, err = f.sim.CreateRepo(bg, simapi.RepoSpec{Owner: "acme", Name: "shop", Files: map[string]string{"a": "a"}})
	must(t, err)
	must(t, f.sim.Configure(simapi.Settings{SignInAs: "ada"}))
	u, err := url.Parse(f.simURL)
	must(t, err)
	port, err := strconv.Atoi(u.Port())
	must(t, err)
	f.out = outbound.New(outbound.Policy{LoopbackPorts: []int{port}})
	t.Cleanup(f.out.Close)
	f.hosts = &connect.Hosts{Store: s, Keyring: f.keys, Factory: f.out, Gate: gate.New(gate.Config{Store: s, Owner: "test", Limits: gate.DefaultLimits()}), Logger: telemetry.Discard()}
	f.base, f.instance = f.process(change...)
	return f
}

// process starts a process of the instance; later ones have the public base URL
// of the first.
func (f *fresh) process(change ...func(*instance.Config)) (string, *instance.Service) {
	f.t.Helper()
	server := httptest.NewUnstartedServer(nil)
	base := "http://" + server.Listener.Addr().String()
	public := f.base
	if public == "" {
		public = base
	}
	logger := telemetry.Discard()
	made := featuretest.New(f.t, f.store, func(o *featuretest.Options) {
		o.BaseURL, o.Keyring, o.Outbound, o.Hosts, o.Code = public, f.keys, f.out, f.hosts, f.code
		o.Auth = func(c *auth.Config) { c.Logger = logger }
		o.Instance = func(c *instance.Config) {
			c.Version, c.URL = "1.2.3", func(string) error { return nil }
			for _, change := range change {
				change(c)
			}
		}
	})
	many := httpapi.Rate{PerSecond: 1e6, Burst: 1e6}
	o := httpapi.Options{Store: f.store, KV: &fakeKV{}, Rerun: &fakeRerun{store: f.store}, Features: features(made), BaseURL: public, Edition: "self-hosted", Version: "1.2.3", Commit: "abc",
		Metrics: telemetry.NewMetrics(telemetry.Build{}), Webhook: http.NotFoundHandler(), Limits: httpapi.Limits{Address: many, Person: many, Start: many, Guess: many, Webhook: many}, Logger: logger}
	h, err := httpapi.New(o)
	must(f.t, err)
	server.Config.Handler = h
	server.Start()
	f.t.Cleanup(server.Close)
	return base, made.Instance
}

// visitor is a browser, or a program with a jar of cookies.
type visitor struct {
	*fresh
	at     string // the process that it talks to
	client *http.Client
}

func (f *fresh) visitor() *visitor { return &visitor{f, f.base, surf(f.t)} }

// send does a request without following redirects.
func (v *visitor) send(method, path, body string, with ...func(*http.Request)) reply {
	v.t.Helper()
	target := path
	if !strings.HasPrefix(path, "http") {
		target = v.at + path
	}
	r, err := http.NewRequest(method, target, strings.NewReader(body))
	must(v.t, err)
	if strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", "application/json")
	} else if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, f := range with {
		f(r)
	}
	resp, err := still(v.client).Do(r)
	must(v.t, err)
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	must(v.t, err)
	out := reply{resp.StatusCode, resp.Header, string(got)}
	if strings.HasPrefix(target, v.at) && !strings.Contains(resp.Header.Get("Content-Type"), "text/html") {
		described(v.t, method, strings.TrimPrefix(target, v.at), body, out)
	}
	return out
}

func (v *visitor) want(what string, r reply, status int) reply {
	v.t.Helper()
	if r.status != status {
		v.t.Fatalf("%s: %d %s, want %d", what, r.status, r.body, status)
	}
	return r
}

func read[T any](t *testing.T, r reply) (out T) {
	t.Helper()
	must(t, json.Unmarshal([]byte(r.body), &out))
	return out
}

func (f *fresh) token() string {
	f.t.Helper()
	token, ok, err := f.instance.NewToken(bg)
	must(f.t, err)
	if !ok {
		f.t.Fatal("setup is over")
	}
	return token.Reveal()
}

func (v *visitor) open() *visitor {
	v.t.Helper()
	v.want("the token", v.send("POST", "/setup/session", `{"token":"`+v.token()+`"}`), http.StatusNoContent)
	return v
}

func (v *visitor) progress() instance.Progress {
	v.t.Helper()
	return read[instance.Progress](v.t, v.want("progress", v.send("GET", "/setup/codehost/state", ""), http.StatusOK))
}

// manifest prepares an app, and lets the host make it; the answer is the address
// to which the host sends the browser back.
func (v *visitor) manifest(query string) string {
	v.t.Helper()
	form := read[instance.ManifestForm](v.t, v.want("manifest", v.send("GET", "/setup/codehost/manifest?baseUrl="+url.QueryEscape(v.simURL)+query, ""), http.StatusOK))
	m, err := json.Marshal(form.Manifest)
	must(v.t, err)
	return v.want("the host's form", v.send("POST", form.Action, url.Values{"manifest": {string(m)}}.Encode()), http.StatusFound).header.Get("Location")
}

// installs goes through the host's page of an app; the answer is where it sends
// the browser back to.
func (v *visitor) installs(at, who, account string) string {
	v.t.Helper()
	return v.want("the host's page", v.send("GET", at+"&login_as="+who+"&account="+account, ""), http.StatusFound).header.Get("Location")
}

func TestFirstRun(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := newFresh(t, s, raw)
		v := f.visitor()
		v.want("before the token", v.send("GET", "/setup/codehost/state", ""), http.StatusUnauthorized)
		opened := v.send("POST", "/setup/session", `{"token":"`+f.token()+`"}`)
		v.want("the token", opened, http.StatusNoContent)
		if c := opened.header.Get("Set-Cookie"); !strings.HasPrefix(c, "assay_setup=assay_") || !strings.Contains(c, "HttpOnly") || !strings.Contains(c, "SameSite=Lax") {
			t.Errorf("the cookie is %q", c)
		}
		if p := v.progress(); p.Next != "instance" || p.App != nil || p.PublicBaseURL != f.base {
			t.Errorf("at first: %+v", p)
		}
		v.want("the name", v.send("PUT", "/setup/instance", `{"name":"Acme reviews"}`), http.StatusOK)
		if p := v.progress(); p.Next != "app" || p.Name != "Acme reviews" {
			t.Errorf("after the name: %+v", p)
		}
		back := v.manifest("&organization=acme")
		if !strings.HasPrefix(back, f.base+"/setup/codehost/callback?") {
			t.Fatalf("the host sends back to %s", back)
		}
		if to := v.want("the callback", v.send("GET", back, ""), http.StatusSeeOther).header.Get("Location"); to != f.base+"/setup" {
			t.Errorf("it goes on at %s", to)
		}
		v.want("the callback again", v.send("GET", back, ""), http.StatusBadRequest)
		p := v.progress()
		if p.Next != "tenant" || p.App == nil || p.App.Slug != "acme-reviews" || p.App.Owner != "acme" || !p.App.PrivateKeySet || !p.App.WebhookSecretSet || !p.App.ClientSecretSet || p.App.BaseURL != f.simURL {
			t.Fatalf("after the app: %+v", p)
		}
		done := v.want("back from the installation", v.send("GET", v.installs(p.InstallURL, "ada", "acme"), ""), http.StatusOK)
		if !strings.Contains(done.body, "acme waits") || !strings.Contains(done.body, `href="/setup"`) {
			t.Errorf("the page says %s", done.body)
		}

		// The person signs in through the app just made, and becomes the admin.
		signIn := v.get(v.client, f.base+p.SignInURL)
		if signIn.status != http.StatusOK || !strings.Contains(signIn.body, "You are signed in as") {
			t.Fatalf("the sign-in ends with %d %s", signIn.status, signIn.body)
		}
		made := v.want("the tenant", v.send("POST", "/setup/finish", `{"tenantName":"Acme"}`), http.StatusCreated)
		end := read[instance.Finished](t, made)
		if end.SignInLink != "" || end.TenantID == "" {
			t.Errorf("%+v", end)
		}
		all, err := s.Installations(bg, "")
		must(t, err)
		if len(all) != 1 || all[0].Tenant != end.TenantID || all[0].AccountLogin != "acme" {
			t.Errorf("installations: %+v", all)
		}
		var me httpapi.Me
		must(t, json.Unmarshal([]byte(v.send("GET", "/api/me", "").body), &me))
		if !me.InstanceAdmin || me.ID != end.UserID {
			t.Errorf("the admin is %+v", me)
		}
		if mine := read[httpList[httpapi.MyTenant]](t, v.send("GET", "/api/me/tenants", "")); len(mine.Items) != 1 || mine.Items[0].Role != "admin" || mine.Items[0].Name != "Acme" {
			t.Errorf("the admin's tenants: %+v", mine)
		}
		csrf := func(r *http.Request) { r.Header.Set("X-CSRF-Token", me.CSRFToken) }
		if r := v.send("GET", "/api/tenants/"+end.TenantID+"/repositories", ""); !strings.Contains(r.body, `"shop"`) {
			t.Errorf("repositories: %d %s", r.status, r.body)
		}

		f.isOver()
		// An instance admin goes on making apps, and tenant admins install them.
		v.want("a second app", v.send("GET", v.manifest("&name=second&public=true"), ""), http.StatusOK)
		apps := read[httpList[instance.App]](t, v.send("GET", "/api/instance/codehost-apps", ""))
		if len(apps.Items) != 2 || apps.Items[0].Slug != "second" || apps.Items[0].Owner != "ada" {
			t.Fatalf("apps: %+v", apps)
		}
		begin := v.want("where to install", v.send("POST", "/api/tenants/"+end.TenantID+"/installations", `{"appId":"`+apps.Items[0].ID+`"}`, csrf), http.StatusOK)
		home := v.installs(read[instance.InstallStart](t, begin).URL, "ada", "ada")
		foreign := f.visitor()
		if r := foreign.send("GET", home, ""); r.status != http.StatusOK || !strings.Contains(r.body, "Back from the code host") {
			t.Errorf("another browser: %d %s", r.status, r.body)
		}
		if r := v.send("GET", strings.Replace(home, "installation_id=", "installation_id=9", 1), ""); r.status != http.StatusNotFound {
			t.Errorf("an installation that is not the app's: %d %s", r.status, r.body)
		}
		v.want("a state that is used up", v.send("GET", home, ""), http.StatusBadRequest)
		f.logged("setup.open", "settings.update", "codehost-app.create", "setup.complete", "instance-admin.grant", "tenant.create")
	})
}

func (f *fresh) get(c *http.Client, at string) reply {
	f.t.Helper()
	resp, err := c.Get(at)
	must(f.t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	must(f.t, err)
	return reply{resp.StatusCode, resp.Header, string(body)}
}

// isOver expects one 404 for everything below /setup, whatever is sent.
func (f *fresh) isOver() {
	f.t.Helper()
	nobody := f.visitor()
	first := nobody.send("GET", "/setup/nothing", "")
	for _, try := range []struct{ method, path, body string }{
		{"GET", "/setup", ""}, {"POST", "/setup", "step=token"}, {"POST", "/setup/session", `{}`}, {"POST", "/setup/session", `{"token":"x"}`}, {"PUT", "/setup/instance", `{"name":"x"}`},
		{"GET", "/setup/codehost/state", ""}, {"GET", "/setup/codehost/manifest", ""}, {"GET", "/setup/codehost/callback?state=x&code=y", ""}, {"POST", "/setup/codehost/register", `{"appId":1}`},
		{"POST", "/setup/finish", `{"tenantName":"x"}`}, {"PUT", "/setup/connection", `{"kind":"gitea"}`},
	} {
		r := nobody.send(try.method, try.path, try.body)
		if r.status != http.StatusNotFound || r.body != first.body {
			f.t.Errorf("%s %s after setup: %d %s, want 404 and the bytes of a path that never was: %s", try.method, try.path, r.status, r.body, first.body)
		}
	}
	nobody.want("the way back from an installation", nobody.send("GET", "/setup/codehost/installed?installation_id=1&setup_action=install", ""), http.StatusOK)
	if _, ok, err := f.instance.NewToken(bg); ok || err != nil {
		f.t.Errorf("a token after setup: %v %v", ok, err)
	}
}

// logged expects acts in the instance's log.
func (f *fresh) logged(actions ...string) {
	f.t.Helper()
	rows, err := f.store.AuditEntries(bg, domain.Tenant{}, store.AuditFilter{Limit: 200})
	must(f.t, err)
	var all []string
	for _, r := range rows {
		all = append(all, r.Action)
	}
	for _, a := range actions {
		if !slices.Contains(all, a) {
			f.t.Errorf("the log has no %s: %v", a, all)
		}
	}
}

func TestFirstRunRefusals(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := newFresh(t, s, raw)
		v := f.visitor()
		used, old := f.token(), ""
		for name, token := range map[string]string{"wrong": secret.NewToken(secret.Setup).Reveal(), "of another kind": secret.NewToken(secret.Link).Reveal(), "no token": "x"} {
			v.want(name, v.send("POST", "/setup/session", `{"token":"`+token+`"}`), http.StatusUnauthorized)
		}
		v.want("good", v.send("POST", "/setup/session", `{"token":"`+used+`"}`), http.StatusNoContent)
		v.want("used", f.visitor().send("POST", "/setup/session", `{"token":"`+used+`"}`), http.StatusUnauthorized)
		old = f.token()
		newer := f.token()
		v.want("replaced", v.send("POST", "/setup/session", `{"token":"`+old+`"}`), http.StatusUnauthorized)
		raw(`UPDATE instance_setup SET token_expires_us = 1`)
		v.want("too old", v.send("POST", "/setup/session", `{"token":"`+newer+`"}`), http.StatusUnauthorized)
		v.want("from another page", v.send("POST", "/setup/session", `{"token":"`+f.token()+`"}`, header("Origin", "https://evil.example")), http.StatusForbidden)

		// Another browser has neither the cookie nor the state of this one.
		back := v.manifest("")
		v.want("another browser", f.visitor().send("GET", back, ""), http.StatusUnauthorized)
		bad := strings.Replace(back, "state=assay_state_", "state=assay_state_x", 1)
		v.want("another state", v.send("GET", bad, ""), http.StatusBadRequest)
		u, err := url.Parse(back)
		must(t, err)
		q := u.Query()
		q.Set("code", "0123abcd")
		v.want("another code", v.send("GET", f.base+"/setup/codehost/callback?"+q.Encode(), ""), http.StatusUnprocessableEntity)
		v.want("the state is used up", v.send("GET", back, ""), http.StatusBadRequest)
		back = v.manifest("&name=two")
		raw(`UPDATE setup_states SET expires_us = 1`)
		v.want("after an hour", v.send("GET", back, ""), http.StatusBadRequest)

		// The one that came in later goes on, and the earlier browser doesn't.
		second := f.visitor().open()
		v.want("the earlier browser", v.send("GET", "/setup/codehost/state", ""), http.StatusUnauthorized)
		raw(`UPDATE instance_setup SET session_expires_us = 1`)
		second.want("after two hours", second.send("GET", "/setup/codehost/state", ""), http.StatusUnauthorized)
		second.open()

		for name, query := range map[string]string{"a path": "baseUrl=https://github.example.com/x", "a person": "baseUrl=https://u:p@github.example.com", "no address": "baseUrl=github", "no organisation": "organization=a/b"} {
			second.want(name, second.send("GET", "/setup/codehost/manifest?"+query, ""), http.StatusUnprocessableEntity)
		}
		app, err := f.sim.RegisterApp(bg, simapi.AppSpec{Slug: "byhand", Owner: "acme"})
		must(t, err)
		good := map[string]any{"baseUrl": f.simURL, "appId": app.ID, "privateKey": app.PrivateKeyPEM, "webhookSecret": strings.Repeat("w", 16), "clientId": app.ClientID, "clientSecret": app.ClientSecret}
		with := func(change map[string]any) string {
			all := map[string]any{}
			for _, m := range []map[string]any{good, change} {
				for k, v := range m {
					all[k] = v
				}
			}
			b, err := json.Marshal(all)
			must(t, err)
			return string(b)
		}
		stranger, err := f.sim.RegisterApp(bg, simapi.AppSpec{Slug: "other", Owner: "acme"})
		must(t, err)
		for name, tc := range map[string]struct {
			change map[string]any
			fields []string
		}{
			"no PEM":                {map[string]any{"privateKey": "key"}, []string{"/privateKey"}},
			"a PEM of nothing":      {map[string]any{"privateKey": "-----BEGIN RSA " + "PRIVATE KEY-----\nAAAA\n-----END RSA " + "PRIVATE KEY-----"}, []string{"/privateKey"}},
			"another app's key":     {map[string]any{"privateKey": stranger.PrivateKeyPEM}, []string{"/privateKey"}},
			"a short secret":        {map[string]any{"webhookSecret": "short"}, []string{"/webhookSecret"}},
			"a secret with a break": {map[string]any{"webhookSecret": strings.Repeat("w", 16) + "\n"}, []string{"/webhookSecret"}},
			"another client id":     {map[string]any{"clientId": "Iv1.other"}, []string{"/clientId"}},
			"another slug":          {map[string]any{"slug": "other"}, []string{"/slug"}},
			"no app id":             {map[string]any{"appId": nil}, []string{"/appId"}},
			"code and key":          {map[string]any{"code": "abc"}, []string{"/code"}},
		} {
			t.Run(name, func(t *testing.T) {
				if got := wrongFields(t, second.send("POST", "/setup/codehost/register", with(tc.change))); !slices.Equal(got, tc.fields) {
					t.Errorf("%v, want %v", got, tc.fields)
				}
			})
		}
		second.want("without cookie", f.visitor().send("POST", "/setup/codehost/register", with(nil)), http.StatusUnauthorized)
		program := f.token()
		second.want("by a program", f.visitor().send("POST", "/setup/codehost/register", with(map[string]any{"setupToken": program})), http.StatusCreated)
		second.want("a second app", second.send("POST", "/setup/codehost/register", with(nil)), http.StatusConflict)
		if got := wrongFields(t, second.send("POST", "/setup/finish", `{"tenantName":"Acme"}`)); !slices.Equal(got, []string{"/adminName"}) {
			t.Errorf("nobody is signed in: %v", got)
		}
		end := read[instance.Finished](t, second.want("the end", second.send("POST", "/setup/finish", `{"tenantName":"Acme","adminName":"Ada"}`), http.StatusCreated))
		if !strings.HasPrefix(end.SignInLink, f.base+"/auth/break-glass#token=assay_") {
			t.Errorf("%+v", end)
		}
		link, err := url.Parse(end.SignInLink)
		must(t, err)
		second.want("the link", second.send("GET", end.SignInLink, ""), http.StatusOK)
		second.want("signed in", second.send("POST", "/auth/break-glass", link.Fragment), http.StatusSeeOther)
		var me httpapi.Me
		must(t, json.Unmarshal([]byte(second.send("GET", "/api/me", "").body), &me))
		if !me.InstanceAdmin || me.Name != "Ada" {
			t.Errorf("%+v", me)
		}
		f.isOver()
	})
}

func TestFirstRunEndsWithAnAdmin(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := newFresh(t, s, raw)
		v := f.visitor().open()
		_, err := s.CreateUser(bg, "Olga", true) // by the command line, or the bootstrap
		must(t, err)
		if ok, err := s.CompleteSetup(bg); ok || err != nil {
			t.Errorf("the first run ends again: %v %v", ok, err)
		}
		v.want("the browser", v.send("POST", "/setup/finish", `{"tenantName":"Acme","adminName":"Ada"}`), http.StatusNotFound)
		f.isOver()
		admins, err := s.InstanceAdmins(bg)
		must(t, err)
		if len(admins) != 1 {
			t.Errorf("admins: %+v", admins)
		}
	})
}

func TestFirstRunOfTwoProcesses(t *testing.T) {
	t.Parallel()
	storetest.Both.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := newFresh(t, s, raw)
		second, _ := f.process()
		v := f.visitor().open()
		v.want("the name", v.send("PUT", "/setup/instance", `{"name":"Acme"}`), http.StatusOK)
		backs := []string{v.manifest("&name=one"), v.manifest("&name=two")}
		backs[1] = strings.Replace(backs[1], f.base, second, 1)
		both := func(send func(i int) reply) (got []int) {
			got = make([]int, 2)
			var wg sync.WaitGroup
			for i := range 2 {
				wg.Go(func() { got[i] = send(i).status })
			}
			wg.Wait()
			slices.Sort(got)
			return got
		}
		if got := both(func(i int) reply { return v.send("GET", backs[i], "") }); !slices.Equal(got, []int{303, 409}) {
			t.Errorf("two apps: %v", got)
		}
		apps, err := s.Apps(bg)
		must(t, err)
		if len(apps) != 1 {
			t.Errorf("%d apps", len(apps))
		}
		at := []string{f.base, second}
		if got := both(func(i int) reply {
			return v.send("POST", at[i]+"/setup/finish", `{"tenantName":"Acme","adminName":"Ada"}`)
		}); !slices.Equal(got, []int{201, 404}) {
			t.Errorf("two ends: %v", got)
		}
		tenants, err := s.Tenants(bg)
		must(t, err)
		admins, err := s.InstanceAdmins(bg)
		must(t, err)
		if len(tenants) != 1 || len(admins) != 1 {
			t.Errorf("%d tenants, %d admins", len(tenants), len(admins))
		}
		// A request that was let in before the other process ended setup finds nothing more.
		if err := f.instance.Inside(bg, secret.NewToken(secret.SetupCookie).Reveal()); !errs.Is(err, errs.NotFound) {
			t.Errorf("the cookie after the end: %v", err)
		}
		if err := f.instance.Knows(bg, secret.NewToken(secret.Setup).Reveal()); !errs.Is(err, errs.NotFound) {
			t.Errorf("the token after the end: %v", err)
		}
	})
}
