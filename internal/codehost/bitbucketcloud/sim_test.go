package bitbucketcloud

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/bitbucket"
	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/bitbucket/simclient"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

const (
	simFile = "package demo\n\nfunc Half(n int) int {\n\treturn n / 2\n}\n"
	named   = "octo/demo"
)

// Kinds of the simulator's UUIDs: the last digit of the first group.
const (
	simUser = 1 + iota
	simRepo
	simHook
	simRun
	simJob
)

// simID returns the id of a simulated object.
func simID(kind int, id int64) domain.HostID {
	return domain.HostID(fmt.Sprintf("%08x-4d1c-4e0a-9c3d-%012x", 0x1a2b0000+kind, id))
}

// simulated is a simulated host with the workspace octo, one repository in it, and the service's account.
type simulated struct {
	t    *testing.T
	srv  *bitbucket.Server
	ctl  *simclient.Client
	url  string
	repo shared.Repo

	interrupt *codehosttest.Interrupt // belongs to the last host that was opened
}

func newSim(t *testing.T, doubts ...simapi.Doubt) *simulated {
	t.Helper()
	srv, err := bitbucket.New(bitbucket.Options{DataDir: t.TempDir(), Doubts: doubts})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	srv.SetBaseURL(web.URL)
	t.Cleanup(func() { web.CloseClientConnections(); _ = srv.Close(); web.Close() })
	s := &simulated{t: t, srv: srv, url: web.URL, ctl: simclient.New(web.URL, srv.ControlToken())}
	ctx := t.Context()
	for _, login := range []string{"ann", "bot"} {
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: login}))(t)
	}
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

// host opens a connection with an API token of the account bot.
func (s *simulated) host(gate codehost.Gate, scopes ...string) *Host {
	s.t.Helper()
	return s.with(gate, "bot", simapi.TokenSpec{Scopes: scopes})
}

// with opens a connection with a new token.
func (s *simulated) with(gate codehost.Gate, login string, spec simapi.TokenSpec) *Host {
	s.t.Helper()
	token := must(s.ctl.NewToken(s.t.Context(), login, spec))(s.t)
	return s.open(gate, token.Email+token.Key, token.Text)
}

func (s *simulated) open(gate codehost.Gate, username, token string) *Host {
	s.t.Helper()
	tr := &http.Transport{Proxy: nil}
	s.t.Cleanup(tr.CloseIdleConnections)
	s.interrupt = &codehosttest.Interrupt{Next: tr, Match: func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/src")
	}}
	cfg := Config{Username: username}
	cfg.BaseURL, cfg.Owner, cfg.Token, cfg.Connection, cfg.HTTP, cfg.Gate = s.url, "octo", secret.New(token), "c1", &http.Client{Transport: s.interrupt}, gate
	return must(New(cfg))(s.t)
}

// openPull opens a pull request of ann that adds a file.
func (s *simulated) openPull(branch, path, text string) shared.Pull {
	s.t.Helper()
	must(s.ctl.Commit(s.t.Context(), named, shared.CommitSpec{Branch: branch, From: s.repo.HeadSHA, Files: map[string]string{path: text}, Author: "ann", Message: "Change"}))(s.t)
	return must(s.ctl.OpenPull(s.t.Context(), named, shared.PullSpec{Title: "Halve", Head: branch, Author: "ann"}))(s.t)
}

// push commits files as ann and returns the commit.
func (s *simulated) push(branch string, files map[string]string) string {
	s.t.Helper()
	return must(s.ctl.Commit(s.t.Context(), named, shared.CommitSpec{Branch: branch, Files: files, Author: "ann", Message: "Push"}))(s.t).SHA
}

// ended opens a pull request and merges or closes it.
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
	testkit.OK(s.t, s.ctl.ChangeRepo(s.t.Context(), repo, c))
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
		Fault:     func(f codehosttest.Fault) { s.fault(f, "POST", "/(src|refs/branches)$") },
		Meanwhile: func(f func()) { s.interrupt.Once(f) },
	}
}

func (s *simulated) repository() codehost.Repo {
	return codehost.Repo{Access: "c1", ExternalID: simID(simRepo, s.repo.ID), Owner: "octo", Name: "demo"}
}

// fixture returns the fixture of the suite for a connection that open makes.
func (s *simulated) fixture(open func(codehost.Gate) *Host) *codehosttest.Fixture {
	t, ctx := s.t, s.t.Context()
	pull := s.openPull("topic", "half.go", simFile)
	for _, login := range []string{"rob", "eve"} {
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: login}))(t)
	}
	s.change(named, simapi.RepoChange{Collaborators: map[string]string{"rob": "write"}})
	gate := &codehosttest.Gate{}
	return &codehosttest.Fixture{
		Host: open(gate), Gate: gate, Number: pull.Number, Head: pull.HeadSHA, Base: s.repo.HeadSHA, Author: "ann", Repo: s.repository(),
		Path: "half.go", Text: simFile, Line: 4, Reviewer: "rob", Stranger: "eve", Branches: s.branches(), Ended: s.ended,
		Fault: func(f codehosttest.Fault) { s.fault(f, "WRITE", "^/(repositories|workspaces)/") },
		FaultDelete: func(f codehosttest.Fault) {
			s.fault(f, "WRITE", "/pullrequests/[0-9]+(/comments/[0-9]+)?$")
		},
		SetStatus: func(name, conclusion, description, url, commit string) {
			state := map[string]string{"": "INPROGRESS", "success": "SUCCESSFUL", "failure": "FAILED"}[conclusion]
			in := status{Key: fmt.Sprintf("other-%x", name)[:min(40, 6+2*len(name))], Name: name, State: state, Description: description, URL: cmp.Or(url, "https://ci.example/0")}
			testkit.OK(t, s.with(&codehosttest.Gate{}, "rob", simapi.TokenSpec{}).client.Send(ctx, "x", http.MethodPost, at(s.repository())+"/commit/"+commit+"/statuses/build", in, nil))
		},
		CI: func(workflow, commit string, jobs ...codehosttest.CIJob) (ids []domain.HostID) {
			spec := shared.RunSpec{Workflow: workflow, Commit: commit, Branch: "topic"}
			for _, j := range jobs {
				spec.Jobs = append(spec.Jobs, shared.JobSpec{Name: j.Name, Status: j.Status, Conclusion: j.Conclusion, Log: j.Log, Pad: j.Pad, Gone: j.Gone, Steps: j.Steps})
			}
			run := must(s.ctl.AddRun(ctx, named, spec))(t)
			for _, id := range run.Jobs {
				ids = append(ids, simID(simRun, run.ID)+"."+simID(simJob, id))
			}
			return ids
		},
		Foreign: func(n int) {
			for i := range n {
				must(s.ctl.Comment(ctx, named, pull.Number, shared.CommentSpec{Author: "ann", Body: fmt.Sprint("note ", i)}))(t)
			}
		},
		MorePull: func(n int) {
			for i := range n {
				s.openPull(fmt.Sprint("more-", i), "more.go", fmt.Sprint("package more // ", i, "\n"))
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
			testkit.OK(t, s.ctl.EditComment(ctx, named, must(wire.NoteOf("close", 0, comment))(t).Note, shared.EditSpec{Actor: actor, Resolve: &resolved}))
		},
		Lacks: map[codehosttest.Lack]string{codehosttest.LackSteps: "a step of a pipeline has commands without results"},
		Checks: func() []codehost.Check {
			newest := map[string]simapi.Status{}
			for _, st := range must(s.ctl.Statuses(ctx, named))(t) {
				if st.SHA == pull.HeadSHA && st.ID >= newest[st.Key].ID {
					newest[st.Key] = st
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
	codehosttest.Run(t, func(t *testing.T) *codehosttest.Fixture {
		s := newSim(t)
		return s.fixture(func(g codehost.Gate) *Host { return s.host(g) })
	})
}

// The adapter also works with each doubt about the host decided the other way, and with an access token whose account the host does not
// name.
func TestConformanceInDoubt(t *testing.T) {
	t.Parallel()
	codehosttest.Run(t, func(t *testing.T) *codehosttest.Fixture {
		var other []simapi.Doubt
		for _, d := range simapi.Doubts() {
			other = append(other, d)
		}
		s := newSim(t, other...)
		return s.fixture(func(g codehost.Gate) *Host {
			return s.with(g, "", simapi.TokenSpec{Kind: simapi.AccessToken, Workspace: "octo", Scopes: []string{"repository:write", "repository:admin",
				"pullrequest:write", "webhook", "pipeline", "account"}})
		})
	})
}
