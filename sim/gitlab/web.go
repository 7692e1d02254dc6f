package gitlab

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
)

// pageHandler serves the pages for people, below the path of the instance. They are public, but hide drafts.
func (s *Server) pageHandler() (http.Handler, error) {
	brand := page.Brand{Name: "Simulated GitLab", Real: "gitlab.com", PullWord: "-/merge_requests", ListWord: "-/merge_requests",
		FilesWord: "diffs",
		Noun:      "merge request", Sign: "!", Root: s.Below}
	return (&browse.Site{Brand: brand, Log: s.Log, Inner: "/-", Avatar: s.avatar, Index: s.index, Open: s.visit, People: s}).Handler()
}

// visit is one request for the pages of a project.
type visit struct {
	s       *Server
	ctx     context.Context
	root    string // the path of the instance
	project *project
}

// visit finds the project of a path. Its pages are below "/-/" (docs.gitlab.com/development/routing).
func (s *Server) visit(ctx context.Context, parts []string) (browse.Repository, []string) {
	var rest []string
	if at := slices.Index(parts, "-"); at >= 0 {
		parts, rest = parts[:at], parts[at+1:]
	}
	root := s.Below()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	p := s.st.project(strings.Join(parts, "/"))
	if p == nil {
		return nil, nil
	}
	return &visit{s: s, ctx: ctx, root: root, project: p}, rest
}

func (s *Server) avatar(id int64) (name string, isPerson bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if u := s.st.Users[id]; u != nil {
		return host.OrElse(u.Name, u.Login), !u.Bot
	}
	return "GitLab", false
}

// index lists the projects of a group with its subgroups or of a person, or all.
func (s *Server) index(account string) (page.Index, bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	m := page.Index{Head: page.Head{Title: host.OrElse(account, "Projects")}, Account: account}
	for _, p := range s.st.Projects {
		if account == "" || strings.EqualFold(p.Namespace, account) ||
			strings.HasPrefix(strings.ToLower(p.Namespace), strings.ToLower(account)+"/") {
			m.Repos = append(m.Repos, describeProject(p))
		}
	}
	return m, account == "" || s.st.user(account) != nil || s.st.group(account) != nil
}

func describeProject(p *project) page.Repo {
	o := page.Repo{Owner: p.Namespace, Name: p.Path, Description: p.Description, DefaultBranch: p.DefaultBranch, Private: p.Private}
	for _, m := range p.MRs {
		if m.State == "opened" {
			o.OpenPulls++
		}
	}
	return o
}

// About implements [browse.Repository].
func (v *visit) About() page.Repo {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	return describeProject(v.project)
}

// Git implements [browse.Repository].
func (v *visit) Git() *gitrepo.Repo { return v.project.git }

// person describes an account; Server.Mu is held.
func (v *visit) person(id int64) page.User {
	u := v.s.st.Users[id]
	if u == nil {
		return page.User{Login: v.s.st.login(id)}
	}
	return page.User{Login: u.Login, Name: u.Name, ID: u.ID, Bot: u.Bot}
}

// maxLog bounds the end of a log that the page of a job shows.
const maxLog = 64 << 10

// Run implements [browse.Repository]: a job of a pipeline with its log.
func (v *visit) Run(kind, id string) *page.Run {
	n, _ := strconv.ParseInt(id, 10, 64) // 0 names nothing
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	run, j := host.FindJob(v.project.Pipelines, n)
	if j == nil || kind != "jobs" {
		return nil
	}
	m := page.Run{Head: page.Head{Tab: "code"}, Check: v.jobCheck(run, j), SHA: run.SHA}
	if text := j.Text(); !j.Gone && len(text) > 0 {
		text = text[max(0, len(text)-maxLog):]
		m.Text = []page.Part{{HTML: page.Log(text)}}
	}
	return &m
}
