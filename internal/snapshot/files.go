package snapshot

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// maxKept bounds the bytes that a [Files] remembers.
const maxKept = 64 << 20

// maxRead is how many files a [Files] asks the host for, each version counted: both
// of all files of the largest change of which GitHub gives a diff (300 files). GitHub
// has 5,000 requests an hour for an installation, and each takes its turn.
const maxRead = 600

// CodeReads is the code of the error of kind TooLarge for a file beyond maxRead.
const CodeReads = "snapshot_reads"

// Read reads a file at the merge base or the head through a host's interface. It
// returns fs.ErrNotExist for what is absent.
type Read func(ctx context.Context, side domain.Side, path string) ([]byte, error)

// Files is a change that is read through a host's interface, for when git cannot
// fetch. It reads each file once, as long as there is room to remember it.
type Files struct {
	read Read
	raw  []byte

	mu    sync.Mutex
	known map[string]kept
	bytes int
	asked int
}

type kept struct {
	content []byte
	absent  bool
}

// FromFiles makes a change of a diff that the host gave and of what it says of
// single files.
func FromFiles(read Read, raw []byte) *Files {
	return &Files{read: read, raw: raw, known: map[string]kept{}}
}

// Diff returns the unified diff.
func (f *Files) Diff(context.Context) ([]byte, error) { return f.raw, nil }

// Notice is empty: there is nothing to say of how the change is read.
func (f *Files) Notice() string { return "" }

// Close does nothing: there is nothing to give back.
func (f *Files) Close() error { return nil }

// Blob reads a file. See [Source]; other errors are those of the host. Beyond
// maxRead files that are not remembered it asks no more.
func (f *Files) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	if diff.CheckPath(path) != nil {
		return nil, fs.ErrNotExist
	}
	key := string(side) + ":" + path
	f.mu.Lock()
	k, ok := f.known[key]
	if !ok {
		f.asked++
	}
	beyond := f.asked > maxRead
	f.mu.Unlock()
	if !ok && beyond {
		return nil, errs.New(errs.TooLarge, CodeReads, "The change has more files than are read through the code host.")
	}
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
