package score

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/eval"
)

// TestTheBestPlaceCounts: if a defect has several places, the best match decides how good the lines are,
// wherever it stands in the list.
func TestTheBestPlaceCounts(t *testing.T) {
	t.Parallel()
	for _, at := range []int{8, 13} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			o := reviewed("a", []eval.Golden{gold("a.go", 10, 10, named("d")), gold("a.go", at, at, named("d"))}, say("a.go", 10, 10))
			is(t, Score([]eval.Outcome{o}, Options{}).QualityBy("loose").Measures, map[Measure][2]float64{LineIoU: {1, 1}, LineAccuracy: {1, 1}})
		})
	}
}

// TestCreditComesBeforeRejection: at one line people accepted one comment and rejected another.
func TestCreditComesBeforeRejection(t *testing.T) {
	t.Parallel()
	o := reviewed("a", []eval.Golden{gold("a.go", 10, 10), gold("a.go", 10, 10, rejected)}, say("a.go", 10, 10), say("a.go", 10, 10))
	is(t, Score([]eval.Outcome{o}, Options{}).QualityBy("strict").Measures, map[Measure][2]float64{Precision: {1, 2}, KnownFalse: {1, 2}})
}

// TestOpinionsOfRightFindingsDoNotCount: a judge cannot call a finding fabricated that is known to be right.
func TestOpinionsOfRightFindingsDoNotCount(t *testing.T) {
	t.Parallel()
	o := reviewed("a", []eval.Golden{gold("a.go", 10, 10, told("a lost error"))}, say("a.go", 10, 10))
	j := Judgement{Set: "folder", Case: "a", Same: []Same{{Ref{0, 0}, 0}}, Opinions: []Opinion{{Ref{0, 0}, Fabricated}}}
	is(t, Score([]eval.Outcome{o}, Options{Judgements: []Judgement{j}}).QualityBy("judged").Measures, map[Measure][2]float64{Fabrication: {0, 1}, Augmented: {1, 1}})
}

// TestTheWorstSeverityCounts: the highest severity at any place of a defect is the severity of the defect.
func TestTheWorstSeverityCounts(t *testing.T) {
	t.Parallel()
	o := reviewed("a", []eval.Golden{gold("a.go", 1, 1, named("d"), grave("minor")), gold("a.go", 9, 9, named("d"), grave("Blocker"))}, say("a.go", 1, 1, severe("critical")))
	is(t, Score([]eval.Outcome{o}, Options{}).QualityBy("strict").Measures, map[Measure][2]float64{RecallHigh: {1, 1}, SeverityExact: {1, 1}})
}

func TestRepeatedFindingsAreDuplicates(t *testing.T) {
	t.Parallel()
	// The first finding gets the credit. The second fits the defect too. The third is too far from it, and
	// repeats the second in other words.
	o := reviewed("a", []eval.Golden{gold("a.go", 10, 10)},
		say("a.go", 10, 10, words("lost error")), say("a.go", 11, 19, words("handle is never closed")), say("a.go", 17, 19, words("the handle is never closed")))
	is(t, Score([]eval.Outcome{o}, Options{}).QualityBy("loose").Measures, map[Measure][2]float64{Duplicates: {2, 3}, Precision: {1, 2}})
}

// TestRunsOfACaseAreOnePart: three runs of twelve cases are twelve parts. Thirty-six parts would agree with
// each other too often.
func TestRunsOfACaseAreOnePart(t *testing.T) {
	t.Parallel()
	var outs []eval.Outcome
	for i := range 36 {
		o := reviewed(fmt.Sprint(i%12), []eval.Golden{gold("a.go", 1, 1), gold("a.go", 50, 50)}, say("a.go", 1, 1))
		o.Run = i / 12
		outs = append(outs, o)
	}
	r := Score(outs, Options{})
	is(t, r.QualityBy("strict").Measures, map[Measure][2]float64{Recall: {36, 72}, Precision: {36, 36}})
	for _, m := range []*Ratio{r.QualityBy("strict").Measures[Recall], r.QualityBy("strict").Measures[Noise], r.Costs.Measures[Calls], r.Funnel.Steps[4].Recall} {
		if m.Cases != 12 {
			t.Errorf("%d parts: %+v", m.Cases, m)
		}
	}
}

// TestFindingsByLens: a finding of several lenses counts for each of them, at every stage.
func TestFindingsByLens(t *testing.T) {
	t.Parallel()
	one, both := eval.Finding{Lenses: []string{"general"}}, eval.Finding{Lenses: []string{"general", "security"}}
	f := funnel([]*eval.Outcome{{Heads: []eval.Head{{Stages: map[eval.Stage][]eval.Finding{eval.Generated: {one, both, {}}, eval.Standing: {both}, eval.Verified: {both}}}, {Stages: map[eval.Stage][]eval.Finding{eval.Published: {one}}}}}}, 1)
	f.Golden = 1
	if got := fmt.Sprint(f.table().notes); got != "[Findings by lens, stage by stage: general 2 0 1 1 1; security 1 0 1 1 0.]" {
		t.Error(got)
	}
	if none := funnel([]*eval.Outcome{{Heads: []eval.Head{{Stages: map[eval.Stage][]eval.Finding{eval.Generated: {{}}}}}}}, 1); none.Lenses != nil || none.lenses() != "" {
		t.Errorf("%v, %q", none.Lenses, none.lenses())
	}
}
