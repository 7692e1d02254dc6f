package bitbucketserver

import (
	"context"
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

// simulated is a simulated instance below a path with the project octo, one repository in it, and the service's
// account.
type simulated struct {
	git  *interruptedGit // of the newest connection
	t    *testing.T
	srv  *bitbucket.Server
	ctl  *simclient.Client
	url  string
	repo shared.Repo
}

func newSim(t *testing.T, doubts ...simapi.Doubt) *simulated {
	t.Helper()
	srv, err := bitbucket.New(bitbucket.Options{DataDir: t.TempDir(), Doubts: doubts, DataCenter: true})
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

// with opens a connection with a new token.
func (s *simulated) with(gate codehost.Gate, login string, spec simapi.TokenSpec) *Host {
	s.t.Helper()
	token := must(s.ctl.NewToken(s.t.Context(), login, spec))(s.t)
	tr := &http.Transport{Proxy: nil}
	s.t.Cleanup(tr.CloseIdleConnections)
	s.git = &interruptedGit{GitPusher: ServiceGit(s.t, s.url, gate)}
	return must(New(Config{Git: s.git, Config: wire.Config{BaseURL: s.url, Owner: "octo", Token: secret.New(token.Text), Connection: "c1", HTTP: &http.Client{Transport: tr}, Gate: gate}}))(s.t)
}

// ServiceGit returns the git client of the service. The external test package sets it, because this one must not import it.
var ServiceGit func(t testing.TB, at string, gate codehost.Gate) codehost.GitPusher

// interruptedGit can call a function once, before the next commit is made.
type interruptedGit struct {
	codehost.GitPusher
	once func()
}

func (g *interruptedGit) PushCommit(ctx context.Context, access codehost.CloneAccess, repo codehost.Repo, c codehost.NewCommit,
	by codehost.CommitAuthor) (codehost.MadeCommit, error) {
	if f := g.once; f != nil {
		g.once = nil
		f()
	}
	return g.GitPusher.PushCommit(ctx, access, repo, c, by)
}

func (s *simulated) branches() codehosttest.Branches {
	return codehosttest.Branches{
		Head: "topic", Base: "main", Push: s.push,
		Protect: func(branch string) { s.change(named, simapi.RepoChange{Protect: []string{branch}}) },
		Fork: func() codehost.Repo {
			s.push("theirs", map[string]string{"theirs.go": "package demo\n"})
			must(s.ctl.OpenPull(s.t.Context(), named, shared.PullSpec{Title: "Theirs", Head: "theirs", Author: "ann", Fork: "ann"}))(s.t)
			s.change("ann/demo", simapi.RepoChange{Collaborators: map[string]string{"bot": "read"}})
			return codehost.Repo{Access: "c1", Owner: "~ann", Name: "demo"}
		},
		Fault:     func(f codehosttest.Fault) { s.fault(f, "POST", "(/git-receive-pack|/branches)$") },
		Meanwhile: func(f func()) { s.git.once = f },
	}
}

// open opens a pull request of ann that adds a file.
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

func (s *simulated) repository() codehost.Repo {
	return codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}
}

func (s *simulated) fixture(open func(codehost.Gate) *Host) *codehosttest.Fixture {
	t, ctx := s.t, s.t.Context()
	pull := s.open("topic", "half.go", simFile)
	for _, login := range []string{"rob", "eve"} {
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: login}))(t)
	}
	s.change(named, simapi.RepoChange{Collaborators: map[string]string{"rob": "write"}})
	gate := &codehosttest.Gate{}
	return &codehosttest.Fixture{
		Host: open(gate), Gate: gate, Number: pull.Number, Head: pull.HeadSHA, Base: s.repo.HeadSHA, Author: "ann", Repo: s.repository(),
		Path: "half.go", Text: simFile, Line: 4, Reviewer: "rob", Stranger: "eve",
		Lacks: map[codehosttest.Lack]string{codehosttest.LackPlainLogins: "names come from directories, which may use addresses"}, Branches: s.branches(), Ended: s.ended,
		Fault:       func(f codehosttest.Fault) { s.fault(f, "WRITE", "^/(api|insights)/") },
		FaultDelete: func(f codehosttest.Fault) { s.fault(f, "DELETE", "^/api/") },
		SetStatus: func(name, conclusion, description, url, commit string) {
			state := map[string]string{"": "INPROGRESS", "success": "SUCCESSFUL", "failure": "FAILED"}[conclusion]
			if url == "" {
				url = "https://ci.example/0"
			}
			in := status{Key: "other " + name, Name: name, State: state, Description: description, URL: url}
			testkit.OK(t, s.with(&codehosttest.Gate{}, "rob", simapi.TokenSpec{}).client.Send(ctx, "x", http.MethodPost, at(api, s.repository())+"/commits/"+commit+"/builds", in, nil))
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
		Says: func(_, last int, body string, resolved bool) {
			note := simapi.NoteSpec{Author: "ann", Path: "half.go", NewLine: last, Body: body, Resolved: resolved} // the suite asks for one line
			must(s.ctl.Note(ctx, named, pull.Number, note))(t)
		},
		Close: func(actor string, comment domain.HostID) {
			resolved := true
			testkit.OK(t, s.ctl.EditComment(ctx, named, must(wire.NoteOf("close", 0, comment))(t).Note, shared.EditSpec{Actor: actor, Resolve: &resolved}))
		},
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
		return s.fixture(func(g codehost.Gate) *Host { return s.with(g, "bot", simapi.TokenSpec{}) })
	})
}

// The adapter also works with a token of a project, with a host that writes its own prefixes in diffs, names no number of the account, and
// forgets former names.
func TestConformanceInDoubt(t *testing.T) {
	t.Parallel()
	codehosttest.Run(t, func(t *testing.T) *codehosttest.Fixture {
		s := newSim(t, simapi.OwnPrefixes, simapi.MovedGone)
		return s.fixture(func(g codehost.Gate) *Host {
			return s.with(g, "", simapi.TokenSpec{Kind: simapi.AccessToken, Workspace: "octo"})
		})
	})
}

// A host that ignores the state of a new comment makes it visible at once. A repeated draft finds that comment.
func TestWithoutPendingComments(t *testing.T) {
	t.Parallel()
	s := newSim(t, simapi.NoPending, simapi.NoUserID)
	f := s.fixture(func(g codehost.Gate) *Host { return s.with(g, "bot", simapi.TokenSpec{}) })
	ctx, n := t.Context(), codehost.NotesOf(f.Host)
	note := codehost.DraftComment{Path: f.Path, Side: "RIGHT", Line: f.Line, Body: markdown.Const("one line")}
	f.Fault(codehosttest.ApplyThen500)
	if _, err := n.DraftNote(ctx, f.Repo, f.Number, f.Head, note); codehost.ClassOf(err) != codehost.ClassAmbiguous {
		t.Fatal(err)
	}
	again := must(n.DraftNote(ctx, f.Repo, f.Number, f.Head, note))(t)
	if list := must(n.NoteDrafts(ctx, f.Repo, f.Number))(t); len(list) != 0 {
		t.Errorf("drafts %+v", list)
	}
	if err := n.PublishNote(ctx, f.Repo, f.Number, again.ID); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("published: %v", err)
	}
	if list := must(n.Notes(ctx, f.Repo, f.Number))(t); len(list) != 1 || list[0].ID != again.ID || list[0].Path != f.Path {
		t.Errorf("visible %+v", list)
	}
	testkit.OK(t, n.DeleteNoteDraft(ctx, f.Repo, f.Number, again.ID))
	if list := must(n.Notes(ctx, f.Repo, f.Number))(t); len(list) != 1 {
		t.Errorf("a visible comment was deleted as a draft: %+v", list)
	}
}

// Comments stand on added, removed and unchanged lines of either side; the simulator refuses a wrong type of line.
func TestPlacesOfComments(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx := t.Context()
	s.push("main", map[string]string{"a.txt": strings.Repeat("same\n", 9) + "old\n" + strings.Repeat("same\n", 9)})
	must(s.ctl.Commit(ctx, named, shared.CommitSpec{Branch: "lines", From: "main", Files: map[string]string{"a.txt": strings.Repeat("same\n", 9) +
		"new\nmore\n" + strings.Repeat("same\n", 9)}, Author: "ann", Message: "Change"}))(t)
	p := must(s.ctl.OpenPull(ctx, named, shared.PullSpec{Title: "Lines", Head: "lines", Author: "ann"}))(t)
	h := s.with(&codehosttest.Gate{}, "bot", simapi.TokenSpec{})
	for _, at := range []struct {
		side string
		line int
		ok   bool
	}{{"RIGHT", 10, true}, {"RIGHT", 11, true}, {"RIGHT", 9, true}, {"RIGHT", 14, true}, {"LEFT", 10, true}, {"LEFT", 13, true}, {"LEFT", 8, true},
		{"RIGHT", 1, false}, {"RIGHT", 15, false}, {"LEFT", 14, false}, {"LEFT", 19, false}} {
		made, err := h.DraftNote(ctx, s.repository(), p.Number, p.HeadSHA, codehost.DraftComment{Path: "a.txt", Side: at.side, Line: at.line, Body: markdown.Const("x")})
		if (err == nil) != at.ok || !at.ok && codehost.ClassOf(err) != codehost.ClassInvalid {
			t.Errorf("%s %d: %+v, %v", at.side, at.line, made, err)
		}
	}
	for _, d := range must(h.NoteDrafts(ctx, s.repository(), p.Number))(t) {
		if d.Path != "a.txt" || d.Line == 0 || d.Side == "" || d.Commit != p.HeadSHA {
			t.Errorf("%+v", d)
		}
	}
}

// A change that another one overtakes is made again with the present version.
func TestVersionsOfComments(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	f := s.fixture(func(g codehost.Gate) *Host { return s.with(g, "bot", simapi.TokenSpec{}) })
	ctx := t.Context()
	made := must(f.Host.Reply(ctx, f.Repo, codehost.Spot{Number: f.Number}, markdown.Const("first")))(t)
	must(s.ctl.SetFault(ctx, shared.Fault{Action: shared.Respond, Method: "PUT", Path: "/comments/", Status: 409,
		ReplyBody: `{"errors":[{"message":"out of date","exceptionName":"com.atlassian.bitbucket.comment.CommentOutOfDateException"}]}`}))(t)
	testkit.OK(t, f.Host.EditComment(ctx, f.Repo, made.ID, markdown.Const("second")))
	if r := must(f.Host.Review(ctx, f.Repo, f.Number, made.ID))(t); r.Body != "second" {
		t.Errorf("%+v", r)
	}
}

// A list of files that the host cut is reported, so that git is asked.
func TestAListOfFilesThatIsCut(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	f := s.fixture(func(g codehost.Gate) *Host { return s.with(g, "bot", simapi.TokenSpec{}) })
	ctx := t.Context()
	s.push("topic", map[string]string{"b.go": "package demo\n", "c.go": "package demo\n"})
	testkit.OK(t, s.ctl.Configure(ctx, simapi.Settings{MaxChanges: 2}))
	if files, whole, err := f.Host.Files(ctx, f.Repo, f.Number); err != nil || whole || len(files) != 2 {
		t.Errorf("%+v, %v, %v", files, whole, err)
	}
}
