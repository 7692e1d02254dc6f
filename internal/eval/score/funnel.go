package score

import (
	"slices"

	"github.com/assay-dev/assay/internal/eval"
)

// stages are the stages of a finding, in their order.
var stages = []eval.Stage{eval.Generated, eval.Anchored, eval.Standing, eval.Verified, eval.Published}

// maxLosses is the most lost defects that a report names.
const maxLosses = 200

// Funnel shows how far findings of known defects come. It compares a model's findings by the loose rule,
// separately at every stage.
type Funnel struct {
	Golden int    `json:"golden"` // defects with lines, over all runs
	Steps  []Step `json:"steps"`
	// Lenses counts the findings of each stage by the lenses that reported them. A finding counts for each
	// of its lenses.
	Lenses map[string][]int `json:"lenses,omitempty"`
	// Losses names defects that were found but not published, at most 200. Unnamed counts the others.
	Losses  []Loss `json:"losses,omitempty"`
	Unnamed int    `json:"unnamed,omitempty"`
}

// Step is one stage.
type Step struct {
	Stage    eval.Stage `json:"stage"`
	Findings int        `json:"findings"`
	Hit      int        `json:"hit"`    // defects found
	Lost     int        `json:"lost"`   // defects that the previous stage hit, and this one does not
	Gained   int        `json:"gained"` // defects that the previous stage missed: a place was corrected, or an undecided finding published
	Recall   *Ratio     `json:"recall,omitempty"`
}

// Loss is a found defect that was lost at a stage.
type Loss struct {
	Set    string     `json:"set"`
	Case   string     `json:"case"`
	Run    int        `json:"run,omitempty"`
	Defect string     `json:"defect"`
	Stage  eval.Stage `json:"stage"`         // the last stage that lost it
	Why    string     `json:"why,omitempty"` // of the dropped finding at its place; "" if none is kept
}

// passage is the progress of one outcome's defects.
type passage struct {
	out      *eval.Outcome
	defects  []defect
	findings [5]int
	hit      [5][]bool // by stage, by defect
}

func passageOf(o *eval.Outcome) passage {
	p := passage{out: o, defects: slices.DeleteFunc(defectsOf(o.Case, false), func(d defect) bool { return !d.placed() })}
	for s, stage := range stages {
		list, left := foundAt(o, stage, ofModel)
		p.findings[s] = len(list) + left
		p.hit[s] = make([]bool, len(p.defects))
		for _, j := range assign(len(list), edges(list, p.defects, looseGap)).of {
			if j >= 0 {
				p.hit[s][j] = true
			}
		}
	}
	return p
}

// hits returns the number of defects that a stage hits.
func (p passage) hits(stage int) (n int) {
	for _, h := range p.hit[stage] {
		n += boolToInt(h)
	}
	return n
}

func funnel(outs []*eval.Outcome, seed uint64) *Funnel {
	f := &Funnel{Steps: make([]Step, len(stages)), Lenses: byLens(outs)}
	list := make([]passage, len(outs))
	for i, o := range outs {
		list[i] = passageOf(o)
		f.Golden += len(list[i].defects)
		f.losses(list[i])
	}
	for s := range stages {
		step := &f.Steps[s]
		step.Stage = stages[s]
		for _, p := range list {
			step.Findings += p.findings[s]
			step.Hit += p.hits(s)
			for j := range p.defects {
				if s > 0 && p.hit[s-1][j] != p.hit[s][j] {
					step.Lost += boolToInt(p.hit[s-1][j])
					step.Gained += boolToInt(p.hit[s][j])
				}
			}
		}
		step.Recall = ratio(seed, share, clustered(list, func(p passage) caseKey { return outcomeCase(p.out) }, func(p passage) part {
			return part{float64(p.hits(s)), float64(len(p.defects))}
		}))
	}
	return f
}

// byLens counts the findings of each stage by lens. It returns nil without lenses.
func byLens(outs []*eval.Outcome) (out map[string][]int) {
	for _, o := range outs {
		for _, h := range o.Heads {
			for i, stage := range stages {
				for _, f := range h.Stages[stage] {
					for _, l := range f.Lenses {
						if out == nil {
							out = map[string][]int{}
						}
						if out[l] == nil {
							out[l] = make([]int, len(stages))
						}
						out[l][i]++
					}
				}
			}
		}
	}
	return out
}

// losses adds the defects that a stage hits but publication does not.
func (f *Funnel) losses(p passage) {
	last := len(stages) - 1
	dropped, _ := foundAt(p.out, eval.Dropped, ofModel)
	why := make([]string, len(p.defects))
	for i, j := range assign(len(dropped), edges(dropped, p.defects, looseGap)).of {
		if j >= 0 && dropped[i].Drop != nil {
			why[j] = dropped[i].Drop.String()
		}
	}
	for j := range p.defects {
		if p.hit[last][j] {
			continue
		}
		for s := last - 1; s >= 0; s-- {
			if !p.hit[s][j] {
				continue
			}
			if len(f.Losses) == maxLosses {
				f.Unnamed++
			} else {
				f.Losses = append(f.Losses, Loss{Set: p.out.Case.Set, Case: p.out.Case.ID, Run: p.out.Run, Defect: p.defects[j].name(),
					Stage: stages[s+1], Why: why[j]})
			}
			break
		}
	}
}

// stability returns the share of findings common to two runs of a case among the findings of either, over
// all pairs of runs (Jaccard 1901).
func stability(outs []*eval.Outcome, seed uint64) *Ratio {
	byCase := map[caseKey][]*eval.Outcome{}
	var order []caseKey
	for _, o := range outs {
		k := outcomeCase(o)
		if byCase[k] == nil {
			order = append(order, k)
		}
		byCase[k] = append(byCase[k], o)
	}
	var parts []part
	for _, k := range order {
		runs, p := byCase[k], part{}
		for i := range runs {
			for _, other := range runs[:i] {
				both, either := countCommon(runs[i], other)
				p.num += both
				p.den += either
			}
		}
		parts = append(parts, p)
	}
	return ratio(seed, share, parts)
}

// countCommon counts the published findings common to two runs, and those of either. Two findings are the same
// if they are at one place, give or take a line.
func countCommon(a, b *eval.Outcome) (both, either float64) {
	x, _ := foundAt(a, eval.Published, anyFinding)
	y, _ := foundAt(b, eval.Published, anyFinding)
	taken := make([]defect, len(y))
	for i, f := range y {
		g := eval.Golden{Path: f.Path, Side: f.Side, StartLine: f.StartLine, EndLine: f.EndLine, Head: f.head}
		taken[i] = defect{places: []place{{Golden: g, words: f.words, family: f.kind}}}
	}
	list := edges(x, taken, strictGap)
	for i := range x { // findings on whole files match by their words
		for j := range y {
			if x[i].StartLine == 0 && isAlike(&x[i], &y[j]) {
				list = append(list, edge{i, j, likeness{words: 1}})
			}
		}
	}
	for _, j := range assign(len(x), list).of {
		both += float64(boolToInt(j >= 0))
	}
	return both, float64(len(x)+len(y)) - both
}

// contextRecall returns a share over all heads, such as that of a case's definitions that prompts showed.
func contextRecall(outs []*eval.Outcome, seed uint64, of func(o *eval.Outcome, h eval.Head) part) *Ratio {
	return ratio(seed, share, clustered(outs, outcomeCase, func(o *eval.Outcome) (p part) {
		for _, h := range o.Heads {
			p = p.plus(of(o, h))
		}
		return p
	}))
}

// here counts the definitions in changed files, elsewhere those in other files.
func here(o *eval.Outcome, h eval.Head) part {
	return part{float64(h.Shown - h.ShownElsewhere), float64(len(o.Case.Definitions) - h.Elsewhere)}
}

func elsewhere(_ *eval.Outcome, h eval.Head) part {
	return part{float64(h.ShownElsewhere), float64(h.Elsewhere)}
}

func everywhere(o *eval.Outcome, h eval.Head) part { return here(o, h).plus(elsewhere(o, h)) }

// usefulShown counts the useful lines that prompts showed, usefulShare the shown lines that are useful.
func usefulShown(_ *eval.Outcome, h eval.Head) part {
	if h.ContextShare == nil {
		return part{}
	}
	return part{float64(h.ContextShare.MarkedShown), float64(h.ContextShare.Marked)}
}

func usefulShare(_ *eval.Outcome, h eval.Head) part {
	if h.ContextShare == nil {
		return part{}
	}
	return part{float64(h.ContextShare.Useful), float64(h.ContextShare.Lines)}
}
