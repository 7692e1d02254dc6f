package browse

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/page"
)

// Site serves the pages of a simulated host, which are public: lists of repositories, code and pull requests.
// The host's functions take its lock themselves.
type Site struct {
	Brand page.Brand
	Log   *slog.Logger
	// Inner is the path between a repository and its code, such as "/-".
	Inner string
	// Avatar returns the name for a picture, and false for isPerson if it is not a person's.
	Avatar func(id int64) (name string, isPerson bool)
	// Index lists the repositories of an account, or all for "", and returns false if the account does not
	// exist.
	Index func(account string) ([]*Repository, bool)
	// Open returns the repository of a path and the rest of the path; nil if the path is not in a repository.
	Open func(parts []string) (*Repository, []string)
	// Render renders a comment that is not empty; path and lines are those that it is about. Nil means [page.Body].
	Render func(text, path string, lines []page.DiffLine) []page.Part
	// People acts on pull requests. The pages do not check who a person is.
	People People
}

// Handler parses the templates and serves the pages.
func (t *Site) Handler() (http.Handler, error) {
	r, err := page.New(t.Brand)
	if err != nil {
		return nil, err
	}
	t.Brand = t.Brand.Whole()
	if t.Render == nil {
		t.Render = page.Body
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { t.serve(visit{w: w, r: req, render: r, log: t.Log}) }), nil
}

// serve answers with the requested page.
func (t *Site) serve(v visit) {
	if v.r.Method == http.MethodPost {
		t.write(v)
		return
	}
	if !v.reads() {
		return
	}
	parts := host.Segments(strings.TrimPrefix(v.r.URL.Path, t.Brand.Root()))
	switch {
	case parts[0] == "_static":
		page.Style(v.w)
		return
	case parts[0] == "_avatars" && len(parts) == 2:
		id, _ := strconv.ParseInt(strings.TrimSuffix(parts[1], ".svg"), 10, 64) // 0 is the host itself
		name, isPerson := t.Avatar(id)
		page.Avatar(v.w, name, !isPerson)
		return
	}
	if r, rest := t.Open(parts); r != nil {
		t.repository(v, r, rest)
		return
	}
	account := strings.Join(parts, "/")
	list, found := t.Index(account)
	if !found {
		v.missing()
		return
	}
	m := page.Index{Head: page.Head{Title: host.OrElse(account, "Repositories")}, Account: account}
	for _, r := range list {
		m.Repos = append(m.Repos, r.described())
	}
	slices.SortFunc(m.Repos, func(a, b page.Repo) int { return cmp.Compare(a.Path(), b.Path()) })
	v.show("index", m)
}

// repository answers with the requested page of a repository.
func (t *Site) repository(v visit, r *Repository, rest []string) {
	about := r.described()
	repo := Repo{Git: r.Git, Path: t.Brand.Root() + about.Path() + t.Inner, Name: about.Name}
	c := code{visit: v, Repo: repo, site: t, about: about, repository: r}
	rest = append(rest, "", "")
	kind, arg := rest[0], rest[1]
	switch {
	case kind == "":
		c.folder(about.DefaultBranch, "")
	case kind == path.Base(t.Brand.ListWord) && arg == "":
		open, closed := c.rows()
		v.show("pulls", page.PullList{Head: c.head(t.Brand.Title(), "pulls"), Open: open, Closed: closed})
	case kind == path.Base(t.Brand.PullWord) && arg != "":
		t.pull(c, arg, strings.Trim(strings.Join(rest[2:], "/"), "/"))
	case kind == "commit" && arg != "":
		c.one(arg)
	case kind == "tree" || kind == "blob" || kind == "raw":
		c.at(kind, rest[1:len(rest)-2])
	default:
		var m *page.Run
		if r.Run != nil {
			m = r.Run(kind, arg)
		}
		if m == nil {
			v.missing()
			return
		}
		m.Head = c.head(m.Check.Name, m.Tab)
		v.show("run", m)
	}
}

// pull shows one of the pages of a pull request.
func (t *Site) pull(c code, number, rest string) {
	number, isDiff := strings.CutSuffix(number, ".diff")
	n, _ := strconv.Atoi(number) // 0 names nothing
	p := c.repository.Pull(n)
	if p == nil || rest != "" && rest != t.Brand.FilesWord && rest != "commits" {
		c.missing()
		return
	}
	d, commits := c.change(p)
	if d == nil {
		return
	}
	if isDiff {
		raw(c.w, []byte(d.Text))
		return
	}
	m := p.shown()
	m.Head = c.head(fmt.Sprintf("%s %s%d", m.TitleText, t.Brand.Sign, m.Number), "pulls")
	m.Commits, m.Files = len(commits), len(d.Files)
	for _, f := range d.Files {
		m.Additions, m.Deletions = m.Additions+f.Additions, m.Deletions+f.Deletions
	}
	switch rest {
	case "":
		m.View, m.Items = "conversation", proposing(c.items(p), m.Author.Login)
		t.offer(c, &m)
	case "commits":
		m.View, m.CommitList = "commits", c.commits(commits)
	default:
		m.View, m.Diffs = "files", c.placed(p, d.Files)
	}
	c.show(m.View, m)
}
