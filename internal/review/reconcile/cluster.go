package reconcile

import (
	"cmp"
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/finding"
)

// Absorbed is an item that was merged into another one.
type Absorbed struct{ Lost, Into *finding.Item }

// Cluster merges items about the same defect. It returns one of each group, and for each other item the one
// that it was merged into. All distinct findings of checks survive, and those of models only add to them.
// Items are compared within their file. Two items of one answer are two defects unless they have one name,
// because the model saw both. The error is the context's.
func Cluster(ctx context.Context, items []*finding.Item) (kept []*finding.Item, lost []Absorbed, err error) {
	parent := make([]int, len(items))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	members := make([][]int, len(items))
	for i := range items {
		members[i] = []int{i}
	}
	join := func(i int, with []int) {
		for _, j := range closest(items, i, with) {
			a, b := find(i), find(j)
			if a == b || apart(items, i, j, members[a], members[b]) {
				continue
			}
			parent[a] = b
			members[b] = append(members[b], members[a]...)
		}
	}
	equal, models, all := map[string][]int{}, map[string][]int{}, map[string][]int{} // by print, and by path
	for i, it := range items {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		path, print := it.Anchor.Path, it.Fingerprints.Exact
		if it.Deterministic() {
			join(i, equal[print])
			join(i, models[path])
			equal[print] = []int{i} // the others are joined to it or have another rule
		} else {
			join(i, all[path])
			models[path] = append(models[path], i)
		}
		all[path] = append(all[path], i)
	}
	kept, lost = survivors(items, find)
	return kept, lost, nil
}

// survivors merges each group, whose members have the same root, and returns what is left in the order of the diff.
func survivors(items []*finding.Item, root func(i int) int) (kept []*finding.Item, lost []Absorbed) {
	groups := map[int][]*finding.Item{}
	for i, it := range items {
		groups[root(i)] = append(groups[root(i)], it)
	}
	for i := range items {
		group := groups[i]
		if len(group) == 0 {
			continue
		}
		left := merge(group)
		kept = append(kept, left...)
		for _, it := range group {
			if !slices.Contains(left, it) {
				lost = append(lost, Absorbed{it, left[0]})
			}
		}
	}
	slices.SortStableFunc(kept, func(a, b *finding.Item) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Anchor.StartLine, b.Anchor.StartLine))
	})
	return kept, lost
}

// closest returns the items that are the same as one of a model, the likest first. Those of a check keep their
// order.
func closest(items []*finding.Item, i int, with []int) []int {
	out := slices.DeleteFunc(slices.Clone(with), func(j int) bool { return !same(items[i], items[j]) })
	if it := items[i]; len(out) > 1 && !it.Deterministic() {
		slices.SortStableFunc(out, func(a, b int) int {
			x, y := items[a], items[b]
			return cmp.Or(finding.TrueFirst(x.Fingerprints.Exact == it.Fingerprints.Exact, y.Fingerprints.Exact == it.Fingerprints.Exact),
				finding.TrueFirst(x.RuleID == it.RuleID, y.RuleID == it.RuleID),
				cmp.Compare(anchor.Cosine(y.Words(), it.Words()), anchor.Cosine(x.Words(), it.Words())))
		})
	}
	return out
}

// apart reports whether two items of models must stay two, because their groups hold two reports of one
// answer. The pass that told those apart knows better than another pass that is like both.
func apart(items []*finding.Item, i, j int, of, with []int) bool {
	if items[i].Deterministic() || items[j].Deterministic() {
		return false
	}
	for _, a := range of {
		for _, b := range with {
			x, y := items[a], items[b]
			if !x.Deterministic() && !y.Deterministic() && x.Answer == y.Answer && !same(x, y) {
				return true
			}
		}
	}
	return false
}

// same reports whether two items of one run are the same defect.
func same(a, b *finding.Item) bool {
	if a.Deterministic() && b.Deterministic() {
		return a.Origin == b.Origin && a.RuleID == b.RuleID && a.Fingerprints.Exact != "" &&
			a.Fingerprints.Exact == b.Fingerprints.Exact
	}
	if a.Anchor.Path != b.Anchor.Path || a.Anchor.Side != b.Anchor.Side {
		return false
	}
	if a.Fingerprints.Exact != "" && a.Fingerprints.Exact == b.Fingerprints.Exact && a.HasDistinctPrint() && b.HasDistinctPrint() &&
		(a.HasPrintOfPlace() && b.HasPrintOfPlace() || finding.LikeTexts(a.Words(), b.Words())) {
		return true
	}
	if a.Deterministic() || b.Deterministic() {
		return finding.Overlap(a.Anchor, b.Anchor, 0) && kin(a, b)
	}
	if a.Answer == b.Answer {
		return false
	}
	return sharePlace(a, b) && domain.NamesDefect(a.RuleID) && a.RuleID == b.RuleID ||
		mostly(a.Anchor, b.Anchor) && finding.LikeTexts(a.Words(), b.Words())
}

// sharePlace reports whether two items of models share a line, or, outside the diff, code or words.
func sharePlace(a, b *finding.Item) bool {
	return finding.Overlap(a.Anchor, b.Anchor, 0) && (a.Anchor.Level == domain.AnchorLine ||
		quotes(a.Anchor.Quote, b.Anchor.Quote) || finding.LikeTexts(a.Words(), b.Words()))
}

// kin reports whether a finding of a check and one of a model may be about the same thing: they have the same
// category, or the model noticed a secret too.
func kin(a, b *finding.Item) bool {
	if a.Deterministic() {
		a, b = b, a
	} // a is the model's
	switch b.Origin {
	case domain.OriginSecret:
		return a.Category == domain.CategorySecurity
	case domain.OriginStatic:
		if _, ok := domain.AnalyserOf(b.RuleID); ok && a.Severity > b.Severity {
			return false // a small remark of a program does not replace a grave finding
		}
		return a.Category == b.Category || b.Category == domain.CategoryStaticAnalysis
	}
	return a.RuleID == b.RuleID
}

// merge returns the survivors of a group: all distinct findings of checks, the most severe of equal ones, or else the best one of
// the models.
func merge(group []*finding.Item) []*finding.Item {
	var det []*finding.Item
	for _, it := range group {
		if !it.Deterministic() {
			continue
		}
		switch i := slices.IndexFunc(det, func(o *finding.Item) bool {
			return o.RuleID == it.RuleID && o.Fingerprints.Exact == it.Fingerprints.Exact
		}); {
		case i < 0:
			det = append(det, it)
		case it.Severity > det[i].Severity:
			det[i] = it
		}
	}
	best := slices.MaxFunc(group, func(a, b *finding.Item) int {
		return cmp.Or(
			cmp.Compare(len(a.Evidence)-len(a.AlsoAt()), len(b.Evidence)-len(b.AlsoAt())), // further places prove nothing yet
			cmp.Compare(b.Quality, a.Quality),
			cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(b.SelfDoubt, a.SelfDoubt),
		)
	})
	if len(det) == 0 {
		for _, it := range group {
			if it != best {
				best.AddReport(it)
				best.AddPlaces(it.AlsoAt()...)
				best.Severity = max(best.Severity, it.Severity)
				if s := it.Suggestion; s != nil && it.Anchor == best.Anchor && (best.Suggestion == nil || s.Applies && !best.Suggestion.Applies) {
					best.Suggestion = it.Suggestion
				}
			}
		}
		return []*finding.Item{best}
	}
	return det
}

// mostly reports whether two ranges of lines share at least half of the longer one.
func mostly(a, b domain.Anchor) bool {
	if a.Level != domain.AnchorLine || b.Level != domain.AnchorLine {
		return false
	}
	both := min(a.EndLine, b.EndLine) - max(a.StartLine, b.StartLine) + 1
	return both > 0 && 2*both >= max(a.EndLine-a.StartLine, b.EndLine-b.StartLine)+1
}
