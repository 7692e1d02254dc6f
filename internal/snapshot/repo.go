package snapshot

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Diff returns the unified diff between two commits (or trees) of the store:
// renames found, three lines of context, prefixes a/ and b/. For a pull request
// the first is the merge base. With paths, only those files and folders count.
//
// The hunks are of DefaultMaxDiff bytes at most, and the files DefaultMaxFiles:
// where there is more, the largest files are without their hunks and say so
// ([diff.File.Omitted]), and so does the diff of files that it does not have.
//
// Of a store that a [Cache] opened, a change of more than MaxChanged paths, and one
// that git cannot read within its limits, gives an error of kind TooLarge.
func (r *Repo) Diff(ctx context.Context, mergeBase, head string, paths ...string) ([]byte, error) {
	return r.diff(ctx, &keeper{maxBytes: DefaultMaxDiff, maxFiles: DefaultMaxFiles}, mergeBase, head, paths)
}

func (r *Repo) diff(ctx context.Context, into *keeper, mergeBase, head string, paths []string) ([]byte, error) {
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

// Algorithms by which git compares (git-diff manual, --diff-algorithm).
const (
	histogram = "histogram"
	myers     = "myers"
)

// CodeSlow is the code of the error of a diff, a listing or a search that did not
// end within DefaultReadTimeout.
const CodeSlow = "snapshot_slow"

// read runs a reading command within DefaultReadTimeout. A failure of git means
// that objects cannot be read: the commits were checked when the store was opened.
func (r *Repo) read(ctx context.Context, c call) ([]byte, error) {
	inner, cancel := context.WithTimeout(ctx, DefaultReadTimeout)
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

// Blob reads a file at a commit (or tree), at most DefaultMaxBlob bytes. See
// [Source] for its errors.
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

// Entry is a file of a tree.
type Entry struct {
	Path string
	Mode uint32 // of git: 0o100644, 0o100755, diff.ModeSymlink, diff.ModeSubmodule
	OID  string
	Size int64 // -1 for a submodule
}

// Tree lists the files at a commit in git's order.
func (r *Repo) Tree(ctx context.Context, sha string) ([]Entry, error) {
	if err := checkSHA(sha); err != nil {
		return nil, err
	}
	raw, err := r.read(ctx, call{args: []string{"ls-tree", "-r", "-z", "--long", "--full-tree", sha}, max: DefaultMaxTree, what: "listing"})
	if err != nil {
		return nil, err
	}
	var out []Entry
	for record := range strings.SplitSeq(string(raw), "\x00") {
		meta, path, ok := strings.Cut(record, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 4 {
			continue
		}
		mode, err := strconv.ParseUint(fields[0], 8, 32)
		if err != nil {
			continue
		}
		size, err := strconv.ParseInt(fields[3], 10, 64)
		if err != nil {
			size = -1
		}
		out = append(out, Entry{Path: path, Mode: uint32(mode), OID: fields[2], Size: size})
	}
	return out, nil
}

// Source reads the two sides of a change from the store.
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

// Search implements [Searcher].
func (s repoSource) Search(ctx context.Context, q Query, limit int) ([]Match, error) {
	return s.repo.Search(ctx, s.head, q, limit)
}
