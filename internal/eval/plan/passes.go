package plan

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/record"
	"github.com/assay-dev/assay/internal/eval/score"
	"github.com/assay-dev/assay/internal/review/finding"
)

// Pass counts the published findings and defects that a run owes to one kind of pass alone: a lens, the general
// passes after the first one, or the panel. It is an estimate,
// because the run is not made again: the other passes would be told less. The cost of the passes is unknown.
type Pass struct {
	Name     string  `json:"name"`     // the lens, general-2, or panel
	Findings int     `json:"findings"` // published, and reported by this kind alone
	Defects  int     `json:"defects"`  // known defects that no other kind found, over all runs of the cases
	Recall   float64 `json:"recall"`   // without it
}

// secondGeneral names the general passes after the first one, as the engine does.
const secondGeneral = "general-2"

// namesOf returns the kinds of passes that reported a finding. A run of an earlier version names only lenses.
func namesOf(f eval.Finding) []string {
	if len(f.By) > 0 {
		return kindsOf(f.By)
	}
	out := slices.Clone(f.Lenses)
	if at := slices.Index(out, string(finding.LensGeneral)); at >= 0 && f.Passes > 1 {
		out[at] = secondGeneral
	}
	return out
}

// kindsOf returns the kinds of passes with such names: of a lens only the general passes after the first one are a kind of their own.
func kindsOf(names []string) (out []string) {
	for _, name := range names {
		kind, number, _ := strings.Cut(name, "-")
		if kind == string(finding.LensGeneral) && number != "" {
			kind = secondGeneral
		}
		if !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	return out
}

// passesOf measures the run without each kind of pass that its published findings name. It returns nil if they name
// fewer than two.
func passesOf(r record.Run, recall score.Ratio) (out []Pass) {
	names := passNames(r.Outcomes)
	if len(names) < 2 {
		return nil
	}
	for _, name := range names {
		less := r
		p := Pass{Name: name, Recall: recall.Value}
		if less.Outcomes, p.Findings = without(r.Outcomes, name); p.Findings > 0 {
			if m := less.Report().QualityBy(measuredBy).Measures[score.Recall]; m != nil {
				p.Recall, p.Defects = m.Value, int(math.Round(recall.Num-m.Num))
			}
		}
		out = append(out, p)
	}
	return out
}

// passNames lists the kinds of passes that published findings name, in their order.
func passNames(list []eval.Outcome) []string {
	out := map[string]bool{}
	for _, o := range list {
		for _, h := range o.Heads {
			for _, f := range h.Stages[eval.Published] {
				for _, name := range namesOf(f) {
					out[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// without returns the outcomes without the published findings that one kind of pass alone reported, and their number.
func without(list []eval.Outcome, name string) (out []eval.Outcome, gone int) {
	out = slices.Clone(list)
	for i := range out {
		out[i].Heads = slices.Clone(out[i].Heads)
		for h := range out[i].Heads {
			head := &out[i].Heads[h]
			published := slices.DeleteFunc(slices.Clone(head.Stages[eval.Published]), func(f eval.Finding) bool {
				names := namesOf(f)
				return len(names) == 1 && names[0] == name
			})
			gone += len(head.Stages[eval.Published]) - len(published)
			head.Stages = maps.Clone(head.Stages)
			head.Stages[eval.Published] = published
		}
	}
	return out, gone
}
