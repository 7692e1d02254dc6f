package browse

import (
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
)

// visit is one request for a page of a simulated host.
type visit struct {
	w      http.ResponseWriter
	r      *http.Request
	render *page.Renderer
	log    *slog.Logger
}

// reads reports whether the request only reads; otherwise it answers with 405.
func (v visit) reads() bool {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		return true
	}
	v.refuseMethod()
	return false
}

// show answers with a page.
func (v visit) show(name string, model any) {
	if err := v.render.Page(v.w, http.StatusOK, name, model); err != nil {
		v.log.Error("page", "path", v.r.URL.Path, "error", err)
		http.Error(v.w, "the page could not be rendered", http.StatusInternalServerError)
	}
}

// missing answers with 404.
func (v visit) missing() {
	m := page.Missing{Head: page.Head{Title: "Not found"}}
	if err := v.render.Page(v.w, http.StatusNotFound, "missing", m); err != nil {
		v.log.Error("page", "path", v.r.URL.Path, "error", err)
	}
}

// code answers with the pages of a repository.
type code struct {
	visit
	Repo
	site       *Site
	about      page.Repo
	repository *Repository
}

// head returns the head of a page in the tab "code" or "pulls".
func (c code) head(title, tab string) page.Head {
	return page.Head{Title: title + " · " + c.about.Owner + "/" + c.about.Name, Repo: &c.about, Tab: tab}
}

// rows divides the pull requests into open and other ones.
func (c code) rows() (open, closed []page.PullRow) {
	for _, p := range c.repository.Pulls {
		if p.IsOpen() {
			open = append(open, p.row())
		} else {
			closed = append(closed, p.row())
		}
	}
	return open, closed
}

// at shows the folder or file that "<ref>/<path>" names, or a file's bytes if kind is "raw".
func (c code) at(kind string, parts []string) {
	ctx := c.r.Context()
	ref, path, found := c.divide(ctx, parts)
	if !found {
		c.missing()
		return
	}
	data, isFile := c.File(ctx, ref, path)
	switch {
	case !isFile:
		c.folder(ref, path)
	case kind == "raw":
		raw(c.w, data)
	default:
		m := c.blob(ref, path, data)
		m.Head = c.head(path, "code")
		c.show("blob", m)
	}
}

// folder shows a folder.
func (c code) folder(ref, path string) {
	m, found := c.tree(c.r.Context(), ref, path)
	if !found {
		c.missing()
		return
	}
	m.Head = c.head(host.OrElse(path, c.Name), "code")
	m.Pulls, _ = c.rows()
	c.show("tree", m)
}

// one shows a commit.
func (c code) one(rev string) {
	m, found := c.commitPage(c.r.Context(), rev)
	if !found {
		c.missing()
		return
	}
	m.Head = c.head(m.Commit.Subject, "code")
	c.show("commit", m)
}

// change returns the diff and the commits of a pull request. If git fails, it answers the request and returns
// nil.
func (c code) change(p *Pull) (*gitrepo.Diff, []gitrepo.Commit) {
	ctx := c.r.Context()
	base, err := c.Git.MergeBase(ctx, p.From, p.HeadSHA)
	var d *gitrepo.Diff
	if err == nil {
		d, err = c.Git.Diff(ctx, base, p.HeadSHA)
	}
	var commits []gitrepo.Commit
	if err == nil {
		commits, err = c.Git.Between(ctx, base, p.HeadSHA)
	}
	if err != nil {
		c.log.Error("page", "path", c.r.URL.Path, "error", err)
		http.Error(c.w, "the diff could not be made", http.StatusInternalServerError)
		return nil, nil
	}
	return d, commits
}

// commits returns the entries of commits in a list.
func (r Repo) commits(list []gitrepo.Commit) (out []page.Commit) {
	for _, k := range list {
		out = append(out, r.commit(k))
	}
	return out
}

// Timeline collects the entries of a conversation.
type Timeline struct {
	at    []time.Time
	items []page.Item
}

// Add inserts an entry at its time.
func (t *Timeline) Add(at time.Time, item page.Item) {
	i := len(t.at)
	for i > 0 && t.at[i-1].After(at) {
		i--
	}
	t.at, t.items = slices.Insert(t.at, i, at), slices.Insert(t.items, i, item)
}

// Items returns the entries in the order of time; entries of the same time keep the order of their additions.
func (t *Timeline) Items() []page.Item { return t.items }

// place puts a thread below the last line for which covers returns true, and marks all those lines. Without
// such a line in the present diff, it puts the thread above the file.
func place(f *page.FileDiff, t page.Thread, covers func(page.DiffLine) bool) {
	last := -1
	for i := range f.Lines {
		if covers(f.Lines[i]) {
			f.Lines[i].Marked, last = true, i
		}
	}
	if last < 0 {
		f.Threads = append(f.Threads, t)
		return
	}
	f.Lines[last].Threads = append(f.Lines[last].Threads, t)
}

// Covers returns a function that reports whether a line is in a range of lines of one side.
func Covers(side string, first, last int) func(page.DiffLine) bool {
	return func(l page.DiffLine) bool {
		n, other := l.New, "del"
		if side == patch.Left {
			n, other = l.Old, "add"
		}
		return l.Kind != other && n != 0 && n >= first && n <= last
	}
}

// excerptLines is the number of lines above a comment that the conversation shows.
const excerptLines = 4

// Excerpt returns the part of a hunk that the conversation shows with a thread: its lines, marked, and a few
// above.
func Excerpt(hunk []page.DiffLine, covers func(page.DiffLine) bool) []page.DiffLine {
	hunk = slices.Clone(hunk)
	first, last := -1, -1
	for i := range hunk {
		if covers(hunk[i]) {
			if first < 0 {
				first = i
			}
			last = i
			hunk[i].Marked = true
		}
	}
	if last < 0 {
		return nil
	}
	return hunk[max(0, first-excerptLines+1) : last+1]
}
