package check

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
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

// conflict is the beginning of an unfinished merge, with its added lines up to the end.
type conflict struct {
	start diff.Line
	text  []string
}

// conflicts finds markers of an unfinished merge, which it reports as [perPlace] divides them. Markers within a string of a test are
// its input and do not count.
func conflicts(ctx context.Context, f *diff.File, src Source) (checkResult, error) {
	if showsConflicts(f) {
		return checkResult{}, nil
	}
	var starts []conflict
	last, open := 0, false // the line of the last end
	err := added(ctx, f, func(l diff.Line) {
		switch text := strings.TrimPrefix(l.Text, "\ufeff"); {
		case strings.HasPrefix(text, conflictStart):
			starts, open = append(starts, conflict{start: l}), true
		case strings.HasPrefix(text, ">>>>>>> "):
			last, open = l.New, false
		}
		if open {
			c := &starts[len(starts)-1]
			c.text = append(c.text, clip.Line(l.Text))
		}
	})
	if err != nil || len(starts) == 0 || last == 0 {
		return checkResult{}, err
	}
	if inSamples(f) {
		spansOf, err := spanFinder(ctx, f, src)
		if err != nil {
			return checkResult{}, err
		}
		starts = slices.DeleteFunc(starts, func(c conflict) bool {
			return slices.ContainsFunc(spansOf(c.start), func(s span) bool {
				return s.start == 0 && s.end == len(c.start.Text) && !s.comment && !s.prose
			})
		})
	}
	starts = slices.DeleteFunc(starts, func(c conflict) bool { return c.start.New > last })
	var out checkResult
	for _, group := range perPlace(starts) {
		var about []string
		for _, c := range group {
			about = append(about, c.text...)
		}
		out.seen = append(out.seen, sightingOf(domain.Finding{
			Origin: domain.OriginStatic, RuleID: "assay/conflict-marker", Category: domain.CategoryBug, Severity: domain.High,
			Title:       wording.English(wording.TitleConflict),
			Explanation: wording.English(wording.SayConflict),
			Anchor:      Place(f, group[0].start.New, group[0].start.New),
			Subject:     strings.Join(about, "\n"),
			FirstPlace:  strings.Join(group[0].text, "\n"),
		}))
	}
	if len(starts) > maxPlaceFindings {
		out.unread = WhyCut
	}
	return out, nil
}
