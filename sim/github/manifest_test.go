package github_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/github/simapi"
)

const goodManifest = `{"name":"Our Reviews!","url":"https://assay.example.com","hook_attributes":{"url":"https://assay.example.com/webhooks/codehost","active":true},
"redirect_url":"https://assay.example.com/setup/codehost/callback","callback_urls":["https://assay.example.com/auth/codehost/callback"],
"setup_url":"https://assay.example.com/setup/codehost/installed","public":false,"default_permissions":{"contents":"read"},"default_events":["push"]}`

// browse sends a browser's request and returns the parameters of the redirect, or the page.
func (b *bundle) browse(method, path, manifest string) (status int, to url.Values, page string) {
	b.t.Helper()
	req := need(http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(url.Values{"manifest": {manifest}}.Encode())))
	if method == "POST" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	must(b.t, err)
	defer func() { _ = resp.Body.Close() }()
	body := need(io.ReadAll(resp.Body))
	u := need(url.Parse(resp.Header.Get("Location")))
	to = u.Query()
	u.RawQuery = ""
	to.Set("at", u.String())
	return resp.StatusCode, to, string(body)
}

func (b *bundle) manifestCode() string {
	b.t.Helper()
	must(b.t, b.s.Configure(simapi.Settings{SignInAs: "ada"}))
	status, to, page := b.browse("POST", "/organizations/acme/settings/apps/new?state=s1", goodManifest)
	if status != http.StatusFound || to.Get("state") != "s1" || to.Get("at") != "https://assay.example.com/setup/codehost/callback" {
		b.t.Fatalf("%d %v %s", status, to, page)
	}
	return to.Get("code")
}

func TestManifest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if status, _, page := b.browse("POST", "/settings/apps/new?state=s1", goodManifest); status != 200 || !strings.Contains(page, "Create as ada") {
		t.Errorf("no person is chosen: %d %s", status, page)
	}
	for name, m := range map[string]string{"no JSON": "{", "no name": strings.Replace(goodManifest, "Our Reviews!", "", 1), "a long name": strings.Replace(goodManifest, "Our Reviews!", strings.Repeat("x", 35), 1),
		"no address": strings.Replace(goodManifest, `"url":"https://assay.example.com"`, `"url":"assay"`, 1), "a level": strings.Replace(goodManifest, `"contents":"read"`, `"contents":"all"`, 1)} {
		if status, _, page := b.browse("POST", "/settings/apps/new", m); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", name, status, page)
		}
	}
	code := b.manifestCode()
	app := b.callAs("", 201, "POST", "/app-manifests/"+code+"/conversions", nil).object()
	if app["slug"] != "our-reviews" || app["owner"].(map[string]any)["login"] != "acme" || !strings.Contains(app["pem"].(string), "PRIVATE KEY") || app["webhook_secret"] == "" || app["client_secret"] == "" {
		t.Errorf("%v", app)
	}
	b.callAs("", 404, "POST", "/app-manifests/"+code+"/conversions", nil)
	if status, _, page := b.browse("POST", "/settings/apps/new", goodManifest); status != http.StatusUnprocessableEntity {
		t.Errorf("a name that is taken: %d %s", status, page)
	}
	must(t, b.s.Configure(simapi.Settings{SignInAs: "bob"}))
	if status, _, page := b.browse("POST", "/organizations/acme/settings/apps/new", strings.Replace(goodManifest, "Our", "My", 1)); status != http.StatusNotFound {
		t.Errorf("a member: %d %s", status, page)
	}

	const install = "/apps/our-reviews/installations/new?state=s2"
	status, to, page := b.browse("GET", install, "")
	if status != http.StatusFound || to.Get("setup_action") != "request" || to.Get("installation_id") != "" || to.Get("state") != "s2" {
		t.Errorf("a member asks: %d %v %s", status, to, page)
	}
	must(t, b.s.Configure(simapi.Settings{SignInAs: "ada"}))
	status, to, page = b.browse("GET", install, "")
	if status != http.StatusFound || to.Get("setup_action") != "install" || to.Get("installation_id") == "" || to.Get("at") != "https://assay.example.com/setup/codehost/installed" {
		t.Errorf("an owner installs: %d %v %s", status, to, page)
	}
	if _, again, _ := b.browse("GET", install, ""); again.Get("setup_action") != "update" || again.Get("installation_id") != to.Get("installation_id") {
		t.Errorf("again: %v", again)
	}
	if status, _, page = b.browse("GET", install+"&account=ada", ""); status != http.StatusOK || !strings.Contains(page, "acme") {
		t.Errorf("a private app on another account: %d %s", status, page)
	}
	need(b.ctl.CreateUser(t.Context(), simapi.UserSpec{Login: "eve"}))
	if status, _, _ = b.browse("GET", install+"&login_as=eve", ""); status != http.StatusNotFound {
		t.Errorf("a stranger: %d", status)
	}
	if status, _, _ = b.browse("GET", "/apps/none/installations/new", ""); status != http.StatusNotFound {
		t.Errorf("no such app: %d", status)
	}
}
