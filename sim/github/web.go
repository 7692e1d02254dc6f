package github

import (
	"bytes"
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
)

// site serves the pages for people. Everybody sees everything but pending reviews.
type site struct {
	s *Server
	r *page.Renderer
}

// pageHandler serves the pages for people.
func (s *Server) pageHandler() (http.Handler, error) {
	r, err := page.New()
	if err != nil {
		return nil, err
	}
	return &site{s: s, r: r}, nil
}

// visit is one request for a page.
type visit struct {
	*site
	w    http.ResponseWriter
	req  *http.Request
	repo *repository
	rest []string // path segments behind the repository
}

// ServeHTTP finds the page.
func (t *site) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	v := &visit{site: t, w: w, req: req}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
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

func (v *visit) show(name string, model any) {
	if err := v.r.Page(v.w, http.StatusOK, name, model); err != nil {
		v.s.log.Error("page", "path", v.req.URL.Path, "error", err)
		http.Error(v.w, "the page could not be rendered", http.StatusInternalServerError)
	}
}

func (v *visit) missing() {
	m := page.Missing{Head: page.Head{Title: "Not found"}}
	if err := v.r.Page(v.w, http.StatusNotFound, "missing", m); err != nil {
		v.s.log.Error("page", "path", v.req.URL.Path, "error", err)
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
	page.Avatar(v.w, login, bot)
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
		v.missing()
		return
	}
	if account != "" {
		m.Title = account
	}
	v.show("index", m)
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

// repository finds the page of a repository.
func (v *visit) repository() {
	if v.repo == nil {
		v.missing()
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
		v.tree(v.repo.DefaultBranch, "")
	case kind == "pulls" && arg == "":
		v.pulls()
	case kind == "pull" && arg != "":
		v.pull(arg, strings.Join(v.rest[2:], "/"))
	case kind == "commit" && arg != "":
		v.commit(arg)
	case kind == "runs" && arg != "":
		v.run(arg)
	case kind == "tree" || kind == "blob" || kind == "raw":
		v.at(kind, v.rest[1:])
	default:
		v.missing()
	}
}

// at divides "<ref>/<path>", where the branch name may have slashes, and shows what is there.
func (v *visit) at(kind string, parts []string) {
	for n := 1; n <= len(parts); n++ {
		ref, path := strings.Join(parts[:n], "/"), strings.Join(parts[n:], "/")
		if _, err := v.repo.git.Resolve(v.req.Context(), ref); err != nil {
			continue
		}
		if kind == "tree" {
			v.tree(ref, path)
			return
		}
		v.file(kind, ref, path)
		return
	}
	v.missing()
}

func (v *visit) link(kind, ref, path string) string {
	return "/" + v.repo.FullName() + "/" + kind + "/" + ref + "/" + escapePath(path)
}

func (v *visit) crumbs(ref, path string) []page.Crumb {
	out := []page.Crumb{{Name: v.repo.Name, Link: v.link("tree", ref, "")}}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if p == "" {
			continue
		}
		link := ""
		if i < len(parts)-1 {
			link = v.link("tree", ref, strings.Join(parts[:i+1], "/"))
		}
		out = append(out, page.Crumb{Name: p, Link: link})
	}
	return out
}

func (v *visit) tree(ref, path string) {
	ctx, g := v.req.Context(), v.repo.git
	sha, err := g.Resolve(ctx, ref)
	if err != nil {
		v.missing()
		return
	}
	list, err := g.List(ctx, sha, path)
	if err != nil || (len(list) == 0 && path != "") {
		v.missing()
		return
	}
	title := v.repo.Name
	if path != "" {
		title = path
	}
	m := page.Tree{Head: v.head(title, "code"), Ref: ref, Crumbs: v.crumbs(ref, path)}
	slices.SortStableFunc(list, func(a, b gitrepo.Entry) int {
		return cmp.Or(-cmp.Compare(btoi(a.Type == "dir"), btoi(b.Type == "dir")), strings.Compare(a.Name, b.Name))
	})
	for _, e := range list {
		kind := "blob"
		if e.Type == "dir" {
			kind = "tree"
		}
		m.Entries = append(m.Entries, page.Entry{Name: e.Name, Link: v.link(kind, ref, e.Path), Dir: e.Type == "dir", Size: e.Size})
		if path == "" && strings.EqualFold(e.Name, "readme.md") {
			if data, err := g.Blob(ctx, e.SHA); err == nil {
				m.Readme = page.Markdown(string(data))
			}
		}
	}
	if k, err := g.Lookup(ctx, sha); err == nil {
		c := v.describeCommit(k)
		m.LastCommit = &c
	}
	m.Pulls, _ = v.pullRows()
	v.show("tree", m)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (v *visit) describeCommit(k gitrepo.Commit) page.Commit {
	subject, _, _ := strings.Cut(k.Message, "\n")
	return page.Commit{SHA: k.SHA, Subject: subject, Author: k.AuthorName, At: k.AuthoredAt, Link: "/" + v.repo.FullName() + "/commit/" + k.SHA}
}

func (v *visit) file(kind, ref, path string) {
	ctx, g := v.req.Context(), v.repo.git
	sha, err := g.Resolve(ctx, ref)
	if err != nil {
		v.missing()
		return
	}
	e, err := g.Entry(ctx, sha, path)
	if err != nil || e.Type == "dir" {
		v.missing()
		return
	}
	data, err := g.Blob(ctx, e.SHA)
	if err != nil {
		v.missing()
		return
	}
	if kind == "raw" {
		h := v.w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		_, _ = v.w.Write(data) // the client may have gone
		return
	}
	m := page.Blob{Head: v.head(path, "code"), Ref: ref, Crumbs: v.crumbs(ref, path), Size: len(data), RawLink: v.link("raw", ref, path),
		Binary: bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data)}
	if !m.Binary {
		for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
			m.Lines = append(m.Lines, page.DiffLine{New: i + 1, Tokens: page.Colour(path, line)})
		}
	}
	v.show("blob", m)
}

func (v *visit) commit(rev string) {
	ctx, g := v.req.Context(), v.repo.git
	sha, err := g.Resolve(ctx, rev)
	if err != nil {
		v.missing()
		return
	}
	k, err := g.Lookup(ctx, sha)
	parent := emptyTree
	if len(k.Parents) > 0 {
		parent = k.Parents[0]
	}
	d, err2 := g.Diff(ctx, parent, sha)
	if err != nil || err2 != nil {
		v.missing()
		return
	}
	c := v.describeCommit(k)
	_, body, _ := strings.Cut(k.Message, "\n")
	v.show("commit", page.CommitPage{Head: v.head(c.Subject, "code"), Commit: c, Message: strings.TrimSpace(body), Diffs: fileDiffs(d.Files)})
}

// emptyTree is the object name of git's empty tree.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

func anchorOf(path string) string { return "diff-" + hashHex([]byte(path))[:16] }

// maxShownLines is the size from which a page leaves out the lines of a file.
const maxShownLines = 4000

// fileDiffs are changed files without threads.
func fileDiffs(files []gitrepo.File) []page.FileDiff {
	out := make([]page.FileDiff, 0, len(files))
	for _, f := range files {
		o := page.FileDiff{Path: f.Path, OldPath: f.OldPath, Status: f.Status, Anchor: anchorOf(f.Path), Additions: f.Additions, Deletions: f.Deletions,
			Binary: f.Binary, TooLarge: f.Additions+f.Deletions > maxShownLines}
		if !o.TooLarge {
			for _, h := range f.Hunks {
				o.Lines = append(o.Lines, page.DiffLine{Kind: "hunk", Tokens: []page.Token{{Text: h.Header}}})
				o.Lines = append(o.Lines, hunkLines(f.Path, h.Lines)...)
			}
		}
		out = append(out, o)
	}
	return out
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
