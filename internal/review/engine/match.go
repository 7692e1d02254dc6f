package engine

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
)

// earlier is an earlier finding with the place of its quotation at the head.
type earlier struct {
	domain.Finding
	place domain.Anchor
	there bool // the quotation stands at the head
}

// agreements are the ways in which a candidate may be an earlier finding, the
// closest first: by a known name, then by place, then by the words of a finding
// whose code is gone. Words decide nothing where the place speaks against them.
var agreements = []func(it *item, e *earlier) bool{
	byName,
	func(it *item, e *earlier) bool { return it.deterministic() && sameCheck(it, e) },
	func(it *item, e *earlier) bool { return standing(it, e) && sameKey(it, e) && meets(it, e) },
	func(it *item, e *earlier) bool {
		return standing(it, e) && kindred(it, e) && mostly(e.place, it.f.Anchor)
	},
	func(it *item, e *earlier) bool {
		return standing(it, e) && mostly(e.place, it.f.Anchor) && likeWords(it, e)
	},
	func(it *item, e *earlier) bool {
		return gone(it, e) && sameKey(it, e) && beside(it, e) && likeCode(it, e)
	},
	func(it *item, e *earlier) bool { return gone(it, e) && sameKey(it, e) && likeCode(it, e) },
	func(it *item, e *earlier) bool { return gone(it, e) && sameKey(it, e) && beside(it, e) },
	func(it *item, e *earlier) bool { return gone(it, e) && likeWords(it, e) },
}

// match returns for each candidate the index of the earlier finding that it
// repeats, -1 for a new one. A closer agreement of any candidate wins over a
// looser one of another, and no earlier finding is given away twice. It only
// gives names: whatever it answers, no candidate is lost.
func match(items []*item, known []domain.Finding, w world) []int {
	all := make([]earlier, len(known))
	for i, k := range known {
		all[i].Finding = k
		all[i].place, all[i].there = w.locate(k.Anchor)
	}
	out, used := slices.Repeat([]int{-1}, len(items)), make([]bool, len(known))
	for _, agree := range agreements {
		for i, it := range items {
			for k := range all {
				if out[i] < 0 && !used[k] && agree(it, &all[k]) {
					out[i], used[k] = k, true
				}
			}
		}
	}
	return out
}

func byName(it *item, e *earlier) bool { return e.Named(it.f.Fingerprints.Exact) }

// sameCheck is the agreement of deterministic findings beside their names: the
// same rule, in the same symbol, where the quotation stands now.
func sameCheck(it *item, e *earlier) bool {
	return e.there && e.Origin == it.f.Origin && sameKey(it, e) && sameContext(it, e) && overlaps(e.place, it.f.Anchor, lineSlack)
}

// standing reports whether both are of models, in one file, and the code of the
// earlier one stands at the head: its place is known to the line.
func standing(it *item, e *earlier) bool {
	return e.there && ofModels(it, e) && e.place.Path == it.f.Anchor.Path && e.place.Side == it.f.Anchor.Side
}

// gone reports whether both are of models, in one symbol, and the code of the
// earlier one is not there any more: it was edited, or fixed.
func gone(it *item, e *earlier) bool { return !e.there && ofModels(it, e) && sameContext(it, e) }

func ofModels(it *item, e *earlier) bool { return !it.deterministic() && !e.Origin.Deterministic() }

func sameKey(it *item, e *earlier) bool { return e.Under(it.f.RuleID) }

// sameContext: one symbol of one file, and one family of categories.
func sameContext(it *item, e *earlier) bool {
	return e.Fingerprints.Context != "" && e.Fingerprints.Context == it.f.Fingerprints.Context
}

// kindred reports whether a model may call one defect by both rules.
func kindred(it *item, e *earlier) bool {
	return anchor.Family(e.Category) == anchor.Family(it.f.Category)
}

// meets reports whether the places have a line in common, or are both whole
// files and say the same of them.
func meets(it *item, e *earlier) bool {
	return overlaps(e.place, it.f.Anchor, 0) && (it.f.Anchor.Level == domain.AnchorLine || sameContext(it, e))
}

// beside reports whether a candidate is where the code that is gone was, give
// or take what an edit moves.
func beside(it *item, e *earlier) bool {
	return e.Anchor.Level == domain.AnchorLine && overlaps(e.Anchor, it.f.Anchor, lineSlack)
}

func likeCode(it *item, e *earlier) bool {
	return anchor.Similarity(e.Anchor.Quote, it.f.Anchor.Quote) >= nearText
}

func likeWords(it *item, e *earlier) bool {
	return anchor.Similarity(e.Title+" "+e.Explanation, it.f.Title+" "+it.f.Explanation) >= nearText
}

// mostly reports whether at least half of the longer of two ranges of lines is
// in both.
func mostly(a, b domain.Anchor) bool {
	if a.Level != domain.AnchorLine || b.Level != domain.AnchorLine {
		return false
	}
	both := min(a.EndLine, b.EndLine) - max(a.StartLine, b.StartLine) + 1
	return both > 0 && 2*both >= max(a.EndLine-a.StartLine, b.EndLine-b.StartLine)+1
}
