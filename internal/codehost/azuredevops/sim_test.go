package azuredevops

import (
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
	sim "github.com/assay-dev/assay/sim/azuredevops"
	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/azuredevops/simclient"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

const (
	simFile = "package demo\n\nfunc Half(n int) int {\n\treturn n / 2\n}\n"
	owner   = "Contoso Überall/Größe 数"
	full    = owner + "/demo app"

	ann = "ann@contoso.test"
	bot = "bot@contoso.test"
)

var named = simclient.Repo(full)

// simulated is a simulated collection below a path, with names that have spaces and letters of several scripts.
type simulated struct {
	t    *testing.T
	srv  *sim.Server
	ctl  *simclient.Client
	url  string
	repo shared.Repo

	interrupt *codehosttest.Interrupt // belongs to the last host that was opened
}

func newSim(t *testing.T, doubts ...simapi.Doubt) *simulated {
	t.Helper()
	srv, err := sim.New(sim.Options{DataDir: t.TempDir(), Doubts: doubts})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	srv.SetBaseURL(web.URL + "/tfs")
	t.Cleanup(func() { web.CloseClientConnections(); _ = srv.Close(); web.Close() })
	s := &simulated{t: t, srv: srv, url: web.URL + "/tfs", ctl: simclient.New(web.URL, srv.ControlToken())}
	ctx := t.Context()
	for _, login := range []string{ann, bot} {
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: login}))(t)
	}
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: owner, Type: "Organization", Members: map[string]string{"own@contoso.test": "admin"}}))(t)
	s.repo = must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: owner, Name: "demo app", Files: map[string]string{"README.md": "# Demo\n"},
		Collaborators: map[string]string{ann: "write", bot: "maintain"}}))(t)
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

func (s *simulated) host(gate codehost.Gate) *Host { return s.with(gate, bot, Entra{}, "") }

// with opens a connection as a person, or as an application whose secret is given.
func (s *simulated) with(gate codehost.Gate, login string, entra Entra, key string) *Host {
	s.t.Helper()
	if key == "" {
		key = must(s.ctl.NewToken(s.t.Context(), login))(s.t).Text
	}
	tr := &http.Transport{Proxy: nil}
	s.t.Cleanup(tr.CloseIdleConnections)
	s.interrupt = &codehosttest.Interrupt{Next: tr, Match: func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/pushes")
	}}
	h, err := New(Config{wire.Config{BaseURL: s.url, Owner: owner, Token: secret.New(key), Connection: "c1",
		HTTP: &http.Client{Transport: s.interrupt}, Gate: gate}, entra})
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

func (s *simulated) open(branch, path, text string) shared.Pull {
	s.t.Helper()
	must(s.ctl.Commit(s.t.Context(), named, shared.CommitSpec{Branch: branch, From: s.repo.HeadSHA, Files: map[string]string{path: text}, Author: ann, Message: "Change"}))(s.t)
	return must(s.ctl.OpenPull(s.t.Context(), named, shared.PullSpec{Title: "Halve", Head: branch, Author: ann}))(s.t)
}

func (s *simulated) push(branch string, files map[string]string) string {
	s.t.Helper()
	return must(s.ctl.Commit(s.t.Context(), named, shared.CommitSpec{Branch: branch, Files: files, Author: ann, Message: "Push"}))(s.t).SHA
}

func (s *simulated) ended(title string, merged bool) int {
	s.t.Helper()
	ctx, branch := s.t.Context(), fmt.Sprintf("ended-%x", title)
	must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: branch, From: s.repo.HeadSHA, Files: map[string]string{branch: branch}, Author: ann}))(s.t)
	p := must(s.ctl.OpenPull(ctx, named, shared.PullSpec{Title: title, Head: branch, Author: ann}))(s.t)
	must(s.ctl.UpdatePull(ctx, named, p.Number, shared.PullUpdate{State: map[bool]string{true: "merged", false: "closed"}[merged]}))(s.t)
	return p.Number
}

func (s *simulated) change(c simapi.RepoChange) {
	s.t.Helper()
	if err := s.ctl.ChangeRepo(s.t.Context(), named, c); err != nil {
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
		Protect: func(branch string) { s.change(simapi.RepoChange{Protect: []string{branch}}) },
		Fork: func() codehost.Repo { // forks belong to projects, so the fork of a stranger is in a project that is closed to us
			must(s.ctl.CreateUser(s.t.Context(), shared.UserSpec{Login: "Contoso Überall/theirs", Type: "Organization"}))(s.t)
			must(s.ctl.CreateRepo(s.t.Context(), shared.RepoSpec{Owner: "Contoso Überall/theirs", Name: "demo"}))(s.t)
			return codehost.Repo{Access: "c1", Owner: "Contoso Überall/theirs", Name: "demo"}
		},
		Fault:     func(f codehosttest.Fault) { s.fault(f, "POST", "/(pushes|refs)$") },
		Meanwhile: func(f func()) { s.interrupt.Once(f) },
	}
}

func (s *simulated) fixture() *codehosttest.Fixture {
	t, ctx := s.t, s.t.Context()
	pull := s.open("topic", "half.go", simFile)
	for _, login := range []string{"rob@contoso.test", "eve@contoso.test"} {
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: login}))(t)
	}
	s.change(simapi.RepoChange{Collaborators: map[string]string{"rob@contoso.test": "write"}})
	gate := &codehosttest.Gate{}
	return &codehosttest.Fixture{
		Host: s.host(gate), Gate: gate, Number: pull.Number, Head: pull.HeadSHA, Base: s.repo.HeadSHA, Author: ann,
		Repo: codehost.Repo{Access: "c1", ExternalID: domain.HostID(simapi.ID("repository", s.repo.ID)), Owner: owner, Name: "demo app"},
		Path: "half.go", Text: simFile, Line: 4,
		Fault:       func(f codehosttest.Fault) { s.fault(f, "WRITE", "/_apis/") },
		FaultDelete: func(f codehosttest.Fault) { s.fault(f, "DELETE", "/pullRequests/") },
		SetStatus: func(name, conclusion, description, url, commit string) {
			state := map[string]string{"success": "succeeded", "failure": "failed", "": "pending"}[conclusion]
			if err := s.ctl.SetStatus(ctx, named, simapi.Status{SHA: commit, State: state, Name: name, Description: description, TargetURL: url, Creator: ann}); err != nil {
				t.Fatal(err)
			}
		},
		CI: func(workflow, commit string, jobs ...codehosttest.CIJob) (ids []domain.HostID) {
			spec := shared.RunSpec{Workflow: workflow, Commit: commit, Branch: "topic"}
			for _, j := range jobs {
				spec.Jobs = append(spec.Jobs, shared.JobSpec{Name: j.Name, Status: j.Status, Conclusion: j.Conclusion, Log: j.Log, Pad: j.Pad, Gone: j.Gone, Steps: j.Steps})
			}
			run := must(s.ctl.AddRun(ctx, named, spec))(t)
			for _, id := range run.Jobs {
				ids = append(ids, jobID(run.ID, simapi.ID("job", id)))
			}
			return ids
		},
		Reviewer: "rob@contoso.test", Stranger: "eve@contoso.test", Branches: s.branches(), Ended: s.ended,
		Foreign: func(n int) {
			for i := range n {
				must(s.ctl.Comment(ctx, named, pull.Number, shared.CommentSpec{Author: ann, Body: fmt.Sprint("note ", i)}))(t)
			}
		},
		MorePull: func(n int) {
			for i := range n {
				s.open(fmt.Sprint("more-", i), "more.go", fmt.Sprint("package more // ", i, "\n"))
			}
		},
		Says: func(first, last int, body string, resolved bool) {
			must(s.ctl.Thread(ctx, named, pull.Number, simapi.ThreadSpec{Author: ann, Path: "half.go", FirstLine: first, Line: last, Body: body, Resolved: resolved}))(t)
		},
		Lacks: map[codehosttest.Lack]string{codehosttest.LackPatches: "the host lists changed files without lines",
			codehosttest.LackPlainLogins: "logins are addresses"},
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

// wireConfig returns the configuration of a connection to a simulated host, or to the cloud, to which nothing is sent.
func wireConfig(s *simulated, owner string) wire.Config {
	out := wire.Config{BaseURL: "https://dev.azure.com", Owner: owner, Token: secret.New("to" + "ken"), Connection: "c1", HTTP: &http.Client{}, Gate: &codehosttest.Gate{}}
	if s != nil {
		out.BaseURL = s.url
		out.Token = secret.New(must(s.ctl.NewToken(s.t.Context(), bot))(s.t).Text)
		tr := &http.Transport{Proxy: nil}
		s.t.Cleanup(tr.CloseIdleConnections)
		out.HTTP = &http.Client{Transport: tr}
	}
	return out
}

func simRequests() simclient.RequestFilter { return simclient.RequestFilter{} }
