package azuredevops

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

const hookAt = "https://assay.example/webhooks/host-g/pcn_1"

func (s *simulated) subscriptions() []simapi.Subscription {
	s.t.Helper()
	return must(s.ctl.Subscriptions(s.t.Context()))(s.t)
}

func TestConnectionToTheSimulatedHost(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	h, ctx := s.host(&codehosttest.Gate{}), t.Context()
	got := must(h.Probe(ctx))(t)
	if got.Login != bot || got.ID == "" || got.Owner.Login != owner || !got.Owner.Organization || len(got.Missing) != 0 || got.ScopesKnown {
		t.Errorf("%+v", got)
	}
	id := domain.HostID(simapi.ID("repository", s.repo.ID))
	repos := must(h.Repositories(ctx))(t)
	if len(repos) != 1 || repos[0] != (codehost.RepoInfo{ExternalID: id, Owner: owner, Name: "demo app", DefaultBranch: "main", Private: true}) {
		t.Fatalf("%+v", repos)
	}
	repo := codehost.Repo{Access: "c1", ExternalID: id, Owner: owner, Name: "demo app"}
	words := map[string]string{}
	for _, m := range must(h.Members(ctx, repo))(t) {
		words[m.Login] = m.Permission + " " + m.Account
	}
	for login, want := range map[string]string{"own@contoso.test": "admin owner", ann: "write member", bot: "admin owner"} {
		if words[login] != want {
			t.Errorf("%s: %q of %v", login, words[login], words)
		}
	}
	weak := s.with(&codehosttest.Gate{}, ann, Entra{}, "")
	if p := must(weak.Probe(ctx))(t); len(p.Missing) != 1 || !strings.Contains(p.Missing[0], "service hooks") {
		t.Errorf("missing for a contributor: %q", p.Missing)
	}
	s.change(simapi.RepoChange{Collaborators: map[string]string{"rea@contoso.test": "read"}})
	reader := s.with(&codehosttest.Gate{}, "rea@contoso.test", Entra{}, "")
	if p := must(reader.Probe(ctx))(t); len(p.Missing) != 2 || !strings.Contains(p.Missing[0], "Contributors") {
		t.Errorf("missing for a reader: %q", p.Missing)
	}
	absent := must(New(Config{Config: wireConfig(s, "Contoso Überall/nowhere"), Entra: Entra{}}))(t)
	if _, err := absent.Probe(ctx); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("an absent project: %v", err)
	}
	if newest := must(h.Newest(ctx, ""))(t); newest.Total != 1 || len(newest.Repositories) != 1 {
		t.Errorf("newest %+v", newest)
	}
	for owner, ok := range map[string]bool{"acme": true, "acme/Pay ments": true, "a/b/c": false, "": true, "*": false, "a/../b": false, "a%2fb": false, " a": false} {
		if _, err := New(Config{Config: wireConfig(s, owner)}); (err == nil) != ok {
			t.Errorf("owner %q: %v", owner, err)
		}
	}
}

// A renamed repository or project is reported as moved and found again by its id.
func TestARenamedRepository(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	f := s.fixture()
	ctx := t.Context()
	for name, c := range map[string]simapi.RepoChange{"demo app 2": {Name: "demo app 2"}} {
		s.change(c)
		if _, err := f.Host.PullRequest(ctx, f.Repo, f.Number); codehost.ClassOf(err) != codehost.ClassMoved {
			t.Errorf("a repository with another name: %v", err)
		}
		if info := must(f.Host.Resolve(ctx, f.Repo))(t); info.Name != name || info.Owner != owner {
			t.Errorf("%+v", info)
		}
	}
}

// Every event has one subscription with the secret, in both places that prove it. A repetition changes nothing, and what people or the host
// change comes back.
func TestServiceHooks(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	f := s.fixture()
	h, ctx, key := f.Host.(*Host), t.Context(), secret.New("hook"+"-key")
	at := codehost.RepositoryHook(hookAt, f.Repo.ExternalID)
	first := must(h.EnsureHook(ctx, f.Repo, at, key))(t)
	if first.ID == "" || !first.Active || len(first.Missing) != 0 || first.Restored || len(s.subscriptions()) != len(subscriptions) {
		t.Fatalf("%+v, %+v", first, s.subscriptions())
	}
	writes := len(must(s.ctl.Writes(ctx, 0))(t))
	if again := must(h.EnsureHook(ctx, f.Repo, at, key))(t); again.ID != first.ID || len(must(s.ctl.Writes(ctx, 0))(t)) != writes {
		t.Errorf("a repetition wrote: %+v", again)
	}
	if err := s.ctl.ChangeSubscription(ctx, s.subscriptions()[1].ID, simapi.SubscriptionChange{Status: "onProbation"}); err != nil {
		t.Fatal(err)
	}
	if state := must(h.Hook(ctx, f.Repo, at))(t); state.Active {
		t.Errorf("one is switched off: %+v", state)
	}
	if state := must(h.EnsureHook(ctx, f.Repo, at, key))(t); !state.Active || !state.Restored {
		t.Errorf("after the repair: %+v", state)
	}
	before := len(must(s.ctl.Writes(ctx, 0))(t))
	must(h.EnsureHook(ctx, f.Repo, at, secret.New("another"+"-key")))(t)
	if n := len(must(s.ctl.Writes(ctx, 0))(t)) - before; n != len(subscriptions) {
		t.Errorf("a new secret changed %d subscriptions", n)
	}
	must(h.EnsureHook(ctx, f.Repo, hookAt, key))(t) // as earlier versions made them
	must(h.EnsureHook(ctx, f.Repo, at, key))(t)
	for _, x := range s.subscriptions() {
		if x.URL != at {
			t.Errorf("%s has the address %s", x.Event, x.URL)
		}
	}
	for range 2 {
		if err := h.RemoveHook(ctx, f.Repo, at); err != nil || len(s.subscriptions()) != 0 {
			t.Errorf("removed: %v, %+v", err, s.subscriptions())
		}
	}
	weak := s.with(&codehosttest.Gate{}, ann, Entra{}, "")
	if _, err := weak.EnsureHook(ctx, f.Repo, at, key); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Errorf("a contributor: %v", err)
	}
}

// A server without the event of comments gets the other subscriptions.
func TestServiceHooksWithoutComments(t *testing.T) {
	t.Parallel()
	s := newSim(t, simapi.NoComments)
	f := s.fixture()
	state := must(f.Host.(*Host).EnsureHook(t.Context(), f.Repo, hookAt, secret.New("hook"+"-key")))(t)
	if !state.Active || !slices.Equal(state.Missing, []string{eventComment}) {
		t.Errorf("%+v", state)
	}
}

// A service principal signs in with its secret, keeps the access token while it lives, and gets a new one when the host refuses it.
func TestServicePrincipal(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	f := s.fixture()
	ctx := t.Context()
	app := simapi.App{Login: "assay-app", Tenant: "contoso.test", Client: "11111111-2222-4333-8444-555555555555", Secret: "s3cret~of-the-app"}
	if err := s.ctl.RegisterApp(ctx, app); err != nil {
		t.Fatal(err)
	}
	s.change(simapi.RepoChange{Collaborators: map[string]string{app.Login: "admin"}})
	h := s.with(&codehosttest.Gate{}, "", Entra{app.Tenant, app.Client}, app.Secret)
	tokens := func() (n int) {
		for _, r := range must(s.ctl.Requests(ctx, simRequests()))(t) {
			if strings.HasSuffix(r.Path, "/token") {
				n++
			}
		}
		return n
	}
	for range 3 {
		must(h.PullRequest(ctx, f.Repo, f.Number))(t)
	}
	if n := tokens(); n != 1 {
		t.Errorf("%d sign-ins for three reads", n)
	}
	made := must(h.CreateNote(ctx, f.Repo, f.Number, f.Head, codehost.DraftComment{Body: markdown.Const("of the app")}))(t)
	if !made.Mine {
		t.Errorf("%+v", made)
	}
	if c := must(h.Comment(ctx, f.Repo, codehost.EventComment{ID: made.ID, Number: f.Number}))(t); !c.AuthorIsBot {
		t.Errorf("an application counts as a person: %+v", c)
	}
	if access := must(h.Clone(ctx, f.Repo))(t); access.Token.Reveal() == app.Secret || access.Token.Reveal() == "" {
		t.Error("git gets the secret of the application")
	}
	if err := s.ctl.RevokeToken(ctx, 0); err != nil {
		t.Fatal(err)
	}
	h.sign.tokens.Now = func() time.Time { return time.Now().Add(2 * time.Minute) } // a younger token is not replaced
	if _, err := h.PullRequest(ctx, f.Repo, f.Number); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Errorf("with a revoked token: %v", err)
	}
	must(h.PullRequest(ctx, f.Repo, f.Number))(t)
	wrong := s.with(&codehosttest.Gate{}, "", Entra{app.Tenant, app.Client}, "another"+"-secret")
	_, err := wrong.PullRequest(ctx, f.Repo, f.Number)
	if codehost.ClassOf(err) != codehost.ClassForbidden || strings.Contains(err.Error(), "another-secret") || codehost.IsAccessLost(err) {
		t.Errorf("with a wrong secret: %v", err)
	}
	before := tokens()
	if _, err := wrong.PullRequest(ctx, f.Repo, f.Number); codehost.ClassOf(err) != codehost.ClassForbidden || tokens() != before {
		t.Errorf("the sign-in is tried again at once: %v, %d requests", err, tokens()-before)
	}
	if _, err := New(Config{Config: wireConfig(s, owner), Entra: Entra{Tenant: "a/b", Client: "c"}}); err == nil {
		t.Error("a directory with a slash is accepted")
	}
}

// The adapter works in both positions of every question about the host.
func TestConformanceInDoubt(t *testing.T) {
	t.Parallel()
	s := newSim(t, simapi.NoRetryAfter, simapi.SignInPage, simapi.OutsideDiff, simapi.FlatProperties, simapi.NoIdentities)
	f := s.fixture()
	ctx, h := t.Context(), f.Host.(*Host)
	body := "the body\n\n[assay:pub=pub_1 sha=0123456789abcdef mac=v2.0123456789abcdef0123456789abcdef]: " + markdown.MarkAddress
	made := must(h.CreateNote(ctx, f.Repo, f.Number, f.Head, codehost.DraftComment{Body: markdown.Stored(body)}))(t)
	if list := must(h.Notes(ctx, f.Repo, f.Number))(t); made.Body != body || len(list) != 1 || list[0].Body != body {
		t.Errorf("a mark as a bare property: %+v, %+v", made, list)
	}
	changed := strings.Replace(body, "sha=0", "sha=1", 1)
	if err := h.EditReview(ctx, f.Repo, f.Number, made.ID, markdown.Stored(changed)); err != nil {
		t.Fatal(err)
	}
	if r := must(h.Review(ctx, f.Repo, f.Number, made.ID))(t); r.Body != changed {
		t.Errorf("after an edit with another mark: %q", r.Body)
	}
	must(h.CreateNote(ctx, f.Repo, f.Number, f.Head, codehost.DraftComment{Path: f.Path, Side: "RIGHT", StartLine: 3, Line: 4, Body: markdown.Const("here")}))(t)
	s.fault(codehosttest.LimitHeader, "GET", "")
	if _, err := h.PullRequest(ctx, f.Repo, f.Number); codehost.ClassOf(err) != codehost.ClassLimited || codehost.RetryAfter(err) != time.Minute {
		t.Errorf("a limit without a time: %v", err)
	}
	if p := must(h.Probe(ctx))(t); len(p.Missing) != 1 || !strings.Contains(p.Missing[0], "Identity (read)") {
		t.Errorf("a token without identities: %q", p.Missing)
	}
	refused := s.with(&codehosttest.Gate{}, bot, Entra{}, "not-a-"+"token")
	if _, err := refused.PullRequest(ctx, f.Repo, f.Number); codehost.ClassOf(err) != codehost.ClassForbidden || codehost.IsAccessLost(err) {
		t.Errorf("the page for signing in: %v", err)
	}
}

// A comment can stand on every kind of line, on either side and for a replaced head; the end of its span is one past the last character.
func TestPlacesOfComments(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx := t.Context()
	base := must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: "main", Files: map[string]string{"a b/ü.txt": "one\ntwo\nthree 👩 x\n"}, Author: ann}))(t).SHA
	head := must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: "long", From: base, Files: map[string]string{"a b/ü.txt": "one\nTWO\r\nthree 👩 x\nfour"}, Author: ann}))(t).SHA
	pull := must(s.ctl.OpenPull(ctx, named, shared.PullSpec{Title: "Long", Head: "long", Author: ann}))(t)
	s.push("long", map[string]string{"other.txt": "x\n"})
	h, repo := s.host(&codehosttest.Gate{}), codehost.Repo{Access: "c1", Owner: owner, Name: "demo app"}
	for _, tc := range []struct {
		side        string
		start, line int
		end         int
	}{{"RIGHT", 0, 2, 4}, {"LEFT", 0, 2, 4}, {"RIGHT", 1, 3, 11}, {"RIGHT", 0, 4, 5}} {
		v := must(h.versionAt(ctx, "try", repo, pull.Number, head))(t)
		at, _, err := h.place(ctx, "try", repo, v, codehost.DraftComment{Path: "a b/ü.txt", Side: tc.side, StartLine: tc.start, Line: tc.line})
		if err != nil {
			t.Errorf("%+v: %v", tc, err)
			continue
		}
		end := at.RightEnd
		if tc.side == "LEFT" {
			end = at.LeftEnd
		}
		if end.Line != tc.line || end.Offset != tc.end {
			t.Errorf("%+v: the end is %+v", tc, end)
		}
		made := must(h.CreateNote(ctx, repo, pull.Number, head, codehost.DraftComment{Path: "a b/ü.txt", Side: tc.side, StartLine: tc.start, Line: tc.line, Body: markdown.Const("here")}))(t)
		if err := h.EditReply(ctx, repo, codehost.Spot{Number: pull.Number + 1}, made.ID, markdown.Const("x")); codehost.ClassOf(err) != codehost.ClassNotFound {
			t.Errorf("a comment of another pull request was edited: %v", err)
		}
	}
	if diff := string(must(h.Diff(ctx, repo, pull.Number))(t)); !strings.Contains(diff, "+TWO") || !strings.Contains(diff, "-two") {
		t.Errorf("diff %q", diff)
	}
}

func TestFileAndPullRequestAddresses(t *testing.T) {
	t.Parallel()
	h := must(New(Config{Config: wireConfig(nil, "acme")}))(t)
	repo := codehost.Repo{Owner: "acme/Pay ments", Name: "a b"}
	for got, want := range map[string]string{
		h.FileURL(repo, "abc", "x y/ü&.go", 10, 20): "https://dev.azure.com/acme/Pay%20ments/_git/a%20b?path=%2Fx+y%2F%C3%BC%26.go&version=GCabc&line=10&lineEnd=20",
		h.FileURL(repo, "abc", "a.go", 0, 0):        "https://dev.azure.com/acme/Pay%20ments/_git/a%20b?path=%2Fa.go&version=GCabc",
		h.pullURL(repo, 7):                          codehost.PullRequestPage(domain.AzureDevOps, "https://dev.azure.com", repo.Owner, repo.Name, 7),
		h.identitiesRoot():                          "https://vssps.dev.azure.com",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
