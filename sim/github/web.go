package github

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
)

// site serves the pages for people. Everybody sees everything but pending reviews.
type site struct {
	s *Server
	r *page.Renderer
}

// pageHandler serves the pages for people.
func (s *Server) pageHandler() (http.Handler, error) {
	r, err := page.New(page.Brand{Name: "Simulated GitHub", Real: "github.com", PullWord: "pull", Apps: "apps/"})
	if err != nil {
		return nil, err
	}
	return &site{s: s, r: r}, nil
}

// visit is one request for a page.
type visit struct {
	*site
	browse.Visit
	repo *repository
	rest []string // path segments behind the repository
}

// ServeHTTP finds the page.
func (t *site) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	v := &visit{site: t, Visit: browse.Visit{W: w, R: req, Render: t.r, Log: t.s.log}}
	if !v.Reads() {
		return
	}
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	switch {
	case parts[0] == "":
		v.index("")
	case parts[0] == "_static":
		page.Style(w)
	case parts[0] == "_avatars" && len(parts) == 2:
		v.avatar(strings.TrimSuffix(parts[1], ".svg"))
	case len(parts) == 1:
		v.index(parts[0])
	case parts[0] == "apps" || parts[0] == "organizations":
		v.index("")
	default:
		t.s.mu.Lock()
		v.repo = t.s.st.repo(parts[0], strings.TrimSuffix(parts[1], ".git"))
		t.s.mu.Unlock()
		v.rest = parts[2:]
		v.repository()
	}
}

func (v *visit) avatar(id string) {
	n, _ := strconv.ParseInt(id, 10, 64) // 0 is nobody
	v.s.mu.Lock()
	u := v.s.st.userByID(n)
	login, bot := "G", true
	if u != nil {
		login, bot = u.Login, u.Type == "Bot"
	}
	v.s.mu.Unlock()
	page.Avatar(v.W, login, bot)
}

func (v *visit) index(account string) {
	v.s.mu.Lock()
	m := page.Index{Head: page.Head{Title: "Repositories"}, Account: account}
	list := slices.SortedFunc(maps.Values(v.s.st.Repos), func(a, b *repository) int { return cmp.Compare(a.FullName(), b.FullName()) })
	for _, r := range list {
		if account == "" || strings.EqualFold(r.Owner, account) {
			m.Repos = append(m.Repos, describeRepo(r))
		}
	}
	known := account == "" || v.s.st.user(account) != nil
	v.s.mu.Unlock()
	if !known {
		v.Missing()
		return
	}
	if account != "" {
		m.Title = account
	}
	v.Show("index", m)
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

func (v *visit) head(title, tab string) page.Head {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	r := describeRepo(v.repo)
	return page.Head{Title: title + " · " + v.repo.FullName(), Repo: &r, Tab: tab}
}

// code are the pages of the repository's code.
func (v *visit) code() browse.Code {
	return browse.Code{Visit: v.Visit, Repo: browse.Repo{Git: v.repo.git, Path: "/" + v.repo.FullName(), Name: v.repo.Name}, Head: v.head,
		Open: func() []page.PullRow { open, _ := v.pullRows(); return open }}
}

// repository finds the page of a repository.
func (v *visit) repository() {
	if v.repo == nil {
		v.Missing()
		return
	}
	kind, arg := "", ""
	if len(v.rest) > 0 {
		kind = v.rest[0]
	}
	if len(v.rest) > 1 {
		arg = v.rest[1]
	}
	switch {
	case kind == "":
		v.code().Folder(v.repo.DefaultBranch, "")
	case kind == "pulls" && arg == "":
		v.pulls()
	case kind == "pull" && arg != "":
		v.pull(arg, strings.Join(v.rest[2:], "/"))
	case kind == "commit" && arg != "":
		v.code().One(arg)
	case kind == "runs" && arg != "":
		v.run(arg)
	case kind == "tree" || kind == "blob" || kind == "raw":
		v.code().At(kind, v.rest[1:])
	default:
		v.Missing()
	}
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
