package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/snapshot"
)

// comparison is the change that a review examines.
type comparison struct {
	*snapshot.Change
	base, name string   // for people
	baseID     string   // commit, or the empty tree
	head       string   // commit; "" for the working tree and the index
	paths      []string // paths that limit it, from the top; nil: all
	notes      []string // for people, beside those of the snapshot
	gap        string   // the reason why the review is incomplete, or ""
}

// guidelines returns the source of the guideline files: the base, not the reviewed change.
func (c comparison) guidelines(l *snapshot.Local, p domain.Policy) *engine.Guidelines {
	if !p.GuidelineFiles {
		return nil
	}
	return &engine.Guidelines{Tree: l.At(c.baseID)}
}

// maxNamed bounds the paths that a sentence names.
const maxNamed = 10

// firstNamed lists the first paths, and the number of the others.
func firstNamed[T any](all []T, name func(T) string) string {
	var out []string
	for _, v := range all[:min(len(all), maxNamed)] {
		out = append(out, name(v))
	}
	text := strings.Join(out, ", ")
	if n := len(all) - maxNamed; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// leftOut lists the files that were left out with the reasons: in gap those that a person may have written,
// in notice the others. Each is "" if there are no such files.
func (c comparison) leftOut() (gap, notice string) {
	var written, others []snapshot.LeftOut
	for _, f := range c.LeftOut {
		if f.Written {
			written = append(written, f)
		} else {
			others = append(others, f)
		}
	}
	say := func(f snapshot.LeftOut) string { return change.ShowPath(f.Path) + " (" + f.Why + ")" }
	if len(written) > 0 {
		gap = "Files that a person may have written were left out: " + firstNamed(written, say) +
			". Name them with `git add`, or ignore them in .gitignore."
	}
	if len(others) > 0 {
		notice = "Left out: " + firstNamed(others, say) + "."
	}
	return gap, notice
}

// untouched names requested paths without changes, or returns "". A person with another file in mind must
// not take silence for a clean review.
func (c comparison) untouched() string {
	if out := c.untouchedPaths(); len(out) > 0 {
		return "The change has nothing in " + firstNamed(out, change.ShowPath) + " (paths from the top of the working tree)."
	}
	return ""
}

// untouchedPaths returns the requested paths without changes.
func (c comparison) untouchedPaths() (out []string) {
	if len(c.paths) == 0 {
		return nil
	}
	set, err := diff.Parse(c.Raw)
	if err != nil { // the review reports the error
		return nil
	}
	for _, p := range c.paths {
		if !slices.ContainsFunc(set.Files, func(f *diff.File) bool { return isBelow(f.Path, p) || isBelow(f.BasePath(), p) }) {
			out = append(out, p)
		}
	}
	return out
}

// isBelow reports whether a path is another one, or in that folder.
func isBelow(p, top string) bool {
	return p == top || strings.HasPrefix(p, strings.TrimSuffix(top, "/")+"/")
}

// open opens the checkout that contains the folder o.Dir.
func (o Options) open(ctx context.Context) (*snapshot.Local, error) {
	o.Dir = cmp.Or(o.Dir, ".")
	l, err := snapshot.OpenLocal(ctx, o.Dir, snapshot.LocalOptions{Environ: o.Environ, TrustOwner: o.TrustOwner})
	known, is := errors.AsType[*errs.Error](err)
	switch {
	case err == nil:
		l.Apart = fromRoot(l.Root, o.Output)
		for _, file := range o.AnalysisFiles {
			l.Apart = append(l.Apart, fromRoot(l.Root, file)...)
		}
	case errs.Is(err, errs.NotFound):
		return nil, fmt.Errorf("%s is not inside a git working tree: change to the folder of a checkout (cd), or make one with `git "+
			"init` or `git clone`", o.Dir)
	case errs.Is(err, errs.Unavailable):
		return nil, errors.New("git is not installed: assay review reads the change with it")
	case is && known.Kind != errs.Internal:
		return nil, errors.New(known.Message)
	}
	return l, err
}

// fromTop turns paths relative to the opened folder, unless o.FromTop is set, into paths from the top of
// the working tree. nil means the whole tree. git starts an alias at the top and names the user's folder in
// GIT_PREFIX, so a path that is missing at the top is searched there.
func fromTop(l *snapshot.Local, o Options) (out, notes []string, err error) {
	folder := filepath.Join(l.Root, filepath.FromSlash(l.Prefix))
	if here, err := filepath.Abs(o.Dir); err == nil && l.Prefix == "" { // perhaps outside the working tree that GIT_WORK_TREE names
		if real, err := filepath.EvalSymlinks(here); err == nil {
			folder = real
		}
	}
	under := ""
	if o.FromTop {
		folder = l.Root
	} else if v := o.variable("GIT_PREFIX"); v != "" && folder == l.Root {
		if under = filepath.FromSlash(v); !filepath.IsLocal(under) {
			return nil, nil, errors.New("GIT_PREFIX does not name a folder of the working tree: unset it")
		}
	}
	for _, p := range o.Paths {
		abs := p
		if !filepath.IsAbs(p) {
			abs = filepath.Join(folder, p)
		}
		if other := filepath.Join(folder, under, p); under != "" && !filepath.IsAbs(p) && exists(other) {
			if exists(abs) {
				notes = append(notes, fmt.Sprintf("%s is the one at the top of the working tree, not the one in %s where git was started.",
					change.ShowPath(p), change.ShowPath(under)))
			} else {
				abs = other
			}
		}
		top, err := filepath.Rel(l.Root, abs)
		if top = filepath.ToSlash(top); err != nil || top == ".." || strings.HasPrefix(top, "../") {
			return nil, nil, fmt.Errorf("%s is not inside the working tree", change.ShowPath(p))
		}
		if top == "." {
			return nil, nil, nil
		}
		out = append(out, top)
	}
	return out, notes, nil
}

// exists reports whether a file or a folder exists.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// chooseComparison chooses the two sides of the comparison and makes the diff.
func chooseComparison(ctx context.Context, l *snapshot.Local, o Options) (comparison, error) {
	paths, notes, err := fromTop(l, o)
	if err != nil {
		return comparison{}, err
	}
	c, err := compare(ctx, l, o, paths)
	if err != nil {
		return comparison{}, err
	}
	c.notes = slices.Concat(c.Notes, notes, c.notes, c.withoutAnalyses(l, o))
	if len(paths) > 0 {
		if err := c.checkPaths(l, o); err != nil {
			return comparison{}, err
		}
		c.name += " (" + firstNamed(paths[:min(len(paths), 3)], change.ShowPath) + ")"
	}
	return c, nil
}

// checkPaths refuses a path of a person that names neither a file nor something that the change has removed,
// because a mistyped path must not look like a clean review. A range may name files that are not checked
// out.
func (c comparison) checkPaths(l *snapshot.Local, o Options) error {
	if o.Range != "" || o.Pushed != "" || o.FromTop {
		return nil
	}
	for _, p := range c.untouchedPaths() {
		if !exists(filepath.Join(l.Root, filepath.FromSlash(p))) {
			return fmt.Errorf("%s: there is no such file or folder, and the change removes no such file: name paths from the folder in "+
				"which assay is started", change.ShowPath(p))
		}
	}
	return nil
}

func compare(ctx context.Context, l *snapshot.Local, o Options, paths []string) (comparison, error) {
	switch {
	case o.Pushed != "":
		c, err := l.Brought(ctx, o.Pushed, o.Known)
		if err != nil {
			return comparison{}, relationError(ctx, l, err, "the remote", o.Pushed)
		}
		return comparison{Change: c, base: "what the remote has", baseID: c.MergeBase, name: c.Head, head: c.Head}, nil
	case o.Range != "":
		from, to, ok := strings.Cut(strings.Replace(o.Range, "...", "..", 1), "..")
		if !ok {
			return comparison{}, errors.New("a range is written as A..B, for example main..HEAD")
		}
		if from == "" {
			return comparison{}, fmt.Errorf("the range %s has no beginning: write before the dots what to compare with, for "+
				"example main..HEAD", change.ShowInvisible(o.Range))
		}
		return span(ctx, l, from, to, paths)
	}
	b, err := o.baseOf(ctx, l)
	if err != nil {
		return comparison{}, err
	}
	c := comparison{base: b.name, baseID: b.id, name: "the working tree", paths: paths}
	if o.Staged {
		c.name = "the index"
		c.Change, err = l.Staged(ctx, b.id, paths...)
		return c, relationError(ctx, l, err, b.name, "the current commit")
	}
	if c.Change, err = l.Worktree(ctx, b.id, paths...); err != nil {
		return c, relationError(ctx, l, err, b.name, "the current commit")
	}
	n, err := l.Superseded(ctx, c.Change)
	if err != nil {
		return c, err
	}
	if n > 0 {
		c.notes = append(c.notes, committedNote(n, b.name))
	}
	if o.Base != "" {
		return c, nil
	}
	return c, o.refuseEmpty(ctx, l, b, &c)
}

// committedNote says that a push sends other versions of files than the reviewed ones.
func committedNote(n int, base string) string {
	files, are := "1 file was", "it is"
	if n > 1 {
		files, are = fmt.Sprintf("%d files were", n), "they are"
	}
	return fmt.Sprintf("%s reviewed as in the working tree, not as %s committed, and a push sends what is committed: `assay review "+
		"--range %s..HEAD` reviews that.",
		files, are, change.ShowInvisible(base))
}

// baseOf returns the base for the working tree or the index.
func (o Options) baseOf(ctx context.Context, l *snapshot.Local) (base, error) {
	name := o.Base
	if name == "" && !o.Staged {
		return o.chooseBase(ctx, l)
	}
	if name == "" {
		unborn, err := l.Unborn(ctx)
		if err != nil || unborn {
			return base{name: emptyName, id: l.EmptyTree()}, err
		}
		name = "HEAD"
		if o.isAmending() { // include the content that the commit already has
			name = "HEAD~1"
			if _, err := l.Commit(ctx, name); errs.Is(err, errs.NotFound) && !l.Shallow {
				return base{name: emptyName, id: l.EmptyTree()}, nil
			}
		}
	}
	id, err := resolve(ctx, l, name)
	if id == l.EmptyTree() {
		name = emptyName
	}
	return base{name: name, id: id}, err
}

func span(ctx context.Context, l *snapshot.Local, from, to string, paths []string) (comparison, error) {
	if to == "" {
		to = "HEAD"
	}
	base, err := resolve(ctx, l, from)
	if err != nil {
		return comparison{}, err
	}
	head, err := resolve(ctx, l, to)
	if err != nil {
		return comparison{}, err
	}
	c, err := l.Range(ctx, base, head, paths...)
	return comparison{Change: c, base: from, baseID: base, name: to, head: head, paths: paths}, relationError(ctx, l, err, from, to)
}
