package score

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
)

// review is one outcome, compared with the known places by one rule.
type review struct {
	out      *eval.Outcome
	defects  []defect // true defects
	rejected []defect
	found    []found // published
	left     int     // published findings that were not compared
	hit      []int   // by finding: its credited defect, or -1
	like     []likeness
	by       []int     // by defect: its credited finding, or -1
	fitting  []float64 // by finding: the greatest weight of a fit with a defect, with or without credit; -1 without one
	known    []bool    // by finding: people rejected it
	further  []bool    // by finding: another report of a defect that has its credit
	double   []bool    // by finding: it repeats another finding of its head
	verdicts []Verdict // by finding; "" without one
	first    [][]int   // by head and its findings in order: the defect if that head is compared alone, or -1
	heads    [][]int   // by head: its findings
	greedy   int       // groups that were paired greedily
	byJudge  bool
}

// rule is a way to compare.
type rule struct {
	name   string
	gap    int
	judged map[outcomeKey]*Judgement // nil for the rules of place
}

type outcomeKey struct {
	caseKey
	run int
}

func keyOf(o *eval.Outcome) outcomeKey { return outcomeKey{caseKey{o.Case.Set, o.Case.ID}, o.Run} }

// canCompare reports whether the rule can compare an outcome. Rules of place need lines of every defect. The
// rule of judges needs an answer on every pair, because an undecided pair shows neither a false finding nor
// a missed defect.
func (r rule) canCompare(o *eval.Outcome, defects []defect) bool {
	if r.judged != nil {
		j := r.judged[keyOf(o)]
		return j != nil && j.Undecided == 0
	}
	for i := range defects {
		if !defects[i].placed() {
			return false
		}
	}
	return true
}

// edges lists the fits of findings and defects by a rule.
func (r rule) edges(o *eval.Outcome, list []found, defects []defect) []edge {
	all := edges(list, defects, r.gap)
	if r.judged == nil {
		return all
	}
	var out []edge
	for _, e := range all { // judges cannot compare a defect without words
		if wordless(&defects[e.col]) {
			out = append(out, e)
		}
	}
	column := map[int]int{}
	for j := range defects {
		for _, p := range defects[j].places {
			column[p.index] = j
		}
	}
	row := map[Ref]int{}
	for i := range list {
		row[list[i].ref()] = i
	}
	seen := map[[2]int]bool{}
	for _, s := range r.judged[keyOf(o)].Same {
		i, there := row[s.Ref]
		j, ours := column[s.Golden]
		if there && ours && !seen[[2]int{i, j}] {
			seen[[2]int{i, j}] = true
			out = append(out, edge{i, j, nearness(&list[i], &defects[j])})
		}
	}
	return out
}

// nearness measures how well the lines and words of a finding fit the defect that a judge matched it with.
func nearness(f *found, d *defect) (out likeness) {
	out, _ = best(f, d, looseGap)
	return out
}

// compare pairs the findings of an outcome with the known places.
func compare(o *eval.Outcome, r rule) (*review, bool) {
	v := &review{out: o, byJudge: r.judged != nil, defects: defectsOf(o.Case, false), rejected: defectsOf(o.Case, true)}
	if !r.canCompare(o, v.defects) {
		return nil, false
	}
	v.found, v.left = foundAt(o, eval.Published, anyFinding)
	v.heads = make([][]int, len(o.Heads))
	for i := range v.found {
		v.heads[v.found[i].head] = append(v.heads[v.found[i].head], i)
	}
	fit := r.edges(o, v.found, v.defects)
	v.fitting = slices.Repeat([]float64{-1}, len(v.found))
	for _, e := range fit {
		v.fitting[e.row] = max(v.fitting[e.row], e.weight())
	}
	v.assignCredit(fit)
	v.markRejected(r)
	v.markRepeats(fit)
	v.markFurther()
	v.perHead(fit)
	v.storeVerdicts(r)
	return v, true
}

// assignCredit gives each defect to at most one finding.
func (v *review) assignCredit(fit []edge) {
	a := assign(len(v.found), fit)
	v.hit, v.greedy = a.of, a.greedy
	v.like = make([]likeness, len(v.found))
	v.by = make([]int, len(v.defects))
	for j := range v.by {
		v.by[j] = -1
	}
	for _, e := range fit {
		if v.hit[e.row] == e.col {
			v.like[e.row], v.by[e.col] = e.likeness, e.row
		}
	}
}

// markRejected marks the findings without credit that people have rejected, every one of them, because each
// repetition of a false finding is wrong. A finding that fits a true defect better is not one of them.
func (v *review) markRejected(r rule) {
	v.known = make([]bool, len(v.found))
	for _, e := range r.edges(v.out, v.found, v.rejected) {
		v.known[e.row] = v.known[e.row] || v.hit[e.row] < 0 && e.weight() >= v.fitting[e.row]
	}
}

// markFurther marks the findings that report a defect once more: those that fit one whose credit another finding has,
// and those that make the claim of a finding with credit at its lines.
func (v *review) markFurther() {
	v.further = make([]bool, len(v.found))
	for i := range v.found {
		like := func(j int) bool { return v.hit[j] >= 0 && isAlike(&v.found[i], &v.found[j]) }
		v.further[i] = v.hit[i] < 0 && !v.known[i] && (v.fitting[i] >= 0 || slices.ContainsFunc(v.heads[v.found[i].head], like))
	}
}

// markRepeats marks findings that repeat another one of the same head: those that fit a defect credited to
// another finding, and all but one of findings that are alike.
func (v *review) markRepeats(fit []edge) {
	v.double = make([]bool, len(v.found))
	for _, e := range fit {
		by := v.by[e.col]
		if v.hit[e.row] < 0 && by >= 0 && v.found[by].head == v.found[e.row].head {
			v.double[e.row] = true
		}
	}
	for _, list := range v.heads {
		v.markAlike(list)
	}
}

// markAlike marks findings of one head that are like a credited one, and all but the first of those that are
// alike.
func (v *review) markAlike(list []int) {
	group := map[int]int{} // by finding: the first finding that it is like, also through others
	for at, i := range list {
		group[i] = i
		for _, j := range list[:at] {
			if isAlike(&v.found[i], &v.found[j]) {
				from, to := max(group[i], group[j]), min(group[i], group[j])
				for k, g := range group {
					if g == from {
						group[k] = to
					}
				}
			}
		}
	}
	spared := map[int]bool{} // groups whose unmarked finding is known
	for _, i := range list {
		spared[group[i]] = spared[group[i]] || v.hit[i] >= 0 || v.double[i]
	}
	for _, i := range list {
		switch {
		case v.hit[i] >= 0 || v.double[i]:
		case spared[group[i]]:
			v.double[i] = true
		default:
			spared[group[i]] = true
		}
	}
}

// perHead pairs the findings of each head separately, to recognise repetitions.
func (v *review) perHead(fit []edge) {
	v.first = make([][]int, len(v.heads))
	for h := range v.heads {
		var of []edge
		for _, e := range fit {
			if v.found[e.row].head == h {
				of = append(of, e)
			}
		}
		v.first[h] = assign(len(v.found), of).of
	}
}

// storeVerdicts stores the verdicts of judges.
func (v *review) storeVerdicts(r rule) {
	v.verdicts = make([]Verdict, len(v.found))
	if r.judged == nil {
		return
	}
	row := map[Ref]int{}
	for i := range v.found {
		row[v.found[i].ref()] = i
	}
	for _, o := range r.judged[keyOf(v.out)].Opinions {
		if i, ok := row[o.Ref]; ok && v.hit[i] < 0 {
			v.verdicts[i] = o.Verdict
		}
	}
}

// clean reports whether the change has no known defect.
func (v *review) clean() bool { return v.out.Case.Kind == eval.Clean }

// countPublished returns the number of findings that people would see.
func (v *review) countPublished() float64 { return float64(len(v.found) + v.left) }

// countFindings counts the findings that of accepts.
func (v *review) countFindings(of func(i int) bool) (n float64) {
	for i := range v.found {
		if of(i) {
			n++
		}
	}
	return n
}

// countDefects counts the defects that of accepts.
func (v *review) countDefects(of func(j int) bool) (n float64) {
	for j := range v.defects {
		if of(j) {
			n++
		}
	}
	return n
}

func (v *review) right(i int) bool { return v.hit[i] >= 0 }
func (v *review) seen(j int) bool  { return v.by[j] >= 0 }

// uncredited reports whether a finding is neither credited nor a further report of a defect.
func (v *review) uncredited(i int) bool { return v.hit[i] < 0 && !v.further[i] }

// confirmed reports whether a judge confirmed a finding that nothing known explains. Findings on a clean change are
// false whatever judges say.
func (v *review) confirmed(i int) bool {
	return v.uncredited(i) && !v.known[i] && !v.clean() && v.verdicts[i] == Confirmed
}

// wrong reports whether a finding is false or unjudged.
func (v *review) wrong(i int) bool { return v.uncredited(i) && !v.confirmed(i) }

// unjudged reports whether nothing tells if a finding is true: no known defect and no rejected place explains it, and
// no judge decided.
func (v *review) unjudged(i int) bool {
	return v.wrong(i) && !v.known[i] && !v.clean() && v.verdicts[i] != Fabricated
}

// isTrue reports whether a finding has the credit for a defect, or a judge confirmed it.
func (v *review) isTrue(i int) bool { return v.right(i) || v.confirmed(i) }

// decided reports whether a finding is known to be true or false.
func (v *review) decided(i int) bool { return v.isTrue(i) || v.wrong(i) && !v.unjudged(i) }

// countClaims returns the number of findings that are true, false or unjudged: all but further reports of a defect.
func (v *review) countClaims() float64 {
	return v.countFindings(func(i int) bool { return !v.further[i] }) + float64(v.left)
}

// isHigh reports whether a defect is at least of high severity.
func (v *review) isHigh(j int) bool {
	return v.defects[j].rated && v.defects[j].severity >= domain.High
}
