package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
)

// maxFile bounds a file that is read for context and checks.
const maxFile = 8 << 20

// source reads the two sides of a local change. It is safe for concurrent use.
type source struct {
	git   *git
	left  string   // commit
	right string   // commit, ":" for the index, "" for the working tree
	root  *os.Root // of the working tree; nothing outside is reachable

	mu    sync.Mutex
	cache map[string][]byte
}

// Blob returns a file, fs.ErrNotExist when the side has none or it is larger
// than the bound.
func (s *source) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	key := string(side) + ":" + path
	s.mu.Lock()
	b, ok := s.cache[key]
	s.mu.Unlock()
	if ok {
		if b == nil {
			return nil, fs.ErrNotExist
		}
		return b, nil
	}
	b, err := s.read(ctx, side, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s.mu.Lock()
	s.cache[key] = b
	s.mu.Unlock()
	return b, err
}

func (s *source) read(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	rev := s.right
	if side == domain.Left {
		rev = s.left + ":"
	} else if rev == "" {
		return s.worktree(path)
	} else if rev != ":" {
		rev += ":"
	}
	out, err := s.git.run(ctx, maxFile, []string{"cat-file", "blob", rev + path})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // absent, a submodule, or too large
		return nil, fs.ErrNotExist
	case out == nil:
		out = []byte{}
	}
	return out, nil
}

// worktree reads a plain file below the root; symbolic links are not followed
// out of it.
func (s *source) worktree(path string) ([]byte, error) {
	info, err := s.root.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fs.ErrNotExist
	}
	f, err := s.root.Open(path)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, err
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
}
