package score

import (
	"math/rand/v2"
	"slices"

	"github.com/assay-dev/assay/internal/stats"
)

// resamples is the number of resamples of cases for an interval (Efron and Tibshirani 1993, chapter 13: at
// least 1,000 for percentiles).
const resamples = 2000

// fewCases is the least number of cases for an interval, because resampling fewer would only repeat them
// (design choice).
const fewCases = 10

// Ratio is a share, or an amount per thing, with its sums. A ratio without a denominator is absent.
type Ratio struct {
	Num   float64 `json:"num"`
	Den   float64 `json:"den"`
	Value float64 `json:"value"`
	Cases int     `json:"cases"` // cases that contribute to Den
	// Interval is the 95 % confidence interval. It is nil for fewer than 10 cases, and for an amount that
	// is equal in all of them.
	Interval *Interval `json:"interval,omitempty"`
}

// Interval is from Low to High.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// part is one case's contribution to a ratio.
type part struct{ num, den float64 }

// ratio sums the contributions of cases with all their runs. It resamples cases, because findings of one
// change depend on each other.
func ratio(seed uint64, u unit, cases []part) *Ratio {
	cases = slices.DeleteFunc(slices.Clone(cases), func(p part) bool { return p.den == 0 && p.num == 0 })
	num, den := sum(cases)
	if den == 0 {
		return nil
	}
	r := &Ratio{Num: num, Den: den, Value: num / den, Cases: len(cases)}
	if len(cases) < fewCases {
		return r
	}
	certain := uniform(cases)
	switch {
	case u == share && binary(cases):
		r.Interval = wilson(num, float64(len(cases)))
		return r
	case u == share && certain >= 0:
		r.Interval = wilson(certain*float64(len(cases)), float64(len(cases)))
		return r
	}
	r.Interval = bootstrap(seed, len(cases), func(pick []int) (float64, bool) {
		var num, den float64
		for _, i := range pick {
			num += cases[i].num
			den += cases[i].den
		}
		return num / den, den > 0
	})
	if r.Interval != nil && r.Interval.Low == r.Interval.High { // all cases are equal, which tells nothing about other cases
		r.Interval = nil
	}
	return r
}

func sum(cases []part) (num, den float64) {
	for _, p := range cases {
		num += p.num
		den += p.den
	}
	return num, den
}

// binary reports whether each case is one yes or no.
func binary(cases []part) bool {
	return !slices.ContainsFunc(cases, func(p part) bool { return p.den != 1 || p.num != 0 && p.num != 1 })
}

// uniform returns 0 or 1 if all cases have that value, because resampling would then give an interval
// without width. It returns -1 otherwise.
func uniform(cases []part) float64 {
	none, all := true, true
	for _, p := range cases {
		none, all = none && p.num == 0, all && p.num == p.den
	}
	switch {
	case all:
		return 1
	case none:
		return 0
	}
	return -1
}

// wilson returns the score interval of a share of n independent cases.
func wilson(hits, n float64) *Interval {
	low, high := stats.Wilson(hits, n)
	return &Interval{low, high}
}

// bootstrap returns the percentile interval of a number over n cases that are drawn with replacement. stat
// gets indexes of cases, and reports whether the number exists. bootstrap returns nil if most draws have no
// number.
func bootstrap(seed uint64, n int, stat func(pick []int) (float64, bool)) *Interval {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	pick, values := make([]int, n), make([]float64, 0, resamples)
	for range resamples {
		for i := range pick {
			pick[i] = rng.IntN(n)
		}
		if v, ok := stat(pick); ok {
			values = append(values, v)
		}
	}
	if len(values) < resamples/2 {
		return nil
	}
	slices.Sort(values)
	return &Interval{quantile(values, 0.025), quantile(values, 0.975)}
}

// quantile returns a quantile of at least one sorted value, with linear interpolation (type 7 of Hyndman
// and Fan 1996).
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
