package gitea

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
)

// pageHandler serves the pages for people. They are public, but hide pending reviews. People write
// in threads there.
func (s *Server) pageHandler() (http.Handler, error) {
	return (&browse.Site{Brand: page.Brand{Name: "Simulated " + s.Product(), Real: "a real " + s.Product(), PullWord: "pulls"}, Log: s.Log,
		Avatar: s.avatar, Index: s.index, Open: s.visit, People: s}).Handler()
}

// visit is one request for the pages of a repository.
type visit struct {
	s    *Server
	repo *repository
}

// visit finds the repository of a path. It also accepts addresses of the REST interface ("src/branch/…").
func (s *Server) visit(_ context.Context, parts []string) (browse.Repository, []string) {
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
	return &visit{s: s, repo: r}, rest
}

func (s *Server) avatar(id int64) (name string, isPerson bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if u := s.st.userByID(id); u != nil {
		return u.Login, true
	}
	return s.Product(), false
}

func (s *Server) index(account string) (page.Index, bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	m := page.Index{Head: page.Head{Title: host.OrElse(account, "Repositories")}, Account: account}
	for _, r := range s.st.Repos {
		if account == "" || strings.EqualFold(r.Owner, account) {
			m.Repos = append(m.Repos, describeRepo(r))
		}
	}
	return m, account == "" || s.st.user(account) != nil
}

func describeRepo(r *repository) page.Repo {
	p := page.Repo{Owner: r.Owner, Name: r.Name, Description: r.Description, DefaultBranch: r.DefaultBranch, Private: r.Private}
	for _, x := range r.Pulls {
		if x.State == "open" {
			p.OpenPulls++
		}
	}
	return p
}

// About implements [browse.Repository].
func (v *visit) About() page.Repo {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	return describeRepo(v.repo)
}

// Git implements [browse.Repository].
func (v *visit) Git() *gitrepo.Repo { return v.repo.git }

// Run implements [browse.Repository]: checks have no pages.
func (v *visit) Run(string, string) *page.Run { return nil }

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
