// Package change holds the code of a change as a review shows it to models: files with their hunks, the
// chunks that one model call sees, the sources of file contents, and text helpers that make foreign text
// fit for a prompt.
//
// It is the lowest layer of the engine's packages. It does not call models, hosts or the database, and does
// not decide about findings.
package change

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Source reads files of both sides of a change: [domain.Left] is the merge base, [domain.Right] the head. It is a
// snapshot in memory or on disk, never a client of a host. Implementations are safe for concurrent use.
type Source interface {
	// Blob returns the bytes of a file, or fs.ErrNotExist if that side has no such file.
	Blob(ctx context.Context, side domain.Side, path string) ([]byte, error)
}

// NoSource is a source without files. A review then sees the diff only.
type NoSource struct{}

// Blob implements [Source].
func (NoSource) Blob(context.Context, domain.Side, string) ([]byte, error) {
	return nil, fs.ErrNotExist
}

// Reasons why a file of the change is not read whole, in the words of the coverage.
const (
	WhyLargeFile = "file too large: only changed lines looked at"
	WhyManyFiles = "beyond the files that are read through the code host: only changed lines looked at"
)

// BoundedSource reads through another source within the bounds of one review. It reports a file that is too
// large, or beyond 256 MiB of all files, as absent and remembers the reason, so that the review continues
// with the diff. It is safe for concurrent use.
type BoundedSource struct {
	Source
	mu    sync.Mutex
	why   map[string]string // path to a reason
	read  map[string]bool   // by side and path
	bytes int               // of the versions in read, each counted once
}

// maxRead is the most bytes of all versions of files that one review reads. It is room for 4,000 files of 30 KB,
// before and after the change.
const maxRead = 256 << 20

// Blob implements [Source].
func (s *BoundedSource) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b, err := s.Source.Blob(ctx, side, path)
	if err != nil && !errs.Is(err, errs.TooLarge) {
		return b, err
	}
	if err == nil && s.room(string(side)+":"+path, len(b)) {
		return b, nil
	}
	why := WhyLargeFile
	if e, ok := errors.AsType[*errs.Error](err); ok && e.Code == snapshot.CodeReads {
		why = WhyManyFiles
	}
	s.Refuse(path, why)
	return nil, fs.ErrNotExist
}

// room counts a version of a file and reports whether it is within the bound.
func (s *BoundedSource) room(key string, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.read[key]:
		return true
	case s.bytes+n > maxRead:
		return false
	case s.read == nil:
		s.read = map[string]bool{}
	}
	s.read[key] = true
	s.bytes += n
	return true
}

// Refuse records why a file is not read whole.
func (s *BoundedSource) Refuse(path, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == nil {
		s.why = map[string]string{}
	}
	s.why[path] = why
}

// Refused returns why a version of the file was not read whole, or "" if none was refused.
func (s *BoundedSource) Refused(f *diff.File) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.why[f.Path], s.why[f.BasePath()])
}

// RefusedPath reports whether a version of the file at a path was refused.
func (s *BoundedSource) RefusedPath(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why[path] != ""
}
