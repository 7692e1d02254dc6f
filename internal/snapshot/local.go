package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Local reads a checkout on this machine. It works on a temporary store that
// borrows the checkout's objects: the configuration, hooks, filters and
// attributes of the checkout are not used, and nothing is written to it.
type Local struct {
	Root   string // top folder of the checkout
	Prefix string // the folder that was opened, from Root: "" or with a slash at its end

	git     program
	index   string // the checkout's index file
	exclude string // the checkout's own list of files to ignore
	format  string // of the names of objects: sha1 or sha256
	store   *Repo
	tmp     string
}

// Change is a pair of versions of a checkout. It is valid until the Local is closed.
type Change struct {
	MergeBase string // commit
	Head      string // commit, or the tree of the index or of the working files
	Raw       []byte // unified diff, see [Repo.Diff]
	LeftOut   int    // files that are not looked at: new ones beyond MaxNew or MaxNewSize, and others beyond the bounds of a diff
	repo      *Repo
}

// Blob reads a file of the change. See [Source].
func (c *Change) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	return repoSource{c.repo, c.MergeBase, c.Head}.Blob(ctx, side, path)
}

// Search finds lines at the head. See [Searcher].
func (c *Change) Search(ctx context.Context, q Query, limit int) ([]Match, error) {
	return c.repo.Search(ctx, c.Head, q, limit)
}

// Entry is what stands at a path of one side. See [Lister].
func (c *Change) Entry(ctx context.Context, side domain.Side, path string) (Entry, error) {
	return repoSource{c.repo, c.MergeBase, c.Head}.Entry(ctx, side, path)
}

// List returns entries of a folder of the head. See [Lister].
func (c *Change) List(ctx context.Context, folder string, limit int) ([]Entry, error) {
	return c.repo.List(ctx, c.Head, folder, limit)
}

// OpenLocal opens the checkout that holds a folder. Errors are of kind NotFound
// where there is none and Unavailable where git is missing. Call Close.
func OpenLocal(ctx context.Context, dir string) (*Local, error) {
	git, err := findGit("")
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("absolute path of the folder: %w", err)
	}
	// The only use of the checkout's own configuration: settings on top of it switch
	// off everything that it could run, and this command reads neither index nor files.
	out, err := git.run(ctx, call{args: []string{"-C", abs, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir", "--git-path", "index",
		"--git-path", "info/exclude", "--show-object-format", "--show-prefix"}, what: "checkout"})
	if err != nil {
		if _, ok := errors.AsType[*gitError](err); ok {
			return nil, errs.Wrap(err, errs.NotFound, "no_checkout", "The folder is not inside a git checkout that belongs to you.")
		}
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 6 {
		return nil, errs.New(errs.NotFound, "no_checkout", "The path of the checkout must not hold a line break.")
	}
	tmp, err := os.MkdirTemp("", "assay-local-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	l := &Local{Root: lines[0], Prefix: lines[5], git: git, index: lines[2], exclude: lines[3], format: lines[4], tmp: tmp}
	dirGit := filepath.Join(tmp, "store.git")
	l.store = &Repo{git: git, dir: dirGit, cat: &catFile{git: git, dir: dirGit}, done: func() { _ = os.RemoveAll(tmp) }}
	if err := borrow(ctx, git, dirGit, l.format, lines[1]); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// Close removes the temporary store.
func (l *Local) Close() error { return l.store.Close() }

// borrow makes a new store that reads the objects of another repository, given by
// its git directory, and knows where its history was cut.
func borrow(ctx context.Context, git program, dir, format, common string) error {
	if _, err := prepare(ctx, git, dir, "--object-format="+format); err != nil {
		return err
	}
	objects := filepath.Join(common, "objects")
	if strings.HasPrefix(objects, `"`) || strings.HasPrefix(objects, "#") {
		return errs.New(errs.NotFound, "no_checkout", "The path of the checkout must not begin with a quote or a number sign.")
	}
	if err := os.WriteFile(filepath.Join(dir, "objects", "info", "alternates"), []byte(objects+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the temporary store: %w", err)
	}
	if shallow, err := os.ReadFile(filepath.Join(common, "shallow")); err == nil {
		if err := os.WriteFile(filepath.Join(dir, "shallow"), shallow, 0o600); err != nil {
			return fmt.Errorf("write the temporary store: %w", err)
		}
	}
	return nil
}

// Commit resolves a name such as a branch, tag, hash or HEAD~2 to a commit.
func (l *Local) Commit(ctx context.Context, name string) (string, error) {
	return l.git.commit(ctx, []string{"-C", l.Root}, name)
}

// commit resolves a name to a commit; at says where, as git's own arguments.
func (p program) commit(ctx context.Context, at []string, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\n\x00") {
		return "", errs.New(errs.Malformed, "bad_revision", "Name a branch, a tag or a commit.")
	}
	args := append(slices.Clone(at), "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	out, err := p.run(ctx, call{args: args, what: "revision"})
	sha := strings.TrimSpace(string(out))
	if _, failed := errors.AsType[*gitError](err); failed || err == nil && checkSHA(sha) != nil {
		return "", errs.New(errs.NotFound, "no_revision", "The checkout has no commit of that name.")
	}
	return sha, err
}

// At is the version of the files at a commit, until the checkout is closed.
func (l *Local) At(sha string) At { return l.store.At(sha) }

// Range is the change from the merge base of base and head to head; "" means HEAD.
// With paths, from Root, only those files and folders count; so for the others.
func (l *Local) Range(ctx context.Context, base, head string, paths ...string) (*Change, error) {
	if head == "" {
		head = "HEAD"
	}
	headSHA, err := l.Commit(ctx, head)
	if err != nil {
		return nil, err
	}
	mergeBase, err := l.mergeBase(ctx, base, headSHA)
	if err != nil {
		return nil, err
	}
	return l.change(ctx, mergeBase, headSHA, paths)
}

// Worktree is the change from the merge base of base and HEAD to the files as
// they are now: committed, staged, unstaged and untracked (ignored files left
// out). An empty base means HEAD: only what is not committed.
func (l *Local) Worktree(ctx context.Context, base string, paths ...string) (*Change, error) {
	mergeBase, err := l.fork(ctx, base)
	if err != nil {
		return nil, err
	}
	tree, leftOut, err := l.worktree(ctx, paths)
	if err != nil {
		return nil, err
	}
	c, err := l.change(ctx, mergeBase, tree, paths)
	if err == nil {
		c.LeftOut = leftOut
	}
	return c, err
}

// Staged is the change from the merge base of base and HEAD to the index. An
// empty base means HEAD. Of a file with a merge conflict our side counts.
func (l *Local) Staged(ctx context.Context, base string, paths ...string) (*Change, error) {
	mergeBase, err := l.fork(ctx, base)
	if err != nil {
		return nil, err
	}
	tree, err := l.staged(ctx)
	if err != nil {
		return nil, err
	}
	return l.change(ctx, mergeBase, tree, paths)
}

// fork is the merge base of a revision and HEAD, or HEAD for "".
func (l *Local) fork(ctx context.Context, base string) (string, error) {
	head, err := l.Commit(ctx, "HEAD")
	if err != nil || base == "" {
		return head, err
	}
	return l.mergeBase(ctx, base, head)
}

func (l *Local) mergeBase(ctx context.Context, base, head string) (string, error) {
	baseSHA, err := l.Commit(ctx, base)
	if err != nil {
		return "", err
	}
	return l.store.mergeBase(ctx, baseSHA, head)
}

func (r *Repo) mergeBase(ctx context.Context, base, head string) (string, error) {
	out, err := r.git.run(ctx, call{dir: r.dir, args: []string{"merge-base", base, head}, what: "merge base"})
	if _, failed := errors.AsType[*gitError](err); failed {
		return "", errs.Wrap(err, errs.NotFound, "no_merge_base", "The two revisions have no common commit in this checkout. If it is shallow, fetch more history.")
	}
	return strings.TrimSpace(string(out)), err
}

func (l *Local) change(ctx context.Context, mergeBase, head string, paths []string) (*Change, error) {
	return l.store.change(ctx, mergeBase, head, paths...)
}

func (r *Repo) change(ctx context.Context, mergeBase, head string, paths ...string) (*Change, error) {
	raw, err := r.Diff(ctx, mergeBase, head, paths...)
	if err != nil {
		return nil, err
	}
	return &Change{MergeBase: mergeBase, Head: head, Raw: raw, repo: r}, nil
}
