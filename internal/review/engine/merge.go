package engine

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
)

// merge leaves one of the items that report the same defect. The further places of a report that a check stands for are reports.
func (w *work) merge(ctx context.Context, items []*finding.Item) ([]*finding.Item, error) {
	kept, lost, err := reconcile.Cluster(ctx, items)
	if err != nil {
		return nil, err
	}
	w.drop(whyDuplicate, len(lost))
	for _, m := range lost {
		w.discard(Discarded{Why: whyDuplicate, Finding: m.Lost.Finding, into: m.Into.Fingerprints.Exact})
		if m.Into.Deterministic() && !m.Lost.Deterministic() { // no verifier checks the finding of a check
			kept = append(kept, w.reconciler.Apart(ctx, m.Lost, m.Into.Finding, kept)...)
		}
	}
	return kept, nil
}

// reconcile recognises earlier findings among the items, and decides what becomes of the others.
func (w *work) reconcile(ctx context.Context, items []*finding.Item) (reconcile.Result, error) {
	rec, err := w.reconciler.Reconcile(ctx, items, w.withStandingPlaces(ctx, w.in.Known))
	if err != nil {
		return reconcile.Result{}, err
	}
	for _, d := range rec.Decided {
		why := whyDismissed
		if d.Earlier.State == domain.FindingSuppressed {
			why = whySuppressed
			d.Now.SuppressedBy = d.Suppression
		}
		w.drop(why, 1)
		w.discard(Discarded{Why: why, FindingID: d.Earlier.ID, Finding: d.Now})
	}
	return rec, nil
}
