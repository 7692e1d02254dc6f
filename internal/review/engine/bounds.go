package engine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/snapshot"
)

// maxFileText is how many bytes of one file's hunks a model may be shown: a few
// times what the largest context takes. What is beyond is named in the coverage.
const maxFileText = 1 << 20

// What the coverage says of files that are beyond a bound, besides the reasons
// of [diff.File.Omitted].
const (
	whyLargeChange = "change too large for a model"
	whyLargeFile   = "file too large: only changed lines looked at"
	whyManyFiles   = "beyond the files that are read through the code host: only changed lines looked at"
	whyNotSelected = "not among the riskiest lines of a large change"
	whyReduced     = "reduced review"
	whyOutputs     = "outputs of a notebook not shown"
	whyLongData    = "only the beginning of long lines of data shown"
)

// What the coverage says of files that no model is wanted for, besides the words
// of [diff.Class].
const (
	whyExcluded    = "excluded by the policy"
	whyNotIncluded = "not included by the policy"
	whyBinary      = "binary"
	whyDeleted     = "deleted"
	whyNoLine      = "no line changed"
)

// maxUnknownText is maxFileText for a text of no known language, which may be data.
const maxUnknownText = 128 << 10

// Bounded reports whether the file was left out, or not looked at whole, because
// of its size or of what the host gives: no policy and no kind of file asks for it.
func (n FileNote) Bounded() bool {
	switch n.Why {
	case whyLargeChange, whyLargeFile, whyManyFiles, whyUnchecked, whyUncheckedFile, diff.OmittedLarge, diff.OmittedByHost, diff.OmittedUnreadable, diff.OmittedPath,
		check.WhyWorkflow, check.WhyGo, check.WhyCut, check.WhySecrets, check.WhyBinary:
		return true
	}
	return n.unproven()
}

// unproven reports whether the file was left out although nothing proves that no person
// wrote it.
func (n FileNote) unproven() bool {
	switch n.Why {
	case diff.NoteUnproven, diff.NoteVendored, diff.NoteLFS, diff.NoteWasText, diff.NoteNoText:
		return true
	}
	return false
}

// unseen reports whether a bound kept the change of the file from every model.
func (n FileNote) unseen() bool {
	switch n.Why {
	case whyLargeFile, whyManyFiles, whyUncheckedFile, check.WhyWorkflow, check.WhyGo, check.WhyCut, check.WhyBinary:
		return false
	}
	return n.Bounded()
}

// ByChoice reports whether nobody wanted a model to look at more of the file: by
// policy, by its kind, or because no part of it is for a model.
func (n FileNote) ByChoice() bool {
	class := diff.Class(n.Why)
	switch n.Why {
	case "", checksOnly, whyExcluded, whyNotIncluded, whyBinary, whyDeleted, whyNoLine, whyOutputs, whyLongData, diff.NoteMarked, diff.NoteMinified, diff.NoteByMark, diff.NoteVendoredEdit:
		return true
	}
	return class.Ignored() || class == diff.ClassSubmodule || class == diff.ClassSymlink
}

// ForModel reports whether only the lack of a model kept one from the file.
func (n FileNote) ForModel() bool { return n.Why == checksOnly }

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

// count counts the files that were not reviewed whole and of which something holds.
func (c Coverage) count(holds func(FileNote) bool) (n int) {
	for _, l := range [][]FileNote{c.Skimmed, c.Skipped} {
		for _, f := range l {
			if holds(f) {
				n++
			}
		}
	}
	return n
}

// boundedSource reads through another source. A file that it refuses as too
// large is absent, so that the diff has to do, and that is remembered. It is safe
// for concurrent use.
type boundedSource struct {
	Source
	mu    sync.Mutex
	why   map[string]string // path to what the coverage says
	read  map[string]bool   // by side and path
	bytes int               // of those, each counted once
}

// maxRead bounds the bytes of all versions of files that one review reads. It is
// room for 4,000 files of 30 KB, before and after.
const maxRead = 256 << 20

// Blob implements [Source].
func (s *boundedSource) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
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
	why := whyLargeFile
	if e, ok := errors.AsType[*errs.Error](err); ok && e.Code == snapshot.CodeReads {
		why = whyManyFiles
	}
	s.remember(path, why)
	return nil, fs.ErrNotExist
}

// room counts a version of a file.
func (s *boundedSource) room(key string, n int) bool {
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

// remember notes why a file could not be read whole.
func (s *boundedSource) remember(path, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == nil {
		s.why = map[string]string{}
	}
	s.why[path] = why
}

// refused says why a version of the file could not be read whole, "" where it could.
func (s *boundedSource) refused(f *diff.File) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.why[f.Path], s.why[f.BasePath()])
}

// refusedPath reports whether a version of the file is there and was not read.
func (s *boundedSource) refusedPath(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why[path] != ""
}

// overlong reports whether a file's hunks hold more text than a model may be shown.
func overlong(f *diff.File) bool {
	n, most := 0, maxFileText
	if f.Language == "" && f.Class == diff.ClassSource {
		most = maxUnknownText
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if n += len(l.Text) + 1; n > most {
				return true
			}
		}
	}
	return false
}

// overlongFiles are the files whose hunks hold more text than a model may be shown.
func overlongFiles(set *diff.Set) map[*diff.File]bool {
	out := map[*diff.File]bool{}
	for _, f := range set.Files {
		if overlong(f) {
			out[f] = true
		}
	}
	return out
}

// unseen reports whether a change of the file, or the file itself, was beyond a
// bound: that something is not found there says nothing.
func (w *work) unseen(path string) bool {
	f := w.set.File(path)
	return f != nil && (f.Omitted != "" || w.long[f] || w.refused(f) != "")
}

// refused says why a version of the file was not read whole, "" where it was.
func (w *work) refused(f *diff.File) string {
	if why := w.bounds.refused(f); why != "" {
		return why
	}
	if w.redacted.Refused(f.Path) || w.redacted.Refused(f.BasePath()) {
		return whyLargeFile
	}
	return ""
}
