package cases

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of all versions of one case together.
const (
	maxFiles     = 20_000
	maxBytes     = 256 << 20
	maxFileBytes = snapshot.DefaultMaxBlob // of one file: larger files are never read
)

// Files is a version of a repository: contents by path from its root, with slashes.
type Files map[string]string

// OpenFiles makes the changes between versions. The first version is the base, and the others are heads in
// the order of their pushes. The caller must call done, which releases the changes, unless there is an
// error.
func OpenFiles(ctx context.Context, versions ...Files) (heads []eval.Change, done func(), err error) {
	if err := checkFiles(versions); err != nil {
		return nil, nil, err
	}
	return inScratch(ctx, "", func(s *snapshot.Scratch) ([]eval.Change, error) {
		list := make([]snapshot.Version, len(versions))
		for i, v := range versions {
			list[i] = snapshot.Version{Files: v}
		}
		commits, err := s.Commit(ctx, list...)
		if err != nil {
			return nil, err
		}
		return between(ctx, s, commits[0], commits[1:]...)
	})
}

func checkFiles(versions []Files) error {
	if len(versions) < 2 || len(versions) > 1+eval.MaxHeads {
		return fmt.Errorf("a case needs a base and 1 to %d heads", eval.MaxHeads)
	}
	files, bytes := 0, 0
	for _, v := range versions {
		files += len(v)
		for p, content := range v {
			if err := diff.CheckPath(p); err != nil {
				return fmt.Errorf("file %q: %w", p, err)
			}
			for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
				if _, both := v[dir]; both {
					return fmt.Errorf("%q is a file and a folder", dir)
				}
			}
			if len(content) > maxFileBytes {
				return fmt.Errorf("file %q: must have at most %d bytes", p, maxFileBytes)
			}
			bytes += len(content)
		}
	}
	if files > maxFiles || bytes > maxBytes {
		return fmt.Errorf("the versions of a case must have at most %d files and %d bytes together", maxFiles, maxBytes)
	}
	return nil
}

// inScratch makes changes in a temporary store that borrows the objects of a repository ("": no
// repository). It closes the store if that fails.
func inScratch(ctx context.Context, repository string, made func(*snapshot.Scratch) ([]eval.Change, error)) ([]eval.Change, func(), error) {
	s, err := snapshot.NewScratch(ctx, repository)
	if repository != "" && errs.Is(err, errs.NotFound) {
		return nil, nil, noCodeError("%s must be a git repository", repository)
	}
	if err != nil {
		return nil, nil, err
	}
	heads, err := made(s)
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return heads, func() { _ = s.Close() }, nil
}

// between compares heads with one base.
func between(ctx context.Context, s *snapshot.Scratch, base string, heads ...string) ([]eval.Change, error) {
	out := make([]eval.Change, 0, len(heads))
	for _, head := range heads {
		c, err := s.Between(ctx, base, head)
		if err != nil {
			return nil, err
		}
		out = append(out, eval.Change{BaseSHA: c.MergeBase, HeadSHA: c.Head, Diff: c.Raw, Source: c})
	}
	return out, nil
}
