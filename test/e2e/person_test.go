package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
)

// person is the first admin, as a browser or a program of theirs.
type person struct {
	*world
	client *http.Client
	csrf   string
}

var linkToken = regexp.MustCompile(`assay_link_[A-Za-z0-9_-]+`)

// admin signs the first admin in by a one-time link of the command line.
func (w *world) admin() *person {
	w.Helper()
	command := w.start("break-glass", nil, "admin", "break-glass", "--user", "Admin")
	if code := command.Wait(patience); code != 0 {
		w.Fatalf("break-glass ended with %d", code)
	}
	token := linkToken.FindString(strings.Join(command.Lines(), "\n"))
	jar, err := cookiejar.New(nil)
	must(w.T, err)
	p := &person{world: w, client: &http.Client{Jar: jar, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	p.do(http.MethodPost, "/auth/break-glass", "application/x-www-form-urlencoded", url.Values{"token": {token}}.Encode(), http.StatusSeeOther, nil)
	var me struct {
		CSRFToken string `json:"csrfToken"`
	}
	p.get("/api/me", &me)
	p.csrf = me.CSRFToken
	return p
}

func (p *person) get(path string, into any) {
	p.Helper()
	p.do(http.MethodGet, path, "", "", http.StatusOK, into)
}

func (p *person) do(method, path, kind, body string, want int, into any) {
	p.Helper()
	r, err := http.NewRequestWithContext(p.ctx, method, p.url(path), strings.NewReader(body))
	must(p.T, err)
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	r.Header.Set("X-CSRF-Token", p.csrf)
	resp, err := p.client.Do(r)
	must(p.T, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	must(p.T, err)
	if resp.StatusCode != want {
		p.Fatalf("%s %s: %d %s, want %d", method, path, resp.StatusCode, raw, want)
	}
	if into != nil {
		must(p.T, json.Unmarshal(raw, into))
	}
}

// send sends JSON and expects 200.
func (p *person) send(method, path string, body any) {
	p.Helper()
	raw, err := json.Marshal(body)
	must(p.T, err)
	p.do(method, path, "application/json", string(raw), http.StatusOK, nil)
}

// tenant is the id of the only tenant.
func (p *person) tenant() string {
	p.Helper()
	rows := p.query(`SELECT id FROM tenants`)
	if len(rows) != 1 {
		p.Fatalf("%d tenants, want 1", len(rows))
	}
	return rows[0][0]
}

// place gives the installations that wait to the tenant, by hand.
func (p *person) place() {
	p.Helper()
	var waiting struct{ Items []struct{ ID string } }
	p.get("/api/instance/installations?state=unplaced&limit=100", &waiting)
	for _, i := range waiting.Items {
		p.send(http.MethodPost, "/api/instance/installations/"+i.ID+"/place", map[string]string{"tenantId": p.tenant()})
	}
}

// account makes an organisation with repositories on the host.
func (w *world) account(name string, repositories int) {
	w.Helper()
	_, err := w.gh.CreateUser(w.ctx, simapi.UserSpec{Login: name, Type: "Organization"})
	must(w.T, err)
	for i := range repositories {
		_, err := w.gh.CreateRepo(w.ctx, simapi.RepoSpec{Owner: name, Name: fmt.Sprint("repo", i), Files: baseFiles(), Collaborators: map[string]string{"dev": "write"}})
		must(w.T, err)
	}
}

// installed installs the app on an account, and waits until the service knows.
func (w *world) installed(account string) {
	w.Helper()
	_, err := w.gh.Install(w.ctx, simapi.InstallSpec{AppID: w.app.ID, Account: account})
	must(w.T, err)
	w.quiet()
}

// exec changes the database from outside, as an operator or an older version would have.
func (w *world) exec(text string, args ...any) {
	w.Helper()
	driver, source := "pgx", w.database
	if w.storage.embedded {
		driver, source = "sqlite", "file:"+w.database+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, source)
	must(w.T, err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(w.ctx, text, args...)
	must(w.T, err)
}

// most is the bound of a world's life, for one that opens pull requests for a while.
func most(opening time.Duration) time.Duration { return opening + 8*time.Minute }
