package github_test

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
)

func TestAppJWT(t *testing.T) {
	t.Parallel()
	b := setup(t)
	now := time.Now().Unix()
	id := fmt.Sprint(b.app.ID)
	other := *b
	other.key = need(rsa.GenerateKey(rand.Reader, 2048))
	good := map[string]any{"iss": id, "iat": now - 30, "exp": now + 90}
	tests := []struct {
		name, token, text string
		want              int
	}{
		{"good", b.jwt(good), "", 200},
		{"issuer as number", b.jwt(map[string]any{"iss": b.app.ID, "iat": now - 30, "exp": now + 90}), "", 200},
		{"client id", b.jwt(map[string]any{"iss": b.app.ClientID, "iat": now - 30, "exp": now + 90}), "", 200},
		{"other key", other.jwt(good), "could not be decoded", 401},
		{"expired", b.jwt(map[string]any{"iss": id, "iat": now - 300, "exp": now - 1}), "'exp'", 401},
		{"no exp", b.jwt(map[string]any{"iss": id, "iat": now}), "'exp'", 401},
		{"too long", b.jwt(map[string]any{"iss": id, "iat": now, "exp": now + 3600}), "too far", 401},
		{"from the future", b.jwt(map[string]any{"iss": id, "iat": now + 300, "exp": now + 400}), "'iat'", 401},
		{"no iat", b.jwt(map[string]any{"iss": id, "exp": now + 60}), "'iat'", 401},
		{"unknown app", b.jwt(map[string]any{"iss": "7", "iat": now, "exp": now + 60}), "Integration not found", 404},
		{"garbage", "a.b.c", "could not be decoded", 401},
		{"installation token", b.token, "could not be decoded", 401},
		{"nothing", "", "could not be decoded", 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := need(b.send(b.request(tt.token, "GET", "/app", nil)))
			if r.status != tt.want || !strings.Contains(string(r.body), tt.text) {
				t.Errorf("%d %s, want %d with %q", r.status, r.body, tt.want, tt.text)
			}
		})
	}
}

func TestInstallationTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	need(b.ctl.CreateRepo(ctx, simapi.RepoSpec{Owner: "acme", Name: "second"}))
	need(b.ctl.CreateUser(ctx, simapi.UserSpec{Login: "other", Type: "Organization"}))
	need(b.ctl.CreateRepo(ctx, simapi.RepoSpec{Owner: "other", Name: "hidden"}))
	if len(b.token) < 200 || !strings.HasPrefix(b.token, fmt.Sprintf("ghs_%d_", b.app.ID)) {
		t.Errorf("the token has not the new form: %d characters", len(b.token))
	}
	b.call(404, "GET", "/repos/other/hidden", nil)
	b.call(404, "GET", "/repos/acme/none", nil)
	b.callAs("", 404, "GET", "/repos/acme/shop", nil)
	b.callAs("ghs_1_a.b.c", 401, "GET", "/repos/acme/shop", nil)
	b.callAs(b.token[:len(b.token)-4]+"AAAA", 401, "GET", "/repos/acme/shop", nil)
	if n := len(dig(b.call(200, "GET", "/installation/repositories", nil).object(), "repositories").([]any)); n != 2 {
		t.Errorf("%d repositories, want 2", n)
	}
	narrow := b.installationToken(map[string]any{"repositories": []string{"second"}, "permissions": map[string]string{"contents": "read"}})
	b.callAs(narrow, 404, "GET", "/repos/acme/shop", nil)
	b.callAs(narrow, 200, "GET", "/repos/acme/second/contents/README.md", nil)
	r := b.callAs(narrow, 403, "GET", "/repos/acme/second/pulls", nil)
	if !strings.Contains(string(r.body), "Resource not accessible by integration") {
		t.Errorf("answer: %s", r.body)
	}
	path := fmt.Sprintf("/app/installations/%d/access_tokens", b.inst.ID)
	b.callAs(b.appJWT(), 422, "POST", path, map[string]any{"permissions": map[string]string{"contents": "write"}})
	b.callAs(b.appJWT(), 422, "POST", path, map[string]any{"repositories": []string{"hidden"}})
	b.callAs(narrow, 204, "DELETE", "/installation/token", nil)
	b.callAs(narrow, 401, "GET", "/repos/acme/second", nil)
	yes, no := true, false
	must(t, b.ctl.UpdateInstallation(ctx, b.inst.ID, simapi.InstallationUpdate{Suspend: &yes}))
	b.call(403, "GET", "/repos/acme/shop", nil)
	must(t, b.ctl.UpdateInstallation(ctx, b.inst.ID, simapi.InstallationUpdate{Suspend: &no, Remove: []string{"shop"}}))
	b.call(404, "GET", "/repos/acme/shop", nil)
	must(t, b.ctl.Uninstall(ctx, b.inst.ID))
	b.call(401, "GET", "/repos/acme/second", nil)
}

func TestOtherAddresses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if r := b.call(200, "GET", fmt.Sprintf("/repositories/%d", b.repo.ID), nil).object(); r["full_name"] != "acme/shop" {
		t.Errorf("by id: %v", r["full_name"])
	}
	b.call(404, "GET", "/repositories/7", nil)
	b.call(404, "GET", "/repositories/x", nil)
	b.call(404, "PATCH", "/repos/acme/shop", nil)
	if r := b.call(200, "HEAD", "/repos/acme/shop", nil); len(r.body) != 0 || r.header.Get("X-GitHub-Request-Id") == "" || r.header.Get("X-RateLimit-Remaining") == "" {
		t.Errorf("HEAD: %d bytes, %v", len(r.body), r.header)
	}
	root := b.request(b.token, "GET", "", nil)
	root.URL.Path = "/repos/acme/shop"
	if r := need(b.send(root)); r.status != 200 {
		t.Errorf("without /api/v3: %d", r.status)
	}
	bad := b.request(b.token, "POST", pr+"/reviews", nil)
	bad.Body = io.NopCloser(strings.NewReader("{nonsense"))
	if r := need(b.send(bad)); r.status != 400 || !strings.Contains(string(r.body), "Problems parsing JSON") {
		t.Errorf("bad JSON: %d %s", r.status, r.body)
	}
	b.call(422, "POST", pr+"/reviews", map[string]any{"body": 7})
}

func TestTokenExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.ctl.Configure(t.Context(), simapi.Settings{TokenClockOffsetSeconds: 3590}))
	b.call(200, "GET", "/repos/acme/shop", nil)
	must(t, b.ctl.Configure(t.Context(), simapi.Settings{TokenClockOffsetSeconds: 3601}))
	b.call(401, "GET", "/repos/acme/shop", nil)
}

func TestResolveNeedsContents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.call(200, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": "x", "comments": []any{line(4)}})
	threads := `query($n: Int!) { repository(owner: "acme", name: "shop") { pullRequest(number: $n) { reviewThreads(first: 1) { totalCount pageInfo { hasNextPage endCursor }
		nodes { id isResolved isOutdated path line comments(first: 5) { nodes { databaseId body author { login __typename } } } } } } } }`
	r := b.graphql(b.token, threads, map[string]any{"n": 1})
	node := dig(r, "data", "repository", "pullRequest", "reviewThreads", "nodes").([]any)[0]
	if dig(node, "line") != float64(4) || dig(node, "isResolved") != false {
		t.Errorf("thread: %v", node)
	}
	mutation := `mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }`
	r = b.graphql(b.token, mutation, map[string]any{"id": dig(node, "id")})
	if !strings.Contains(fmt.Sprint(r["errors"]), "Resource not accessible by integration") {
		t.Errorf("resolved without contents: write: %v", r)
	}
	must(t, b.ctl.UpdateInstallation(t.Context(), b.inst.ID, simapi.InstallationUpdate{Permissions: map[string]string{"contents": "write", "pull_requests": "write"}}))
	token := b.installationToken(nil)
	b.resolve(token)
	undo := strings.Replace(mutation, "resolveReviewThread", "unresolveReviewThread", 1)
	if r = b.graphql(token, undo, map[string]any{"id": dig(node, "id")}); dig(r, "data", "unresolveReviewThread", "thread", "isResolved") != false {
		t.Errorf("not unresolved: %v", r)
	}
	for name, query := range map[string]string{"unknown field": `{ repository(owner: "acme", name: "shop") { stars } }`, "syntax": `{ repository(`,
		"unknown repository": `{ repository(owner: "x", name: "y") { id } }`, "empty": ``} {
		if r := b.graphql(token, query, nil); r["errors"] == nil {
			t.Errorf("%s: no error: %v", name, r)
		}
	}
}
