package realgitea

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/test/site"
)

// page is docs/hosts/gitea.md.
type page struct {
	*testing.T
	text string
}

func readPage(t *testing.T) page {
	t.Helper()
	raw, err := os.ReadFile("../../docs/hosts/gitea.md")
	testkit.OK(t, err)
	return page{t, string(raw)}
}

// section returns the text below a heading.
func (p page) section(heading string) string {
	p.Helper()
	_, rest, found := strings.Cut(p.text, "\n## "+heading+"\n")
	if !found {
		p.Fatalf("the page has no section %q", heading)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

// follow does the numbered steps of a section, in order. Each is identified by its beginning. A step
// that was added or changed has to be done here as it is written.
func (p page) follow(heading string, steps ...step) {
	p.Helper()
	found := regexp.MustCompile(`(?m)^\d+\. .*$`).FindAllString(p.section(heading), -1)
	if len(found) != len(steps) {
		p.Fatalf("%q has %d steps, the test knows %d: %q", heading, len(found), len(steps), found)
	}
	for i, s := range steps {
		if _, text, _ := strings.Cut(found[i], ". "); !strings.HasPrefix(text, s.begins) {
			p.Fatalf("step %d of %q is %q, want one that begins with %q", i+1, heading, text, s.begins)
		}
		s.do()
	}
}

type step struct {
	begins string
	do     func()
}

// scopes reads the table of scopes.
func (p page) scopes() (out []string) {
	p.Helper()
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (read|read and write) \\|").FindAllStringSubmatch(p.text, -1) {
		out = append(out, map[string]string{"read": "read:", "read and write": "write:"}[row[2]]+row[1])
	}
	if len(out) != 4 {
		p.Fatalf("the table has the scopes %q", out)
	}
	return out
}

// setup returns the flags of the setup command, with names filled in.
func (p page) setup(fill map[string]string) (args []string) {
	p.Helper()
	m := regexp.MustCompile("`assay setup … ([^`]+)`").FindStringSubmatch(p.section("Connecting"))
	if m == nil {
		p.Fatal("the page has no command of setup")
	}
	for _, word := range strings.Fields(m[1]) {
		if text, known := fill[word]; known {
			word = text
		}
		args = append(args, word)
	}
	return args
}

// provider returns the request for the identity provider.
func (p page) provider() (out map[string]any) {
	p.Helper()
	_, rest, _ := strings.Cut(p.section("People"), "POST /api/instance/identity-providers\n")
	rest, _, _ = strings.Cut(rest, "\n\n")
	testkit.OK(p, json.Unmarshal([]byte(rest), &out))
	return out
}

// TestPage follows the page step by step to a reviewed pull request. People who sign in with the host
// see it.
func TestPage(t *testing.T) {
	p := readPage(t)
	h := newHost(t, people...)
	h.do("dana", "POST", "/orgs", map[string]any{"username": "acme"}, nil)
	h.team("writers", "write", "eve", "gus")
	h.team("readers", "read", "rob")
	h.repository("shop", true)
	token := ""
	p.follow("An account and its token",
		step{"Make an account for assay alone.", func() {}}, // newHost has created it
		step{"Let it reach the repositories. In an organisation, add it to the team *Owners*", func() { h.join(h.owners(), bot) }},
		step{"Signed in as that account: *Settings → Applications → Generate new token*", func() {
			token = h.token(bot, "assay", p.scopes()...)
		}},
	)
	w := newWorld(h, true)
	setUp(p, w, token)
	w.up()
	w.admin = w.site.Admin()
	w.connect(token)
	if got := w.said(); !strings.Contains(got, "rights: Nothing is missing") {
		t.Errorf("the test of the connection says %s", got)
	}
	w.once("by the page", w.open("eve", "acme/shop", "bug", buggy()), 1, 2)
	w.signIn(p)
}

// setUp makes the first start of another instance, on an empty database, with the command of the page.
func setUp(p page, w *world, token string) {
	dir := p.TempDir()
	file := filepath.Join(dir, "token")
	testkit.OK(p, os.WriteFile(file, []byte(token), 0o600))
	args := p.setup(map[string]string{"URL": w.server.URL, "FILE": file})
	env := map[string]string{"ASSAY_DATA_DIR": filepath.Join(dir, "data")}
	for name := range w.site.Env {
		if strings.HasPrefix(name, "ASSAY_BOOTSTRAP_") {
			env[name] = ""
		}
	}
	command := w.site.Start("setup", env, append([]string{"setup", "--name", "Ours", "--tenant", "Acme", "--admin", "Ada"}, args...)...)
	if code := command.Wait(site.Patience); code != 0 || !strings.Contains(strings.Join(command.Lines(), "\n"), "is connected for acme") {
		p.Errorf("assay setup ended with %d: %q", code, command.Lines())
	}
}

// signIn makes the host an identity provider as the page says, and signs people in: each sees the
// tenant, and a person with write access by team decides about a finding.
func (w *world) signIn(p page) {
	w.Helper()
	var provider struct{ ID, RedirectURL string }
	var app struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
	}
	const providers = "/api/instance/identity-providers"
	p.follow("People",
		step{"Begin the identity provider at assay", func() {
			body := p.provider()
			var known struct{ Issuer string }
			status, text := w.send(w.request("GET", "/.well-known/openid-configuration", nil))
			testkit.Require(w, "discovery", status, http.StatusOK)
			testkit.OK(w, json.Unmarshal([]byte(text), &known))
			maps.Copy(body, map[string]any{"issuer": known.Issuer, "hostUserId": map[string]string{"host": w.server.URL}})
			w.admin.Send("POST", providers, body, http.StatusCreated, &provider)
		}},
		step{"Register assay at the instance", func() {
			w.do("dana", "POST", "/user/applications/oauth2", map[string]any{
				"name": "assay", "confidential_client": true, "redirect_uris": []string{provider.RedirectURL}}, &app)
		}},
		step{"`PATCH` the provider with the client id and the secret", func() {
			shown := map[string]string{"clientId": app.ClientID, "clientSecret": app.ClientSecret}
			w.admin.Send("PATCH", providers+"/"+provider.ID, shown, http.StatusOK, nil)
			var said json.RawMessage
			w.admin.Send("POST", providers+"/"+provider.ID+"/test", nil, http.StatusOK, &said)
			w.Logf("the test of the provider: %s", said)
			if strings.Contains(string(said), "does not accept") {
				w.Errorf("the test of the provider: %s", said)
			}
		}},
	)
	w.sync()
	tenant := w.rows(`SELECT id FROM tenants`)[0][0]
	finding := w.rows(`SELECT r.id, f.id FROM findings f JOIN repositories r ON r.id = f.repository_id ORDER BY f.id`)[0]
	for _, c := range []struct {
		login   string
		dismiss int
	}{{"rob", http.StatusForbidden}, {"eve", http.StatusOK}, {"dana", http.StatusOK}} {
		person := w.browser(c.login, "git")
		var mine struct{ Items []struct{ ID string } }
		person.Get("/api/me/tenants", &mine)
		if len(mine.Items) != 1 || mine.Items[0].ID != tenant {
			w.Errorf("%s has the tenants %v", c.login, mine)
			continue
		}
		at := "/api/tenants/" + tenant + "/repositories/" + finding[0] + "/findings/" + finding[1] + "/dismissal"
		person.Send("PUT", at, map[string]string{"reason": "The caller checks it"}, c.dismiss, nil)
		if c.dismiss == http.StatusOK {
			person.Send("DELETE", at, nil, http.StatusOK, nil)
		}
	}
}

var hidden = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// browser signs a person in with the host, like a browser.
func (w *world) browser(login, slug string) *site.Person {
	w.Helper()
	jar, err := cookiejar.New(nil)
	testkit.OK(w, err)
	client := &http.Client{Jar: jar, Timeout: site.Patience}
	get := func(resp *http.Response, err error) (text string, at *url.URL) {
		w.Helper()
		testkit.OK(w, err)
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		testkit.OK(w, err)
		return string(raw), resp.Request.URL
	}
	get(client.PostForm(w.server.URL+"/user/login", url.Values{"user_name": {login}, "password": {password}}))
	text, at := get(client.Get(w.site.URL("/auth/oidc/" + slug + "/login")))
	if strings.Contains(text, "/login/oauth/grant") {
		form := url.Values{"granted": {"true"}}
		for _, m := range hidden.FindAllStringSubmatch(text, -1) {
			form.Set(m[1], m[2])
		}
		text, at = get(client.PostForm(w.server.URL+"/login/oauth/grant", form))
	}
	if !strings.HasPrefix(at.String(), w.site.URL("/")) {
		w.Fatalf("%s ended at %s: %.500s", login, at, text)
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return w.site.SignedIn(client)
}
