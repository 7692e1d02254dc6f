package site

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/internal/testkit"
)

// Person is a signed-in user, in a browser or a program.
type Person struct {
	site   *Site
	client *http.Client
	csrf   string
}

var linkToken = regexp.MustCompile(`assay_link_[A-Za-z0-9_-]+`)

// Admin signs the first admin in with a one-time link of the command line.
func (s *Site) Admin() *Person {
	s.t.Helper()
	command := s.Start("break-glass", nil, "admin", "break-glass", "--user", "Admin")
	if code := command.Wait(Patience); code != 0 {
		s.t.Fatalf("break-glass ended with %d", code)
	}
	token := linkToken.FindString(strings.Join(command.Lines(), "\n"))
	jar, err := cookiejar.New(nil)
	testkit.OK(s.t, err)
	p := &Person{site: s, client: &http.Client{Jar: jar, Timeout: Patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	p.Do(http.MethodPost, "/auth/break-glass", "application/x-www-form-urlencoded", url.Values{"token": {token}}.Encode(), http.StatusSeeOther, nil)
	return s.SignedIn(p.client)
}

// SignedIn returns the person whose session a client has.
func (s *Site) SignedIn(client *http.Client) *Person {
	s.t.Helper()
	p := &Person{site: s, client: client}
	var me struct {
		CSRFToken string `json:"csrfToken"`
	}
	p.Get("/api/me", &me)
	p.csrf = me.CSRFToken
	return p
}

// Get reads JSON, and expects 200.
func (p *Person) Get(path string, into any) {
	p.site.t.Helper()
	p.Do(http.MethodGet, path, "", "", http.StatusOK, into)
}

// Send sends JSON and expects a status; into may be nil.
func (p *Person) Send(method, path string, body any, want int, into any) {
	p.site.t.Helper()
	raw, err := json.Marshal(body)
	testkit.OK(p.site.t, err)
	p.Do(method, path, "application/json", string(raw), want, into)
}

// Do sends a request with a body of a kind ("" for no body) and expects a status.
func (p *Person) Do(method, path, kind, body string, want int, into any) {
	p.site.t.Helper()
	status, raw := p.Try(method, path, kind, body)
	if status != want {
		p.site.t.Fatalf("%s %s: %d %s, want %d", method, path, status, raw, want)
	}
	if into != nil {
		testkit.OK(p.site.t, json.Unmarshal(raw, into))
	}
}

// Try sends a request with a body of a kind ("" for no body), and returns the answer.
func (p *Person) Try(method, path, kind, body string) (status int, raw []byte) {
	p.site.t.Helper()
	r, err := http.NewRequestWithContext(p.site.t.Context(), method, p.site.URL(path), strings.NewReader(body))
	testkit.OK(p.site.t, err)
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	r.Header.Set("X-CSRF-Token", p.csrf)
	resp, err := p.client.Do(r)
	testkit.OK(p.site.t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err = io.ReadAll(resp.Body)
	testkit.OK(p.site.t, err)
	return resp.StatusCode, raw
}

// Place assigns the waiting installations to tenants, by hand. tenant returns the id of the tenant of
// an account.
func (p *Person) Place(tenant func(account string) string) {
	p.site.t.Helper()
	var waiting struct {
		Items []struct{ ID, Account string }
	}
	p.Get("/api/instance/installations?state=unplaced&limit=100", &waiting)
	for _, i := range waiting.Items {
		p.Send(http.MethodPost, "/api/instance/installations/"+i.ID+"/place", map[string]string{"tenantId": tenant(i.Account)}, http.StatusOK, nil)
	}
}
