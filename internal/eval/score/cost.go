package score

import (
	"math"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/eval"
)

// Costs is the usage of a run's reviews. A review covers one head.
type Costs struct {
	Reviews  int       `json:"reviews"`
	Total    eval.Cost `json:"total"`
	Measures Measures  `json:"measures"` // per review, the cached share of input tokens, and the answered share of tool calls
	// Half and 95 % of the reviews took at most that long; absent without reviews.
	P50 time.Duration `json:"p50,omitempty"`
	P95 time.Duration `json:"p95,omitempty"`
}

// spending is a number of a cost.
type spending struct {
	name  Measure
	title string
	unit  unit
	of    func(c eval.Cost) float64
}

// spendings are the numbers that are divided by reviews.
var spendings = []spending{
	{Calls, "calls per review", amount, func(c eval.Cost) float64 { return float64(c.Calls) }},
	{InputTokens, "input tokens per review", amount, func(c eval.Cost) float64 { return float64(c.InputTokens) }},
	{OutputTokens, "output tokens per review", amount, func(c eval.Cost) float64 { return float64(c.OutputTokens) }},
	{Looks, "calls of tools per review", amount, func(c eval.Cost) float64 { return float64(c.Looks) }},
	{Micros, "cost per review", dollar, func(c eval.Cost) float64 { return float64(c.Micros) }},
	{Seconds, "seconds per review", amount, func(c eval.Cost) float64 { return c.Duration.Seconds() }},
}

func costOf(o *eval.Outcome) (c eval.Cost) {
	for _, h := range o.Heads {
		c.Add(h.Cost)
	}
	return c
}

func costs(outs []*eval.Outcome, seed uint64) Costs {
	out := Costs{Measures: Measures{}}
	var took []float64
	for _, o := range outs {
		out.Total.Add(costOf(o))
		out.Reviews += len(o.Heads)
		for _, h := range o.Heads {
			took = append(took, float64(h.Cost.Duration))
		}
	}
	for _, s := range spendings {
		per := clustered(outs, outcomeCase, func(o *eval.Outcome) part { return part{s.of(costOf(o)), float64(len(o.Heads))} })
		if r := ratio(seed, s.unit, per); r != nil && (s.name != Micros || out.Total.Micros > 0) {
			out.Measures[s.name] = r
		}
	}
	for name, of := range map[Measure]func(c eval.Cost) part{
		CachedShare:   func(c eval.Cost) part { return part{float64(c.CachedTokens), float64(c.InputTokens)} },
		AnsweredLooks: func(c eval.Cost) part { return part{float64(c.Answered), float64(c.Looks)} },
	} {
		if r := ratio(seed, share, clustered(outs, outcomeCase, func(o *eval.Outcome) part { return of(costOf(o)) })); r != nil {
			out.Measures[name] = r
		}
	}
	if len(took) > 0 {
		slices.Sort(took)
		out.P50, out.P95 = time.Duration(math.Round(quantile(took, 0.5))), time.Duration(math.Round(quantile(took, 0.95)))
	}
	return out
}
