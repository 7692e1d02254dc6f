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

// Visit is one request for a page of a simulated host.
type Visit struct {
	W      http.ResponseWriter
	R      *http.Request
	Render *page.Renderer
	Log    *slog.Logger
}

// Reads reports whether the request only reads; one that does not is answered with 405.
func (v Visit) Reads() bool {
	if v.R.Method == http.MethodGet || v.R.Method == http.MethodHead {
		return true
	}
	v.W.Header().Set("Allow", "GET, HEAD")
	http.Error(v.W, "method not allowed", http.StatusMethodNotAllowed)
	return false
}

// Show answers with a page.
func (v Visit) Show(name string, model any) {
	if err := v.Render.Page(v.W, http.StatusOK, name, model); err != nil {
		v.Log.Error("page", "path", v.R.URL.Path, "error", err)
		http.Error(v.W, "the page could not be rendered", http.StatusInternalServerError)
	}
}

// Missing answers with 404.
func (v Visit) Missing() {
	m := page.Missing{Head: page.Head{Title: "Not found"}}
	if err := v.Render.Page(v.W, http.StatusNotFound, "missing", m); err != nil {
		v.Log.Error("page", "path", v.R.URL.Path, "error", err)
	}
}

// Code answers with the pages of the code of a repository.
type Code struct {
	Visit
	Repo
	// Head makes the head of a page of the tab "code" or "pulls".
	Head func(title, tab string) page.Head
	// Open lists the open pull requests, which stand beside a folder.
	Open func() []page.PullRow
}

// At shows what "<ref>/<path>" names: a folder, a file or, where kind is "raw", the bytes of a file.
func (c Code) At(kind string, parts []string) {
	ctx := c.R.Context()
	ref, path, found := c.Divide(ctx, parts)
	if !found {
		c.Missing()
		return
	}
	data, isFile := c.File(ctx, ref, path)
	switch {
	case !isFile:
		c.Folder(ref, path)
	case kind == "raw":
		Raw(c.W, data)
	default:
		m := c.Blob(ref, path, data)
		m.Head = c.Head(path, "code")
		c.Show("blob", m)
	}
}

// Folder shows a folder.
func (c Code) Folder(ref, path string) {
	m, found := c.Tree(c.R.Context(), ref, path)
	if !found {
		c.Missing()
		return
	}
	m.Head = c.Head(host.OrElse(path, c.Name), "code")
	m.Pulls = c.Open()
	c.Show("tree", m)
}

// One shows a commit.
func (c Code) One(rev string) {
	m, found := c.CommitPage(c.R.Context(), rev)
	if !found {
		c.Missing()
		return
	}
	m.Head = c.Head(m.Commit.Subject, "code")
	c.Show("commit", m)
}

// Change is what a pull request changes, from the merge base to its head. Where it cannot be told it is nil and the request is answered.
func (c Code) Change(base, head string) (*gitrepo.Diff, []gitrepo.Commit) {
	ctx := c.R.Context()
	d, err := c.Git.Diff(ctx, base, head)
	var commits []gitrepo.Commit
	if err == nil {
		commits, err = c.Git.Between(ctx, base, head)
	}
	if err != nil {
		c.Log.Error("page", "path", c.R.URL.Path, "error", err)
		http.Error(c.W, "the diff could not be made", http.StatusInternalServerError)
		return nil, nil
	}
	return d, commits
}

// Commits are commits in a list.
func (r Repo) Commits(list []gitrepo.Commit) (out []page.Commit) {
	for _, k := range list {
		out = append(out, r.Commit(k))
	}
	return out
}

// Timeline collects the entries of a conversation.
type Timeline struct {
	at    []time.Time
	items []page.Item
}

// Add takes an entry of that time.
func (t *Timeline) Add(at time.Time, item page.Item) {
	i := len(t.at)
	for i > 0 && t.at[i-1].After(at) {
		i--
	}
	t.at, t.items = slices.Insert(t.at, i, at), slices.Insert(t.items, i, item)
}

// Items are the entries in the order of time, those of the same time as they were added.
func (t *Timeline) Items() []page.Item { return t.items }

// Place puts a thread below its last line of the present diff, and marks its lines; where it has none there, above the file. Lines are those that
// a function says are the thread's; a thread whose lines are gone has none.
func Place(f *page.FileDiff, t page.Thread, covers func(page.DiffLine) bool) {
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

// Covers reports for a range of lines of one side whether a line belongs to it.
func Covers(side string, first, last int) func(page.DiffLine) bool {
	return func(l page.DiffLine) bool {
		n, other := l.New, "del"
		if side == patch.Left {
			n, other = l.Old, "add"
		}
		return l.Kind != other && n != 0 && n >= first && n <= last
	}
}

// excerptLines is how many lines above a comment the conversation shows.
const excerptLines = 4

// Excerpt is the part of a hunk that the conversation shows with a thread: its lines, marked, and a few above.
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
