package score

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// shownRows is the most problems and losses in a text; JSON has more.
const shownRows = 20

// shownCases is the most cases named beside a reason.
const shownCases = 3

// problems lists the reasons for missing or incomplete reviews, each once.
func (r Report) problems() table {
	t := table{title: "Not reviewed, or not as a whole", head: []string{"what", "reviews", "cases"}}
	var order []string
	cases := map[string][]string{}
	for _, p := range r.Problems {
		key := p.What + ": " + p.Why
		if cases[key] == nil {
			order = append(order, key)
		}
		cases[key] = append(cases[key], at(p.Set, p.Case, p.Run))
	}
	for i, key := range order[:min(len(order), shownRows)] {
		what, why, _ := strings.Cut(key, ": ")
		list := cases[key]
		n := len(list)
		if n > shownCases {
			list = append(list[:shownCases:shownCases], "…")
		}
		t.rows = append(t.rows, []string{fmt.Sprintf("%s (%d)", what, i+1), fmt.Sprint(n), strings.Join(list, ", ")})
		t.notes = append(t.notes, fmt.Sprintf("(%d) %s", i+1, why))
	}
	if more := len(order) - len(t.rows); more > 0 || r.Unnamed > 0 {
		t.notes = append(t.notes, fmt.Sprintf("%d more reasons, and %d more reviews: see the report in JSON.", more, r.Unnamed))
	}
	return t
}

func at(set, id string, run int) string {
	if run == 0 {
		return set + "/" + id
	}
	return fmt.Sprintf("%s/%s run %d", set, id, run+1)
}

func (r Report) judgesTable() table {
	t := table{title: "Judges", head: []string{"pairs", "both same", "first only", "second only", "neither", "undecided", "kappa"}}
	if j := r.Judges; j != nil {
		kappa := "-"
		if j.Kappa != nil {
			kappa = fmt.Sprintf("%.3f", *j.Kappa)
		}
		a := j.Agreement
		t.rows = [][]string{{fmt.Sprint(j.Pairs), fmt.Sprint(a.BothSame), fmt.Sprint(a.FirstOnly), fmt.Sprint(a.SecondOnly),
			fmt.Sprint(a.NeitherOne), fmt.Sprint(j.Undecided), kappa}}
		if j.Unjudged > 0 {
			t.notes = append(t.notes, fmt.Sprintf("%d findings have no opinion; reviews with such a one have no part in fabricated and in "+
				"precision with judges' words.", j.Unjudged))
		}
	}
	return t
}

func (f *Funnel) table() table {
	t := table{title: "Funnel: how far the model's findings of golden defects come (loose)",
		head: []string{"stage", "findings", "golden hit", "recall", "lost here", "new here"}}
	if f.Golden == 0 {
		return t
	}
	for _, s := range f.Steps {
		t.rows = append(t.rows, []string{string(s.Stage), fmt.Sprint(s.Findings), fmt.Sprintf("%d / %d", s.Hit, f.Golden),
			value(share, s.Recall), fmt.Sprint(s.Lost), fmt.Sprint(s.Gained)})
	}
	if note := f.lenses(); note != "" {
		t.notes = append(t.notes, note)
	}
	return t
}

// lenses describes the number of findings of each lens at each stage. It returns "" without lenses.
func (f *Funnel) lenses() string {
	var parts []string
	for _, l := range []string{"general", "rules", "security", "contract"} {
		if counts := f.Lenses[l]; len(counts) > 0 {
			parts = append(parts, l+" "+strings.Trim(fmt.Sprint(counts), "[]"))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Findings by lens, stage by stage: " + strings.Join(parts, "; ") + "."
}

func (f *Funnel) lossTable() table {
	t := table{title: "Golden defects that were found and not published", head: []string{"lost at", "case", "defect", "why"}}
	for _, l := range f.Losses[:min(len(f.Losses), shownRows)] {
		t.rows = append(t.rows, []string{string(l.Stage), at(l.Set, l.Case, l.Run), l.Defect, l.Why})
	}
	if more := len(f.Losses) + f.Unnamed - len(t.rows); more > 0 {
		t.notes = append(t.notes, fmt.Sprintf("%d more: see the report in JSON.", more))
	}
	return t
}

func (r Report) runTable() table {
	return measuresTable("The run", r.Measures, []measure{
		{name: Stability, title: "said by both of two runs", unit: share},
		{name: ContextRecall, title: "definitions that prompts showed", unit: share},
		{name: ContextHere, title: "of those in changed files", unit: share},
		{name: ContextElsewhere, title: "of those in other files", unit: share},
		{name: UsefulShown, title: "useful lines that prompts showed", unit: share},
		{name: UsefulShare, title: "shown lines beside the change that are useful", unit: share},
	})
}

func (r Report) verifierTable() table {
	t := table{title: "Verifier: known claims by their confidence",
		head: []string{"claims", "true", "accepting all", "AUC", "95 %", "precision at recall 0.9", "from"}}
	v := r.Verifier
	if v == nil {
		return t
	}
	t.title += " when " + string(v.Stage)
	within := fmt.Sprintf("n = %d", v.PrecisionAt.Cases)
	if v.Interval != nil {
		within = fmt.Sprintf("%.3f to %.3f", v.Interval.Low, v.Interval.High)
	}
	t.rows = [][]string{{fmt.Sprint(v.True + v.False), fmt.Sprint(v.True), write(share, v.Base), fmt.Sprintf("%.3f", v.AUC), within,
		write(share, v.PrecisionAt.Value), fmt.Sprintf("%.3f", v.Threshold)}}
	return t
}

func (r Report) costTable() table {
	var which []measure
	for _, s := range spendings {
		which = append(which, measure{name: s.name, title: s.title, unit: s.unit})
	}
	t := measuresTable("Costs", r.Costs.Measures, append(which, measure{name: CachedShare, title: "input tokens from a cache",
		unit: share}, measure{name: AnsweredLooks, title: "calls of tools answered", unit: share}))
	if r.Costs.Reviews > 0 {
		t.notes = append(t.notes, fmt.Sprintf("%d reviews of heads; half took at most %s, 95 %% at most %s.", r.Costs.Reviews,
			r.Costs.P50.Round(time.Millisecond), r.Costs.P95.Round(time.Millisecond)))
	}
	return t
}

func (q *Quality) severityTable() table {
	t := table{title: "Severity: known (down), said (across)"}
	if len(q.Severities) == 0 {
		return t
	}
	t.head = []string{"known"}
	for s := domain.Critical; ; s-- {
		t.head = append(t.head, s.String())
		if s == domain.Info {
			break
		}
	}
	for _, want := range t.head[1:] {
		line := []string{want}
		for _, got := range t.head[1:] {
			line = append(line, fmt.Sprint(q.Severities[want][got]))
		}
		if q.Severities[want] != nil {
			t.rows = append(t.rows, line)
		}
	}
	return t
}

// table returns the table of a comparison.
func (c Comparison) table() table {
	t := table{title: "Difference", head: []string{"measure", "first", "second", "95 % of the difference", "p"}}
	for _, d := range c.Differences {
		i := slices.IndexFunc(compared, func(m comparedMeasure) bool { return m.name == d.Measure })
		u, within := compared[i].unit, fmt.Sprintf("n = %d", d.Cases)
		if d.Within != nil {
			within = signed(u, d.Within.Low) + " to " + signed(u, d.Within.High)
		}
		t.rows = append(t.rows, []string{compared[i].title, write(u, d.A), write(u, d.B), within, fmt.Sprintf("%.3f", d.P)})
		t.notes = append(t.notes, d.Says)
	}
	return t
}

func (c Comparison) heading() []string {
	out := append([]string(nil), c.Warnings...)
	out = append(out, fmt.Sprintf("%d cases in both runs and compared, %d golden defects.", c.Cases, c.Golden))
	for _, l := range c.A.lines() {
		out = append(out, "first: "+l)
	}
	for _, l := range c.B.lines() {
		out = append(out, "second: "+l)
	}
	return out
}
