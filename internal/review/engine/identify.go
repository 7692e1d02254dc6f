package engine

import (
	"context"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// identify names every hunk by the part of the file in which it stands. It reads the files one after the other
// and keeps the parts of one only.
func identify(ctx context.Context, set *diff.Set, src change.Source) error {
	var of *diff.File
	var outline *structure.Outline
	set.Identify(func(f *diff.File, h *diff.Hunk) string {
		if f != of {
			of, outline = f, outlineOf(ctx, f, src)
		}
		if outline == nil {
			return h.Section
		}
		return outline.Place(change.FirstChanged(h), h.Section)
	})
	return ctx.Err()
}

// outlineOf reads the parts of a file at the head. It returns nil if they are not needed or the file cannot be
// read.
func outlineOf(ctx context.Context, f *diff.File, src change.Source) *structure.Outline {
	if ctx.Err() != nil || f.Class.Ignored() || f.Status == diff.Deleted {
		return nil
	}
	blob, err := src.Blob(ctx, domain.Right, f.Path)
	if err != nil {
		return nil
	}
	return structure.Read(f.Language, blob)
}
