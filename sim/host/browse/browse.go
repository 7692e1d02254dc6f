// Package browse makes the view models of the pages that show a git repository: folders, files, commits and
// changed files. It has no pull requests, comments and people.
package browse

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
)

// Repo is a repository whose pages are below Path, for example "/acme/shop".
type Repo struct {
	Git        *gitrepo.Repo
	Path, Name string
}

// EmptyTree is the object name of git's empty tree.
const EmptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// EscapePath escapes the segments of a path for an address.
func EscapePath(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// divide splits the segments of "<ref>/<path>", where the name of a branch may have slashes; ok is false if no
// ref fits.
func (r Repo) divide(ctx context.Context, parts []string) (ref, path string, ok bool) {
	for n := 1; n <= len(parts); n++ {
		ref, path = strings.Join(parts[:n], "/"), strings.Join(parts[n:], "/")
		if _, err := r.Git.Resolve(ctx, ref); err == nil {
			return ref, path, true
		}
	}
	return "", "", false
}

// link returns the address of a page of a kind ("tree", "blob", "raw").
func (r Repo) link(kind, ref, path string) string {
	return r.Path + "/" + kind + "/" + ref + "/" + EscapePath(path)
}

func (r Repo) crumbs(ref, path string) []page.Crumb {
	out := []page.Crumb{{Name: r.Name, Link: r.link("tree", ref, "")}}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if p == "" {
			continue
		}
		link := ""
		if i < len(parts)-1 {
			link = r.link("tree", ref, strings.Join(parts[:i+1], "/"))
		}
		out = append(out, page.Crumb{Name: p, Link: link})
	}
	return out
}

// tree returns the page of a folder, without head and pull requests.
func (r Repo) tree(ctx context.Context, ref, path string) (m page.Tree, ok bool) {
	sha, err := r.Git.Resolve(ctx, ref)
	if err != nil {
		return m, false
	}
	list, err := r.Git.List(ctx, sha, path)
	if err != nil || (len(list) == 0 && path != "") {
		return m, false
	}
	m = page.Tree{Ref: ref, Crumbs: r.crumbs(ref, path)}
	slices.SortStableFunc(list, func(a, b gitrepo.Entry) int {
		return cmp.Or(-cmp.Compare(btoi(a.Type == "dir"), btoi(b.Type == "dir")), strings.Compare(a.Name, b.Name))
	})
	for _, e := range list {
		kind := "blob"
		if e.Type == "dir" {
			kind = "tree"
		}
		m.Entries = append(m.Entries, page.Entry{Name: e.Name, Link: r.link(kind, ref, e.Path), Dir: e.Type == "dir", Size: e.Size})
		if path == "" && strings.EqualFold(e.Name, "readme.md") {
			if data, err := r.Git.Blob(ctx, e.SHA); err == nil {
				m.Readme = page.Markdown(string(data))
			}
		}
	}
	if k, err := r.Git.Lookup(ctx, sha); err == nil {
		c := r.commit(k)
		m.LastCommit = &c
	}
	return m, true
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// commit returns a commit's entry in a list.
func (r Repo) commit(k gitrepo.Commit) page.Commit {
	subject, _, _ := strings.Cut(k.Message, "\n")
	return page.Commit{SHA: k.SHA, Subject: subject, Author: k.AuthorName, At: k.AuthoredAt, Link: r.Path + "/commit/" + k.SHA}
}

// File returns the bytes of a file.
func (r Repo) File(ctx context.Context, ref, path string) ([]byte, bool) {
	sha, err := r.Git.Resolve(ctx, ref)
	if err != nil {
		return nil, false
	}
	e, err := r.Git.Entry(ctx, sha, path)
	if err != nil || e.Type == "dir" {
		return nil, false
	}
	data, err := r.Git.Blob(ctx, e.SHA)
	return data, err == nil
}

// raw answers with the bytes of a file as plain text, whatever their type.
func raw(w http.ResponseWriter, data []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = w.Write(data) // the client may have gone
}

// blob returns the page of a file, without head.
func (r Repo) blob(ref, path string, data []byte) page.Blob {
	m := page.Blob{Ref: ref, Crumbs: r.crumbs(ref, path), Size: len(data), RawLink: r.link("raw", ref, path),
		Binary: bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data)}
	if !m.Binary {
		for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
			m.Lines = append(m.Lines, page.DiffLine{New: i + 1, Tokens: page.Colour(path, line)})
		}
	}
	return m
}

// commitPage returns the page of a commit, without head.
func (r Repo) commitPage(ctx context.Context, rev string) (m page.CommitPage, ok bool) {
	sha, err := r.Git.Resolve(ctx, rev)
	if err != nil {
		return m, false
	}
	k, err := r.Git.Lookup(ctx, sha)
	parent := EmptyTree
	if len(k.Parents) > 0 {
		parent = k.Parents[0]
	}
	d, err2 := r.Git.Diff(ctx, parent, sha)
	if err != nil || err2 != nil {
		return m, false
	}
	_, body, _ := strings.Cut(k.Message, "\n")
	return page.CommitPage{Commit: r.commit(k), Message: strings.TrimSpace(body), Diffs: FileDiffs(d.Files)}, true
}

// Anchor returns the name of a changed file inside a page.
func Anchor(path string) string { return "diff-" + host.HashHex([]byte(path))[:16] }

// maxShownLines is the number of changed lines from which a page leaves out a file's lines.
const maxShownLines = 4000

// FileDiffs returns changed files without threads.
func FileDiffs(files []gitrepo.File) []page.FileDiff {
	out := make([]page.FileDiff, 0, len(files))
	for _, f := range files {
		o := page.FileDiff{Path: f.Path, OldPath: f.OldPath, Status: f.Status, Anchor: Anchor(f.Path), Additions: f.Additions,
			Deletions: f.Deletions,
			Binary:    f.Binary, TooLarge: f.Additions+f.Deletions > maxShownLines}
		if !o.TooLarge {
			for _, h := range f.Hunks {
				o.Lines = append(o.Lines, page.DiffLine{Kind: "hunk", Tokens: []page.Token{{Text: h.Header}}})
				o.Lines = append(o.Lines, HunkLines(f.Path, h.Lines)...)
			}
		}
		out = append(out, o)
	}
	return out
}

// HunkLines returns the lines of a hunk in the form of pages.
func HunkLines(path string, lines []patch.Line) []page.DiffLine {
	kinds := map[byte]string{' ': "ctx", '+': "add", '-': "del"}
	var out []page.DiffLine
	for _, l := range lines {
		out = append(out, page.DiffLine{Kind: kinds[l.Kind], Old: l.Old, New: l.New, Tokens: page.Colour(path, l.Text)})
		if l.NoEOL {
			out = append(out, page.DiffLine{Kind: "note", Tokens: []page.Token{{Text: "No newline at end of file"}}})
		}
	}
	return out
}

// Worse returns the worse of two states of checks.
func Worse(a, b string) string {
	rank := map[string]int{"": 0, "neutral": 1, "success": 2, "pending": 3, "failure": 4}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
