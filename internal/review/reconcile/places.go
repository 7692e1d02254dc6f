package reconcile

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// Apart returns a report for each further place of a candidate that was merged into another finding, so that no place is lost. A
// place must be on a changed line, the finding must not have it, and no item may report the defect there.
func (r *Reconciler) Apart(ctx context.Context, it *finding.Item, stands domain.Finding, items []*finding.Item) (out []*finding.Item) {
	has := stands
	if stands.ID != "" {
		has.Anchor = it.Anchor // its own is that of an earlier head
		if p := r.Place(ctx, stands); p.Stands {
			has.Anchor = p.Anchor
		}
	}
	for _, e := range it.AlsoAt() {
		f := r.Set.File(e.Path)
		if f == nil || f.Path != e.Path || !change.HasChanged(f, domain.Right, e.Start, e.End) {
			continue
		}
		a := finding.PlaceAnchor(e)
		res, err := anchor.Locate(ctx, &a, r.Set, r.Source)
		part := it.At(a)
		there := func(o *finding.Item) bool { return sameDefect(o, part) }
		if err != nil || !res.Inline() || slices.ContainsFunc(slices.Concat(items, out), there) {
			continue
		}
		if has := (&finding.Item{Finding: has}); !has.AddPlaces(e) {
			continue
		}
		part.Changed = res.Changed
		r.Locate(ctx, part)
		out = append(out, part)
	}
	return out
}

// sameDefect reports whether an item has the defect of a further place on its lines: by its rule, in its words, or as a check does.
func sameDefect(o, part *finding.Item) bool {
	return o.Anchor.Path == part.Anchor.Path && o.Anchor.Side != domain.Left && finding.Overlap(o.Anchor, part.Anchor, 0) &&
		(domain.NamesDefect(part.RuleID) && o.HasRule(part.RuleID) || finding.LikeTexts(o.Words(), part.Words()) ||
			o.Deterministic() && kin(o, part))
}
