package bitbucketserver

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

const hookURL = "https://assay.example/webhooks/host-d/c1"

// own returns a connection to an owner with a token.
func (s *simulated) own(owner, token string) *Host {
	s.t.Helper()
	tr := &http.Transport{Proxy: nil}
	s.t.Cleanup(tr.CloseIdleConnections)
	return must(New(Config{Config: wire.Config{BaseURL: s.url, Owner: owner, Token: secret.New(token), Connection: "c1", HTTP: &http.Client{Transport: tr}, Gate: &codehosttest.Gate{}}}))(s.t)
}

func names(list []codehost.RepoInfo) string {
	var out []string
	for _, r := range list {
		out = append(out, r.Owner+"/"+r.Name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// A project, a person's own project and the whole instance are owners. Tokens of persons, projects and repositories
// reach what they may.
func TestOwnersAndTokens(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx := t.Context()
	for _, r := range []shared.RepoSpec{{Owner: "octo", Name: "more"}, {Owner: "ann", Name: "own", Collaborators: map[string]string{"bot": "read"}}} {
		must(s.ctl.CreateRepo(ctx, r))(t)
	}
	person := must(s.ctl.NewToken(ctx, "bot", simapi.TokenSpec{}))(t)
	project := must(s.ctl.NewToken(ctx, "", simapi.TokenSpec{Kind: simapi.AccessToken, Workspace: "octo"}))(t)
	one := must(s.ctl.NewToken(ctx, "", simapi.TokenSpec{Kind: simapi.AccessToken, Repository: named}))(t)
	for _, tc := range []struct{ owner, token, login, want, missing string }{
		{"octo", person.Text, "bot", "octo/demo octo/more", "1 of 2"},
		{"octo", project.Text, project.Account, "octo/demo octo/more", ""},
		{"octo", one.Text, one.Account, "octo/demo", ""},
		{"~ann", person.Text, "bot", "~ann/own", "1 of 1"},
		{"*", person.Text, "bot", "octo/demo octo/more ~ann/own", "2 of 3"},
	} {
		h := s.own(tc.owner, tc.token)
		p := must(h.Probe(ctx))(t)
		if p.Login != tc.login || p.ID == "" || p.Version == "" || p.Owner.Login != tc.owner || !strings.Contains(strings.Join(p.Missing, " "), tc.missing) ||
			(len(p.Missing) > 0) != (tc.missing != "") {
			t.Errorf("%s: %+v", tc.owner, p)
		}
		if got := names(must(h.Repositories(ctx))(t)); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.owner, got, tc.want)
		}
	}
	if _, err := s.own("none", person.Text).Probe(ctx); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("a project that is not there: %v", err)
	}
	testkit.OK(t, s.ctl.RevokeToken(ctx, person.ID))
	if _, err := s.own("octo", person.Text).Probe(ctx); codehost.ClassOf(err) != codehost.ClassForbidden || codehost.IsAccessLost(err) {
		t.Errorf("a token that was revoked: %v", err)
	}
	if _, err := New(Config{Config: wire.Config{BaseURL: s.url, Owner: "a/b", Token: secret.New("t"), Connection: "c", HTTP: http.DefaultClient, Gate: &codehosttest.Gate{}}}); err == nil {
		t.Error("an owner with a slash was taken")
	}
}

// A webhook is made once, repaired, gets a new secret, and is removed with its duplicates.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx, repo := t.Context(), s.repository()
	h := s.with(&codehosttest.Gate{}, "bot", simapi.TokenSpec{})
	old, key := secret.New("old-secret"), secret.New("new-secret")
	address := codehost.RepositoryHook(hookURL, repo.ExternalID)
	must(s.ctl.AddHook(ctx, named, simapi.HookSpec{URL: hookURL, Secret: "by hand", Events: []string{"pr:opened"}, Inactive: true}))(t)
	first := must(h.EnsureHook(ctx, repo, address, old))(t)
	if first.ID == "" || !first.Active || !first.Restored || len(first.Missing) > 0 {
		t.Errorf("%+v", first)
	}
	writes := len(must(s.ctl.Writes(ctx, 0))(t))
	if again := must(h.EnsureHook(ctx, repo, address, old))(t); again.ID != first.ID || len(must(s.ctl.Writes(ctx, 0))(t)) != writes {
		t.Errorf("a webhook that is right was written again: %+v", again)
	}
	if next := must(h.EnsureHook(ctx, repo, address, key))(t); next.ID != first.ID || len(must(s.ctl.Writes(ctx, 0))(t)) != writes+1 {
		t.Errorf("a new secret: %+v", next)
	}
	if list := must(s.ctl.Hooks(ctx))(t); len(list) != 1 || list[0].URL != address || !list[0].HasSecret {
		t.Errorf("webhooks %+v", list)
	}
	if got := must(h.Hook(ctx, repo, address))(t); got.ID != first.ID || !got.Active {
		t.Errorf("%+v", got)
	}
	for range 2 {
		testkit.OK(t, h.RemoveHook(ctx, repo, address))
	}
	if list := must(s.ctl.Hooks(ctx))(t); len(list) != 0 {
		t.Errorf("left %+v", list)
	}
	reader := s.with(&codehosttest.Gate{}, "bot", simapi.TokenSpec{Scopes: []string{"REPO_READ"}})
	if _, err := reader.EnsureHook(ctx, repo, address, key); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Errorf("without the right: %v", err)
	}
}

// A repository that was renamed or moved to another project is found again, by its former name or in the list of all.
func TestRenamedRepositories(t *testing.T) {
	t.Parallel()
	for _, gone := range []bool{false, true} {
		var doubts []simapi.Doubt
		if gone {
			doubts = []simapi.Doubt{simapi.MovedGone}
		}
		s := newSim(t, doubts...)
		f := s.fixture(func(g codehost.Gate) *Host { return s.with(g, "bot", simapi.TokenSpec{}) })
		ctx := t.Context()
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "other", Type: "Organization", Members: map[string]string{"bot": "admin"}}))(t)
		s.change(named, simapi.RepoChange{Name: "renamed", Owner: "other"})
		_, err := f.Host.PullRequest(ctx, f.Repo, f.Number)
		want := codehost.ClassMoved
		if gone {
			want = codehost.ClassNotFound
		}
		if codehost.ClassOf(err) != want {
			t.Errorf("gone %v: %v", gone, err)
		}
		if info := must(f.Host.Resolve(ctx, f.Repo))(t); info.Owner != "other" || info.Name != "renamed" || info.ExternalID != f.Repo.ExternalID {
			t.Errorf("gone %v: %+v", gone, info)
		}
	}
}

// The outcome is a build status and, at the end, a report of Code Insights.
func TestTheOutcomeIsAReportToo(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	f := s.fixture(func(g codehost.Gate) *Host { return s.with(g, "bot", simapi.TokenSpec{}) })
	ctx := t.Context()
	check := codehost.Check{ExternalID: "run_1", Name: "assay", Number: f.Number, HeadSHA: f.Head, Status: "in_progress"}
	id := must(f.Host.CreateCheck(ctx, f.Repo, check))(t)
	check.Status, check.Conclusion = "completed", "failure"
	testkit.OK(t, f.Host.UpdateCheck(ctx, f.Repo, id, check))
	var got report
	h := f.Host.(*Host)
	testkit.OK(t, h.client.Get(ctx, "x", at(insights, f.Repo)+"/commits/"+f.Head+"/reports/"+id, &got))
	if got.Result != "FAIL" || got.Title == "" || got.Reporter != "assay" {
		t.Errorf("%+v", got)
	}
	if list := f.Checks(); len(list) != 1 || list[0].Status != "FAILED" {
		t.Errorf("%+v", list)
	}
	if r := must(h.Results(ctx, f.Repo, f.Head))(t); len(r.Failed) != 0 || !r.Whole {
		t.Errorf("our own status counts: %+v", r)
	}
}

// The owner of a connection is found by its number under a new key.
func TestOwnerNow(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx, h := t.Context(), s.with(&codehosttest.Gate{}, "bot", simapi.TokenSpec{})
	first := must(h.Probe(ctx))(t).Owner
	if now := must(h.OwnerNow(ctx, first.ID, nil))(t); now != first || first.ID == "" {
		t.Errorf("%+v, want %+v", now, first)
	}
	testkit.OK(t, s.ctl.UpdateUser(ctx, "octo", shared.UserUpdate{Login: "renamed"}))
	if now := must(h.OwnerNow(ctx, first.ID, nil))(t); now.ID != first.ID || !strings.EqualFold(now.Login, "renamed") {
		t.Errorf("under its new key: %+v", now)
	}
	if now := must(h.OwnerNow(ctx, codehost.WholeInstance, nil))(t); now.Login != codehost.WholeInstance {
		t.Errorf("the whole instance: %+v", now)
	}
	for id, want := range map[domain.HostID]codehost.Class{"987654": codehost.ClassNotFound, "octo": codehost.ClassInvalid} {
		if _, err := h.OwnerNow(ctx, id, nil); codehost.ClassOf(err) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
}
