package engine

import (
	"context"
	"io/fs"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// maxFileText is how many bytes of one file's hunks a model may be shown: a few
// times what the largest context takes. What is beyond is named in the coverage.
const maxFileText = 1 << 20

// What the coverage says of files that are beyond a bound, besides the reasons
// of [diff.File.Omitted].
const (
	whyLargeChange = "change too large for a model"
	whyLargeFile   = "file too large: only changed lines looked at"
	whyNotSelected = "change too large: deterministic checks only"
)

// What the coverage says of files that no model is wanted for, besides the words
// of [diff.Class].
const (
	whyExcluded    = "excluded by the policy"
	whyNotIncluded = "not included by the policy"
	whyBinary      = "binary"
)

// Bounded reports whether the file was left out, or not looked at whole, because
// of its size or of what the host gives: no policy and no kind of file asks for it.
func (n FileNote) Bounded() bool {
	switch n.Why {
	case whyLargeChange, whyLargeFile, diff.OmittedLarge, diff.OmittedByHost, diff.OmittedUnreadable:
		return true
	}
	return false
}

// ByChoice reports whether nobody wanted a model to look at more of the file: by
// policy, by its kind, or because no part of it is for a model.
func (n FileNote) ByChoice() bool {
	class := diff.Class(n.Why)
	switch n.Why {
	case "", checksOnly, whyExcluded, whyNotIncluded, whyBinary:
		return true
	}
	return class.Ignored() || class == diff.ClassSubmodule || class == diff.ClassSymlink
}

// Unread lists the files of which no model saw all that one should have seen, in
// the order of the diff and with the reason; a review with one is incomplete.
func (r Result) Unread() (out []FileNote) {
	down := r.ModelState == ModelUnavailable
	for _, l := range [][]FileNote{r.Coverage.Skimmed, r.Coverage.Skipped} {
		for _, f := range l {
			if !f.ByChoice() || down && f.Why == checksOnly {
				out = append(out, f)
			}
		}
	}
	return out
}

// leftOut counts the files whose change no model saw because of a bound.
func (c Coverage) leftOut() (n int) {
	for _, l := range [][]FileNote{c.Skimmed, c.Skipped} {
		for _, f := range l {
			if f.Bounded() && f.Why != whyLargeFile {
				n++
			}
		}
	}
	return n
}

// boundedSource reads through another source. A file that it refuses as too
// large is absent, so that the diff has to do, and its path is remembered. It is
// safe for concurrent use.
type boundedSource struct {
	Source
	mu    sync.Mutex
	large map[string]bool
}

// Blob implements [Source].
func (s *boundedSource) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	b, err := s.Source.Blob(ctx, side, path)
	if !errs.Is(err, errs.TooLarge) {
		return b, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.large == nil {
		s.large = map[string]bool{}
	}
	s.large[path] = true
	return nil, fs.ErrNotExist
}

// refused reports whether a version of the file was too large to be read.
func (s *boundedSource) refused(f *diff.File) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.large[f.Path] || s.large[f.BasePath()]
}

// overlong reports whether a file's hunks hold more text than a model may be shown.
func overlong(f *diff.File) bool {
	n := 0
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if n += len(l.Text) + 1; n > maxFileText {
				return true
			}
		}
	}
	return false
}

// unseen reports whether a change of the file, or the file itself, was beyond a
// bound: that something is not found there says nothing.
func (w *work) unseen(path string) bool {
	f := w.set.File(path)
	return f != nil && (f.Omitted != "" || overlong(f) || w.bounds.refused(f))
}
