package snapshot

import (
	"bytes"
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

// Local reads a checkout on this machine. It works on a temporary store that borrows the checkout's
// objects. Nothing is written to the checkout, and no hook, filter or other program that a configuration or
// an attribute names is started.
type Local struct {
	Root   string // top folder of the checkout, "" for a bare repository
	Prefix string // the opened folder, relative to Root: "" or with a slash at its end

	Remotes []string // names of the configured remotes
	Shallow bool     // the history is cut

	// Apart are paths from Root whose working-tree content is ignored: these files stay as in the index.
	Apart []string

	git   program
	at    places
	own   ownSettings
	store *Repo
	tmp   string
}

// Change is a pair of versions of a checkout. It is valid until the Local is closed.
type Change struct {
	MergeBase string // commit
	Head      string // commit, or the tree of the index or of the working files
	Raw       []byte // unified diff, see [Repo.Diff]
	LeftOut   []LeftOut
	Notes     []string // sentences about files that could not be read as git reads them
	repo      *Repo
	local     *Local // whose tags are releases; nil: none are known
	commit    string // the newest of the change; "" without one
}

// LeftOut is an ignored file of the working tree.
type LeftOut struct {
	Path, Why string
	Written   bool // a person may have written it
}

// Blob reads a file of the change. See [Source].
func (c *Change) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	return repoSource{c.repo, c.MergeBase, c.Head}.Blob(ctx, side, path)
}

// Search finds lines at the head. See [Searcher].
func (c *Change) Search(ctx context.Context, q Query, limit int) ([]Match, error) {
	return c.repo.Search(ctx, c.Head, q, limit)
}

// Entry returns the entry at a path of one side. See [Lister].
func (c *Change) Entry(ctx context.Context, side domain.Side, path string) (Entry, error) {
	return repoSource{c.repo, c.MergeBase, c.Head}.Entry(ctx, side, path)
}

// List returns entries of a folder of the head. See [Lister].
func (c *Change) List(ctx context.Context, folder string, limit int) ([]Entry, error) {
	return c.repo.List(ctx, c.Head, folder, limit)
}

// AllFiles returns files of the head. See [Walker].
func (c *Change) AllFiles(ctx context.Context, limit int) ([]Entry, error) {
	return c.repo.AllFiles(ctx, c.Head, limit)
}

// OpenLocal opens the checkout that contains a folder. Errors are of kind NotFound if there is no checkout,
// Forbidden if it belongs to another user, Invalid if git or an environment variable prevents the reading,
// and Unavailable if git is missing. The caller must call Close.
func OpenLocal(ctx context.Context, dir string, o LocalOptions) (*Local, error) {
	git, err := findGit("")
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("absolute path of the folder: %w", err)
	}
	tmp, err := os.MkdirTemp("", "assay-local-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	directories := o.gitDirectories(abs)
	root := "" // until it is known
	git.suspect = func(ctx context.Context) error { return findSpecialFile(ctx, directories, root) }
	dirGit := filepath.Join(tmp, "store.git")
	l := &Local{git: git, tmp: tmp, store: &Repo{git: git, dir: dirGit, cat: &catFile{git: git, dir: dirGit},
		done: func() { _ = os.RemoveAll(tmp) }}}
	if err = o.checkOrdinary(abs); err == nil {
		l.at, err = o.find(ctx, git, abs, tmp)
	}
	if err == nil {
		l.Root, l.Prefix = l.at.root, l.at.prefix
		root = l.Root
		l.own, err = o.configuration(ctx, git, l.at)
	}
	if err == nil {
		l.Remotes = l.own.remotes
		l.Shallow, err = borrow(ctx, git, dirGit, l.at.format, l.at.common, l.at.objects...)
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// apart reports whether a file's working-tree content is ignored.
func (l *Local) apart(path string) bool { return slices.Contains(l.Apart, path) }

// Close removes the temporary store.
func (l *Local) Close() error { return l.store.Close() }

// borrow creates a store that reads object folders of a repository, given by its git directory, and returns
// whether the repository's history is cut.
func borrow(ctx context.Context, git program, dir, format, common string, objects ...string) (shallow bool, err error) {
	if _, err := prepare(ctx, git, dir, "--object-format="+format); err != nil {
		return false, err
	}
	var list strings.Builder
	for _, o := range objects {
		list.WriteString(quoted(o) + "\n") // gitrepository-layout(5); git reads a quoted line like a quoted path
	}
	if err := os.WriteFile(filepath.Join(dir, "objects", "info", "alternates"), []byte(list.String()), 0o600); err != nil {
		return false, fmt.Errorf("write the temporary store: %w", err)
	}
	cut, _, err := readRegular(filepath.Join(common, "shallow"))
	if errs.Is(err, errs.Invalid) {
		return false, err
	}
	if err != nil || len(cut) == 0 {
		return false, nil
	}
	if err := os.WriteFile(filepath.Join(dir, "shallow"), cut, 0o600); err != nil {
		return false, fmt.Errorf("write the temporary store: %w", err)
	}
	return true, nil
}

// EmptyTree returns the name of the tree without files, which is the base of a first commit.
func (l *Local) EmptyTree() string {
	if l.at.format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// ask runs a command on the references of the checkout.
func (l *Local) ask(ctx context.Context, c call) ([]byte, error) {
	c.dir, c.env = l.at.git, slices.Concat(c.env, l.at.env)
	return l.git.run(ctx, c)
}

// Unborn reports whether HEAD is a branch without a commit.
func (l *Local) Unborn(ctx context.Context) (bool, error) {
	if on, err := l.OnBranch(ctx); err != nil || !on {
		return false, err
	}
	_, err := l.ask(ctx, call{args: []string{"rev-parse", "--verify", "--quiet", "HEAD"}, what: "HEAD"})
	if _, failed := errors.AsType[*gitError](err); failed {
		return true, nil
	}
	return false, err
}

// OnBranch reports whether HEAD is a branch.
func (l *Local) OnBranch(ctx context.Context) (bool, error) {
	_, err := l.ask(ctx, call{args: []string{"symbolic-ref", "--quiet", "HEAD"}, what: "HEAD"})
	if _, failed := errors.AsType[*gitError](err); failed {
		return false, nil
	}
	return err == nil, err
}

// DefaultBranch returns the default branch of a remote according to the checkout; "" if unknown.
func (l *Local) DefaultBranch(ctx context.Context, remote string) string {
	out, err := l.ask(ctx, call{args: []string{"symbolic-ref", "--quiet", "refs/remotes/" + remote + "/HEAD"}, what: "HEAD of a remote"})
	branch, is := strings.CutPrefix(strings.TrimSpace(string(out)), "refs/remotes/"+remote+"/")
	if err != nil || !is {
		return ""
	}
	return branch
}

// Commit resolves a name such as a branch, tag, hash or HEAD~2 to a commit. The name of the empty tree
// resolves to itself.
func (l *Local) Commit(ctx context.Context, name string) (string, error) {
	if name == l.EmptyTree() {
		return name, nil
	}
	if checkSHA(name) == nil { // in a store without a remote, because git would fetch objects that a partial clone lacks
		return l.git.commit(ctx, nil, "--git-dir="+l.store.dir, name)
	}
	return l.git.commit(ctx, l.at.env, "--git-dir="+l.at.git, name)
}

// commit resolves a name to a commit of a repository, given by git's own argument.
func (p program) commit(ctx context.Context, env []string, at, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\n\x00") {
		return "", errs.New(errs.Malformed, "bad_revision", "Name a branch, a tag or a commit.")
	}
	out, err := p.run(ctx, call{args: []string{at, "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}, env: env,
		what: "revision"})
	sha := strings.TrimSpace(string(out))
	if _, failed := errors.AsType[*gitError](err); failed || err == nil && checkSHA(sha) != nil {
		return "", errs.New(errs.NotFound, "no_revision", "The checkout has no commit of that name.")
	}
	return sha, err
}

// At returns the files at a commit, until the checkout is closed.
func (l *Local) At(sha string) At { return l.store.At(sha) }

// Range returns the change from the merge base of base and head to head; "" means HEAD. With paths,
// relative to Root, only those files and folders count. The same applies to Worktree and Staged.
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
	return l.change(ctx, mergeBase, headSHA, headSHA, paths)
}

// Worktree returns the change from the merge base of base and HEAD to the present files: committed, staged,
// unstaged and untracked, without ignored files. An empty base means HEAD, or the empty tree if HEAD has no
// commit yet.
func (l *Local) Worktree(ctx context.Context, base string, paths ...string) (*Change, error) {
	mergeBase, err := l.forkPoint(ctx, base)
	if err != nil {
		return nil, err
	}
	made, err := l.worktree(ctx, paths)
	if err != nil {
		return nil, err
	}
	c, err := l.change(ctx, mergeBase, made.tree, "HEAD", paths)
	if err == nil {
		c.LeftOut, c.Notes = made.leftOut, append(c.Notes, made.notes...)
	}
	return c, err
}

// Staged returns the change from the merge base of base and HEAD to the index. An empty base means HEAD.
// With a merge conflict in the index the error is of kind Conflict, because git cannot commit it.
func (l *Local) Staged(ctx context.Context, base string, paths ...string) (*Change, error) {
	mergeBase, err := l.forkPoint(ctx, base)
	if err != nil {
		return nil, err
	}
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.refuseConflicts(ctx); err != nil {
		return nil, err
	}
	if err := s.write(ctx); err != nil {
		return nil, err
	}
	return l.change(ctx, mergeBase, s.tree, "HEAD", paths)
}

// Superseded counts the files that commits since the change's merge base have changed, and whose
// working-tree content differs from the committed one. A push sends the committed content.
func (l *Local) Superseded(ctx context.Context, c *Change) (int, error) {
	head, err := l.Commit(ctx, "HEAD")
	if errs.Is(err, errs.NotFound) || err == nil && head == c.MergeBase {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	committed := map[string]bool{}
	n := 0
	for _, pair := range [][2]string{{c.MergeBase, head}, {head, c.Head}} {
		out, err := l.store.read(ctx, call{args: []string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff",
			pair[0], pair[1], "--"},
			max: defaultMaxTree, what: "list of changed files"})
		if err != nil {
			return 0, err
		}
		for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if pair[0] == head && committed[name] && name != "" {
				n++
			}
			committed[name] = committed[name] || pair[0] != head
		}
	}
	return n, nil
}

// forkPoint returns the merge base of a revision and HEAD, or HEAD for "". For a HEAD without a commit it
// returns the empty tree.
func (l *Local) forkPoint(ctx context.Context, base string) (string, error) {
	if base == "" {
		unborn, err := l.Unborn(ctx)
		if err != nil || unborn {
			return l.EmptyTree(), err
		}
		return l.Commit(ctx, "HEAD")
	}
	if base == l.EmptyTree() {
		return base, nil
	}
	head, err := l.Commit(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	return l.mergeBase(ctx, base, head)
}

func (l *Local) mergeBase(ctx context.Context, base, head string) (string, error) {
	baseSHA, err := l.Commit(ctx, base)
	if err != nil || baseSHA == l.EmptyTree() {
		return baseSHA, err
	}
	return l.store.mergeBase(ctx, baseSHA, head)
}

func (r *Repo) mergeBase(ctx context.Context, base, head string) (string, error) {
	out, err := r.git.run(ctx, call{dir: r.dir, args: []string{"merge-base", base, head}, what: "merge base"})
	if _, failed := errors.AsType[*gitError](err); failed {
		return "", errs.Wrap(err, errs.NotFound, "no_merge_base", "The two revisions have no common commit in this checkout. If it is "+
			"shallow, fetch more history.")
	}
	return strings.TrimSpace(string(out)), err
}

// change returns the change between two versions. near is a commit near the head, for advice about missing
// files.
func (l *Local) change(ctx context.Context, mergeBase, head, near string, paths []string) (*Change, error) {
	c, err := l.store.change(ctx, mergeBase, head, paths...)
	if err == nil {
		c.local = l
		c.commit, err = l.ahead(ctx, mergeBase, near)
	}
	if err == nil && l.own.partial {
		c.Notes, err = l.missingNote(ctx, mergeBase, head)
	}
	return c, l.withCloneAdvice(err, mergeBase, near)
}

// ahead returns the commit of a name if it is another than the merge base, or "".
func (l *Local) ahead(ctx context.Context, mergeBase, name string) (string, error) {
	commit, err := l.Commit(ctx, name)
	if errs.Is(err, errs.NotFound) || commit == mergeBase { // HEAD has no commit yet, or the change none
		return "", nil
	}
	return commit, err
}

// withCloneAdvice adds advice to an error about missing objects if the checkout is a partial clone.
func (l *Local) withCloneAdvice(err error, base, head string) error {
	if !errors.Is(err, errDamaged) || !l.own.partial {
		return err
	}
	return errs.New(errs.Unavailable, "partial_clone",
		"The checkout is a partial clone without all files of the change, and assay fetches nothing: run `git diff --numstat %s %s` "+
			"once, which fetches them.", base, head)
}

// missingNote returns a note if a partial clone lacks files of the versions.
func (l *Local) missingNote(ctx context.Context, versions ...string) ([]string, error) {
	out, err := l.store.read(ctx, call{args: append([]string{"rev-list", "--objects", "--no-walk", "--missing=print"}, versions...),
		max: defaultMaxTree, what: "list of files"})
	if err != nil {
		return nil, err
	}
	n := bytes.Count(out, []byte("\n?"))
	if n == 0 && !bytes.HasPrefix(out, []byte("?")) {
		return nil, nil
	}
	return []string{"The checkout is a partial clone: files that the change does not touch are missing and were not looked at."}, nil
}

func (r *Repo) change(ctx context.Context, mergeBase, head string, paths ...string) (*Change, error) {
	raw, err := r.Diff(ctx, mergeBase, head, paths...)
	if err != nil {
		return nil, err
	}
	return &Change{MergeBase: mergeBase, Head: head, Raw: raw, repo: r}, nil
}
