package gitea_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/gitea/simclient"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	ctx := t.Context()
	narrow := need(b.ctl.NewToken(ctx, "robot", simapi.TokenSpec{Scopes: []string{"read:repository"}}))
	b.callAs(narrow.Text, 200, "GET", repo, nil)
	if r := b.callAs(narrow.Text, 403, "GET", "/user", nil); !strings.Contains(string(r.body), "required=[read:user]") {
		t.Errorf("answer: %s", r.body)
	}
	b.callAs(narrow.Text, 403, "POST", pr+"/reviews", draft("COMMENT"))
	b.callAs(narrow.Text, 403, "GET", repo+"/issues/1/comments", nil)
	must(t, b.ctl.RevokeToken(ctx, narrow.ID))
	b.callAs(narrow.Text, 401, "GET", repo, nil)
	b.callAs("", 404, "GET", repo, nil)
	b.callAs("", 401, "GET", "/user", nil)
	stranger := need(b.ctl.CreateUser(ctx, shared.UserSpec{Login: "eve"})).Token
	b.callAs(stranger, 404, "GET", repo, nil)
	b.callAs(stranger, 404, "POST", pr+"/reviews", draft("COMMENT"))
	must(t, b.ctl.SetTeam(ctx, "acme", simapi.TeamSpec{Name: "guests", Permission: "read", Members: []string{"eve"}, Repositories: []string{"shop"}}))
	b.callAs(stranger, 200, "GET", repo, nil)
	b.callAs(stranger, 403, "POST", repo+"/statuses/"+b.pull.HeadSHA, map[string]any{"state": "success"})
	yes := true
	must(t, b.ctl.FlagUser(ctx, "eve", simapi.UserFlags{Blocked: &yes}))
	b.callAs(stranger, 403, "GET", repo, nil)
	must(t, b.ctl.Configure(ctx, simapi.Settings{RequireSignIn: true}))
	b.callAs("", 401, "GET", repo, nil)
	if _, err := b.ctl.NewToken(ctx, "robot", simapi.TokenSpec{Scopes: []string{"everything"}}); err == nil {
		t.Error("accepted an unknown scope")
	}
	if _, err := simclient.New(b.base, "wrong").Hooks(ctx); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("the control interface took a wrong token: %v", err)
	}
}

// TestRenamedOwner: the former name leads to the present one, for the organisation, its webhooks and its repositories,
// until another account takes it.
func TestRenamedOwner(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	ctx := t.Context()
	id := b.call(200, "GET", "/orgs/acme", nil).id()
	must(t, b.ctl.UpdateUser(ctx, "acme", shared.UserUpdate{Login: "acme-new"}))
	for path, to := range map[string]string{"/orgs/acme": "/orgs/acme-new", "/orgs/ACME/teams?page=2": "/orgs/acme-new/teams?page=2",
		"/orgs/acme/hooks": "/orgs/acme-new/hooks", "/users/acme": "/users/acme-new", repo: "/repos/acme-new/shop"} {
		r := b.call(http.StatusTemporaryRedirect, "GET", path, nil)
		if got := r.header.Get("Location"); got != "/api/v1"+to {
			t.Errorf("%s is sent to %q", path, got)
		}
	}
	if got := b.call(200, "GET", "/orgs/acme-new", nil).id(); got != id {
		t.Errorf("the organisation has the number %d, before %d", got, id)
	}
	must(t, b.ctl.UpdateUser(ctx, "acme-new", shared.UserUpdate{Login: "acme-third"})) // both former names lead to it
	if got := b.call(http.StatusTemporaryRedirect, "GET", "/orgs/acme", nil).header.Get("Location"); got != "/api/v1/orgs/acme-third" {
		t.Errorf("renamed twice, it is sent to %q", got)
	}
	other := need(b.ctl.CreateUser(ctx, shared.UserSpec{Login: "acme", Type: "Organization"}))
	if got := b.call(200, "GET", "/orgs/acme", nil).id(); got != other.ID || got == id {
		t.Errorf("the name that another account took has the number %d, want %d", got, other.ID)
	}
	b.call(404, "GET", repo, nil)
	b.call(http.StatusTemporaryRedirect, "GET", "/orgs/acme-new", nil)
}

func TestRepositoryMoves(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	b.call(422, "POST", "/repos/acme/shop/forks", []int{1}) // a body of another form
	must(t, b.ctl.ChangeRepo(t.Context(), "acme/shop", simapi.RepoChange{Name: "store"}))
	r := b.call(http.StatusTemporaryRedirect, "GET", pr, nil)
	if to := r.header.Get("Location"); to != "/api/v1/repos/acme/store/pulls/1" {
		t.Errorf("sent to %q", to)
	}
	if got := b.call(200, "GET", "/repos/acme/store", nil).object(); got["id"] != float64(b.repo.ID) || got["full_name"] != "acme/store" {
		t.Errorf("renamed: %v", got["full_name"])
	}
	need(b.ctl.CreateUser(t.Context(), shared.UserSpec{Login: "beta", Type: "Organization"}))
	must(t, b.ctl.ChangeRepo(t.Context(), "acme/store", simapi.RepoChange{Owner: "beta"}))
	b.call(200, "GET", "/repos/beta/store", nil)
	must(t, b.ctl.ChangeRepo(t.Context(), "beta/store", simapi.RepoChange{Delete: true}))
	b.call(404, "GET", pr, nil)
	if hooks := need(b.ctl.Hooks(t.Context())); len(hooks) != 0 {
		t.Errorf("webhooks: %+v", hooks)
	}
}

// TestPaging: a page of files has at most the entries that the host allows, even if the request asks
// for more.
func TestPaging(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	ctx := t.Context()
	files := map[string]string{}
	for i := range 120 {
		files[fmt.Sprintf("many/%03d.go", i)] = "package many\n"
	}
	need(b.ctl.Commit(ctx, "acme/shop", shared.CommitSpec{Branch: "many", Author: "bob", Files: files}))
	need(b.ctl.OpenPull(ctx, "acme/shop", shared.PullSpec{Title: "Many", Head: "many", Author: "bob"}))
	seen, next := map[string]bool{}, repo+"/pulls/2/files?limit=100"
	for pages := 0; next != ""; pages++ {
		r := b.call(200, "GET", next, nil)
		if n := len(r.list()); n > 50 || r.header.Get("X-Total-Count") != "120" || pages > 3 {
			t.Fatalf("page %d has %d of %s", pages, n, r.header.Get("X-Total-Count"))
		}
		for _, f := range r.list() {
			seen[f["filename"].(string)] = true
		}
		next = ""
		for link := range strings.SplitSeq(r.header.Get("Link"), ",") {
			if at, isNext := strings.CutSuffix(link, `>; rel="next"`); isNext {
				next = strings.TrimPrefix(at, "<"+b.base+"/api/v1")
			}
		}
	}
	if len(seen) != 120 {
		t.Errorf("%d files", len(seen))
	}
	must(t, b.ctl.Configure(ctx, simapi.Settings{MaxResponseItems: 7}))
	if n := len(b.call(200, "GET", repo+"/pulls/2/files?limit=100", nil).list()); n != 7 {
		t.Errorf("%d files after the host allows 7", n)
	}
}

func TestGit(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	clone := func(token, branch string) ([]byte, error) {
		dir := filepath.Join(t.TempDir(), "clone")
		address := strings.Replace(b.base, "http://", "http://assay:"+token+"@", 1) + "/acme/shop.git"
		cmd := exec.CommandContext(t.Context(), "git", "-c", "credential.helper=", "clone", "-q", "--branch", branch, address, dir)
		cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			return out, err
		}
		return os.ReadFile(filepath.Join(dir, "cart.go"))
	}
	if text, err := clone(b.token, "feature"); err != nil || !strings.Contains(string(text), "Discount") {
		t.Errorf("cloned %s, error %v", text, err)
	}
	if _, err := clone("0123456789", "feature"); err == nil {
		t.Error("cloned with a wrong token")
	}
	narrow := need(b.ctl.NewToken(t.Context(), "robot", simapi.TokenSpec{Scopes: []string{"read:user"}})).Text
	if _, err := clone(narrow, "feature"); err == nil {
		t.Error("cloned without the scope")
	}
}

// TestSignIn goes through the code flow with the library of a relying party.
func TestSignIn(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	ctx := t.Context()
	const callback = "http://127.0.0.1/callback"
	app := need(b.ctl.RegisterClient(ctx, shared.ClientSpec{Name: "assay", RedirectURIs: []string{callback}}))
	provider := need(oidc.NewProvider(ctx, b.base))
	config := oauth2.Config{ClientID: app.ClientID, ClientSecret: app.ClientSecret, Endpoint: provider.Endpoint(), RedirectURL: callback, Scopes: []string{"openid", "profile", "email", "groups"}}
	verifier := oauth2.GenerateVerifier()
	send := func(more ...string) url.Values {
		address := config.AuthCodeURL("the-state", oidc.Nonce("the-nonce"), oauth2.S256ChallengeOption(verifier))
		for _, m := range more {
			address += "&" + m
		}
		req := need(http.NewRequestWithContext(ctx, "GET", address, nil))
		resp := need(http.DefaultTransport.RoundTrip(req))
		_ = resp.Body.Close()
		back := need(url.Parse(resp.Header.Get("Location")))
		return back.Query()
	}
	if q := send("deny=1"); q.Get("error") != "access_denied" || q.Get("state") != "the-state" {
		t.Errorf("denied: %v", q)
	}
	must(t, b.ctl.Configure(ctx, simapi.Settings{SignInAs: "ada"}))
	q := send()
	if _, err := config.Exchange(ctx, q.Get("code"), oauth2.VerifierOption("wrong"+verifier)); err == nil {
		t.Error("took a wrong verifier")
	}
	if _, err := config.Exchange(ctx, q.Get("code"), oauth2.VerifierOption(verifier)); err == nil {
		t.Error("took a code twice")
	}
	tok := need(config.Exchange(ctx, send().Get("code"), oauth2.VerifierOption(verifier)))
	text, _ := tok.Extra("id_token").(string)
	id := need(provider.Verifier(&oidc.Config{ClientID: app.ClientID}).Verify(ctx, text))
	var claims struct {
		Name   string   `json:"preferred_username"`
		Groups []string `json:"groups"`
	}
	must(t, id.Claims(&claims))
	if id.Nonce != "the-nonce" || claims.Name != "ada" || strings.Join(claims.Groups, " ") != "acme acme:owners" {
		t.Errorf("claims: %+v, nonce %q", claims, id.Nonce)
	}
	info := need(provider.UserInfo(ctx, oauth2.StaticTokenSource(tok)))
	if info.Subject != id.Subject {
		t.Errorf("subjects %q and %q", info.Subject, id.Subject)
	}
}

// A person replies in a thread on the page, and closes it.
func TestPeopleWriteInThreadsOnThePage(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	b.call(200, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": "b", "comments": []any{line(4)}})
	root := b.reviews()[0].Comments[0].ID
	for do, want := range map[string]string{"reply": "From the page.", "close": "Resolved"} {
		resp := need(http.PostForm(b.base+"/acme/shop/pulls/1", url.Values{"comment": {fmt.Sprint(root)}, "do": {do}, "author": {"bob"}, "body": {"From the page."}}))
		text := need(io.ReadAll(resp.Body))
		_ = resp.Body.Close()
		if resp.StatusCode != 200 || !strings.Contains(string(text), want) {
			t.Errorf("%s: status %d, %q is missing", do, resp.StatusCode, want)
		}
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	ctx := t.Context()
	b.call(200, "POST", pr+"/reviews", map[string]any{"event": "COMMENT", "body": "Two **findings** <script>alert(1)</script>", "comments": []any{line(4), line(7)}})
	b.call(200, "POST", pr+"/reviews", draft("PENDING", line(7)))
	root := b.reviews()[0].Comments[0].ID
	need(b.ctl.Reply(ctx, "acme/shop", 1, shared.ReplySpec{Comment: root, Author: "bob", Body: "An answer."}))
	need(b.ctl.Comment(ctx, "acme/shop", 1, shared.CommentSpec{Author: "bob", Body: "In the conversation."}))
	b.call(201, "POST", repo+"/statuses/"+b.pull.HeadSHA, map[string]any{"state": "failure", "context": "assay/review", "description": "2 findings"})
	for path, want := range map[string][]string{
		"/":                                  {"acme/shop", "Simulated Gitea"},
		"/acme":                              {"acme/shop"},
		"/acme/shop":                         {"cart.go", "Discount"},
		"/acme/shop/src/branch/main/cart.go": {"return"},
		"/acme/shop/pulls":                   {"/acme/shop/pulls/1", "1 review"},
		"/acme/shop/pulls/1":                 {"Summary", "<strong>findings</strong>", "In the conversation.", "An answer.", "assay/review", "2 findings", "A finding.", "Adds a discount."},
		"/acme/shop/pulls/1/files":           {"A finding.", "An answer.", "Discount"},
		"/acme/shop/pulls/1/commits":         {"Add a discount"},
		"/acme/shop/pulls/1.diff":            {"+func Discount"},
		"/acme/shop/commit/feature":          {"Add a discount"},
		"/_avatars/11.svg":                   {"<svg"},
		"/_static/style.css":                 {"body{"},
	} {
		resp := need(b.send(need(http.NewRequestWithContext(context.Background(), "GET", b.base+path, nil))))
		for _, w := range want {
			if resp.status != 200 || !strings.Contains(string(resp.body), w) {
				t.Errorf("%s: status %d, %q is missing", path, resp.status, w)
			}
		}
		if strings.Contains(string(resp.body), "<script") || strings.Contains(string(resp.body), "Summary") != slices.Contains(want, "Summary") {
			t.Errorf("%s shows a script, or the body of a pending review elsewhere than in the conversation", path)
		}
	}
	if resp := need(b.send(need(http.NewRequestWithContext(context.Background(), "GET", b.base+"/acme/none", nil)))); resp.status != 404 {
		t.Errorf("missing page: %d", resp.status)
	}
}
