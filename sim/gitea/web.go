package gitea

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
)

// pageHandler serves the pages for people. They are public, but hide pending reviews. People write
// in threads there.
func (s *Server) pageHandler() (http.Handler, error) {
	return (&browse.Site{Brand: page.Brand{Name: "Simulated " + s.Product(), Real: "a real " + s.Product(), PullWord: "pulls"}, Log: s.Log,
		Avatar: s.avatar, Index: s.index, Open: s.visit, People: s, Render: browse.Plain}).Handler()
}

// visit finds the repository of a path. It also accepts addresses of the REST interface ("src/branch/…").
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
	rest := parts[2:]
	if len(rest) > 2 && slices.Contains([]string{"src", "raw"}, rest[0]) && slices.Contains([]string{"branch", "commit", "tag"}, rest[1]) {
		rest = slices.Concat([]string{strings.Replace(rest[0], "src", "tree", 1)}, rest[2:])
	}
	return s.shown(r), rest
}

func (s *Server) avatar(id int64) (name string, isPerson bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if u := s.st.userByID(id); u != nil {
		return u.Login, true
	}
	return s.Product(), false
}

func (s *Server) index(account string) (list []*browse.Repository, found bool) {
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
	out := &browse.Repository{Git: r.git, About: page.Repo{Owner: r.Owner, Name: r.Name, Description: r.Description,
		DefaultBranch: r.DefaultBranch, Private: r.Private}}
	for _, p := range host.Newest(r.Pulls) {
		out.Pulls = append(out.Pulls, s.shownPull(r, p))
	}
	return out
}

func userOf(st *state, login string) page.User {
	u := st.user(login)
	if u == nil {
		return page.User{Login: login}
	}
	return page.User{Login: u.Login, ID: u.ID}
}

func pullLink(r *repository, p *pull) string {
	return "/" + url.PathEscape(r.Owner) + "/" + url.PathEscape(r.Name) + "/pulls/" + strconv.Itoa(p.Number)
}
