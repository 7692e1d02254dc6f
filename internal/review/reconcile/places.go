package reconcile

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// Apart makes reports of their own of the further places of a candidate that another finding stands for, so that no place is lost
// with it. A place must be on a changed line, the finding must not have it, and no item may report its rule there.
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
		a := domain.Anchor{Path: f.Path, Side: domain.Right, Level: domain.AnchorLine, StartLine: e.Start, EndLine: e.End, Quote: e.Quote}
		res, err := anchor.Locate(ctx, &a, r.Set, r.Source)
		there := func(o *finding.Item) bool {
			return o.Anchor.Path == a.Path && finding.Overlap(o.Anchor, a, 0) && o.RuleID == it.RuleID
		}
		if err != nil || !res.Inline() || slices.ContainsFunc(slices.Concat(items, out), there) {
			continue
		}
		if has := (&finding.Item{Finding: has}); !has.AddPlaces(e) {
			continue
		}
		part := it.At(a)
		part.Changed = res.Changed
		r.Locate(ctx, part)
		out = append(out, part)
	}
	return out
}
