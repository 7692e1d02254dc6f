package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// touchesChange reports whether the change has lines in the symbol in which a finding
// stands, or where no symbol is known, in its own lines.
func (w *work) touchesChange(ctx context.Context, it *finding.Item) bool {
	a := it.Anchor
	file := w.set.File(a.Path)
	if file == nil || a.Level != domain.AnchorLine {
		return false
	}
	first, last := a.StartLine, a.EndLine
	if a.Side != domain.Left {
		if name, from, to := w.symbol(ctx, a.Path, a.StartLine); name != "" {
			first, last = min(first, from), max(last, to)
		}
	}
	return change.HasChanged(file, a.Side, first, last)
}

// markReportedElsewhere marks findings about old code that a published review of another pull request of the repository
// shows. It leaves out findings whose fingerprint others can share, so that none of them is hidden for another one.
func (w *work) markReportedElsewhere(ctx context.Context, items []*finding.Item) error {
	if w.in.Elsewhere == nil {
		return nil
	}
	old := slices.DeleteFunc(slices.Clone(items), func(it *finding.Item) bool {
		return it.Scope != "pre_existing" || !it.HasPrintOfPlace()
	})
	var prints []string
	for _, it := range old {
		if it.Severity >= domain.High && it.Fingerprints.Exact != "" {
			prints = append(prints, it.Fingerprints.Exact)
		}
	}
	if len(prints) == 0 {
		return nil
	}
	said, err := w.in.Elsewhere(ctx, prints)
	if err != nil {
		return fmt.Errorf("ask what other pull requests were told: %w", err)
	}
	for _, it := range old {
		if said[it.Fingerprints.Exact] {
			it.ToldBy = finding.InOtherReview
		}
	}
	return nil
}
