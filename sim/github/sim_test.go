package github_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/sim/github"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/github/simclient"
)

// bundle is a running simulator with one app, one organisation, one repository and one pull request.
type bundle struct {
	t     *testing.T
	s     *github.Server
	ctl   *simclient.Client
	base  string
	app   simapi.App
	inst  simapi.Installation
	key   *rsa.PrivateKey
	repo  simapi.Repo
	pull  simapi.Pull
	token string
	hooks *receiver
}

// receiver records webhooks.
type receiver struct {
	mu     sync.Mutex
	got    []hook
	status int
	more   *sync.Cond
}

func newReceiver() *receiver {
	r := &receiver{status: 202}
	r.more = sync.NewCond(&r.mu)
	return r
}

type hook struct {
	header http.Header
	body   []byte
}

func (h hook) event() string {
	var p struct{ Action string }
	_ = json.Unmarshal(h.body, &p) // an empty action is fine
	return strings.TrimSuffix(h.header.Get("X-GitHub-Event")+" "+p.Action, " ")
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, hook{header: req.Header.Clone(), body: body})
	r.more.Broadcast()
	w.WriteHeader(r.status)
}

func (r *receiver) all() []hook {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]hook(nil), r.got...)
}

// await waits until n webhooks have arrived.
func (r *receiver) await(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.got) < n {
		r.more.Wait()
	}
}

func (r *receiver) reset(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got, r.status = nil, status
}

// testKey is generated once, because generating keys is slow.
var testKey = sync.OnceValue(func() *rsa.PrivateKey { return need(rsa.GenerateKey(rand.Reader, 2048)) })

const hookSecret = "webhook-secret-of-the-test"

func goFile(lines ...string) string {
	return "package cart\n\n" + strings.Join(lines, "\n") + "\n"
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{t: t, hooks: newReceiver()}
	hookServer := httptest.NewServer(b.hooks)
	t.Cleanup(hookServer.Close)
	s, err := github.New(github.Options{DataDir: t.TempDir()})
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
	b.key = testKey()
	public := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: need(x509.MarshalPKIXPublicKey(&b.key.PublicKey))}))
	b.app = need(b.ctl.RegisterApp(ctx, simapi.AppSpec{Slug: "assay", PublicKeyPEM: public, WebhookURL: hookServer.URL, WebhookSecret: hookSecret}))
	need(b.ctl.CreateUser(ctx, simapi.UserSpec{Login: "acme", Type: "Organization", Members: map[string]string{"ada": "admin", "bob": "member"}}))
	b.repo = need(b.ctl.CreateRepo(ctx, simapi.RepoSpec{Owner: "acme", Name: "shop", Files: map[string]string{
		"cart.go": goFile("func Total() int {", "\treturn 1", "}"), "README.md": "# shop\n", "old.txt": "one\ntwo\nthree\n"}}))
	b.inst = need(b.ctl.Install(ctx, simapi.InstallSpec{AppID: b.app.ID, Account: "acme"}))
	need(b.ctl.Commit(ctx, "acme/shop", simapi.CommitSpec{Branch: "feature", Author: "bob", Message: "Add a discount",
		Files: map[string]string{"cart.go": goFile("func Total() int {", "\treturn 2", "}", "", "func Discount() int { return 0 }")}}))
	b.pull = need(b.ctl.OpenPull(ctx, "acme/shop", simapi.PullSpec{Title: "Discount", Body: "Adds a discount.", Head: "feature", Author: "bob"}))
	b.token = b.installationToken(nil)
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// need returns the value, or panics: it is for steps of the setup that must not fail.
func need[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (b *bundle) jwt(claims map[string]any) string {
	b64 := base64.RawURLEncoding.EncodeToString
	body, _ := json.Marshal(claims)
	text := b64([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + b64(body)
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, b.key, crypto.SHA256, sum[:])
	must(b.t, err)
	return text + "." + b64(sig)
}

func (b *bundle) appJWT() string {
	now := time.Now().Unix()
	return b.jwt(map[string]any{"iss": fmt.Sprint(b.app.ID), "iat": now - 30, "exp": now + 90})
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

func (b *bundle) request(token, method, path string, body any) *http.Request {
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		must(b.t, err)
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, b.base+"/api/v3"+path, reader)
	must(b.t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
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

// call sends a request with the installation token and checks the status.
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

func (b *bundle) installationToken(body any) string {
	b.t.Helper()
	r := b.callAs(b.appJWT(), 201, "POST", fmt.Sprintf("/app/installations/%d/access_tokens", b.inst.ID), body)
	return r.object()["token"].(string)
}

const pr = "/repos/acme/shop/pulls/1"

func draft(comments ...map[string]any) map[string]any {
	if comments == nil {
		comments = []map[string]any{}
	}
	return map[string]any{"body": "Summary <!-- marker -->", "comments": comments}
}

func line(n int, more ...any) map[string]any {
	m := map[string]any{"path": "cart.go", "line": n, "side": "RIGHT", "body": "A finding."}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return m
}
