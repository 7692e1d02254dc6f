package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/record"
	"github.com/assay-dev/assay/internal/eval/score"
	"github.com/assay-dev/assay/internal/testkit"
)

// review returns the outcome of a case with one defect, which the given lenses found.
func review(n int, micros int64, lenses ...string) eval.Outcome {
	c := eval.Case{Set: "seeded", ID: fmt.Sprintf("case-%02d", n), Kind: eval.Defect,
		Golden: []eval.Golden{{Path: "a.go", Side: domain.Right, StartLine: 10, EndLine: 10, Text: "The index is beyond the end."}}}
	h := eval.Head{Stages: map[eval.Stage][]eval.Finding{}, Cost: eval.Cost{Calls: 2, InputTokens: 1000, CachedTokens: 400, OutputTokens: 100, Micros: micros}}
	if len(lenses) > 0 {
		h.Stages[eval.Published] = []eval.Finding{{Path: "a.go", Side: domain.Right, StartLine: 10, EndLine: 10, Title: "Index beyond the end",
			Text: "The index is beyond the end.", Inline: true, Model: true, Lenses: lenses}}
	}
	return eval.Outcome{Case: c, Heads: []eval.Head{h}}
}

// entry returns a run over so many cases. The review of a case is found by its number, from 0.
func entry(name string, cases int, of func(n int) eval.Outcome) Entry {
	r := record.Run{Run: record.Version, Made: score.Made{Seed: 1, Flags: map[string]string{"tier": name}}}
	for n := range cases {
		r.Outcomes = append(r.Outcomes, of(n))
	}
	return Entry{name, r}
}

// reviews returns reviews that find the defect in the first cases, at a cost.
func reviews(found int, micros int64) func(n int) eval.Outcome {
	return func(n int) eval.Outcome {
		if n < found {
			return review(n, micros, "general")
		}
		return review(n, micros)
	}
}

// The cheapest run that reaches the recall is chosen. A run that is cheaper and may be as good is named.
func TestTheCheapestRunThatReachesIt(t *testing.T) {
	t.Parallel()
	runs := []Entry{entry("T3", 40, reviews(36, 9000)), entry("T1", 40, reviews(23, 1000)), entry("T2", 40, reviews(25, 4000))}
	p, err := Make(runs, 0.6, nil)
	testkit.OK(t, err)
	testkit.Equal(t, "chosen", p.Chosen, "T2")
	testkit.Equal(t, "best", p.Best, "T3")
	testkit.Equal(t, "order", p.Settings[0].Run+p.Settings[1].Run+p.Settings[2].Run, "T1T2T3")
	testkit.Equal(t, "cases and defects", [2]int{p.Cases, p.Golden}, [2]int{40, 40})
	testkit.Equal(t, "options", p.Setting("T2").Words(), "tier T2")
	text := strings.Join(p.Says, "\n")
	for _, want := range []string{
		"T2 reaches a recall of 60.0 % at the least cost: 62.5 % (95 %: ", "for 0.0040 USD per review.",
		"Its interval begins below 60.0 %: these cases do not show that it reaches it on others.",
		"T1 is cheaper, and its recall does not differ from that of T2 by more than chance explains. More cases would decide.",
		"T3 finds more than T2, which may be believed, for 0.0090 USD per review.",
		"The cases have 40 known defects.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}

	p, err = Make(runs, 0.95, nil)
	testkit.OK(t, err)
	testkit.Equal(t, "compared", p.Chosen+p.Compared, "T3")
	if text := strings.Join(p.Says, "\n"); !strings.Contains(text, "No run reaches a recall of 95.0 %. The best is T3, with 90.0 %") ||
		!strings.Contains(text, "Its interval holds 95.0 %") {
		t.Errorf("%s", text)
	}
}

// Runs that cannot be compared are refused, and the error names them.
func TestRunsThatCannotBeCompared(t *testing.T) {
	t.Parallel()
	own := entry("own", 12, reviews(6, 1000))
	other := entry("other", 12, reviews(6, 1000))
	changed := entry("changed", 12, reviews(6, 1000))
	changed.Run.Outcomes[3].Case.Golden[0].StartLine = 9
	noGolden := func(n int) eval.Outcome {
		o := reviews(6, 1000)(n)
		o.Case.Golden = nil
		o.Case.Kind = eval.Clean
		return o
	}
	failing := func(n int) eval.Outcome { return eval.Outcome{Case: review(n, 0).Case, Error: "no answer"} }
	for name, c := range map[string]struct {
		runs []Entry
		want string
	}{
		"other cases":     {[]Entry{own, entry("fewer", 11, reviews(6, 1000))}, "own and fewer are not over the same cases: the second lacks 1 and has 0 others, such as seeded/case-11"},
		"other defects":   {[]Entry{own, changed}, "do not know the same defects: 1 cases"},
		"no review":       {[]Entry{entry("empty", 0, nil), own}, "empty has no review"},
		"no price":        {[]Entry{other, entry("free", 12, reviews(6, 0))}, "free has reviews without a price"},
		"no defects":      {[]Entry{entry("a", 12, noGolden), entry("b", 12, noGolden)}, "a has no recall"},
		"all fail in one": {[]Entry{own, entry("failed", 12, failing)}, "no case that all of them have reviewed"},
	} {
		if _, err := Make(c.runs, 0.5, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.want)
		}
	}
}

// A case that one run could not review counts in no run, and is counted.
func TestCasesThatFailedInOneRun(t *testing.T) {
	t.Parallel()
	some := entry("some", 12, reviews(12, 1000))
	some.Run.Outcomes[0].Heads, some.Run.Outcomes[0].Error = nil, "no answer"
	p, err := Make([]Entry{entry("all", 12, reviews(12, 2000)), some}, 0.5, nil)
	testkit.OK(t, err)
	testkit.Equal(t, "cases", [3]int{p.Cases, p.LeftOut, p.Setting("all").Reviews}, [3]int{11, 1, 11})
	if text := strings.Join(p.Says, "\n"); !strings.Contains(text, "Cases left out, because a run could not review them: 1.") {
		t.Errorf("%s", text)
	}
}

// The plan says what only one lens has found, without another run.
func TestPasses(t *testing.T) {
	t.Parallel()
	of := func(n int) eval.Outcome {
		switch {
		case n < 6:
			return review(n, 1000, "general")
		case n < 9:
			return review(n, 1000, "security")
		case n < 11:
			return review(n, 1000, "general", "security")
		}
		return review(n, 1000)
	}
	p, err := Make([]Entry{entry("T3", 12, of), entry("T1", 12, reviews(6, 500))}, 0.5, nil)
	testkit.OK(t, err)
	testkit.Equal(t, "passes of one lens", len(p.Setting("T1").Passes), 0)
	_, rows := p.PassRows()
	testkit.Equal(t, "rows", fmt.Sprint(rows), "[[T3 general 6 41.7 % 6] [T3 security 3 66.7 % 3]]")
	testkit.Equal(t, "the run itself", p.Setting("T3").Recall.Num, 11.0)
}

// A general pass after the first one counts apart.
func TestTheSecondGeneralPass(t *testing.T) {
	t.Parallel()
	of := func(n int) eval.Outcome {
		o := review(n, 1000, "general")
		o.Heads[0].Stages[eval.Published][0].Passes = 1 + n%3
		return o
	}
	p, err := Make([]Entry{entry("T3", 12, of), entry("T1", 12, reviews(6, 500))}, 0.5, nil)
	testkit.OK(t, err)
	_, rows := p.PassRows()
	testkit.Equal(t, "rows", fmt.Sprint(rows), "[[T3 general 4 66.7 % 4] [T3 general-2 8 33.3 % 8]]")
}

// A panel does not turn the first general pass into the second one.
func TestThePanelIsAKindOfPass(t *testing.T) {
	t.Parallel()
	of := func(n int) eval.Outcome {
		o := review(n, 1000, "general")
		f := &o.Heads[0].Stages[eval.Published][0]
		f.Passes = 2
		f.By = [][]string{{"general"}, {"panel"}, {"general", "panel"}, {"general-3"}}[n%4]
		return o
	}
	p, err := Make([]Entry{entry("T3", 12, of), entry("T1", 12, reviews(6, 500))}, 0.5, nil)
	testkit.OK(t, err)
	_, rows := p.PassRows()
	testkit.Equal(t, "rows", fmt.Sprint(rows), "[[T3 general 3 75.0 % 3] [T3 general-2 3 75.0 % 3] [T3 panel 3 75.0 % 3]]")
}

// A price replaces the costs of all runs.
func TestPrices(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"3/15": 4500, "3/15/0.3": 3420, "0/0": 0, "0.5/1/0": 400} {
		price, err := ParsePrice(text)
		testkit.OK(t, err)
		p, err := Make([]Entry{entry("a", 12, reviews(6, 7)), entry("b", 12, reviews(6, 0))}, 0.5, price)
		testkit.OK(t, err)
		testkit.Equal(t, text, p.Settings[0].Micros(), want)
	}
	for _, text := range []string{"", "3", "3/x", "NaN/1", "1/2/3/4", "-1/2", "1/1e9", "3 / 15"} {
		if _, err := ParsePrice(text); err == nil {
			t.Errorf("%q is a price", text)
		}
	}
}

// Runs that differ in nothing are said to be equal, and few cases give no interval.
func TestRunsThatAreAlike(t *testing.T) {
	t.Parallel()
	p, err := Make([]Entry{entry("a", 5, reviews(3, 1000)), entry("b", 5, reviews(3, 1000))}, 0.5, nil)
	testkit.OK(t, err)
	text := strings.Join(p.Says, "\n")
	for _, want := range []string{"b and a do not differ in recall or in cost by more than chance explains.", "There are too few cases for an interval"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

// An option that a run does not name is shown with the value that the run had without it.
func TestOptionsThatARunDoesNotName(t *testing.T) {
	t.Parallel()
	bare, full := entry("bare", 12, reviews(6, 1000)), entry("full", 12, reviews(6, 2000))
	bare.Run.Made.Flags = map[string]string{"context": "repository"}
	full.Run.Made.Flags = map[string]string{"context": "repository", "effort": "high", "kind": "defect", "language": "Go", "limit": "12", "lookups": "true",
		"only": "case", "panel": "noisy", "recall": "0.5", "runs": "3", "tier": "T1"}
	p, err := Make([]Entry{bare, full}, 0.4, nil)
	testkit.OK(t, err)
	testkit.Equal(t, "bare", p.Setting("bare").Words(), "effort of the provider, kind all, language all, limit none, lookups false, only all, "+
		"panel none, recall none, runs 1, tier by change")
	testkit.Equal(t, "full", p.Setting("full").Words(), "effort high, kind defect, language Go, limit 12, lookups true, only case, panel noisy, "+
		"recall 0.5, runs 3, tier T1")
}
