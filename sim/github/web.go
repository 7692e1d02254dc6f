package github

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
)

// pageHandler serves the pages for people. They are public, but hide pending reviews. People write
// in threads there.
func (s *Server) pageHandler() (http.Handler, error) {
	return (&browse.Site{Brand: page.Brand{Name: "Simulated GitHub", Real: "github.com", PullWord: "pull", Apps: "apps/"}, Log: s.Log,
		Avatar: s.avatar, Index: s.index, Open: s.visit, People: s}).Handler()
}

// visit finds the repository of a path.
func (s *Server) visit(parts []string) (*browse.Repository, []string) {
	if len(parts) < 2 {
		return nil, nil
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r := s.st.repo(parts[0], strings.TrimSuffix(parts[1], ".git"))
	if r == nil {
		return nil, nil
	}
	return s.shown(r), parts[2:]
}

func (s *Server) avatar(id int64) (name string, isPerson bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if u := s.st.userByID(id); u != nil {
		return u.Login, u.Type != "Bot"
	}
	return "G", false
}

// index lists the repositories of an account. The pages of apps and of organisations' settings list all.
func (s *Server) index(account string) (list []*browse.Repository, found bool) {
	if first, _, below := strings.Cut(account, "/"); below && (first == "apps" || first == "organizations") {
		account = ""
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, r := range s.st.Repos {
		if account == "" || strings.EqualFold(r.Owner, account) {
			list = append(list, s.shown(r))
		}
	}
	return list, account == "" || s.st.user(account) != nil
}

// shown describes a repository for its pages; Server.Mu is held.
func (s *Server) shown(r *repository) *browse.Repository {
	v := &visit{s: s, repo: r}
	out := &browse.Repository{Git: r.git, Run: v.run, About: page.Repo{Owner: r.Owner, Name: r.Name, Description: r.Description,
		DefaultBranch: r.DefaultBranch, Private: r.Private}}
	for _, p := range host.Newest(r.Pulls) {
		out.Pulls = append(out.Pulls, v.pull(p))
	}
	return out
}

// visit makes the pages of a repository.
type visit struct {
	s    *Server
	repo *repository
}

func userOf(st *state, login string) page.User {
	u := st.user(login)
	if u == nil {
		return page.User{Login: login}
	}
	return page.User{Login: u.Login, ID: u.ID, Bot: u.Type == "Bot"}
}

func pullLink(r *repository, p *pull) string {
	return "/" + url.PathEscape(r.Owner) + "/" + url.PathEscape(r.Name) + "/pull/" + strconv.Itoa(p.Number)
}
