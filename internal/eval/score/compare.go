package score

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/assay-dev/assay/internal/eval"
)

// draws is how often the permutation test exchanges the runs of cases at random,
// and the most exchanges that are all tried instead.
const draws = 10_000

// wantedGolden is the number of golden defects below which a difference decides
// nothing by itself (design choice; with 137 the interval of a recall of 0.6 is 8
// points wide to either side).
const wantedGolden = 200

// level is the chance of a difference that is none, from which it is not believed.
const level = 0.05

// Comparison says what differs between two runs, over the cases that both have and
// of which the same is known.
type Comparison struct {
	Comparison  int          `json:"comparison"` // the version of this form: 1
	A           Made         `json:"a"`
	B           Made         `json:"b"`
	Cases       int          `json:"cases"` // in both, and compared
	OnlyA       int          `json:"onlyA"` // reviewed in one alone, and left out
	OnlyB       int          `json:"onlyB"`
	Changed     int          `json:"changed"` // of another kind or with other golden findings in B, and left out
	Golden      int          `json:"golden"`  // defects of the cases in both
	Differences []Difference `json:"differences"`
	Warnings    []string     `json:"warnings,omitempty"`
}

// Difference is what B has more than A of a measure, by the loose rule.
type Difference struct {
	Measure Measure   `json:"measure"`
	A       float64   `json:"a"`
	B       float64   `json:"b"`
	Value   float64   `json:"value"`
	Within  *Interval `json:"interval,omitempty"`
	// P is how often a difference as large would come from exchanging the runs of
	// cases, if they were alike (paired permutation test, both sides). Exact says
	// that all exchanges were tried.
	P       float64 `json:"p"`
	Exact   bool    `json:"exact"`
	Cases   int     `json:"cases"` // that have a part in it
	Believe bool    `json:"believe"`
	Says    string  `json:"says"` // a sentence
}

type comparedMeasure struct {
	name   Measure
	title  string
	unit   unit
	better int
}

// compared are the measures of a comparison; better is 1 where more is better.
var compared = []comparedMeasure{
	{Recall, "recall", share, 1},
	{Precision, "precision", share, 1},
	{Noise, "false inline per change", amount, -1},
	{Micros, "cost per review", dollar, -1},
}

// couple is what one case adds to a measure in both runs.
type couple struct{ a, b part }

// Compare says what differs between two runs.
func Compare(a, b []eval.Outcome, o Options, madeB Made) Comparison {
	x, _ := sift(a)
	y, _ := sift(b)
	c := Comparison{Comparison: 1, A: o.Made, B: madeB}
	shared := c.common(casesOf(x), casesOf(y))
	x, y = keep(x, shared), keep(y, shared)
	for i, o := range x {
		if i == 0 || outcomeCase(o) != outcomeCase(x[i-1]) {
			c.Golden += len(defectsOf(o.Case, false))
		}
	}
	if c.Golden < wantedGolden {
		c.Warnings = append(c.Warnings, fmt.Sprintf("only %d golden defects in both runs: below %d no difference decides anything by itself", c.Golden, wantedGolden))
	}
	for _, m := range compared {
		pairs := couples(x, y, partsOf(m.name))
		if d, ok := difference(pairs, o.Seed); ok {
			d.Measure = m.name
			d.Says = sentence(m.title, m.unit, m.better, d)
			c.Differences = append(c.Differences, d)
		}
	}
	return c
}

// partsOf returns what an outcome adds to a measure.
func partsOf(name Measure) func(o *eval.Outcome) part {
	for _, m := range measures {
		if m.name == name {
			return func(o *eval.Outcome) part {
				v, ok := compare(o, rule{gap: looseGap})
				if !ok {
					return part{}
				}
				return m.of(v)
			}
		}
	}
	for _, s := range spendings {
		if s.name == name {
			return func(o *eval.Outcome) part { return part{s.of(costOf(o)), float64(len(o.Heads))} }
		}
	}
	panic("no measure " + name) // names come from the table above
}

// couples joins what both runs say of each case; outcomes are in the order of cases.
func couples(x, y []*eval.Outcome, of func(o *eval.Outcome) part) []couple {
	a, b := clustered(x, outcomeCase, of), clustered(y, outcomeCase, of)
	out := make([]couple, len(a))
	for i := range a {
		out[i] = couple{a[i], b[i]}
	}
	return out
}

// difference measures a difference of two ratios; ok is false where one of them is
// a share of nothing, or both are nothing at all.
func difference(pairs []couple, seed uint64) (d Difference, ok bool) {
	var used []couple
	for _, p := range pairs {
		if p.a.den != 0 || p.b.den != 0 {
			used = append(used, p)
		}
	}
	a, b := both(used)
	if a.den == 0 || b.den == 0 || a.num == 0 && b.num == 0 {
		return d, false
	}
	d = Difference{A: a.num / a.den, B: b.num / b.den, Cases: len(used)}
	d.Value = d.B - d.A
	if len(used) >= fewCases {
		d.Within = bootstrap(seed, len(used), func(pick []int) (float64, bool) {
			var a, b part
			for _, i := range pick {
				a, b = a.plus(used[i].a), b.plus(used[i].b)
			}
			return b.num/b.den - a.num/a.den, a.den > 0 && b.den > 0
		})
	}
	d.P, d.Exact = permute(used, d.Value, seed)
	d.Believe = d.P < level && d.Within != nil && (d.Within.Low > 0 || d.Within.High < 0)
	return d, true
}

func both(list []couple) (a, b part) {
	for _, p := range list {
		a, b = a.plus(p.a), b.plus(p.b)
	}
	return a, b
}

func (p part) plus(q part) part { return part{p.num + q.num, p.den + q.den} }

// permute is the share of exchanges that make a difference at least as large. All
// are tried where they are few (Fisher 1935); else the chance counts what is seen
// as one of the draws (Phipson and Smyth 2010).
func permute(pairs []couple, seen float64, seed uint64) (p float64, exact bool) {
	n := len(pairs)
	if n < 63 && 1<<n <= draws {
		hits := 0
		for bits := range 1 << n {
			hits += extreme(pairs, seen, func(i int) bool { return bits>>i&1 == 1 })
		}
		return float64(hits) / float64(int(1)<<n), true
	}
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	hits := 0
	for range draws {
		var bits uint64
		hits += extreme(pairs, seen, func(i int) bool {
			if i%64 == 0 {
				bits = rng.Uint64()
			}
			return bits>>(i%64)&1 == 1
		})
	}
	return float64(hits+1) / float64(draws+1), false
}

// extreme is 1 where the runs, exchanged in some cases, differ at least as much. An
// exchange that leaves a share of nothing counts, as it says nothing against chance.
func extreme(pairs []couple, seen float64, exchanged func(i int) bool) int {
	var a, b part
	for i, p := range pairs {
		if exchanged(i) {
			p.a, p.b = p.b, p.a
		}
		a, b = a.plus(p.a), b.plus(p.b)
	}
	if a.den == 0 || b.den == 0 {
		return 1
	}
	return truth(math.Abs(b.num/b.den-a.num/a.den) >= math.Abs(seen)*(1-1e-9)-1e-12)
}

// sentence says whether a difference may be believed.
func sentence(title string, u unit, better int, d Difference) string {
	if d.Value == 0 {
		return fmt.Sprintf("%s is the same in both runs (%s).", title, write(u, d.A))
	}
	word := "better"
	if d.Value*float64(better) < 0 {
		word = "worse"
	}
	at := "too few cases for an interval"
	if d.Within != nil {
		at = fmt.Sprintf("95 %%: %s to %s", signed(u, d.Within.Low), signed(u, d.Within.High))
	}
	verdict := "this may be chance"
	if d.Believe {
		verdict = "this may be believed"
	}
	return fmt.Sprintf("%s is %s by %s (%s; %s, %d cases): %s.", title, word, step(u, math.Abs(d.Value)), at, probability(d.P), d.Cases, verdict)
}

// probability writes one; what is very small is said to be so.
func probability(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.3f", p)
}
