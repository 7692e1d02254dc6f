package score

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestUsefulContextIsMeasured: only heads of cases that mark useful code have a part.
func TestUsefulContextIsMeasured(t *testing.T) {
	t.Parallel()
	a, b := reviewed("a", nil), reviewed("b", nil)
	a.Heads[0].ContextShare = &eval.ContextShare{Marked: 8, MarkedShown: 6, Lines: 20, Useful: 5}
	r := Score([]eval.Outcome{a, b}, Options{})
	is(t, r.Measures, map[Measure][2]float64{UsefulShown: {6, 8}, UsefulShare: {5, 20}})
	testkit.Equal(t, "rows", len(r.runTable().rows), 2)
	is(t, Score([]eval.Outcome{b}, Options{}).Measures, map[Measure][2]float64{UsefulShown: {}, UsefulShare: {}})
}

func removed(g *eval.Golden)    { g.Side = domain.Left }
func onLeft(f *eval.Finding)    { f.Side = domain.Left }
func fromCheck(f *eval.Finding) { f.Model = false }

// TestPlacesOfBothSides: a defect and a finding may name the same line by its numbers in different versions.
func TestPlacesOfBothSides(t *testing.T) {
	t.Parallel()
	// Lines 10 and 11 of the base are gone. Lines 30 to 32 of it are lines 28 to 29 of the head now. Lines 48 to 50 of
	// the head are new behind line 50 of the base.
	runs := []eval.Run{{Old: 10, OldLines: 2, New: 10}, {Old: 30, OldLines: 3, New: 28, NewLines: 2}, {Old: 51, New: 48, NewLines: 3}}
	for name, c := range map[string]struct {
		golden        eval.Golden
		finding       eval.Finding
		strict, loose bool
	}{
		"beside the gap, before":            {gold("a.go", 10, 11, removed), say("a.go", 9, 9), true, true},
		"beside the gap, behind":            {gold("a.go", 10, 11, removed), say("a.go", 10, 10), true, true},
		"around the gap, other words":       {gold("a.go", 10, 11, removed, told("an error is lost")), say("a.go", 8, 10, words("mutex never unlocked")), true, true},
		"two lines from the gap":            {gold("a.go", 10, 11, removed), say("a.go", 12, 12), false, true},
		"the number of a removed line":      {gold("a.go", 11, 11, removed), say("a.go", 17, 17), false, false},
		"the gap as lines of the base":      {gold("a.go", 10, 10), say("a.go", 11, 11, onLeft), true, true},
		"what came in its place":            {gold("a.go", 30, 31, removed), say("a.go", 28, 29), true, true},
		"what was in its place":             {gold("a.go", 28, 29), say("a.go", 30, 32, onLeft), true, true},
		"the same number, another line":     {gold("a.go", 30, 31, removed), say("a.go", 38, 38), false, false},
		"an unchanged line, by old number":  {gold("a.go", 38, 38), say("a.go", 41, 41, onLeft), true, true},
		"an unchanged line, by new number":  {gold("a.go", 41, 41, removed), say("a.go", 38, 38), true, true},
		"unchanged lines, six lines off":    {gold("a.go", 38, 38), say("a.go", 47, 47, onLeft), false, false},
		"new lines, by their neighbour":     {gold("a.go", 48, 50), say("a.go", 50, 50, onLeft), true, true},
		"behind the last run":               {gold("a.go", 100, 100), say("a.go", 100, 100, onLeft), true, true},
		"behind the last run, another line": {gold("a.go", 100, 100), say("a.go", 90, 90, onLeft), false, false},
		"under the old name":                {gold("old.go", 10, 11, removed), say("new.go", 10, 10), true, true},
		"a file without runs":               {gold("b.go", 10, 10, removed), say("b.go", 10, 10), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := reviewed("a", []eval.Golden{c.golden}, c.finding)
			o.Heads[0].Renames = map[string]string{"new.go": "old.go"}
			o.Heads[0].Runs = map[string][]eval.Run{"a.go": runs, "new.go": runs}
			r := Score([]eval.Outcome{o}, Options{})
			for rule, want := range map[string]bool{"strict": c.strict, "loose": c.loose} {
				if got := r.QualityBy(rule).Measures[Recall].Num; got != float64(boolToInt(want)) {
					t.Errorf("%s: %g found, want %v", rule, got, want)
				}
			}
		})
	}
}

// TestAFamilyDecidesBetweenFindings: two findings at one place, and the defect's credit goes to the one of its family.
func TestAFamilyDecidesBetweenFindings(t *testing.T) {
	t.Parallel()
	o := reviewed("a", []eval.Golden{gold("a.go", 10, 10, category("security"), grave("high"))},
		say("a.go", 10, 10, about("docs"), severe("low")), say("a.go", 10, 10, about("security"), severe("high")))
	is(t, Score([]eval.Outcome{o}, Options{}).QualityBy("strict").Measures, map[Measure][2]float64{Recall: {1, 1}, SeverityExact: {1, 1}})
}

// TestFurtherReports: a second report of a defect changes no precision, wherever it stands and whatever it is called.
func TestFurtherReports(t *testing.T) {
	t.Parallel()
	golden := []eval.Golden{gold("a.go", 10, 10, named("d"), told("an error is lost")), gold("b.go", 20, 20, named("d"), told("an error is lost")),
		gold("c.go", 5, 5, rejected)}
	first := say("a.go", 10, 10, words("the error is lost"), sure(0.9))
	for name, c := range map[string]struct {
		finding eval.Finding
		want    map[Measure][2]float64
	}{
		"at another place":           {say("b.go", 20, 20, words("the error is lost"), sure(0.1)), map[Measure][2]float64{Precision: {1, 1}, Further: {1, 2}, Noise: {0, 1}, Brier: {0.01, 1}}},
		"of another family":          {say("b.go", 20, 20, words("the error is lost"), about("docs")), map[Measure][2]float64{Precision: {1, 1}, Further: {1, 2}}},
		"in the summary":             {say("b.go", 20, 20, words("the error is lost"), inSummary), map[Measure][2]float64{Precision: {1, 1}, SummaryPrecision: {}, Further: {1, 2}}},
		"by a check":                 {say("b.go", 20, 20, words("the error is lost"), fromCheck), map[Measure][2]float64{Precision: {1, 1}, Further: {1, 2}}},
		"as a longer range of lines": {say("a.go", 1, 10, words("the error is lost")), map[Measure][2]float64{Precision: {1, 1}, Further: {1, 2}}},
		"something else":             {say("a.go", 90, 90, words("the error is lost")), map[Measure][2]float64{Precision: {1, 2}, PrecisionDecided: {1, 1}, Unjudged: {1, 2}, Further: {0, 2}, Noise: {1, 1}}},
		"at a rejected place":        {say("c.go", 5, 5), map[Measure][2]float64{Precision: {1, 2}, PrecisionDecided: {1, 2}, Unjudged: {0, 2}, KnownFalse: {1, 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			is(t, Score([]eval.Outcome{reviewed("a", golden, first, c.finding)}, Options{}).QualityBy("loose").Measures, c.want)
		})
	}
}

// TestUnjudgedFindings: a finding that nothing known explains is unjudged, but false on a clean change. Both precisions,
// the counts and the lists say so.
func TestUnjudgedFindings(t *testing.T) {
	t.Parallel()
	outs := []eval.Outcome{
		reviewed("a", []eval.Golden{gold("a.go", 10, 10), gold("a.go", 50, 50, rejected)},
			say("a.go", 10, 10), say("a.go", 11, 11), say("a.go", 50, 50), say("x.go", 7, 7, words("a leak"))),
		reviewed("b", nil, say("b.go", 3, 3, words("a race"))),
	}
	r := Score(outs, Options{})
	q := r.QualityBy("loose")
	is(t, q.Measures, map[Measure][2]float64{Precision: {1, 4}, PrecisionDecided: {1, 3}, Unjudged: {1, 5}, CleanFalse: {1, 1}})
	testkit.Equal(t, "findings, right, further, unjudged, false", [5]int{q.Findings, q.Right, q.Further, q.Unjudged, q.False}, [5]int{5, 1, 1, 1, 2})
	testkit.Equal(t, "unjudged", fmt.Sprint(r.Unjudged), "[{folder a 0 x.go:7 a leak}]")
	testkit.Equal(t, "wrong", fmt.Sprint(r.Wrong), "[{folder a 0 a.go:50 } {folder b 0 b.go:3 a race}]")
	is(t, groupOf(t, q, "kind", "clean").Measures, map[Measure][2]float64{Precision: {0, 1}, PrecisionDecided: {0, 1}})
	is(t, groupOf(t, q, "kind", "defect").Measures, map[Measure][2]float64{Precision: {1, 3}, PrecisionDecided: {1, 2}})
	t.Run("judges decide", func(t *testing.T) {
		t.Parallel()
		for verdict, want := range map[Verdict][2]float64{Confirmed: {1, 1}, Plausible: {0, 0}, Fabricated: {0, 1}} {
			o := reviewed("a", []eval.Golden{gold("a.go", 10, 10, told("an error is lost"))}, say("x.go", 7, 7))
			j := Judgement{Set: "folder", Case: "a", Opinions: []Opinion{{Ref{0, 0}, verdict}}}
			is(t, Score([]eval.Outcome{o}, Options{Judgements: []Judgement{j}}).QualityBy("judged").Measures, map[Measure][2]float64{Precision: {0, 1}, PrecisionDecided: want})
		}
	})
	t.Run("on a clean change judges do not help", func(t *testing.T) {
		t.Parallel()
		j := Judgement{Set: "folder", Case: "b", Opinions: []Opinion{{Ref{0, 0}, Confirmed}}}
		is(t, Score(outs[1:], Options{Judgements: []Judgement{j}}).QualityBy("judged").Measures, map[Measure][2]float64{PrecisionDecided: {0, 1}, CleanFalse: {1, 1}})
	})
}
