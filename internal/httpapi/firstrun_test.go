package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// fresh is an instance before setup, beside a simulated host with ada, who owns the organisation acme.
type fresh struct {
	t        *testing.T
	store    *store.Store
	sim      *featuretest.GitHub
	base     string
	instance *instance.Service
	code     *featuretest.Connections // the hosts of provider connections
}

func newFresh(t *testing.T, s *store.Store) *fresh {
	t.Helper()
	f := &fresh{t: t, store: s, sim: featuretest.NewGitHub(t, s), code: &featuretest.Connections{}}
	_, err := f.sim.CreateUser(bg, simapi.UserSpec{Login: "acme", Type: "Organization", Members: map[string]string{"ada": "admin"}})
	must(t, err)
	_, err = f.sim.CreateRepo(bg, simapi.RepoSpec{Owner: "acme", Name: "shop", Files: map[string]string{"a": "a"}})
	must(t, err)
	must(t, f.sim.Configure(simapi.Settings{SignInAs: "ada"}))
	server := httptest.NewUnstartedServer(nil)
	f.base = "http://" + server.Listener.Addr().String()
	logger := telemetry.Discard()
	made := featuretest.New(t, s, func(o *featuretest.Options) {
		o.BaseURL, o.Hosts, o.Code = f.base, f.sim.Hosts, f.code
		o.Auth = func(c *auth.Config) { c.Logger = logger }
		o.Instance = func(c *instance.Config) { c.Version, c.URL = "1.2.3", func(string) error { return nil } }
	})
	many := httpapi.Rate{PerSecond: 1e6, Burst: 1e6}
	o := httpapi.Options{Store: f.store, KV: &fakeKV{}, Rerun: &fakeRerun{store: f.store}, Features: features(made), BaseURL: f.base, Edition: "self-hosted", Version: "1.2.3", Commit: "abc",
		Metrics: telemetry.NewMetrics(telemetry.Build{}), Webhook: http.NotFoundHandler(), Limits: httpapi.Limits{Address: many, Person: many, Start: many, Guess: many, Webhook: many}, Logger: logger}
	h, err := httpapi.New(o)
	must(t, err)
	server.Config.Handler = h
	server.Start()
	t.Cleanup(server.Close)
	f.instance = made.Instance
	return f
}

// visitor is a browser, or a program with a jar of cookies.
type visitor struct {
	*fresh
	client *http.Client
}

func (f *fresh) visitor() *visitor { return &visitor{f, surf(f.t)} }

// send sends a request without following redirects.
func (v *visitor) send(method, path, body string, with ...func(*http.Request)) reply {
	v.t.Helper()
	target := path
	if !strings.HasPrefix(path, "http") {
		target = v.base + path
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
	if strings.HasPrefix(target, v.base) && !strings.Contains(resp.Header.Get("Content-Type"), "text/html") {
		described(v.t, method, strings.TrimPrefix(target, v.base), body, out)
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

// manifest prepares an app, lets the host create it, and returns the address to which the host sends the
// browser back.
func (v *visitor) manifest(query string) string {
	v.t.Helper()
	form := read[instance.ManifestForm](v.t, v.want("manifest", v.send("GET", "/setup/codehost/manifest?baseUrl="+url.QueryEscape(v.sim.URL)+query, ""), http.StatusOK))
	m, err := json.Marshal(form.Manifest)
	must(v.t, err)
	return v.want("the host's form", v.send("POST", form.Action, url.Values{"manifest": {string(m)}}.Encode()), http.StatusFound).header.Get("Location")
}

// installs goes through the host's page of an app, and returns the address to which the host sends the
// browser back.
func (v *visitor) installs(at, who, account string) string {
	v.t.Helper()
	return v.want("the host's page", v.send("GET", at+"&login_as="+who+"&account="+account, ""), http.StatusFound).header.Get("Location")
}

func TestFirstRun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newFresh(t, s)
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
			t.Errorf("it continues at %s", to)
		}
		v.want("the callback again", v.send("GET", back, ""), http.StatusBadRequest)
		v.want("another browser", f.visitor().send("GET", back, ""), http.StatusUnauthorized)
		p := v.progress()
		if p.Next != "tenant" || p.App == nil || p.App.Slug != "acme-reviews" || p.App.Owner != "acme" || !p.App.PrivateKeySet || !p.App.WebhookSecretSet || !p.App.ClientSecretSet || p.App.BaseURL != f.sim.URL {
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
		// An instance admin creates a second app, and tenant admins install it.
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
		v.want("a used state", v.send("GET", home, ""), http.StatusBadRequest)

		// The page after the return shows the outcome of the installation.
		install := func(tenant, account string) string {
			t.Helper()
			begin := v.want("where to install", v.send("POST", "/api/tenants/"+tenant+"/installations", `{"appId":"`+apps.Items[0].ID+`"}`, csrf), http.StatusOK)
			return v.installs(read[instance.InstallStart](t, begin).URL, "ada", account)
		}
		says := func(home, want string) {
			t.Helper()
			if r := v.want("back from the host", v.send("GET", home, ""), http.StatusOK); !strings.Contains(r.body, want) {
				t.Errorf("the page lacks %q: %s", want, r.body)
			}
		}
		says(install(end.TenantID, "ada"), "The account ada belongs to the tenant.")
		other := read[instance.Tenant](t, v.want("another tenant", v.send("POST", "/api/instance/tenants", `{"name":"Other","admin":true}`, csrf), http.StatusCreated))
		says(install(other.ID, "ada"), "The account ada belongs to another tenant, and is not moved.")
		says(regexp.MustCompile(`setup_action=\w+`).ReplaceAllString(install(other.ID, "ada"), "setup_action=request"), "is requested")
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

// isOver checks that everything below /setup answers with the same 404, whatever is sent.
func (f *fresh) isOver() {
	f.t.Helper()
	visitor := f.visitor()
	first := visitor.send("GET", "/setup/nothing", "")
	for _, try := range []struct{ method, path, body string }{
		{"GET", "/setup", ""}, {"POST", "/setup", "step=token"}, {"POST", "/setup/session", `{}`}, {"POST", "/setup/session", `{"token":"x"}`}, {"PUT", "/setup/instance", `{"name":"x"}`},
		{"GET", "/setup/codehost/state", ""}, {"GET", "/setup/codehost/manifest", ""}, {"GET", "/setup/codehost/callback?state=x&code=y", ""}, {"POST", "/setup/codehost/register", `{"appId":1}`},
		{"POST", "/setup/finish", `{"tenantName":"x"}`}, {"PUT", "/setup/connection", `{"kind":"gitea"}`},
	} {
		r := visitor.send(try.method, try.path, try.body)
		if r.status != http.StatusNotFound || r.body != first.body {
			f.t.Errorf("%s %s after setup: %d %s, want 404 and the bytes of an unknown path: %s", try.method, try.path, r.status, r.body, first.body)
		}
	}
	visitor.want("the return from an installation", visitor.send("GET", "/setup/codehost/installed?installation_id=1&setup_action=install", ""), http.StatusOK)
	if _, ok, err := f.instance.NewToken(bg); ok || err != nil {
		f.t.Errorf("a token after setup: %v %v", ok, err)
	}
}

// Setup refuses these requests before it reads them, and programs work without the cookie of a browser.
func TestFirstRunRefusals(t *testing.T) {
	t.Parallel()
	f := newFresh(t, storetest.SQLite(t))
	v := f.visitor()
	register := func(change string) string { return `{"baseUrl":"` + f.sim.URL + `"` + change + `}` }
	v.want("no token", v.send("POST", "/setup/session", `{"token":"x"}`), http.StatusUnauthorized)
	v.want("from another page", v.send("POST", "/setup/session", `{"token":"`+f.token()+`"}`, header("Origin", "https://evil.example")), http.StatusForbidden)
	v.want("an app without a cookie", v.send("POST", "/setup/codehost/register", register(`,"code":"abc"`)), http.StatusUnauthorized)
	v.want("a connection without a cookie", v.send("PUT", "/setup/connection", connectBody), http.StatusUnauthorized)
	v.open()
	v.want("a host with a path", v.send("GET", "/setup/codehost/manifest?baseUrl=https://github.example.com/x", ""), http.StatusUnprocessableEntity)
	testkit.Equal(t, "code and key", fmt.Sprint(wrongFields(t, v.send("POST", "/setup/codehost/register", register(`,"code":"abc","privateKey":"key"`)))), "[/code]")
	testkit.Equal(t, "no app id", fmt.Sprint(wrongFields(t, v.send("POST", "/setup/codehost/register", register(`,"privateKey":"key"`)))), "[/appId]")

	program := f.visitor() // without the cookie
	token := `{"setupToken":"` + f.token() + `",`
	wrong := `{"setupToken":"` + secret.NewToken(secret.Setup).Reveal() + `",`
	app, err := f.sim.RegisterApp(bg, simapi.AppSpec{Slug: "byhand", Owner: "acme"})
	must(t, err)
	key, err := json.Marshal(app.PrivateKeyPEM)
	must(t, err)
	good := fmt.Sprintf(`"baseUrl":%q,"appId":%d,"privateKey":%s,"webhookSecret":"%s","clientId":%q,"clientSecret":%q}`, f.sim.URL, app.ID, key, strings.Repeat("w", 16), app.ClientID, app.ClientSecret)
	program.want("an app with another token", program.send("POST", "/setup/codehost/register", wrong+good), http.StatusUnauthorized)
	program.want("an app with the token", program.send("POST", "/setup/codehost/register", token+good), http.StatusCreated)
	program.want("a connection with another token", program.send("PUT", "/setup/connection", strings.Replace(connectBody, "{", wrong, 1)), http.StatusUnauthorized)
	program.want("a connection with the token", program.send("PUT", "/setup/connection", strings.Replace(connectBody, "{", token, 1)), http.StatusOK)

	end := read[instance.Finished](t, v.want("the end", v.send("POST", "/setup/finish", `{"tenantName":"Acme","adminName":"Ada"}`), http.StatusCreated))
	link, err := url.Parse(end.SignInLink)
	must(t, err)
	v.want("the link", v.send("GET", end.SignInLink, ""), http.StatusOK)
	v.want("signed in", v.send("POST", "/auth/break-glass", link.Fragment), http.StatusSeeOther)
	if me := read[httpapi.Me](t, v.send("GET", "/api/me", "")); !me.InstanceAdmin || me.Name != "Ada" {
		t.Errorf("%+v", me)
	}
}
