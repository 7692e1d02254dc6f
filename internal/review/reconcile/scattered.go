package reconcile

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// apart finds lines of a quotation of several that is nowhere whole, outside the place
// at which its other lines were edited: each as the only equal line that no run has
// reviewed, in whichever file, or next to that place, or below all that stood above the
// quotation, where a few characters do. The first line that says anything is told from
// the others: a model that quotes more than it speaks of quotes on.
func (r *Reconciler) apart(ctx context.Context, k domain.Finding, stays Place) (first *domain.Anchor, others []domain.Anchor) {
	lines := strings.Split(k.Anchor.Quote, "\n")
	if len(lines) == 1 {
		return nil, nil
	}
	about := max(slices.IndexFunc(lines, func(l string) bool { return len(change.StripSpace(l)) >= minMoved }), 0)
	for i, l := range lines {
		code := change.StripSpace(l)
		spots := r.added[code]
		if beside := nextTo(stays, spots); len(beside) == 1 {
			spots = beside
		} else if along := r.along(ctx, k, spots); i == 0 && len(along) == 1 {
			spots = along
		} else if len(code) < minMoved {
			continue
		}
		if len(spots) != 1 || stays.edited && resembles(stays.Anchor, l) {
			continue
		}
		a := k.Anchor
		a.Quote = l
		b, res, err := r.at(ctx, a, spots[0].file, spots[0].line())
		switch {
		case err != nil || !res.Inline() || !res.Changed || b.HunkID != spots[0].hunk.ID:
		case i == about:
			first = &b
		default:
			others = append(others, b)
		}
	}
	return first, others
}

// nextTo are the spots within a few lines of a place that was edited.
func nextTo(stays Place, spots []spot) (out []spot) {
	for _, s := range spots {
		a := stays.Anchor
		if stays.edited && s.file.Path == a.Path && a.StartLine-finding.LineSlack <= s.line() && s.line() <= a.EndLine+finding.LineSlack {
			out = append(out, s)
		}
	}
	return out
}

// along are the spots that stand below all the lines that stood above an earlier finding,
// where enough are known: a block was moved with them.
func (r *Reconciler) along(ctx context.Context, k domain.Finding, spots []spot) (out []spot) {
	above := domain.Around{Above: k.Around.Above}
	if len(above.Above) < fewestNeighbours {
		return nil
	}
	for _, s := range spots[:min(len(spots), maxPlaces)] {
		if n, err := anchor.Likeness(ctx, r.Source, s.file, s.line(), s.line(), above); err == nil && n == len(above.Above) {
			out = append(out, s)
		}
	}
	return out
}

// resembles reports whether one of the lines of a place is another one, or was made of
// it.
func resembles(a domain.Anchor, line string) bool {
	words := anchor.CountWords(line)
	return slices.ContainsFunc(strings.Split(a.Quote, "\n"), func(l string) bool {
		return change.StripSpace(l) == change.StripSpace(line) || finding.LikeTexts(anchor.CountWords(l), words)
	})
}
