package engine

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
)

// Bounds of the search for code that was moved.
const (
	minMoved  = 12 // fewest characters without white space that are known again elsewhere: "return nil" stands in many places
	maxPlaces = 20 // places with the same first line that are looked at
)

// added is where lines stand that no earlier run has reviewed, by their code
// without white space.
type added map[string][]spot

type spot struct {
	file *diff.File
	line int
}

// newLines lists the added lines of hunks that no earlier run has reviewed.
func newLines(set *diff.Set, reviewed map[string]bool) added {
	out := added{}
	for _, f := range set.Files {
		for _, h := range f.Hunks {
			if reviewed[h.ID] || f.Class.Ignored() {
				continue
			}
			for _, l := range h.Lines {
				if code := squeeze(l.Text); l.Op == diff.Add && code != "" && len(out[code]) < maxPlaces {
					out[code] = append(out[code], spot{f, l.New})
				}
			}
		}
	}
	return out
}

// moved finds the quotation of an anchor whose code is gone from its file: in the
// file that the change has renamed it to, else as lines that are new in another
// file. Among several places one in the same symbol comes first.
func (w *work) moved(ctx context.Context, a domain.Anchor) (domain.Anchor, bool) {
	if w.set.File(a.Path) == nil {
		for _, f := range w.set.Files {
			if f.BasePath() != a.Path || f.Status == diff.Deleted {
				continue
			}
			if b, res, err := w.at(ctx, a, spot{f, a.StartLine}); err == nil && res.Kind != anchor.Dropped {
				return b, true
			}
		}
	}
	if len(squeeze(a.Quote)) < minMoved {
		return a, false
	}
	if w.added == nil {
		w.added = newLines(w.set, w.in.ReviewedHunks)
	}
	first, _, _ := strings.Cut(strings.TrimLeft(a.Quote, "\r\n"), "\n")
	best, found := a, false
	for _, s := range w.added[squeeze(first)] {
		if s.file.Path == a.Path {
			continue // it was looked for there
		}
		b, res, err := w.at(ctx, a, s)
		if err != nil || !res.Inline() || !res.Changed || w.in.ReviewedHunks[b.HunkID] {
			continue
		}
		if !found || b.Symbol == a.Symbol && best.Symbol != a.Symbol {
			best, found = b, true
		}
	}
	return best, found
}

// at looks for the quotation of an anchor at a line of another file.
func (w *work) at(ctx context.Context, a domain.Anchor, s spot) (domain.Anchor, anchor.Outcome, error) {
	b := a
	b.Path, b.OldPath, b.Side = s.file.Path, s.file.OldPath, domain.Right
	b.StartLine, b.EndLine = s.line, s.line+max(a.EndLine-a.StartLine, 0)
	res, err := anchor.Locate(ctx, &b, w.set, w.src)
	return b, res, err
}
