package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
)

// Priors, to be fitted by the evaluation harness.
const (
	nearText  = 0.60 // likeness of words that says the same of one place
	lineSlack = 3    // lines that an edit moves
)

// absorbed is an item that another one stands for.
type absorbed struct{ lost, into *item }

// cluster merges items that speak of the same defect and returns one of each
// group, and what each of the others was merged into. A deterministic member always survives, every one of them; models only
// add to it. Items are compared within their file only: two of one answer are
// two defects, unless they have one name, as the model had both before it. The
// error is the context's.
func cluster(ctx context.Context, items []*item) (kept []*item, lost []absorbed, err error) {
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
		path, print := it.f.Anchor.Path, it.f.Fingerprints.Exact
		if it.deterministic() {
			join(i, equal[print])
			join(i, models[path])
			equal[print] = []int{i} // the others are joined to it, or of another rule
		} else {
			join(i, all[path])
			models[path] = append(models[path], i)
		}
		all[path] = append(all[path], i)
	}
	groups := map[int][]*item{}
	for i, it := range items {
		groups[find(i)] = append(groups[find(i)], it)
	}
	for i := range items {
		if group := groups[i]; len(group) > 0 && find(i) == i {
			survivors := merge(group)
			kept = append(kept, survivors...)
			for _, it := range group {
				if !slices.Contains(survivors, it) {
					lost = append(lost, absorbed{it, survivors[0]})
				}
			}
		}
	}
	slices.SortStableFunc(kept, func(a, b *item) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.f.Anchor.StartLine, b.f.Anchor.StartLine))
	})
	return kept, lost, nil
}

// closest are the items that are the same as one of a model, the likest first; those
// of a check are in their order.
func closest(items []*item, i int, with []int) []int {
	out := slices.DeleteFunc(slices.Clone(with), func(j int) bool { return !same(items[i], items[j]) })
	if it := items[i]; len(out) > 1 && !it.deterministic() {
		slices.SortStableFunc(out, func(a, b int) int {
			x, y := items[a], items[b]
			return cmp.Or(boolFirst(x.f.Fingerprints.Exact == it.f.Fingerprints.Exact, y.f.Fingerprints.Exact == it.f.Fingerprints.Exact),
				boolFirst(x.f.RuleID == it.f.RuleID, y.f.RuleID == it.f.RuleID), cmp.Compare(anchor.Cosine(y.said(), it.said()), anchor.Cosine(x.said(), it.said())))
		})
	}
	return out
}

// apart reports whether two items of models must not be one, because the groups that
// they are in hold two reports of one answer: what told them apart knows better than
// what another pass says of both.
func apart(items []*item, i, j int, of, with []int) bool {
	if items[i].deterministic() || items[j].deterministic() {
		return false
	}
	for _, a := range of {
		for _, b := range with {
			x, y := items[a], items[b]
			if !x.deterministic() && !y.deterministic() && x.answer == y.answer && !same(x, y) {
				return true
			}
		}
	}
	return false
}

// same reports whether two items of one run are the same defect.
func same(a, b *item) bool {
	if a.deterministic() && b.deterministic() {
		return a.f.Origin == b.f.Origin && a.f.RuleID == b.f.RuleID && a.f.Fingerprints.Exact != "" &&
			a.f.Fingerprints.Exact == b.f.Fingerprints.Exact
	}
	if a.f.Anchor.Path != b.f.Anchor.Path || a.f.Anchor.Side != b.f.Anchor.Side {
		return false
	}
	if a.f.Fingerprints.Exact != "" && a.f.Fingerprints.Exact == b.f.Fingerprints.Exact {
		return true
	}
	if a.deterministic() || b.deterministic() {
		return overlaps(a.f.Anchor, b.f.Anchor, 0) && kin(a, b)
	}
	if a.answer == b.answer {
		return false
	}
	return overlaps(a.f.Anchor, b.f.Anchor, 0) && tells(a.f.RuleID) && a.f.RuleID == b.f.RuleID ||
		mostly(a.f.Anchor, b.f.Anchor) && anchor.Cosine(a.said(), b.said()) >= nearText
}

// kin reports whether a deterministic finding and one of a model may be about
// the same thing: the same category, or a secret that the model noticed too.
func kin(a, b *item) bool {
	if a.deterministic() {
		a, b = b, a
	} // a is the model's
	switch b.f.Origin {
	case domain.OriginSecret:
		return a.f.Category == domain.CategorySecurity
	case domain.OriginStatic:
		return a.f.Category == b.f.Category || b.f.Category == domain.CategoryStaticAnalysis
	}
	return a.f.RuleID == b.f.RuleID
}

// merge returns the survivors of a group: all distinct deterministic members,
// or the best one of the models'.
func merge(group []*item) []*item {
	var det []*item
	seen := map[string]bool{}
	for _, it := range group {
		if it.deterministic() && !seen[it.f.RuleID+it.f.Fingerprints.Exact] {
			seen[it.f.RuleID+it.f.Fingerprints.Exact] = true
			det = append(det, it)
		}
	}
	best := slices.MaxFunc(group, func(a, b *item) int {
		return cmp.Or(
			cmp.Compare(len(a.f.Evidence), len(b.f.Evidence)),
			cmp.Compare(b.quality, a.quality),
			cmp.Compare(a.f.Severity, b.f.Severity),
			cmp.Compare(b.f.SelfDoubt, a.f.SelfDoubt),
		)
	})
	if len(det) == 0 {
		for _, it := range group {
			if it != best {
				best.heard(it)
				best.f.Severity = max(best.f.Severity, it.f.Severity)
				if s := it.f.Suggestion; s != nil && it.f.Anchor == best.f.Anchor && (best.f.Suggestion == nil || s.Applies && !best.f.Suggestion.Applies) {
					best.f.Suggestion = it.f.Suggestion
				}
			}
		}
		return []*item{best}
	}
	return det
}

// overlaps reports whether two places of one file are within slack lines.
func overlaps(a, b domain.Anchor, slack int) bool {
	if a.Level != domain.AnchorLine || b.Level != domain.AnchorLine {
		return a.Level == b.Level
	}
	return a.StartLine <= b.EndLine+slack && b.StartLine <= a.EndLine+slack
}
