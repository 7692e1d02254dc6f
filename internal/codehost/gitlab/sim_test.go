package gitlab

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
	simgitlab "github.com/assay-dev/assay/sim/gitlab"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/gitlab/simclient"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

const (
	simFile = "package demo\n\nfunc Half(n int) int {\n\treturn n / 2\n}\n"
	full    = "octo/team/demo"
)

var named = simclient.Repo(full)

// simulated is a simulated instance below a path, with a subgroup, one project in it, and the service's
// account.
type simulated struct {
	t    *testing.T
	srv  *simgitlab.Server
	ctl  *simclient.Client
	url  string
	repo shared.Repo

	interrupt *codehosttest.Interrupt // belongs to the last host that was opened
}

func newSim(t *testing.T, doubts ...simapi.Doubt) *simulated {
	t.Helper()
	srv, err := simgitlab.New(simgitlab.Options{DataDir: t.TempDir(), Doubts: doubts})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	srv.SetBaseURL(web.URL + "/git")
	t.Cleanup(func() { web.CloseClientConnections(); _ = srv.Close(); web.Close() })
	s := &simulated{t: t, srv: srv, url: web.URL + "/git", ctl: simclient.New(web.URL, srv.ControlToken())}
	ctx := t.Context()
	for _, login := range []string{"ann", "bot"} {
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: login}))(t)
	}
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo", Type: "Organization", Members: map[string]string{"own": "admin"}}))(t)
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo/team", Type: "Organization", Members: map[string]string{"bot": "member"}}))(t)
	s.repo = must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "octo/team", Name: "demo", Files: map[string]string{"README.md": "# Demo\n"},
		Collaborators: map[string]string{"ann": "write", "bot": "maintain"}}))(t)
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
	return s.with(gate, must(s.ctl.NewToken(s.t.Context(), "bot", simapi.TokenSpec{Scopes: scopes, ExpiresOn: "2999-12-31"}))(s.t))
}

func (s *simulated) with(gate codehost.Gate, token simapi.Token) *Host {
	s.t.Helper()
	tr := &http.Transport{Proxy: nil}
	s.t.Cleanup(tr.CloseIdleConnections)
	s.interrupt = &codehosttest.Interrupt{Next: tr, Match: func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/repository/commits")
	}}
	h, err := New(Config{BaseURL: s.url, Owner: "octo", Token: secret.New(token.Text), Connection: "c1", HTTP: &http.Client{Transport: s.interrupt}, Gate: gate})
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

// open opens a merge request of ann that adds a file.
func (s *simulated) open(branch, path, text string) shared.Pull {
	s.t.Helper()
	must(s.ctl.Commit(s.t.Context(), named, shared.CommitSpec{Branch: branch, From: s.repo.HeadSHA, Files: map[string]string{path: text}, Author: "ann", Message: "Change"}))(s.t)
	return must(s.ctl.OpenPull(s.t.Context(), named, shared.PullSpec{Title: "Halve", Head: branch, Author: "ann"}))(s.t)
}

// push commits files as ann and returns the commit.
func (s *simulated) push(branch string, files map[string]string) string {
	s.t.Helper()
	return must(s.ctl.Commit(s.t.Context(), named, shared.CommitSpec{Branch: branch, Files: files, Author: "ann", Message: "Push"}))(s.t).SHA
}

// ended opens a merge request and merges or closes it.
func (s *simulated) ended(title string, merged bool) int {
	s.t.Helper()
	ctx, branch := s.t.Context(), fmt.Sprintf("ended-%x", title)
	must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: branch, From: s.repo.HeadSHA, Files: map[string]string{branch: branch}, Author: "ann"}))(s.t)
	p := must(s.ctl.OpenPull(ctx, named, shared.PullSpec{Title: title, Head: branch, Author: "ann"}))(s.t)
	must(s.ctl.UpdatePull(ctx, named, p.Number, shared.PullUpdate{State: map[bool]string{true: "merged", false: "closed"}[merged]}))(s.t)
	return p.Number
}

func (s *simulated) change(repo string, c simapi.RepoChange) {
	s.t.Helper()
	if err := s.ctl.ChangeRepo(s.t.Context(), repo, c); err != nil {
		s.t.Fatal(err)
	}
}

func (s *simulated) fault(f codehosttest.Fault, method, path string) {
	s.t.Helper()
	fault := simFault(f)
	fault.Method, fault.Path = method, path
	must(s.ctl.SetFault(s.t.Context(), fault))(s.t)
}

func (s *simulated) branches() codehosttest.Branches {
	return codehosttest.Branches{
		Head: "topic", Base: "main", Push: s.push,
		Protect: func(branch string) { s.change(named, simapi.RepoChange{Protect: []string{branch}}) },
		Fork: func() codehost.Repo {
			s.push("theirs", map[string]string{"theirs.go": "package demo\n"})
			must(s.ctl.OpenPull(s.t.Context(), named, shared.PullSpec{Title: "Theirs", Head: "theirs", Author: "ann", Fork: "ann"}))(s.t)
			s.change("ann/demo", simapi.RepoChange{Collaborators: map[string]string{"bot": "read"}})
			return codehost.Repo{Access: "c1", Owner: "ann", Name: "demo"}
		},
		Fault:     func(f codehosttest.Fault) { s.fault(f, "POST", "/repository/(commits|branches)$") },
		Meanwhile: func(f func()) { s.interrupt.Once(f) },
	}
}

func (s *simulated) fixture() *codehosttest.Fixture {
	t, ctx := s.t, s.t.Context()
	pull := s.open("topic", "half.go", simFile)
	for _, login := range []string{"rob", "eve"} {
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: login}))(t)
	}
	s.change(named, simapi.RepoChange{Collaborators: map[string]string{"rob": "write"}})
	gate := &codehosttest.Gate{}
	return &codehosttest.Fixture{
		Host: s.host(gate), Gate: gate, Number: pull.Number, Head: pull.HeadSHA, Base: s.repo.HeadSHA, Author: "ann",
		Repo: codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo/team", Name: "demo"}, Path: "half.go", Text: simFile, Line: 4,
		Fault:       func(f codehosttest.Fault) { s.fault(f, "WRITE", "^/projects/") },
		FaultDelete: func(f codehosttest.Fault) { s.fault(f, "PUT", "^/projects/[^/]+/merge_requests/[0-9]+$") },
		SetStatus: func(name, conclusion, description, url, commit string) {
			other := s.with(&codehosttest.Gate{}, must(s.ctl.NewToken(ctx, "rob", simapi.TokenSpec{}))(t))
			check := codehost.Check{ExternalID: "x", Name: name, HeadSHA: commit, Status: "completed", Conclusion: conclusion, Title: markdown.Line(description, 200), DetailsURL: url}
			if conclusion == "" {
				check.Status = "in_progress"
			}
			must(other.CreateCheck(ctx, codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo/team", Name: "demo"}, check))(t)
		},
		CI: func(workflow, commit string, jobs ...codehosttest.CIJob) (ids []domain.HostID) {
			spec := shared.RunSpec{Workflow: workflow, Commit: commit, Branch: "topic"}
			for _, j := range jobs {
				spec.Jobs = append(spec.Jobs, shared.JobSpec{Name: j.Name, Status: j.Status, Conclusion: j.Conclusion, Log: j.Log, Pad: j.Pad, Gone: j.Gone, Steps: j.Steps})
			}
			for _, id := range must(s.ctl.AddRun(ctx, named, spec))(t).Jobs {
				ids = append(ids, domain.NumberID(id))
			}
			return ids
		},
		Reviewer: "rob", Stranger: "eve", Branches: s.branches(), Ended: s.ended,
		OpenIssue: func(title, body string) int {
			return must(s.ctl.OpenIssue(s.t.Context(), named, shared.IssueSpec{Title: title, Body: body}))(s.t).Number
		},
		Foreign: func(n int) {
			for i := range n {
				must(s.ctl.Comment(ctx, named, pull.Number, shared.CommentSpec{Author: "ann", Body: fmt.Sprint("note ", i)}))(t)
			}
		},
		MorePull: func(n int) {
			for i := range n {
				s.open(fmt.Sprint("more-", i), "more.go", fmt.Sprint("package more // ", i, "\n"))
			}
		},
		Says: func(first, last int, body string, resolved bool) {
			note := simapi.NoteSpec{Author: "ann", Path: "half.go", NewLine: last, Body: body, Resolved: resolved}
			if first != last {
				note.FirstLine = first
			}
			must(s.ctl.Note(ctx, named, pull.Number, note))(t)
		},
		Close: func(actor string, comment domain.HostID) {
			resolved := true
			testkit.OK(t, s.ctl.EditComment(ctx, named, must(parseNote("close", comment))(t).note, shared.EditSpec{Actor: actor, Resolve: &resolved}))
		},
		React: func(r codehosttest.Thumb) {
			at := must(parseNote("react", r.Comment))(t)
			content := map[bool]string{true: thumbsUp, false: thumbsDown}[r.Up]
			if r.Other {
				content = "rocket"
			}
			must(s.ctl.React(ctx, named, pull.Number, shared.ReactionSpec{Actor: r.Actor, Comment: at.note, Content: content, Remove: r.Remove}))(t)
		},
		Lacks: map[codehosttest.Lack]string{codehosttest.LackSteps: "a job of the host has none"},
		Checks: func() []codehost.Check {
			newest := map[string]simapi.Status{}
			for _, st := range must(s.ctl.Statuses(ctx, named))(t) {
				if st.SHA == pull.HeadSHA && st.ID >= newest[st.Name].ID {
					newest[st.Name] = st
				}
			}
			var out []codehost.Check
			for _, st := range newest {
				out = append(out, codehost.Check{Name: st.Name, HeadSHA: st.SHA, Status: st.State, Title: markdown.Stored(st.Description)})
			}
			return out
		},
	}
}

// simFault returns the simulator's form of the suite's fault.
func simFault(f codehosttest.Fault) shared.Fault {
	switch f {
	case codehosttest.ApplyThen500:
		return shared.Fault{Action: shared.ApplyThenStatus, Status: 500}
	case codehosttest.ApplyThenReset:
		return shared.Fault{Action: shared.ApplyThenReset}
	case codehosttest.Refuse:
		return shared.Fault{Action: shared.Refuse}
	case codehosttest.LimitHeader:
		return shared.Fault{Action: shared.SecondaryRetryAfter, RetrySeconds: 45}
	case codehosttest.LimitText:
		return shared.Fault{Action: shared.SecondaryBodyOnly}
	}
	return shared.Fault{Action: shared.Forbidden}
}

func TestConformanceOnTheSimulatedHost(t *testing.T) {
	t.Parallel()
	codehosttest.Run(t, func(t *testing.T) *codehosttest.Fixture { return newSim(t).fixture() })
}

// The adapter also works with a host that reports neither rates nor times, and does not redirect.
func TestConformanceInDoubt(t *testing.T) {
	t.Parallel()
	s := newSim(t, simapi.NoRateHeaders, simapi.Moved, simapi.SlowDiff, simapi.OutsideDiff, simapi.NoHookNames)
	f := s.fixture()
	ctx := t.Context()
	if _, err := f.Host.PullRequest(ctx, f.Repo, f.Number); codehost.ClassOf(err) != codehost.ClassUnavailable {
		t.Errorf("a merge request that the host still prepares: %v", err)
	}
	must(f.Host.PullRequest(ctx, f.Repo, f.Number))(t)
	s.change(named, simapi.RepoChange{Name: "renamed"})
	if _, err := f.Host.PullRequest(ctx, f.Repo, f.Number); codehost.ClassOf(err) != codehost.ClassMoved {
		t.Errorf("a project that was renamed: %v", err)
	}
	info := must(f.Host.(*Host).Resolve(ctx, f.Repo))(t)
	if info.Owner != "octo/team" || info.Name != "renamed" {
		t.Errorf("%+v", info)
	}
	repo := f.Repo
	repo.Name = info.Name
	s.fault(codehosttest.LimitHeader, "GET", "")
	if _, err := f.Host.PullRequest(ctx, repo, f.Number); codehost.ClassOf(err) != codehost.ClassLimited || codehost.RetryAfter(err) != time.Minute {
		t.Errorf("a limit without a time: %v", err)
	}
	key := secret.New("hook" + "-key")
	first := must(f.Host.(*Host).EnsureHook(ctx, repo, "https://assay.example/webhooks/host-b/c1", key))(t)
	again := must(f.Host.(*Host).EnsureHook(ctx, repo, "https://assay.example/webhooks/host-b/c1", key))(t)
	if first.ID == "" || again.ID != first.ID {
		t.Errorf("%+v, then %+v", first, again)
	}
}

// Drafts that a person made with the same account stay unchanged.
func TestDraftsOfAPersonWithOurAccount(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	f := s.fixture()
	ctx := t.Context()
	must(s.ctl.Note(ctx, named, f.Number, simapi.NoteSpec{Author: "bot", Path: "half.go", NewLine: 4, Body: "of a person", Draft: true}))(t)
	n := codehost.NotesOf(f.Host)
	made := must(n.DraftNote(ctx, f.Repo, f.Number, f.Head, codehost.DraftComment{Path: f.Path, Side: "RIGHT", Line: 4, Body: markdown.Const("ours")}))(t)
	if err := n.PublishNote(ctx, f.Repo, f.Number, made.ID); err != nil {
		t.Fatal(err)
	}
	if left := must(s.ctl.Drafts(ctx, named, f.Number))(t); len(left) != 1 || left[0].Body != "of a person" {
		t.Errorf("drafts %+v", left)
	}
}

// A status shows the last report, although the host's states only move forward. Repeating a report does not
// write again.
func TestAStatusSaysWhatWasSaidLast(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	f := s.fixture()
	ctx := t.Context()
	c := codehost.Check{ExternalID: "run_1", Name: "assay", HeadSHA: f.Head}
	for _, step := range []struct{ status, conclusion, title, want string }{
		{"in_progress", "", "Reviewing", "running"}, {"in_progress", "", "Reviewing", "running"}, {"in_progress", "", "Still reviewing", "running"},
		{"completed", "action_required", "Waits for a person", "pending"}, {"completed", "action_required", "Waits for a person", "pending"}, {"in_progress", "", "Reviewing", "running"},
		{"completed", "failure", "2 findings", "failed"}, {"completed", "action_required", "Waits again", "pending"}, {"completed", "success", "No findings", "success"},
	} {
		c.Status, c.Conclusion, c.Title = step.status, step.conclusion, markdown.Stored(step.title)
		if err := f.Host.UpdateCheck(ctx, f.Repo, "assay", c); err != nil {
			t.Fatalf("%s: %v", step.title, err)
		}
		if got := f.Checks(); len(got) != 1 || got[0].Status != step.want || got[0].Title != c.Title {
			t.Errorf("%s: %+v", step.title, got)
		}
	}
	if n := len(must(s.ctl.Statuses(ctx, named))(t)); n != 4 {
		t.Errorf("%d statuses", n)
	}
}

// A comment can stand on every kind of line, on either side, also for a replaced head.
func TestPlacesOfComments(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx := t.Context()
	lines := make([]string, 60)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i+1)
	}
	base := must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: "main", Files: map[string]string{"long.txt": strings.Join(lines, "\n") + "\n"}, Author: "ann"}))(t).SHA
	changed := slices.Clone(lines)
	changed[9] = "changed"                               // 10
	changed = slices.Delete(changed, 29, 30)             // 30 is gone
	changed = slices.Insert(changed, 45, "new", "newer") // 46 and 47, and what was 47 is 48
	head := must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: "long", From: base, Files: map[string]string{"long.txt": strings.Join(changed, "\n") + "\n"}, Author: "ann"}))(t).SHA
	pull := must(s.ctl.OpenPull(ctx, named, shared.PullSpec{Title: "Long", Head: "long", Author: "ann"}))(t)
	s.push("long", map[string]string{"other.txt": "x\n"})
	h, repo := s.host(&codehosttest.Gate{}), codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
	for _, c := range []codehost.DraftComment{
		{Side: "RIGHT", Line: 10}, {Side: "LEFT", Line: 10}, {Side: "RIGHT", Line: 9}, {Side: "LEFT", Line: 30}, {Side: "RIGHT", Line: 46}, {Side: "RIGHT", StartLine: 46, Line: 47},
		{Side: "RIGHT", StartLine: 9, Line: 10}, {Side: "RIGHT", Line: 20}, {Side: "RIGHT", Line: 39}, {Side: "RIGHT", Line: 60}, {Side: "RIGHT", Line: 1}, {Side: "LEFT", StartLine: 29, Line: 30},
	} {
		c.Path, c.Body = "long.txt", markdown.Const("here")
		made, err := h.DraftNote(ctx, repo, pull.Number, head, c)
		if err != nil {
			t.Errorf("%s %d to %d: %v", c.Side, c.StartLine, c.Line, err)
			continue
		}
		if made.Line != c.Line && made.Side == c.Side || made.Commit != head {
			t.Errorf("%s %d: %+v", c.Side, c.Line, made)
		}
		if err := h.PublishNote(ctx, repo, pull.Number, made.ID); err != nil {
			t.Error(err)
		}
	}
	shown := map[string]bool{}
	for _, n := range must(s.ctl.Notes(ctx, named, pull.Number))(t) {
		shown[fmt.Sprintf("%s %d-%d", n.Side, n.StartLine, n.Line)] = true
	}
	for _, want := range []string{"RIGHT 0-10", "LEFT 0-10", "LEFT 0-30", "RIGHT 46-47", "RIGHT 9-10", "RIGHT 0-39", "LEFT 29-30"} {
		if !shown[want] {
			t.Errorf("no comment at %s among %v", want, shown)
		}
	}
}

func TestConnectionToTheSimulatedHost(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	h, ctx := s.host(&codehosttest.Gate{}), t.Context()
	got := must(h.Probe(ctx))(t)
	if got.Login != "bot" || got.ID == "" || got.Version == "" || got.Owner.Login != "octo" || !got.Owner.Organization || len(got.Missing) != 0 || !got.ScopesKnown ||
		!slices.Equal(got.Scopes, []string{"api"}) || got.ExpiresAt == nil || got.ExpiresAt.Year() != 2999 {
		t.Errorf("%+v", got)
	}
	repos := must(h.Repositories(ctx))(t)
	if len(repos) != 1 || repos[0].CreatedAt.IsZero() {
		t.Fatalf("%+v", repos)
	}
	repos[0].CreatedAt = time.Time{}
	if repos[0] != (codehost.RepoInfo{ExternalID: domain.NumberID(s.repo.ID), Owner: "octo/team", Name: "demo", DefaultBranch: "main", Private: true}) {
		t.Fatalf("%+v", repos)
	}
	repo := codehost.Repo{Access: "c1", ExternalID: repos[0].ExternalID, Owner: "octo/team", Name: "demo"}
	words := map[string]string{}
	for _, m := range must(h.Members(ctx, repo))(t) {
		words[m.Login] = m.Permission + " " + m.Account
	}
	for login, want := range map[string]string{"own": "admin owner", "ann": "write ", "bot": "maintain member"} {
		if words[login] != want {
			t.Errorf("%s: %q of %v", login, words[login], words)
		}
	}
	if p := must(s.host(&codehosttest.Gate{}, "read_api").Probe(ctx))(t); !slices.Equal(p.Lacking, []string{"api"}) || len(p.Missing) != 1 {
		t.Errorf("missing for a token that only reads: %+v", p)
	}
	if p := must(s.host(&codehosttest.Gate{}, "read_user").Probe(ctx))(t); !slices.Equal(p.Lacking, []string{"api"}) {
		t.Errorf("missing for a token that reads nothing: %+v", p)
	}
	weak := s.with(&codehosttest.Gate{}, must(s.ctl.NewToken(ctx, "", simapi.TokenSpec{Group: "octo", Level: 20}))(t))
	if p := must(weak.Probe(ctx))(t); len(p.Missing) != 2 || !strings.HasPrefix(p.Login, "group_") || len(p.Lacking) != 0 {
		t.Errorf("missing for a reporter: %+v", p)
	}
	// A level from a parent group or from a share counts, even if the list does not show it.
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "upper"}))(t)
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "lower"}))(t)
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo", Type: "Organization", Members: map[string]string{"upper": "admin", "lower": "member"}}))(t)
	for login, want := range map[string]int{"upper": 0, "lower": 2} {
		of := s.with(&codehosttest.Gate{}, must(s.ctl.NewToken(ctx, login, simapi.TokenSpec{}))(t))
		if p := must(of.Probe(ctx))(t); len(p.Missing) != want {
			t.Errorf("missing for %s, from the parent group: %+v", login, p.Missing)
		}
	}
	late := s.with(&codehosttest.Gate{}, must(s.ctl.NewToken(ctx, "bot", simapi.TokenSpec{ExpiresOn: "2020-01-01"}))(t))
	if _, err := late.Probe(ctx); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Errorf("probe with an expired token: %v", err)
	}
	for name := range words {
		if isRobot(name) {
			t.Errorf("a token's account is a member: %s", name)
		}
	}
	// A project of another owner that is shared with the group is included. Its people have at most the
	// rights of the share, and the other group's owner has none in ours.
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "beta", Type: "Organization", Members: map[string]string{"bea": "admin"}}))(t)
	must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "beta", Name: "tool", Files: map[string]string{"a": "a"}}))(t)
	s.change(simclient.Repo("beta/tool"), simapi.RepoChange{Share: map[string]string{"octo": "write"}})
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo", Type: "Organization", Members: map[string]string{"rep": "member"}}))(t)
	group := s.with(&codehosttest.Gate{}, must(s.ctl.NewToken(ctx, "", simapi.TokenSpec{Group: "octo"}))(t))
	repos = must(group.Repositories(ctx))(t)
	if len(repos) != 2 || repos[0].Shared || !repos[1].Shared || repos[1].Owner != "beta" || repos[1].NameWithin("octo") != "beta/tool" {
		t.Fatalf("with a share: %+v", repos)
	}
	other := codehost.Repo{Access: "c1", ExternalID: repos[1].ExternalID, Owner: "beta", Name: "tool"}
	clear(words)
	for _, m := range must(group.Members(ctx, other))(t) {
		words[m.Login] = m.Permission + " " + m.Account
		if word := must(group.PermissionOf(ctx, other, m.ID, m.Login))(t); word != m.Permission {
			t.Errorf("%s is %q in the list, and %q in the single answer", m.Login, m.Permission, word)
		}
	}
	for login, want := range map[string]string{"own": "write owner", "rep": "read member", "bea": "admin ", "ann": ""} {
		if words[login] != want {
			t.Errorf("by a share %s: %q of %v", login, words[login], words)
		}
	}
	s.change(simclient.Repo("beta/tool"), simapi.RepoChange{Share: map[string]string{"octo": ""}})
	if left := must(group.Repositories(ctx))(t); len(left) != 1 {
		t.Errorf("after the share has ended: %+v", left)
	}
	// A person who is not a member can use everything that is open to everyone.
	s.change(named, simapi.RepoChange{Private: new(bool)})
	eve := must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "eve"}))(t)
	if word := must(h.PermissionOf(ctx, repo, domain.NumberID(eve.ID), ""))(t); word != "read" {
		t.Errorf("permission of any account on a public project: %q", word)
	}
	blocked := true
	if err := s.ctl.FlagUser(ctx, "eve", simapi.UserFlags{Blocked: &blocked}); err != nil {
		t.Fatal(err)
	}
	if word := must(h.PermissionOf(ctx, repo, domain.NumberID(eve.ID), ""))(t); word != "none" {
		t.Errorf("permission of a blocked account on a public project: %q", word)
	}
}

// A connection to the whole instance has every project where the account is a member, regardless of its
// owner, and no other. Owning a project does not make a person an owner of the instance.
func TestConnectionToAWholeInstance(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx := t.Context()
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "beta", Type: "Organization", Members: map[string]string{"bea": "admin", "bot": "member"}}))(t)
	must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "beta", Name: "tool", Files: map[string]string{"a": "a"}}))(t)
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "gamma", Type: "Organization", Members: map[string]string{"gus": "admin"}}))(t)
	must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "gamma", Name: "open", Files: map[string]string{"a": "a"}}))(t) // visible to everyone
	whole := func(login string) *Host {
		token := must(s.ctl.NewToken(ctx, login, simapi.TokenSpec{}))(t)
		return must(New(Config{BaseURL: s.url, Owner: codehost.WholeInstance, Token: secret.New(token.Text), Connection: "c1", HTTP: &http.Client{Transport: s.interrupt}, Gate: &codehosttest.Gate{}}))(t)
	}
	s.host(&codehosttest.Gate{}) // opens the connection
	h := whole("bot")
	if got := must(h.Probe(ctx))(t); got.Owner != (codehost.RepoOwner{ID: "*", Login: "*", Organization: true}) {
		t.Errorf("%+v", got)
	}
	var names []string
	for _, r := range must(h.Repositories(ctx))(t) {
		names = append(names, r.NameWithin(codehost.WholeInstance))
		if r.Shared {
			t.Errorf("%s is reported as shared", r.Name)
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"beta/tool", "octo/team/demo"}) {
		t.Errorf("the connection reaches %v", names)
	}
	// Effective levels count: from the project, from a parent group, or from a share.
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "high"}))(t)
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "delta", Type: "Organization", Members: map[string]string{"high": "admin"}}))(t)
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "delta/low", Type: "Organization"}))(t)
	must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "delta/low", Name: "deep", Files: map[string]string{"a": "a"}}))(t)
	s.change(simclient.Repo("beta/tool"), simapi.RepoChange{Share: map[string]string{"delta": "write"}})
	if got := must(whole("high").Probe(ctx))(t); len(got.Missing) != 1 || !strings.Contains(got.Missing[0], "not a maintainer of 1 of 2") {
		t.Errorf("missing for an account with a parent group and a share: %q", got.Missing)
	}
	s.change(simclient.Repo("beta/tool"), simapi.RepoChange{Share: map[string]string{"delta": ""}})
	for _, repo := range must(h.Repositories(ctx))(t) {
		words := map[string]string{}
		for _, m := range must(h.Members(ctx, codehost.Repo{Access: "c1", ExternalID: repo.ExternalID, Owner: repo.Owner, Name: repo.Name}))(t) {
			words[m.Login] = m.Account
			if m.Account == codehost.AccountOwner {
				t.Errorf("%s owns the account", m.Login)
			}
		}
		if repo.Owner == "beta" && (words["bea"] != codehost.AccountMember || len(words) != 2) {
			t.Errorf("people of beta/tool: %v", words)
		}
	}
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "loner"}))(t)
	if got := must(whole("loner").Probe(ctx))(t); len(got.Missing) != 1 || !strings.Contains(got.Missing[0], "member of no project") {
		t.Errorf("missing for an account without projects: %+v", got.Missing)
	}
}
