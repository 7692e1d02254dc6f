package snapshot

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Diff returns the unified diff between two commits (or trees) of the store, with renames, three lines of
// context, and the prefixes a/ and b/. For a pull request the first is the merge base. With paths, only
// those files and folders count.
//
// The diff has at most defaultMaxDiff bytes of hunks and defaultMaxFiles files. If there is more, the
// largest files lose their hunks and are marked ([diff.File.Omitted]), and a note in the diff counts
// missing files.
//
// In a store of a [Cache], a change of more than maxChanged paths, or one that git cannot read within its
// limits, gives an error of kind TooLarge.
func (r *Repo) Diff(ctx context.Context, mergeBase, head string, paths ...string) ([]byte, error) {
	return r.diff(ctx, &boundedDiff{maxBytes: defaultMaxDiff, maxFiles: defaultMaxFiles}, mergeBase, head, paths)
}

func (r *Repo) diff(ctx context.Context, into *boundedDiff, mergeBase, head string, paths []string) ([]byte, error) {
	if err := errors.Join(checkSHA(mergeBase), checkSHA(head)); err != nil {
		return nil, err
	}
	algorithm := histogram
	if r.git.bounds != nil {
		m, err := r.measure(ctx, mergeBase, head, paths)
		if err != nil {
			return nil, err
		}
		into.large, algorithm = m.large, m.algorithm
	}
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--find-renames", "-l2000",
		"-U3", "--inter-hunk-context=0", "--full-index", "--diff-algorithm=" + algorithm, "--submodule=short", "--ignore-submodules=none",
		"--src-prefix=a/", "--dst-prefix=b/", mergeBase, head, "--"}
	if _, err := r.read(ctx, call{args: append(args, paths...), what: "diff", into: func(func()) io.Writer { return into }}); err != nil {
		return nil, err
	}
	return into.diff(), nil
}

// Algorithms of git's comparison (git-diff manual, --diff-algorithm).
const (
	histogram = "histogram"
	myers     = "myers"
)

// CodeSlow is the code of the error of a diff, listing or search that exceeded defaultReadTimeout.
const CodeSlow = "snapshot_slow"

// read runs a reading command within defaultReadTimeout. A failure of git means that objects cannot be
// read, because the commits were checked when the store was opened.
func (r *Repo) read(ctx context.Context, c call) ([]byte, error) {
	inner, cancel := context.WithTimeout(ctx, defaultReadTimeout)
	defer cancel()
	c.dir = r.dir
	out, err := r.git.run(inner, c)
	if g, ok := errors.AsType[*gitError](err); ok {
		return nil, r.damaged(g)
	}
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, errs.Wrap(err, errs.Unavailable, CodeSlow, "Reading the snapshot took too long.")
	}
	return out, err
}

// Blob reads a file at a commit (or tree), at most DefaultMaxBlob bytes. See [Source] for its errors.
func (r *Repo) Blob(ctx context.Context, sha, path string) ([]byte, error) {
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	if diff.CheckPath(path) != nil {
		return nil, fs.ErrNotExist
	}
	b, err := r.cat.blob(ctx, sha+":"+path, DefaultMaxBlob)
	if errors.Is(err, errBatch) {
		return nil, r.damaged(err)
	}
	return b, err
}

// Entry is an entry of a tree.
type Entry struct {
	Path string
	Mode uint32 // of git: 0o100644, 0o100755, diff.ModeSymlink, diff.ModeSubmodule, ModeFolder
	OID  string
	Size int64 // -1 for a submodule or a folder
}

// Tree lists the files at a commit in git's order. With paths, it lists those files and the files below
// those folders.
func (r *Repo) Tree(ctx context.Context, sha string, paths ...string) ([]Entry, error) {
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	args := append([]string{"ls-tree", "-r", "-z", "--long", "--full-tree", sha, "--"}, paths...)
	raw, err := r.read(ctx, call{args: args, max: defaultMaxTree, what: "listing"})
	if err != nil {
		return nil, err
	}
	var out []Entry
	for record := range strings.SplitSeq(string(raw), "\x00") {
		if e, ok := parseEntry(record); ok {
			out = append(out, e)
		}
	}
	return out, nil
}

// At returns the files at a commit (or tree), until the store is closed.
func (r *Repo) At(sha string) At { return At{r, sha} }

// At is one version of the files of a store.
type At struct {
	repo *Repo
	sha  string
}

// List lists files; see [Repo.Tree].
func (a At) List(ctx context.Context, paths ...string) ([]Entry, error) {
	return a.repo.Tree(ctx, a.sha, paths...)
}

// Blob reads a file; see [Repo.Blob].
func (a At) Blob(ctx context.Context, path string) ([]byte, error) {
	return a.repo.Blob(ctx, a.sha, path)
}

// Source returns the two sides of a change from the store.
func (r *Repo) Source(mergeBase, head string) Whole {
	return repoSource{r, mergeBase, head}
}

type repoSource struct {
	repo            *Repo
	mergeBase, head string
}

func (s repoSource) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	if side == domain.Left {
		return s.repo.Blob(ctx, s.mergeBase, path)
	}
	return s.repo.Blob(ctx, s.head, path)
}

// Entry implements [Lister].
func (s repoSource) Entry(ctx context.Context, side domain.Side, path string) (Entry, error) {
	if side == domain.Left {
		return s.repo.Entry(ctx, s.mergeBase, path)
	}
	return s.repo.Entry(ctx, s.head, path)
}

// List implements [Lister].
func (s repoSource) List(ctx context.Context, folder string, limit int) ([]Entry, error) {
	return s.repo.List(ctx, s.head, folder, limit)
}

// AllFiles implements [Walker].
func (s repoSource) AllFiles(ctx context.Context, limit int) ([]Entry, error) {
	return s.repo.AllFiles(ctx, s.head, limit)
}

// Search implements [Searcher].
func (s repoSource) Search(ctx context.Context, q Query, limit int) ([]Match, error) {
	return s.repo.Search(ctx, s.head, q, limit)
}
