package github

import (
	"context"
	"net/http"
	"net/url"
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
	return (&browse.Site{Brand: page.Brand{Name: "Simulated GitHub", Real: "github.com", PullWord: "pull", Apps: "apps/"}, Log: s.Log,
		Avatar: s.avatar, Index: s.index, Open: s.visit, People: s}).Handler()
}

// visit is one request for the pages of a repository.
type visit struct {
	s    *Server
	ctx  context.Context
	repo *repository
}

func (s *Server) visit(ctx context.Context, parts []string) (browse.Repository, []string) {
	if len(parts) < 2 {
		return nil, nil
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r := s.st.repo(parts[0], strings.TrimSuffix(parts[1], ".git"))
	if r == nil {
		return nil, nil
	}
	return &visit{s: s, ctx: ctx, repo: r}, parts[2:]
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
func (s *Server) index(account string) (page.Index, bool) {
	if first, _, below := strings.Cut(account, "/"); below && (first == "apps" || first == "organizations") {
		account = ""
	}
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
