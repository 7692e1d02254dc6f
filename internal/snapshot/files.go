package snapshot

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// maxKept bounds the bytes that a [Files] remembers.
const maxKept = 64 << 20

// Read reads a file at the merge base or the head through a host's interface. It
// returns fs.ErrNotExist for what is absent.
type Read func(ctx context.Context, side domain.Side, path string) ([]byte, error)

// Files is a source over a host's file contents, for when git cannot fetch. It
// reads each file once.
type Files struct {
	read Read
	set  *diff.Set

	mu    sync.Mutex
	known map[string]kept
	bytes int
}

type kept struct {
	content []byte
	absent  bool
}

// FromFiles makes a source and the diff from a host's list of changed files.
func FromFiles(read Read, patches []diff.Patch) (*Files, error) {
	set, err := diff.FromPatches(patches)
	if err != nil {
		return nil, err
	}
	return &Files{read: read, set: set, known: map[string]kept{}}, nil
}

// Set is the diff. Files whose patch the host left out have no hunks.
func (f *Files) Set() *diff.Set { return f.set }

// Blob reads a file. See [Source]; other errors are those of the host.
func (f *Files) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	if diff.CheckPath(path) != nil {
		return nil, fs.ErrNotExist
	}
	key := string(side) + ":" + path
	f.mu.Lock()
	k, ok := f.known[key]
	f.mu.Unlock()
	if !ok {
		b, err := f.read(ctx, side, path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if len(b) > DefaultMaxBlob {
			return nil, tooLarge("file")
		}
		k = kept{b, err != nil}
		f.mu.Lock()
		if f.bytes += len(b); f.bytes <= maxKept {
			f.known[key] = k
		}
		f.mu.Unlock()
	}
	if k.absent {
		return nil, fs.ErrNotExist
	}
	return k.content, nil
}
