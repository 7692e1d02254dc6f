package plan

import (
	"maps"
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/record"
	"github.com/assay-dev/assay/internal/eval/score"
)

// Pass counts the published findings and defects that a run owes to the passes of one lens alone. It is an estimate,
// because the run is not made again: the other passes would be told less. The cost of the passes is unknown.
type Pass struct {
	Lens     string  `json:"lens"`
	Findings int     `json:"findings"` // published, and reported by this lens alone
	Defects  int     `json:"defects"`  // known defects that no other lens found, over all runs of the cases
	Recall   float64 `json:"recall"`   // without the lens
}

// passesOf measures the run without each of the lenses that its published findings name. It returns nil if they
// name fewer than two.
func passesOf(r record.Run, recall score.Ratio) (out []Pass) {
	lenses := lensesOf(r.Outcomes)
	if len(lenses) < 2 {
		return nil
	}
	for _, lens := range lenses {
		less := r
		p := Pass{Lens: lens, Recall: recall.Value}
		if less.Outcomes, p.Findings = without(r.Outcomes, lens); p.Findings > 0 {
			if m := less.Report().QualityBy(measuredBy).Measures[score.Recall]; m != nil {
				p.Recall, p.Defects = m.Value, int(math.Round(recall.Num-m.Num))
			}
		}
		out = append(out, p)
	}
	return out
}

// lensesOf lists the lenses that published findings name, in their order.
func lensesOf(list []eval.Outcome) []string {
	out := map[string]bool{}
	for _, o := range list {
		for _, h := range o.Heads {
			for _, f := range h.Stages[eval.Published] {
				for _, l := range f.Lenses {
					out[l] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// without returns the outcomes without the published findings that one lens alone reported, and their number.
func without(list []eval.Outcome, lens string) (out []eval.Outcome, gone int) {
	out = slices.Clone(list)
	for i := range out {
		out[i].Heads = slices.Clone(out[i].Heads)
		for h := range out[i].Heads {
			head := &out[i].Heads[h]
			published := slices.DeleteFunc(slices.Clone(head.Stages[eval.Published]), func(f eval.Finding) bool {
				return len(f.Lenses) == 1 && f.Lenses[0] == lens
			})
			gone += len(head.Stages[eval.Published]) - len(published)
			head.Stages = maps.Clone(head.Stages)
			head.Stages[eval.Published] = published
		}
	}
	return out, gone
}
