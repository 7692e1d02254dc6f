package local

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/snapshot"
)

// change is what a review compares.
type change struct {
	*snapshot.Change
	base, name string   // for people
	head       string   // commit; "" for the working tree and the index
	paths      []string // that it is limited to, from the top; none: all
}

// guidelines are where the guideline files of the base are read, not those of what is
// reviewed.
func (c change) guidelines(ctx context.Context, l *snapshot.Local, p domain.Policy) *engine.Guidelines {
	if !p.GuidelineFiles {
		return nil
	}
	sha, err := l.Commit(ctx, c.base)
	if err != nil { // it was there a moment ago
		return &engine.Guidelines{}
	}
	return &engine.Guidelines{Tree: l.At(sha)}
}

// notice says what was left out, "" for nothing.
func (c change) notice() string {
	if c.LeftOut == 0 {
		return ""
	}
	files := "1 new file that git does not know was left out"
	if c.LeftOut > 1 {
		files = fmt.Sprintf("%d new files that git does not know were left out", c.LeftOut)
	}
	return files + " (too many, too large or not plain files): git add what should be reviewed."
}

// maxUntouched bounds the paths that a notice names.
const maxUntouched = 10

// untouched says of which paths the change has nothing: who means another file than
// there is must not take silence for praise. "" where it has something of each.
func (c change) untouched() string {
	if len(c.paths) == 0 {
		return ""
	}
	set, err := diff.Parse(c.Raw)
	if err != nil { // the review says so
		return ""
	}
	var out []string
	for _, p := range c.paths {
		if !slices.ContainsFunc(set.Files, func(f *diff.File) bool { return below(f.Path, p) || below(f.BasePath(), p) }) {
			out = append(out, engine.ShowInvisible(p))
		}
	}
	if len(out) == 0 {
		return ""
	}
	more := ""
	if n := len(out) - maxUntouched; n > 0 {
		out, more = out[:maxUntouched], fmt.Sprintf(" and %d more", n)
	}
	return "The change has nothing in " + strings.Join(out, ", ") + more + " (paths from the top of the working tree)."
}

// below reports whether a path is another one, or in that folder.
func below(p, top string) bool {
	return p == top || strings.HasPrefix(p, strings.TrimSuffix(top, "/")+"/")
}

// open opens the checkout that holds a folder.
func open(ctx context.Context, dir string) (*snapshot.Local, error) {
	l, err := snapshot.OpenLocal(ctx, dir)
	switch {
	case errs.Is(err, errs.NotFound):
		return nil, fmt.Errorf("%s is not inside a git working tree that belongs to you", dir)
	case errs.Is(err, errs.Unavailable):
		return nil, errors.New("git is not installed: assay review reads the change with it")
	}
	return l, err
}

// fromTop turns paths that are relative to the opened folder, unless o says that they are
// not, into ones from the top of the working tree; none means all of it.
func fromTop(l *snapshot.Local, o Options) ([]string, error) {
	prefix := filepath.FromSlash(l.Prefix)
	if o.FromTop {
		prefix = ""
	}
	var out []string
	for _, p := range o.Paths {
		top := filepath.Join(prefix, p)
		if filepath.IsAbs(p) {
			var err error
			if top, err = filepath.Rel(l.Root, p); err != nil {
				return nil, fmt.Errorf("%s is not inside the working tree", p)
			}
		}
		top = filepath.ToSlash(top)
		switch {
		case top == ".." || strings.HasPrefix(top, "../"):
			return nil, fmt.Errorf("%s is not inside the working tree", p)
		case top == ".":
			return nil, nil
		}
		out = append(out, top)
	}
	return out, nil
}

// pick finds out what to compare and makes the diff.
func pick(ctx context.Context, l *snapshot.Local, o Options) (change, error) {
	paths, err := fromTop(l, o)
	if err != nil {
		return change{}, err
	}
	c, err := compare(ctx, l, o, paths)
	c.paths = paths
	return c, err
}

func compare(ctx context.Context, l *snapshot.Local, o Options, paths []string) (change, error) {
	if o.Range != "" {
		from, to, ok := strings.Cut(strings.Replace(o.Range, "...", "..", 1), "..")
		if !ok {
			return change{}, errors.New("a range is written as A..B, for example main..HEAD")
		}
		return commits(ctx, l, from, to, paths)
	}
	head, err := l.Commit(ctx, "HEAD")
	if err != nil {
		return change{}, errors.New("the repository has no commit yet: there is nothing to compare with")
	}
	base := o.Base
	if base == "" && o.Staged {
		base = "HEAD"
	}
	if base == "" {
		base = defaultBase(ctx, l, head)
	}
	if _, err := resolve(ctx, l, base); err != nil {
		return change{}, err
	}
	if o.Staged {
		c, err := l.Staged(ctx, base, paths...)
		return change{Change: c, base: base, name: "the index"}, related(err, base, "the current commit")
	}
	c, err := l.Worktree(ctx, base, paths...)
	return change{Change: c, base: base, name: "the working tree"}, related(err, base, "the current commit")
}

func commits(ctx context.Context, l *snapshot.Local, from, to string, paths []string) (change, error) {
	if to == "" {
		to = "HEAD"
	}
	if _, err := resolve(ctx, l, from); err != nil {
		return change{}, err
	}
	head, err := resolve(ctx, l, to)
	if err != nil {
		return change{}, err
	}
	c, err := l.Range(ctx, from, to, paths...)
	return change{Change: c, base: from, name: to, head: head}, related(err, from, to)
}

// resolve turns a revision into a commit id.
func resolve(ctx context.Context, l *snapshot.Local, rev string) (string, error) {
	id, err := l.Commit(ctx, rev)
	switch {
	case errs.Is(err, errs.Malformed):
		return "", fmt.Errorf("%q is not a revision", rev)
	case errs.Is(err, errs.NotFound):
		return "", fmt.Errorf("there is no commit %q in this repository (a shallow clone may lack it: git fetch --unshallow)", rev)
	}
	return id, err
}

// related says it plainly where two revisions have no common ancestor.
func related(err error, a, b string) error {
	if errs.Is(err, errs.NotFound) {
		return fmt.Errorf("%s and %s have no common ancestor", a, b)
	}
	return err
}

// defaultBase is the remote's default branch, else main or master, unless that
// is what is checked out; else the last commit.
func defaultBase(ctx context.Context, l *snapshot.Local, head string) string {
	for _, name := range []string{"origin/HEAD", "origin/main", "origin/master", "main", "master"} {
		if id, err := l.Commit(ctx, name); err == nil && id != head {
			return name
		}
	}
	return "HEAD"
}
