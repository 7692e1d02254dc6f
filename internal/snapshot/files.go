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

// maxRead bounds the file versions that a [Files] requests from the host: both versions of all files of the
// largest change with a diff on GitHub (300 files). GitHub allows an installation 5,000 requests an hour,
// and each takes its turn.
const maxRead = 600

// CodeReads is the code of the TooLarge error for a file beyond maxRead.
const CodeReads = "snapshot_reads"

// Read reads a file at the merge base or the head through a host's API. It returns fs.ErrNotExist for an
// absent file.
type Read func(ctx context.Context, side domain.Side, path string) ([]byte, error)

// Files is a change that is read through a host's API, because git cannot fetch it. It reads each file
// once, as long as there is room to remember it.
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

// FromFiles returns a change with a host's diff, whose files are read with read.
func FromFiles(read Read, raw []byte) *Files {
	return &Files{read: read, raw: raw, known: map[string]kept{}}
}

// Diff returns the unified diff.
func (f *Files) Diff(context.Context) ([]byte, error) { return f.raw, nil }

// Notice returns "": nothing about the reading needs a notice.
func (f *Files) Notice() string { return "" }

// Close does nothing: there is nothing to release.
func (f *Files) Close() error { return nil }

// Blob reads a file. See [Source]; other errors are those of the host. Beyond maxRead versions it returns
// only remembered files.
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
