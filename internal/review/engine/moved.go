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
	minMoved  = 16    // fewest characters without white space that are known again elsewhere: "return nil" stands in many places
	maxMoved  = 2_000 // bytes of a line that is known again
	maxPlaces = 20    // places with the same first line that are looked at
)

// added is where lines stand that no earlier run has reviewed, by their code
// without white space.
type added map[string][]spot

// spot is a line of a hunk, by its index.
type spot struct {
	file *diff.File
	hunk *diff.Hunk
	at   int
}

// newLines lists the added lines of hunks that no earlier run has reviewed.
func newLines(set *diff.Set, reviewed map[string]bool) added {
	out := added{}
	for _, f := range set.Files {
		for _, h := range f.Hunks {
			if reviewed[h.ID] || f.Class.Ignored() {
				continue
			}
			for i, l := range h.Lines {
				if l.Op != diff.Add || len(l.Text) > maxMoved {
					continue
				}
				if code := squeeze(l.Text); code != "" && len(out[code]) < maxPlaces {
					out[code] = append(out[code], spot{f, h, i})
				}
			}
		}
	}
	return out
}

// reads returns the new lines from a spot on whose code is the wanted one, white
// space aside; "" where another stands there.
func (s spot) reads(want string) string {
	var lines []string
	code := ""
	for _, l := range s.hunk.Lines[s.at:] {
		if l.Op == diff.Delete {
			continue
		}
		if len(l.Text) > maxMoved {
			return ""
		}
		lines, code = append(lines, l.Text), code+squeeze(l.Text)
		if len(code) >= len(want) || !strings.HasPrefix(want, code) {
			break
		}
	}
	if code != want {
		return ""
	}
	return strings.Join(lines, "\n")
}

// moved finds the quotation of an anchor whose code is gone from its file: in the
// file that the change has renamed it to, else as lines that are new in another
// file. Of several places only one in the same symbol is taken for it.
func (w *work) moved(ctx context.Context, a domain.Anchor) (domain.Anchor, bool) {
	if w.set.File(a.Path) == nil {
		for _, f := range w.set.Files {
			if f.BasePath() != a.Path || f.Status == diff.Deleted {
				continue
			}
			if b, res, err := w.at(ctx, a, f, a.StartLine); err == nil && res.Kind != anchor.Dropped {
				return b, true
			}
		}
	}
	code := squeeze(a.Quote)
	if len(code) < minMoved {
		return a, false
	}
	if w.added == nil {
		w.added = newLines(w.set, w.in.ReviewedHunks)
	}
	first, _, _ := strings.Cut(strings.TrimLeft(a.Quote, "\r\n"), "\n")
	best, found := a, 0
	for _, s := range w.added[squeeze(first)] {
		quote := s.reads(code)
		if s.file.Path == a.Path || quote == "" { // in its own file it was looked for
			continue
		}
		there := a
		there.Quote = quote
		b, res, err := w.at(ctx, there, s.file, s.hunk.Lines[s.at].New)
		if err != nil || !res.Inline() || !res.Changed || w.in.ReviewedHunks[b.HunkID] {
			continue
		}
		if found++; found == 1 || b.Symbol == a.Symbol && best.Symbol != a.Symbol {
			best = b
		}
	}
	if found > 1 && best.Symbol != a.Symbol { // nobody knows which it is
		return a, false
	}
	return best, found > 0
}

// at looks for the quotation of an anchor at a line of another file.
func (w *work) at(ctx context.Context, a domain.Anchor, f *diff.File, line int) (domain.Anchor, anchor.Outcome, error) {
	b := a
	b.Path, b.OldPath, b.Side = f.Path, f.OldPath, domain.Right
	b.StartLine, b.EndLine = line, line+strings.Count(a.Quote, "\n")
	res, err := anchor.Locate(ctx, &b, w.set, w.src)
	return b, res, err
}
