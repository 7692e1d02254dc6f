package bitbucketcloud

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// Each kind of credential reads, writes and clones. An app password is refused with the reason, before a request.
func TestCredentials(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	pull, ctx := s.openPull("topic", "half.go", simFile), t.Context()
	for name, tc := range map[string]struct {
		login string
		spec  simapi.TokenSpec
		user  string
	}{
		"an API token":                     {"bot", simapi.TokenSpec{}, gitUserToken},
		"an access token of a workspace":   {"", simapi.TokenSpec{Kind: simapi.AccessToken, Workspace: "octo"}, gitUserBearer},
		"an access token of a repository":  {"", simapi.TokenSpec{Kind: simapi.AccessToken, Repository: named}, gitUserBearer},
		"one that cannot read its account": {"", simapi.TokenSpec{Kind: simapi.AccessToken, Workspace: "octo", Scopes: []string{"repository:write", "pullrequest:write"}}, gitUserBearer},
		"a consumer":                       {"", simapi.TokenSpec{Kind: simapi.Consumer, Workspace: "octo"}, gitUserBearer},
	} {
		h := s.with(&codehosttest.Gate{}, tc.login, tc.spec)
		made, err := h.CreateNote(ctx, s.repository(), pull.Number, pull.HeadSHA, codehost.DraftComment{Body: markdown.Const("by " + "a token")})
		if err != nil || !made.Mine {
			t.Errorf("%s: %+v, %v", name, made, err)
			continue
		}
		if list := must(h.Notes(ctx, s.repository(), pull.Number))(t); !slices.ContainsFunc(list, func(c codehost.Comment) bool { return c.ID == made.ID && c.Mine }) {
			t.Errorf("%s: does not know its own comment: %+v", name, list)
		}
		access := must(h.Clone(ctx, s.repository()))(t)
		if access.Username != tc.user || access.Token.Reveal() == "" || !strings.HasSuffix(access.URL, "/octo/demo.git") {
			t.Errorf("%s: clones %s as %s", name, access.URL, access.Username)
		}
		if err := h.DeleteNote(ctx, s.repository(), pull.Number, made.ID); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(s.ctl.SetFault(ctx, shared.Fault{Action: shared.Refuse, Method: "GET"}))(t) // a request would meet it
	h := s.open(&codehosttest.Gate{}, "bot", appPassword+"xyz")
	_, err := h.Probe(ctx)
	if codehost.ClassOf(err) != codehost.ClassForbidden || !strings.Contains(err.Error(), "app password") || strings.Contains(err.Error(), "xyz") {
		t.Errorf("an app password: %v", err)
	}
	if left := must(s.ctl.Faults(ctx))(t); len(left) != 1 || left[0].Hits != 0 {
		t.Errorf("the host was asked: %+v", left)
	}
}

// A token of a consumer serves all requests. After the host refuses it, the next request gets another one.
func TestTokensOfAConsumer(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	issued, valid, answer := 0, "t1", `{"access_token":"t1","expires_in":7200,"token_type":"bearer"}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/site/oauth2/access_token":
			text, _ := io.ReadAll(r.Body)
			if user, pass, _ := r.BasicAuth(); r.Method != "POST" || user != "key" || pass != "consumer-secret" || string(text) != "grant_type=client_credentials" {
				t.Errorf("%s by %s: %s", r.Method, user, text)
			}
			issued++
			if answer == "" {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":"invalid_client","error_description":"Invalid OAuth client credentials"}`)
				return
			}
			_, _ = io.WriteString(w, answer)
		case r.Header.Get("Authorization") != "Bearer "+valid:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"type":"error","error":{"message":"Access token expired."}}`)
		default:
			_, _ = io.WriteString(w, `{"uuid":"{`+repoID+`}","full_name":"octo/demo"}`)
		}
	}))
	t.Cleanup(srv.Close)
	cfg := Config{Username: "key"}
	cfg.BaseURL, cfg.Token, cfg.Connection, cfg.HTTP, cfg.Gate = srv.URL, secret.New("consumer"+"-secret"), "c1", srv.Client(), &codehosttest.Gate{}
	h, ctx := must(New(cfg))(t), t.Context()
	ask := func() error { _, err := h.Resolve(ctx, scriptedRepo); return err }
	ahead := time.Duration(0)
	later := func(d time.Duration) {
		ahead += d
		now := time.Now().Add(ahead)
		h.auth.tokens.Now = func() time.Time { return now }
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { testkit.OK(t, ask()) })
	}
	all.Wait()
	if issued != 1 {
		t.Errorf("%d tokens for requests at one time", issued)
	}
	mu.Lock()
	valid, answer = "t2", `{"access_token":"t2","expires_in":7200}`
	mu.Unlock()
	if err := ask(); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Errorf("with a token that the host ended: %v", err)
	}
	if err := ask(); codehost.ClassOf(err) != codehost.ClassForbidden || issued != 1 {
		t.Errorf("with a young token that the host refuses: %v, %d tokens", err, issued)
	}
	later(time.Minute)
	if err := ask(); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Errorf("with the token a minute later: %v", err)
	}
	if err := ask(); err != nil || issued != 2 {
		t.Errorf("after it: %v, %d tokens", err, issued)
	}
	for text, want := range map[string]codehost.Class{"": codehost.ClassForbidden, `{"access_token":"","expires_in":5}`: codehost.ClassUnavailable,
		`{"access_token":"a b","expires_in":5}`: codehost.ClassUnavailable, `{"access_token":"a","expires_in":-5}`: codehost.ClassUnavailable, `[]`: codehost.ClassUnavailable} {
		mu.Lock()
		answer = text
		mu.Unlock()
		later(24 * time.Hour)
		if err := ask(); codehost.ClassOf(err) != want || err != nil && strings.Contains(err.Error(), "consumer-secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The scopes of pull requests include the reading of repositories, but API tokens name each scope.
func TestScopesThatIncludeOthers(t *testing.T) {
	t.Parallel()
	for scopes, want := range map[string][]bool{"pullrequest": {true, true, false, false, false}, "pullrequest:write": {true, true, false, false, false},
		"write:pullrequest:bitbucket": {false, true, false, false, false}, "repository:write": {true, false, false, false, true}} {
		for i, n := range needs {
			if n.isMet([]string{scopes}) != want[i] {
				t.Errorf("%s, %s: %v", scopes, n.without, !want[i])
			}
		}
	}
}

func TestConnectionToTheSimulatedHost(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	h, ctx := s.host(&codehosttest.Gate{}), t.Context()
	got := must(h.Probe(ctx))(t)
	if got.Login != "bot" || got.ID == "" || got.Owner.Login != "octo" || !got.Owner.Organization || got.Owner.ID == "" || len(got.Missing) != 0 || len(got.Lacking) != 0 {
		t.Errorf("%+v", got)
	}
	repos := must(h.Repositories(ctx))(t)
	if len(repos) != 1 || repos[0].CreatedAt.IsZero() {
		t.Fatalf("%+v", repos)
	}
	repos[0].CreatedAt = time.Time{}
	if repos[0] != (codehost.RepoInfo{ExternalID: s.repository().ExternalID, Owner: "octo", Name: "demo", DefaultBranch: "main", Private: true}) {
		t.Fatalf("%+v", repos)
	}
	words := map[string]string{}
	for _, m := range must(h.Members(ctx, s.repository()))(t) {
		words[m.Login] = m.Permission + " " + m.Account
	}
	for login, want := range map[string]string{"own": "admin owner", "ann": "write ", "bot": "admin member"} {
		if words[login] != want {
			t.Errorf("%s: %q of %v", login, words[login], words)
		}
	}
	weak := must(s.host(&codehosttest.Gate{}, "read:user:bitbucket", "read:repository:bitbucket", "read:workspace:bitbucket").Probe(ctx))(t)
	if weak.ScopesKnown && (!slices.Equal(weak.Lacking, []string{"write:pullrequest:bitbucket"}) || len(weak.Missing) < 2) {
		t.Errorf("missing for a token that only reads: %+v", weak)
	}
	s.change(named, simapi.RepoChange{Collaborators: map[string]string{"bot": "write"}})
	if p := must(s.host(&codehosttest.Gate{}).Probe(ctx))(t); len(p.Missing) != 1 || !strings.Contains(p.Missing[0], "does not administer 1 of 1") {
		t.Errorf("missing for an account that writes: %q", p.Missing)
	}
	if _, err := s.host(&codehosttest.Gate{}).Permission(ctx, s.repository(), "ann"); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Errorf("rights of people, asked without the right: %v", err)
	}
	bad := s.open(&codehosttest.Gate{}, "bot@example.org", "wrong"+"-token")
	if _, err := bad.Probe(ctx); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Errorf("a wrong token: %v", err)
	}
	must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "octo", Name: "second", Files: map[string]string{"a": "a"}}))(t)
	newest := must(h.Newest(ctx, got.Owner.ID))(t)
	if len(newest.Repositories) == 0 || newest.Repositories[0].Name != "second" {
		t.Errorf("newest %+v", newest)
	}
	if now := must(h.OwnerNow(ctx, got.Owner.ID, nil))(t); now != got.Owner {
		t.Errorf("owner %+v", now)
	}
}

// A repository that was renamed or transferred is found by its id, whether the host redirects or not.
func TestMovedRepositories(t *testing.T) {
	t.Parallel()
	for _, doubts := range [][]simapi.Doubt{nil, {simapi.MovedRedirects}} {
		s := newSim(t, doubts...)
		pull, ctx := s.openPull("topic", "half.go", simFile), t.Context()
		h := s.host(&codehosttest.Gate{})
		s.change(named, simapi.RepoChange{Name: "renamed"})
		if _, err := h.PullRequest(ctx, s.repository(), pull.Number); codehost.ClassOf(err) != codehost.ClassMoved {
			t.Errorf("%v: a renamed repository: %v", doubts, err)
		}
		if info := must(h.Resolve(ctx, s.repository()))(t); info.Owner != "octo" || info.Name != "renamed" {
			t.Errorf("%v: %+v", doubts, info)
		}
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "beta", Type: "Organization", Members: map[string]string{"bot": "member"}}))(t)
		s.change("octo/renamed", simapi.RepoChange{Owner: "beta"})
		if info, err := h.Resolve(ctx, s.repository()); err != nil || info.Owner != "beta" || info.Name != "renamed" {
			t.Errorf("%v: transferred: %+v, %v", doubts, info, err)
		}
	}
}

// Our webhook is made once, corrected, rotated and removed. Deliveries of the host verify and parse.
func TestHooks(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []codehost.Event
	var failures []error
	keys := []secret.Secret{secret.New("first" + "-key"), secret.New("second" + "-key")}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		err := Verify(r.Header, text, keys)
		h, _ := ReadHeader(r.Header)
		ev, parseErr := Parse(h, text)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, ev)
		if err != nil || parseErr != nil || RepositoryOf(text) == "" {
			failures = append(failures, err, parseErr)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(receiver.Close)
	s := newSim(t)
	h, ctx, repo := s.host(&codehosttest.Gate{}), t.Context(), s.repository()
	address := codehost.RepositoryHook(receiver.URL+"/webhooks/host-c/c1", repo.ExternalID)
	first := must(h.EnsureHook(ctx, repo, address, keys[0]))(t)
	again := must(h.EnsureHook(ctx, repo, address, keys[0]))(t)
	if first.ID == "" || !first.Active || len(first.Missing) != 0 || again.ID != first.ID || len(must(s.ctl.Hooks(ctx))(t)) != 1 {
		t.Fatalf("%+v, then %+v", first, again)
	}
	must(s.ctl.AddHook(ctx, named, simapi.HookSpec{URL: codehost.ConnectionHook(address), Secret: "x", Inactive: true, Events: []string{"repo:push"}}))(t)
	rotated := must(h.EnsureHook(ctx, repo, address, keys[1]))(t)
	if rotated.ID != first.ID || len(must(s.ctl.Hooks(ctx))(t)) != 1 {
		t.Errorf("rotated %+v, left %+v", rotated, must(s.ctl.Hooks(ctx))(t))
	}
	pull := s.openPull("topic", "half.go", simFile)
	must(s.ctl.Comment(ctx, named, pull.Number, shared.CommentSpec{Author: "ann", Body: "/assay review"}))(t)
	s.push("topic", map[string]string{"more.go": "package demo\n"})
	testkit.OK(t, s.ctl.WaitDeliveries(ctx, 10*time.Second))
	mu.Lock()
	var actions []string
	for _, ev := range got {
		actions = append(actions, string(ev.Kind)+" "+ev.Action)
	}
	if slices.Sort(actions); !slices.Equal(actions, []string{"comment created", "pull_request opened", "pull_request updated", "push ", "push "}) || len(failures) > 0 {
		t.Errorf("deliveries %q, %v", actions, failures)
	}
	mu.Unlock()
	testkit.OK(t, h.RemoveHook(ctx, repo, address))
	testkit.OK(t, h.RemoveHook(ctx, repo, address))
	if state := must(h.Hook(ctx, repo, address))(t); state.ID != "" {
		t.Errorf("after the removal: %+v", state)
	}
	if _, err := h.EnsureOwnerHook(ctx, receiver.URL+"/webhooks/host-c/c1", keys[0]); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Errorf("a webhook of the workspace by a member: %v", err)
	}
	admin := s.with(&codehosttest.Gate{}, "own", simapi.TokenSpec{})
	owner := must(admin.EnsureOwnerHook(ctx, receiver.URL+"/webhooks/host-c/c1", keys[0]))(t)
	if state := must(admin.OwnerHook(ctx, receiver.URL+"/webhooks/host-c/c1"))(t); owner.ID == "" || state.ID != owner.ID || len(state.Missing) != 0 {
		t.Errorf("of the workspace: %+v, then %+v", owner, state)
	}
	must(admin.EnsureHook(ctx, repo, address, keys[0]))(t)
	testkit.OK(t, admin.RemoveRepeated(ctx, repo, address))
	must(s.ctl.AddHook(ctx, named, simapi.HookSpec{URL: address}))(t)
	testkit.OK(t, admin.RemoveRepeated(ctx, repo, address))
	if list := must(s.ctl.Hooks(ctx))(t); len(list) != 2 {
		t.Errorf("a webhook of a person was removed, or ours stayed: %+v", list)
	}
	testkit.OK(t, admin.RemoveOwnerHook(ctx, receiver.URL+"/webhooks/host-c/c1", true))
	if state := must(admin.OwnerHook(ctx, receiver.URL+"/webhooks/host-c/c1"))(t); state.ID != "" {
		t.Errorf("of the workspace after its removal: %+v", state)
	}
}

// The head of a fork is read, with its size, and a status goes where the commit is.
func TestPullRequestsOfForks(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx := t.Context()
	s.push("theirs", map[string]string{"theirs.go": "package demo\n"})
	p := must(s.ctl.OpenPull(ctx, named, shared.PullSpec{Title: "Theirs", Head: "theirs", Author: "ann", Fork: "ann"}))(t)
	h := s.host(&codehosttest.Gate{})
	got := must(h.PullRequest(ctx, s.repository(), p.Number))(t)
	if !got.FromFork || got.HeadSHA != p.HeadSHA || got.ChangedFiles != 1 || got.Additions != 1 {
		t.Errorf("%+v", got)
	}
	if files, whole, err := h.Files(ctx, s.repository(), p.Number); err != nil || !whole || len(files) != 1 || files[0].Patch == "" {
		t.Errorf("%+v, %v", files, err)
	}
	check := codehost.Check{ExternalID: "run_1", Name: "assay", Number: p.Number, HeadSHA: p.HeadSHA, Status: "completed", Conclusion: "success", Title: markdown.Const("No findings")}
	if _, err := h.CreateCheck(ctx, s.repository(), check); err != nil {
		t.Errorf("a status: %v", err)
	}
}

// A nickname that two people have gives the least of their rights, and asks neither for a review.
func TestNicknamesThatTwoPeopleHave(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	h, ctx := s.host(), t.Context()
	s.json("GET /workspaces/octo/permissions/repositories/demo", `{"values":[{"permission":"admin","user":{"uuid":"{1}","nickname":"Sam"}},{"permission":"read","user":{"uuid":"{2}","nickname":"sam"}},
		{"permission":"write","user":{"uuid":"{3}","nickname":"Kim Lee"}},{"permission":"owner-of-all","user":{"uuid":"{4}","nickname":"odd"}},{"permission":"admin","user":{"uuid":"{5}","nickname":"app","type":"app_user"}}]}`)
	s.json("GET "+scriptedPath, `{"uuid":"{`+repoID+`}","full_name":"octo/demo","is_private":false}`)
	for login, want := range map[string]string{"Sam": "read", "kim lee": "write", "odd": "none", "stranger": "read", "app": "read"} {
		if got, err := h.Permission(ctx, scriptedRepo, login); err != nil || got != want {
			t.Errorf("%s: %q, %v", login, got, err)
		}
	}
	s.json("GET "+scriptedPath+"/pullrequests/7", `{"id":7,"state":"OPEN","title":"x"}`)
	if err := h.RequestReviews(ctx, scriptedRepo, 7, []string{"sam"}); codehost.ClassOf(err) != codehost.ClassInvalid || !strings.Contains(err.Error(), "several") {
		t.Errorf("a review by one of two: %v", err)
	}
}
