package score

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/eval"
)

// inRun holds a run's facts about a case.
type inRun struct {
	known string // kind and golden findings
	runs  int    // reviews that count
}

func casesOf(list []*eval.Outcome) map[caseKey]inRun {
	out := map[caseKey]inRun{}
	for _, o := range list {
		c, there := out[outcomeCase(o)]
		if !there {
			c.known = factsKey(o.Case)
		}
		c.runs++
		out[outcomeCase(o)] = c
	}
	return out
}

// factsKey returns the known facts about a case as a text that does not depend on the order of its golden.
func factsKey(c eval.Case) string {
	var golden []string
	for _, g := range c.Golden {
		golden = append(golden, fmt.Sprint(g.False, placeKey(g)))
	}
	slices.Sort(golden)
	return string(c.Kind) + "\x00" + strings.Join(golden, "")
}

// common returns the comparable cases: those reviewed in both runs with the same known facts. It counts the
// other cases and further differences.
func (c *Comparison) common(a, b map[caseKey]inRun) map[caseKey]bool {
	out := map[caseKey]bool{}
	otherRuns := 0
	for k, in := range a {
		switch other, both := b[k]; {
		case !both:
			c.OnlyA++
		case other.known != in.known:
			c.Changed++
		default:
			out[k] = true
			otherRuns += boolToInt(other.runs != in.runs)
		}
	}
	c.Cases = len(out)
	c.OnlyB = len(b) - c.Cases - c.Changed
	c.warn(len(a)+len(b) > 0, otherRuns)
	return out
}

func (c *Comparison) warn(some bool, otherRuns int) {
	say := func(format string, args ...any) { c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...)) }
	if c.OnlyA+c.OnlyB > 0 {
		say("%d cases were reviewed in the first run alone and %d in the second alone: they are left out", c.OnlyA, c.OnlyB)
	}
	if c.Changed > 0 {
		say("%d cases have other golden findings or another kind in the second run: they are left out", c.Changed)
	}
	if c.Cases == 0 && some {
		say("the runs have no case in common")
	}
	if otherRuns > 0 {
		say("%d cases were reviewed a different number of times in the two runs", otherRuns)
	}
	for _, option := range []string{"context", "depth", "effort", "interface", "lookups", "panel", "tier"} {
		a, b := cmp.Or(c.A.Flags[option], "the default"), cmp.Or(c.B.Flags[option], "the default")
		if a != b {
			say("%s: %s in the first run, %s in the second", option, a, b)
		}
	}
}

func keep(list []*eval.Outcome, in map[caseKey]bool) (out []*eval.Outcome) {
	for _, o := range list {
		if in[outcomeCase(o)] {
			out = append(out, o)
		}
	}
	return out
}
