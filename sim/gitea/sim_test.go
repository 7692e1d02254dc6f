package gitea_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/gitea/simclient"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// bundle is a running simulator with one organisation, one repository, one machine account, one webhook and one pull
// request.
type bundle struct {
	t     *testing.T
	s     *gitea.Server
	ctl   *simclient.Client
	base  string
	repo  shared.Repo
	pull  shared.Pull
	bob   string // token of the pull request's author
	token string // token of the machine account "robot", which may write
	hook  simapi.Hook
	hooks *receiver
}

// receiver records webhooks.
type receiver struct {
	mu     sync.Mutex
	got    []delivery
	status int
}

type delivery struct {
	header http.Header
	body   []byte
}

// event is the type and action of a delivery.
func (h delivery) event() string {
	var p struct{ Action string }
	_ = json.Unmarshal(h.body, &p) // an empty action is fine
	return strings.TrimSuffix(h.header.Get("X-Gitea-Event-Type")+" "+p.Action, " ")
}

func (h delivery) object() map[string]any {
	var m map[string]any
	_ = json.Unmarshal(h.body, &m) // nil if the body is not an object
	return m
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, delivery{header: req.Header.Clone(), body: body})
	w.WriteHeader(r.status)
}

func (r *receiver) take(status int) []delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got, r.status = nil, status
	return got
}

const hookSecret = "webhook-secret-of-the-test"

func goFile(lines ...string) string {
	return "package cart\n\n" + strings.Join(lines, "\n") + "\n"
}

func setup(t *testing.T, opt gitea.Options) *bundle {
	t.Helper()
	b := &bundle{t: t, hooks: &receiver{status: 202}}
	hookServer := httptest.NewServer(b.hooks)
	t.Cleanup(hookServer.Close)
	opt.DataDir = t.TempDir()
	s, err := gitea.New(opt)
	must(t, err)
	srv := httptest.NewServer(s.Handler())
	s.SetBaseURL(srv.URL)
	t.Cleanup(func() {
		must(t, s.Close())
		srv.CloseClientConnections()
		srv.Close()
	})
	b.s, b.base, b.ctl = s, srv.URL, simclient.New(srv.URL, s.ControlToken())
	ctx := t.Context()
	need(b.ctl.CreateUser(ctx, shared.UserSpec{Login: "acme", Type: "Organization", Members: map[string]string{"ada": "admin", "bob": "member"}}))
	need(b.ctl.CreateUser(ctx, shared.UserSpec{Login: "robot"}))
	b.repo = need(b.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "acme", Name: "shop", Collaborators: map[string]string{"robot": "write", "bob": "write"}, Files: map[string]string{
		"cart.go": goFile("func Total() int {", "\treturn 1", "}"), "README.md": "# shop\n", "old.txt": "one\ntwo\nthree\n"}}))
	b.hook = need(b.ctl.AddHook(ctx, "acme/shop", simapi.HookSpec{URL: hookServer.URL, Secret: hookSecret}))
	need(b.ctl.Commit(ctx, "acme/shop", shared.CommitSpec{Branch: "feature", Author: "bob", Message: "Add a discount", Delete: []string{"old.txt"},
		Files: map[string]string{"cart.go": goFile("func Total() int {", "\treturn 2", "}", "", "func Discount() int { return 0 }")}}))
	b.pull = need(b.ctl.OpenPull(ctx, "acme/shop", shared.PullSpec{Title: "Discount", Body: "Adds a discount.", Head: "feature", Author: "bob"}))
	b.bob = need(b.ctl.NewToken(ctx, "bob", simapi.TokenSpec{})).Text
	b.token = need(b.ctl.NewToken(ctx, "robot", simapi.TokenSpec{Scopes: []string{"write:repository", "write:issue", "read:user", "read:organization"}})).Text
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// need returns the value, or panics: it is for steps that must not fail.
func need[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

type response struct {
	status int
	header http.Header
	body   []byte
}

func (r response) object() map[string]any {
	var m map[string]any
	_ = json.Unmarshal(r.body, &m) // nil if the body is not an object
	return m
}

func (r response) list() []map[string]any {
	var m []map[string]any
	_ = json.Unmarshal(r.body, &m) // nil if the body is not a list
	return m
}

func (r response) id() int64 { return int64(r.object()["id"].(float64)) }

func (b *bundle) request(token, method, path string, body any) *http.Request {
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		must(b.t, err)
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, b.base+"/api/v1"+path, reader)
	must(b.t, err)
	if token != "" {
		req.Header.Set("Authorization", "token "+token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

func (b *bundle) send(req *http.Request) (response, error) {
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return response{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	return response{status: resp.StatusCode, header: resp.Header, body: raw}, err
}

// call sends a request with the machine account's token and checks the status.
func (b *bundle) call(want int, method, path string, body any) response {
	b.t.Helper()
	return b.callAs(b.token, want, method, path, body)
}

func (b *bundle) callAs(token string, want int, method, path string, body any) response {
	b.t.Helper()
	resp, err := b.send(b.request(token, method, path, body))
	must(b.t, err)
	if resp.status != want {
		b.t.Fatalf("%s %s: status %d, want %d: %s", method, path, resp.status, want, resp.body)
	}
	return resp
}

// settle waits for deliveries and returns those since the last call.
func (b *bundle) settle() []delivery {
	b.t.Helper()
	must(b.t, b.ctl.WaitDeliveries(b.t.Context(), 10*time.Second))
	return b.hooks.take(202)
}

func events(list []delivery) string {
	var out []string
	for _, h := range list {
		out = append(out, h.event())
	}
	return strings.Join(out, ", ")
}

func (b *bundle) reviews() []shared.Review {
	b.t.Helper()
	return need(b.ctl.Reviews(b.t.Context(), "acme/shop", 1))
}

const (
	repo = "/repos/acme/shop"
	pr   = repo + "/pulls/1"
)

func draft(event string, comments ...map[string]any) map[string]any {
	if comments == nil {
		comments = []map[string]any{}
	}
	return map[string]any{"body": "Summary <!-- marker -->", "event": event, "comments": comments}
}

func line(n int) map[string]any {
	return map[string]any{"path": "cart.go", "new_position": n, "old_position": 0, "body": "A finding."}
}
