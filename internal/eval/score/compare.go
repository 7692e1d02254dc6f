package score

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/assay-dev/assay/internal/eval"
)

// maxExchanges is the number of random exchanges in the permutation test. If there are at most that many
// exchanges, the test tries all of them.
const maxExchanges = 10_000

// wantedGolden is the least number of golden defects for a decisive difference (design choice; with 137 the
// interval of a recall of 0.6 is 8 points wide to either side).
const wantedGolden = 200

// significanceLevel is the significance level of the comparison.
const significanceLevel = 0.05

// Comparison holds the differences between two runs, over the cases of both with the same known facts.
type Comparison struct {
	Comparison  int          `json:"comparison"` // version of this form: 1
	A           Made         `json:"a"`
	B           Made         `json:"b"`
	Cases       int          `json:"cases"` // compared cases of both runs
	OnlyA       int          `json:"onlyA"` // reviewed only in this run, and left out
	OnlyB       int          `json:"onlyB"`
	Changed     int          `json:"changed"` // with another kind or other golden findings in B, and left out
	Golden      int          `json:"golden"`  // defects of the compared cases
	Differences []Difference `json:"differences"`
	Warnings    []string     `json:"warnings,omitempty"`
}

// Difference is B minus A for a measure, by the loose rule.
type Difference struct {
	Measure Measure   `json:"measure"`
	A       float64   `json:"a"`
	B       float64   `json:"b"`
	Value   float64   `json:"value"`
	Within  *Interval `json:"interval,omitempty"`
	// P is the probability of a difference at least as large if the runs were alike (paired permutation
	// test, two-sided). Exact reports that all exchanges were tried.
	P       float64 `json:"p"`
	Exact   bool    `json:"exact"`
	Cases   int     `json:"cases"` // cases that contribute to it
	Believe bool    `json:"believe"`
	Says    string  `json:"says"` // a sentence
}

type comparedMeasure struct {
	name   Measure
	title  string
	unit   unit
	better int
}

// compared are the measures of a comparison. better is 1 if more is better, else -1.
var compared = []comparedMeasure{
	{Recall, "recall", share, 1},
	{Precision, "precision", share, 1},
	{PrecisionDecided, "precision, without unjudged", share, 1},
	{Noise, noiseTitle, amount, -1},
	{Micros, "cost per review", dollar, -1},
}

// casePair is the contribution of one case to a measure in both runs.
type casePair struct{ a, b part }

// Compare compares two runs.
func Compare(a, b []eval.Outcome, o Options, madeB Made) Comparison {
	x, _ := separateProblems(a)
	y, _ := separateProblems(b)
	c := Comparison{Comparison: 1, A: o.Made, B: madeB}
	shared := c.common(casesOf(x), casesOf(y))
	x, y = keep(x, shared), keep(y, shared)
	for i, o := range x {
		if i == 0 || outcomeCase(o) != outcomeCase(x[i-1]) {
			c.Golden += len(defectsOf(o.Case, false))
		}
	}
	if c.Golden < wantedGolden {
		c.Warnings = append(c.Warnings, fmt.Sprintf("only %d golden defects in both runs: below %d no difference decides "+
			"anything by itself", c.Golden, wantedGolden))
	}
	for _, m := range compared {
		pairs := casePairs(x, y, partsOf(m.name))
		if d, ok := difference(pairs, o.Seed); ok {
			d.Measure = m.name
			d.Says = sentence(m.title, m.unit, m.better, d)
			c.Differences = append(c.Differences, d)
		}
	}
	return c
}

// partsOf returns the function for the contribution of an outcome to a measure.
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

// casePairs joins the contributions of each case in both runs. Outcomes are in the order of cases.
func casePairs(x, y []*eval.Outcome, of func(o *eval.Outcome) part) []casePair {
	a, b := clustered(x, outcomeCase, of), clustered(y, outcomeCase, of)
	out := make([]casePair, len(a))
	for i := range a {
		out[i] = casePair{a[i], b[i]}
	}
	return out
}

// difference measures the difference of two ratios. ok is false if a ratio has no denominator, or both are
// zero.
func difference(pairs []casePair, seed uint64) (d Difference, ok bool) {
	var used []casePair
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
	d.Believe = d.P < significanceLevel && d.Within != nil && (d.Within.Low > 0 || d.Within.High < 0)
	return d, true
}

func both(list []casePair) (a, b part) {
	for _, p := range list {
		a, b = a.plus(p.a), b.plus(p.b)
	}
	return a, b
}

func (p part) plus(q part) part { return part{p.num + q.num, p.den + q.den} }

// permute returns the share of exchanges with a difference at least as large. It tries all exchanges if
// there are few (Fisher 1935). Otherwise it draws at random and counts the seen difference as one of the
// draws (Phipson and Smyth 2010).
func permute(pairs []casePair, seen float64, seed uint64) (p float64, exact bool) {
	n := len(pairs)
	if n < 63 && 1<<n <= maxExchanges {
		hits := 0
		for bits := range 1 << n {
			hits += isExtreme(pairs, seen, func(i int) bool { return bits>>i&1 == 1 })
		}
		return float64(hits) / float64(int(1)<<n), true
	}
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	hits := 0
	for range maxExchanges {
		var bits uint64
		hits += isExtreme(pairs, seen, func(i int) bool {
			if i%64 == 0 {
				bits = rng.Uint64()
			}
			return bits>>(i%64)&1 == 1
		})
	}
	return float64(hits+1) / float64(maxExchanges+1), false
}

// isExtreme returns 1 if the runs with exchanged cases differ at least as much, else 0. An exchange without a
// denominator counts, because it is no evidence against chance.
func isExtreme(pairs []casePair, seen float64, exchanged func(i int) bool) int {
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
	return boolToInt(math.Abs(b.num/b.den-a.num/a.den) >= math.Abs(seen)*(1-1e-9)-1e-12)
}

// sentence says whether a difference is significant.
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
	return fmt.Sprintf("%s is %s by %s (%s; %s, %d cases): %s.", title, word, step(u, math.Abs(d.Value)), at, probability(d.P),
		d.Cases, verdict)
}

// probability formats a probability, and shortens very small ones.
func probability(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.3f", p)
}
