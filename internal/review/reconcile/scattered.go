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

// apart finds the lines of a longer quotation that is not whole anywhere, outside the place where its other
// lines were edited. Each line must be the only equal one that no run has reviewed. Short lines count next to
// that place, or below all lines that stood above the quotation. The first line with enough characters comes
// back as first, because models quote on beyond their subject.
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

// nextTo returns the spots within a few lines of a place that was edited.
func nextTo(stays Place, spots []spot) (out []spot) {
	for _, s := range spots {
		a := stays.Anchor
		if stays.edited && s.file.Path == a.Path && a.StartLine-finding.LineSlack <= s.line() && s.line() <= a.EndLine+finding.LineSlack {
			out = append(out, s)
		}
	}
	return out
}

// along returns the spots below all lines that stood above an earlier finding, if enough of those are known:
// the block was moved with them.
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

// resembles reports whether a line of a place equals another line or is an edited form of it.
func resembles(a domain.Anchor, line string) bool {
	words := anchor.CountWords(line)
	return slices.ContainsFunc(strings.Split(a.Quote, "\n"), func(l string) bool {
		return change.StripSpace(l) == change.StripSpace(line) || finding.LikeTexts(anchor.CountWords(l), words)
	})
}
