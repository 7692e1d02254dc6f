package check

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// conflictStart is git's mark at the beginning of a conflict.
const conflictStart = "<<<<<<< "

// fixtureDirs are folders of files that tests read as they are.
var fixtureDirs = strings.Fields("testdata test-data fixtures fixture __fixtures__ __snapshots__ snapshots")

// showsConflicts reports whether a file may contain whole conflicts on purpose: a document, a patch, or
// test data.
func showsConflicts(f *diff.File) bool {
	if f.Class == diff.ClassDocs {
		return true
	}
	lower := strings.ToLower(f.Path)
	switch path.Ext(lower) {
	case ".patch", ".diff", ".rej", ".snap":
		return true
	}
	dirs := strings.Split(path.Dir(lower), "/")
	return slices.ContainsFunc(dirs, func(d string) bool { return slices.Contains(fixtureDirs, d) }) || f.Language == "" && inSamples(f)
}

// conflicts finds markers of an unfinished merge. Markers within a string of a test are its input and do
// not count.
func conflicts(ctx context.Context, f *diff.File, src Source) (checkResult, error) {
	if showsConflicts(f) {
		return checkResult{}, nil
	}
	var starts, ends []diff.Line
	err := added(ctx, f, func(l diff.Line) {
		switch text := strings.TrimPrefix(l.Text, "\ufeff"); {
		case strings.HasPrefix(text, conflictStart):
			starts = append(starts, l)
		case strings.HasPrefix(text, ">>>>>>> "):
			ends = append(ends, l)
		}
	})
	if err != nil || len(starts) == 0 || len(ends) == 0 {
		return checkResult{}, err
	}
	if inSamples(f) {
		spansOf, err := spanFinder(ctx, f, src)
		if err != nil {
			return checkResult{}, err
		}
		starts = slices.DeleteFunc(starts, func(l diff.Line) bool {
			return slices.ContainsFunc(spansOf(l), func(s span) bool { return s.start == 0 && s.end == len(l.Text) && !s.comment && !s.prose })
		})
	}
	last := ends[len(ends)-1].New
	starts = slices.DeleteFunc(starts, func(l diff.Line) bool { return l.New > last })
	if len(starts) == 0 {
		return checkResult{}, nil
	}
	return singleSighting(domain.Finding{
		Origin: domain.OriginStatic, RuleID: "assay/conflict-marker", Category: domain.CategoryBug, Severity: domain.High,
		Title:       wording.English(wording.TitleConflict),
		Explanation: wording.English(wording.SayConflict),
		Anchor:      place(f, starts[0].New, starts[0].New),
	}), nil
}
