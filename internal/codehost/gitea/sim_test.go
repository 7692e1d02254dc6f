package gitea

import (
	"bytes"
	"fmt"
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
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
	simgitea "github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/gitea/simclient"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

const simFile = "package demo\n\nfunc Half(n int) int {\n\treturn n / 2\n}\n"

// simulated is a simulated instance with an organisation, one repository, and the service's account.
type simulated struct {
	t    *testing.T
	srv  *simgitea.Server
	ctl  *simclient.Client
	url  string
	kind domain.ConnectionKind
	repo shared.Repo

	interrupt *codehosttest.Interrupt // belongs to the last host that was opened
}

func newSim(t *testing.T, kind domain.ConnectionKind) *simulated {
	t.Helper()
	srv, err := simgitea.New(simgitea.Options{DataDir: t.TempDir(), Forgejo: kind == domain.Forgejo})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	srv.SetBaseURL(web.URL)
	t.Cleanup(func() { web.CloseClientConnections(); _ = srv.Close(); web.Close() })
	s := &simulated{t: t, srv: srv, url: web.URL, kind: kind, ctl: simclient.New(web.URL, srv.ControlToken())}
	ctx := t.Context()
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "ann"}))(t)
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "bot"}))(t)
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo", Type: "Organization", Members: map[string]string{"own": "admin", "bot": "member"}}))(t)
	s.repo = must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "octo", Name: "demo", Files: map[string]string{"README.md": "# Demo\n"},
		Collaborators: map[string]string{"ann": "write", "bot": "admin"}}))(t)
	return s
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (s *simulated) host(gate codehost.Gate, scopes ...string) *Host {
	s.t.Helper()
	token := must(s.ctl.NewToken(s.t.Context(), "bot", simapi.TokenSpec{Name: fmt.Sprint(scopes), Scopes: scopes}))(s.t)
	tr := &http.Transport{Proxy: nil}
	s.t.Cleanup(tr.CloseIdleConnections)
	s.interrupt = &codehosttest.Interrupt{Next: tr, Match: func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/contents")
	}}
	h, err := New(Config{Kind: s.kind, BaseURL: s.url, Owner: "octo", Token: secret.New(token.Text), Connection: "c1", HTTP: &http.Client{Transport: s.interrupt}, Gate: gate})
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

// open opens a pull request of ann that adds a file.
func (s *simulated) open(branch, path, text string) shared.Pull {
	s.t.Helper()
	must(s.ctl.Commit(s.t.Context(), "octo/demo", shared.CommitSpec{Branch: branch, From: s.repo.HeadSHA, Files: map[string]string{path: text}, Author: "ann", Message: "Change"}))(s.t)
	return must(s.ctl.OpenPull(s.t.Context(), "octo/demo", shared.PullSpec{Title: "Halve", Head: branch, Author: "ann"}))(s.t)
}

// neededScopes are the scopes that docs/hosts/gitea.md requires.
var neededScopes = []string{"write:repository", "write:issue", "read:user", "read:organization"}

// push commits files as ann and returns the commit.
func (s *simulated) push(branch string, files map[string]string) string {
	s.t.Helper()
	return must(s.ctl.Commit(s.t.Context(), "octo/demo", shared.CommitSpec{Branch: branch, Files: files, Author: "ann", Message: "Push"}))(s.t).SHA
}

// ended opens a pull request and merges or closes it.
func (s *simulated) ended(title string, merged bool) int {
	s.t.Helper()
	ctx, branch := s.t.Context(), fmt.Sprintf("ended-%x", title)
	must(s.ctl.Commit(ctx, "octo/demo", shared.CommitSpec{Branch: branch, From: s.repo.HeadSHA, Files: map[string]string{branch: branch}, Author: "ann"}))(s.t)
	p := must(s.ctl.OpenPull(ctx, "octo/demo", shared.PullSpec{Title: title, Head: branch, Author: "ann"}))(s.t)
	must(s.ctl.UpdatePull(ctx, "octo/demo", p.Number, shared.PullUpdate{State: map[bool]string{true: "merged", false: "closed"}[merged]}))(s.t)
	return p.Number
}

func (s *simulated) change(repo string, c simapi.RepoChange) {
	s.t.Helper()
	if err := s.ctl.ChangeRepo(s.t.Context(), repo, c); err != nil {
		s.t.Fatal(err)
	}
}

func (s *simulated) branches() codehosttest.Branches {
	return codehosttest.Branches{
		Head: "topic", Base: "main", Push: s.push,
		Protect: func(branch string) { s.change("octo/demo", simapi.RepoChange{Protect: []string{branch}}) },
		Fork: func() codehost.Repo {
			s.push("theirs", map[string]string{"theirs.go": "package demo\n"})
			must(s.ctl.OpenPull(s.t.Context(), "octo/demo", shared.PullSpec{Title: "Theirs", Head: "theirs", Author: "ann", Fork: "ann"}))(s.t)
			s.change("ann/demo", simapi.RepoChange{Collaborators: map[string]string{"bot": "read"}})
			return codehost.Repo{Access: "c1", Owner: "ann", Name: "demo"}
		},
		Fault: func(f codehosttest.Fault) {
			fault := simFault(f)
			fault.Path = "^/repos/[^/]+/[^/]+/(contents|branches)$"
			must(s.ctl.SetFault(s.t.Context(), fault))(s.t)
		},
		Meanwhile: func(f func()) { s.interrupt.Once(f) },
	}
}

func (s *simulated) fixture() *codehosttest.Fixture {
	t, ctx := s.t, s.t.Context()
	pull := s.open("topic", "half.go", simFile)
	for _, login := range []string{"rob", "eve"} {
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: login}))(t)
	}
	s.change("octo/demo", simapi.RepoChange{Collaborators: map[string]string{"rob": "write"}})
	gate := &codehosttest.Gate{}
	return &codehosttest.Fixture{
		Host: s.host(gate, neededScopes...), Gate: gate, Number: pull.Number, Head: pull.HeadSHA, Base: s.repo.HeadSHA, Author: "ann",
		Repo: codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}, Path: "half.go", Text: simFile, Line: 4,
		Fault: func(f codehosttest.Fault) { must(s.ctl.SetFault(ctx, simFault(f)))(t) },
		SetStatus: func(name, conclusion, description, url, commit string) {
			other := must(New(Config{Kind: s.kind, BaseURL: s.url, Owner: "octo", Connection: "c1", HTTP: &http.Client{Transport: s.interrupt}, Gate: &codehosttest.Gate{},
				Token: secret.New(must(s.ctl.NewToken(ctx, "rob", simapi.TokenSpec{Name: name, Scopes: neededScopes}))(t).Text)}))(t)
			check := codehost.Check{ExternalID: "x", Name: name, HeadSHA: commit, Status: "completed", Conclusion: conclusion, Title: markdown.Line(description, 200), DetailsURL: url}
			if conclusion == "" {
				check.Status = "in_progress"
			}
			must(other.CreateCheck(ctx, codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}, check))(t)
		},
		CI: func(workflow, commit string, jobs ...codehosttest.CIJob) (ids []domain.HostID) {
			spec := shared.RunSpec{Workflow: workflow, Commit: commit, Branch: "topic"}
			for _, j := range jobs {
				spec.Jobs = append(spec.Jobs, shared.JobSpec{Name: j.Name, Status: j.Status, Conclusion: j.Conclusion, Log: j.Log, Pad: j.Pad, Gone: j.Gone, Steps: j.Steps})
			}
			for _, id := range must(s.ctl.AddRun(ctx, "octo/demo", spec))(t).Jobs {
				ids = append(ids, domain.NumberID(id))
			}
			return ids
		},
		FaultDelete: func(f codehosttest.Fault) {
			fault := simFault(f)
			fault.Method = "DELETE"
			must(s.ctl.SetFault(ctx, fault))(t)
		},
		Reviewer: "rob", Stranger: "eve",
		Branches: s.branches(),
		Foreign: func(n int) {
			for i := range n {
				must(s.ctl.Review(ctx, "octo/demo", pull.Number, simapi.ReviewSpec{Author: "ann", Body: fmt.Sprint("note ", i)}))(t)
			}
		},
		Ended: s.ended,
		OpenIssue: func(title, body string) int {
			return must(s.ctl.OpenIssue(s.t.Context(), "octo/demo", shared.IssueSpec{Title: title, Body: body}))(s.t).Number
		},
		MorePull: func(n int) {
			for i := range n {
				s.open(fmt.Sprint("more-", i), "more.go", fmt.Sprint("package more // ", i, "\n"))
			}
		},
		Says: func(_, last int, body string, resolved bool) {
			made := must(s.ctl.Review(ctx, "octo/demo", pull.Number, simapi.ReviewSpec{Author: "ann", Comments: []simapi.InlineSpec{{Path: "half.go", NewLine: last, Body: body}}}))(t)
			if resolved {
				s.close("ann", made.Comments[0].ID)
			}
		},
		Close: func(actor string, comment domain.HostID) {
			s.close(actor, must(wire.NumberOfID("close", comment))(t))
		},
		React: func(r codehosttest.Thumb) {
			id := must(wire.NumberOfID("react", r.Comment))(t)
			content := map[bool]string{true: "+1", false: "-1"}[r.Up]
			if r.Other {
				content = "rocket"
			}
			must(s.ctl.React(ctx, "octo/demo", pull.Number, shared.ReactionSpec{Actor: r.Actor, Comment: id, Content: content, Remove: r.Remove}))(t)
		},
		Lacks: map[codehosttest.Lack]string{codehosttest.LackThreadReplies: "the API has no call for it before 1.27"},
		Shown: func(domain.HostID) string {
			bodies := must(s.srv.Shown("octo/demo", pull.Number, "bot"))(t)
			return strings.Join(bodies, "\n")
		},
		Checks: func() []codehost.Check {
			newest := map[string]simapi.Status{}
			for _, st := range must(s.ctl.Statuses(ctx, "octo/demo"))(t) {
				if st.SHA == pull.HeadSHA && st.ID > newest[st.Context].ID {
					newest[st.Context] = st
				}
			}
			var out []codehost.Check
			for _, st := range newest {
				out = append(out, codehost.Check{Name: st.Context, HeadSHA: st.SHA, Status: st.State, Title: markdown.Stored(st.Description)})
			}
			return out
		},
	}
}

// close closes the thread of an inline comment.
func (s *simulated) close(actor string, comment int64) {
	s.t.Helper()
	resolved := true
	testkit.OK(s.t, s.ctl.EditComment(s.t.Context(), "octo/demo", comment, shared.EditSpec{Actor: actor, Resolve: &resolved}))
}

// simFault affects the next write that creates something.
func simFault(f codehosttest.Fault) shared.Fault {
	out := shared.Fault{Method: "POST", Path: "^/repos/"}
	switch f {
	case codehosttest.ApplyThen500:
		out.Action, out.Status = shared.ApplyThenStatus, 500
	case codehosttest.ApplyThenReset:
		out.Action = shared.ApplyThenReset
	case codehosttest.Refuse:
		out.Action = shared.Refuse
	case codehosttest.LimitHeader:
		out.Action, out.Status, out.Headers = shared.Respond, 429, map[string]string{"Retry-After": "45"}
	case codehosttest.LimitText:
		out.Action, out.Status, out.ReplyBody = shared.Respond, 429, "slow down"
	case codehosttest.Deny:
		out.Action, out.Status, out.Headers, out.ReplyBody = shared.Respond, 403, map[string]string{"Content-Type": "application/json"}, `{"message":"no"}`
	}
	return out
}

func TestConformanceOnTheSimulatedHost(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			codehosttest.Run(t, func(t *testing.T) *codehosttest.Fixture { return newSim(t, kind).fixture() })
		})
	}
}

// A label of the organisation is set like one of the repository. The repository does not get another label
// with the same name.
func TestLabelsOfTheOrganisation(t *testing.T) {
	t.Parallel()
	s := newSim(t, domain.Gitea)
	f := s.fixture()
	ctx := t.Context()
	owner := must(s.ctl.NewToken(ctx, "own", simapi.TokenSpec{}))(t)
	req := must(http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/v1/orgs/octo/labels", strings.NewReader(`{"name":"Shared","color":"#00aabb"}`)))(t)
	req.Header.Set("Authorization", "token "+owner.Text)
	resp := must(http.DefaultClient.Do(req))(t)
	_ = resp.Body.Close()
	l, _ := codehost.LabelerOf(f.Host)
	if err := l.AddLabels(ctx, f.Repo, f.Number, []string{"shared"}); err != nil {
		t.Fatal(err)
	}
	if got := must(l.Labels(ctx, f.Repo, f.Number))(t); !slices.Equal(got, []string{"Shared"}) {
		t.Errorf("labels %q", got)
	}
	if err := l.RemoveLabel(ctx, f.Repo, f.Number, "SHARED"); err != nil {
		t.Fatal(err)
	}
	blind, _ := codehost.LabelerOf(s.host(f.Gate, "write:repository", "write:issue", "read:user")) // the token cannot read the organisation
	if err := blind.AddLabels(ctx, f.Repo, f.Number, []string{"mine"}); err != nil {
		t.Fatal(err)
	}
	if got := must(l.Labels(ctx, f.Repo, f.Number))(t); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("labels %q", got)
	}
}

func TestConnectionToTheSimulatedHost(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		s := newSim(t, kind)
		h, ctx := s.host(&codehosttest.Gate{}, neededScopes...), t.Context()
		outside := must(h.Probe(ctx))(t)
		if len(outside.Missing) != 1 || !strings.Contains(outside.Missing[0], "1 of 2 teams of octo (Owners)") {
			t.Errorf("%s: missing for an account that is not an owner: %q", kind, outside.Missing)
		}
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo", Type: "Organization", Members: map[string]string{"bot": "admin"}}))(t)
		got, err := h.Probe(ctx)
		if err != nil || got.Login != "bot" || got.ID == "" || got.Version == "" || got.Owner.Login != "octo" || !got.Owner.Organization || len(got.Missing) != 0 {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
		repos := must(h.Repositories(ctx))(t)
		if len(repos) != 1 || repos[0].ExternalID != domain.NumberID(s.repo.ID) || repos[0].Owner != "octo" || repos[0].Name != "demo" || !repos[0].Private {
			t.Errorf("%s: %+v", kind, repos)
		}
		repo := codehost.Repo{Access: "c1", ExternalID: repos[0].ExternalID, Owner: "octo", Name: "demo"}
		members := must(h.Members(ctx, repo))(t)
		words := map[string]string{}
		for _, m := range members {
			words[m.Login] = m.Permission
		}
		if words["ann"] != "write" || words["bot"] != "admin" || words["own"] != "admin" {
			t.Errorf("%s: members %+v", kind, members)
		}
		if r, err := h.Resolve(ctx, repo); err != nil || r != repos[0] {
			t.Errorf("%s: %+v, %v", kind, r, err)
		}
		few := must(s.host(&codehosttest.Gate{}, "read:repository", "read:user", "read:organization").Probe(ctx))(t)
		if len(few.Missing) != 2 || !strings.Contains(few.Missing[0], "write:repository") || !strings.Contains(few.Missing[1], "write:issue") {
			t.Errorf("%s: missing %q", kind, few.Missing)
		}
		blind := must(s.host(&codehosttest.Gate{}, "write:repository", "write:issue", "read:organization").Probe(ctx))(t)
		if len(blind.Missing) != 1 || !strings.Contains(blind.Missing[0], "read:user") {
			t.Errorf("%s: missing %q", kind, blind.Missing)
		}
	}
}

// Deliveries of the simulated host are verified and parsed.
func TestDeliveriesOfTheSimulatedHost(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		s := newSim(t, kind)
		ctx := t.Context()
		type delivery struct {
			header http.Header
			body   []byte
		}
		var mu sync.Mutex
		var got []delivery
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, delivery{r.Header.Clone(), body})
		}))
		t.Cleanup(receiver.Close)
		h, key := s.host(&codehosttest.Gate{}, neededScopes...), secret.New("hook"+"-key")
		repo := codehost.Repo{Access: "c1", Owner: "octo", Name: "demo"}
		state := must(h.EnsureHook(ctx, repo, receiver.URL, key))(t)
		if state.ID == "" || !state.Active || len(state.Missing) != 0 {
			t.Fatalf("%s: %+v", kind, state)
		}
		if again := must(h.EnsureHook(ctx, repo, receiver.URL, key))(t); again.ID != state.ID {
			t.Fatalf("%s: made again: %+v", kind, again)
		}
		pull := s.open("topic", "half.go", simFile)
		must(s.ctl.Comment(ctx, "octo/demo", pull.Number, shared.CommentSpec{Author: "ann", Body: "/assay review"}))(t)
		must(s.ctl.Review(ctx, "octo/demo", pull.Number, simapi.ReviewSpec{Author: "ann", Body: "hm"}))(t)
		must(s.ctl.Commit(ctx, "octo/demo", shared.CommitSpec{Branch: "topic", Files: map[string]string{"half.go": simFile + "// more\n"}, Author: "ann", Message: "More"}))(t)
		must(s.ctl.UpdatePull(ctx, "octo/demo", pull.Number, shared.PullUpdate{State: "closed"}))(t)
		if err := s.ctl.WaitDeliveries(ctx, 30*time.Second); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		seen := map[string]bool{}
		for _, d := range got {
			if err := Verify(kind, d.header, d.body, []secret.Secret{key}); err != nil {
				t.Errorf("%s: %s: %v", kind, d.header.Get("X-Gitea-Event-Type"), err)
			}
			ev, err := readAndParse(kind, d.header, d.body)
			if err != nil {
				t.Errorf("%s: %v: %s", kind, err, d.body)
			}
			seen[string(ev.Kind)+" "+ev.Action] = true
			if ev.Kind == codehost.KindPullRequest && (ev.PullRequest.Number != pull.Number || ev.PullRequest.Author != "ann" || ev.PullRequest.FromFork || ev.Repository.ExternalID != domain.NumberID(s.repo.ID)) {
				t.Errorf("%s: %+v", kind, ev.PullRequest)
			}
			d.header.Del("X-Forgejo-Signature")
			if err := Verify(kind, d.header, bytes.Replace(d.body, []byte("ann"), []byte("eve"), 1), []secret.Secret{key}); err == nil {
				t.Errorf("%s: a changed body verifies", kind)
			}
		}
		mu.Unlock()
		for _, want := range []string{"pull_request opened", "pull_request synchronize", "pull_request closed", "comment created", "review submitted"} {
			if !seen[want] {
				t.Errorf("%s: no %q among %v", kind, want, seen)
			}
		}
	}
}
