package snapshot

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
)

// Patched is a commit with a diff applied to it, a version that no repository has. It borrows the objects
// of its store, which must stay open. It is valid until Close.
type Patched struct {
	Whole
	Tree string // the result of applying the diff

	store *Repo
	base  string
}

// Patched applies a unified diff, with or without git's extensions, to a commit of the store, without
// writing to the store. The error is of kind Malformed if the text is not a diff, and Conflict if it does
// not fit the commit.
func (r *Repo) Patched(ctx context.Context, base string, patch []byte) (*Patched, error) {
	if err := checkSHA(base); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "assay-patched-")
	if err != nil {
		return nil, errs.Wrap(err, errs.Internal, "snapshot_folder", "A temporary folder cannot be made.")
	}
	dir := filepath.Join(tmp, "store.git")
	store := &Repo{git: r.git, dir: dir, cat: &catFile{git: r.git, dir: dir}, done: func() { _ = os.RemoveAll(tmp) }}
	p := &Patched{store: store, base: base}
	if p.Tree, err = r.patch(ctx, store, tmp, base, patch); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	p.Whole = store.Source(base, p.Tree)
	return p, nil
}

// patch makes the tree. Nothing is checked out, so links and names cannot affect a disk; git apply refuses
// paths that lead out of the tree.
func (r *Repo) patch(ctx context.Context, into *Repo, tmp, base string, patch []byte) (string, error) {
	inner, cancel := context.WithTimeout(ctx, defaultReadTimeout)
	defer cancel()
	format, err := r.git.run(inner, call{dir: r.dir, args: []string{"rev-parse", "--show-object-format"}, what: "store"})
	if err != nil {
		return "", err
	}
	if _, err := borrow(inner, r.git, into.dir, strings.TrimSpace(string(format)), r.dir, filepath.Join(r.dir, "objects")); err != nil {
		return "", err
	}
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
	if _, err := r.git.run(inner, call{dir: into.dir, args: []string{"read-tree", base}, env: index, what: "tree"}); err != nil {
		return "", err
	}
	for _, step := range []struct {
		args []string
		kind errs.Kind
		say  string
	}{
		{[]string{"apply", "--numstat", "-"}, errs.Malformed, "This is not a unified diff: make it with git diff, with full context " +
			"and without colour."},
		{[]string{"apply", "--cached", "--whitespace=nowarn", "-"}, errs.Conflict,
			"The diff does not fit the base commit: make it against exactly that commit, for example with git diff and its name."},
	} {
		_, err := r.git.run(inner, call{dir: into.dir, args: step.args, env: index, stdin: patch, max: 8 << 20, what: "diff"})
		if failed, is := errors.AsType[*gitError](err); is {
			return "", errs.Wrap(failed, step.kind, "bad_diff", "%s", step.say)
		}
		if err != nil {
			return "", err
		}
	}
	tree, err := r.git.run(inner, call{dir: into.dir, args: []string{"write-tree"}, env: index, what: "tree"})
	if err != nil {
		return "", err
	}
	out := strings.TrimSpace(string(tree))
	return out, checkSHA(out)
}

// Diff returns git's diff between the commit and the patched tree.
func (p *Patched) Diff(ctx context.Context) ([]byte, error) { return p.store.Diff(ctx, p.base, p.Tree) }

// At returns the files at a commit of the store or at the tree.
func (p *Patched) At(sha string) At { return p.store.At(sha) }

// Close removes the temporary store.
func (p *Patched) Close() error { return p.store.Close() }
