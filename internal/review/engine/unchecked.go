package engine

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/wording"
)

// Checks run the deterministic checks of a review: [check.Checker] in this
// process, [check.Confined] in a child process with limits.
type Checks interface {
	Run(ctx context.Context, set *diff.Set, src check.Source, opt check.Options) (check.Result, error)
}

// Reasons of the coverage for files that could not be checked within bounds.
const (
	whyUnchecked     = "could not be checked within bounds"
	whyUncheckedFile = "file could not be checked within bounds: only changed lines looked at"
)

// withhold takes the hunks out of files that no model may see: those with more secrets than can be replaced,
// and those that could not be checked, so that their secrets are unknown.
func withhold(set *diff.Set, det check.Result) {
	for _, f := range set.Files {
		why := det.Withheld[f.Path]
		if slices.Contains(det.Unchecked, f.Path) {
			why = whyUnchecked
		}
		if why != "" {
			f.Hunks, f.Omitted = nil, why
		}
	}
}

// uncheckedNotice says in a sentence that files were not checked, "" where all were.
func uncheckedNotice(unchecked []string) string {
	if len(unchecked) == 0 {
		return ""
	}
	return wording.English(wording.NoticeUnchecked, len(unchecked))
}

// checkedSource reads files whose secrets are replaced. A file that could not be
// searched for them is absent, so that the diff has to do, and that is remembered.
type checkedSource struct {
	change.Source
	bounds *change.BoundedSource
}

// Blob implements [Source].
func (s checkedSource) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	b, err := s.Source.Blob(ctx, side, path)
	if errors.Is(err, check.ErrUnchecked) {
		s.bounds.Refuse(path, whyUncheckedFile)
		return nil, fs.ErrNotExist
	}
	return b, err
}
