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
// with it. A place must be on a changed line, the finding must not have it, and no item may report the defect there.
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
		part := it.At(a)
		if err != nil || !res.Inline() || slices.ContainsFunc(slices.Concat(items, out), func(o *finding.Item) bool { return reports(o, part) }) {
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

// reports reports whether an item reports the defect of a further place on its lines: by its rule, in its words, or as a check does.
func reports(o, part *finding.Item) bool {
	return o.Anchor.Path == part.Anchor.Path && o.Anchor.Side != domain.Left && finding.Overlap(o.Anchor, part.Anchor, 0) &&
		(finding.NamesDefect(part.RuleID) && o.HasRule(part.RuleID) || finding.LikeTexts(o.Words(), part.Words()) ||
			o.Deterministic() && kin(o, part))
}
