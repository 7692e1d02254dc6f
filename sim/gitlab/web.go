package gitlab

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
)

// pageHandler serves the pages for people, below the path of the instance. They are public, but hide drafts.
func (s *Server) pageHandler() (http.Handler, error) {
	brand := page.Brand{Name: "Simulated GitLab", Real: "gitlab.com", PullWord: "-/merge_requests", ListWord: "-/merge_requests",
		FilesWord: "diffs",
		Noun:      "merge request", Sign: "!", Root: s.Below}
	return (&browse.Site{Brand: brand, Log: s.Log, Inner: "/-", Avatar: s.avatar, Index: s.index, Open: s.visit, People: s}).Handler()
}

// visit finds the project of a path. Its pages are below "/-/" (docs.gitlab.com/development/routing).
func (s *Server) visit(parts []string) (*browse.Repository, []string) {
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
	return s.shown(root, p), rest
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
func (s *Server) index(account string) (list []*browse.Repository, found bool) {
	root := s.Below()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, p := range s.st.Projects {
		if account == "" || strings.EqualFold(p.Namespace, account) ||
			strings.HasPrefix(strings.ToLower(p.Namespace), strings.ToLower(account)+"/") {
			list = append(list, s.shown(root, p))
		}
	}
	return list, account == "" || s.st.user(account) != nil || s.st.group(account) != nil
}

// shown describes a project for its pages below a path; Server.Mu is held.
func (s *Server) shown(root string, p *project) *browse.Repository {
	link := root + "/" + browse.EscapePath(p.FullPath()) + "/-/"
	out := &browse.Repository{Git: p.git, About: page.Repo{Owner: p.Namespace, Name: p.Path, Description: p.Description,
		DefaultBranch: p.DefaultBranch, Private: p.Private}, Run: func(kind, id string) *page.Run {
		n, _ := strconv.ParseInt(id, 10, 64) // 0 names nothing
		s.Mu.Lock()
		defer s.Mu.Unlock()
		run, j := host.FindJob(p.Pipelines, n)
		if j == nil || kind != "jobs" {
			return nil
		}
		return browse.LogPage(jobCheck(link, run, j), run.SHA, j)
	}}
	for _, m := range host.Newest(p.MRs) {
		out.Pulls = append(out.Pulls, s.shownMR(link, p, m))
	}
	return out
}

// pageUser describes an account; Server.Mu is held.
func (s *Server) pageUser(id int64) page.User {
	u := s.st.Users[id]
	if u == nil {
		return page.User{Login: s.st.login(id)}
	}
	return page.User{Login: u.Login, Name: u.Name, ID: u.ID, Bot: u.Bot}
}
