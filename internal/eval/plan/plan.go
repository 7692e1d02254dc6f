// Package plan compares stored runs of the harness over the same cases, and names the settings that reach a
// wanted recall at the least cost. It asks no model. Package score makes the measures and the comparisons.
package plan

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/record"
	"github.com/assay-dev/assay/internal/eval/score"
)

// Version is the version of the form of a [Plan].
const Version = 1

// MinRuns and MaxRuns bound the runs of a plan. The upper bound is a design choice: every run is compared with
// one other, and each comparison takes about a second.
const (
	MinRuns = 2
	MaxRuns = 20
)

// measuredBy is the rule of comparison whose measures decide. Every run has it, and [score.Compare] uses it.
const measuredBy = "loose"

// Entry is a stored run under a name.
type Entry struct {
	Name string
	Run  record.Run
}

// Plan is the answer to a question for a recall.
type Plan struct {
	Plan   int     `json:"plan"`   // version of this form: 1
	Recall float64 `json:"recall"` // wanted, from 0 to 1
	Cases  int     `json:"cases"`  // compared: every run reviewed them
	Golden int     `json:"golden"` // known defects of the compared cases
	// LeftOut counts cases that some run could not review.
	LeftOut  int       `json:"leftOut"`
	Settings []Setting `json:"settings"` // the cheapest first
	// Chosen is the cheapest run that reaches the recall, "" if no run does. Best is the run with the highest
	// recall.
	Chosen string `json:"chosen,omitempty"`
	Best   string `json:"best"`
	// Compared is the chosen run, or the best one if no run is chosen. Against compares it with each other run.
	Compared string    `json:"compared"`
	Against  []Against `json:"against"`
	Says     []string  `json:"says"` // sentences
}

// Setting is a run with its measures over the compared cases.
type Setting struct {
	Run     string            `json:"run"`
	Options map[string]string `json:"options"` // those that differ between the runs
	Reviews int               `json:"reviews"`
	Recall  *score.Ratio      `json:"recall"`
	// Precision is absent if nothing was published.
	Precision *score.Ratio `json:"precision,omitempty"`
	// Cost is in millionths of a US dollar per review of a head. It is absent if all reviews cost nothing.
	Cost    *score.Ratio `json:"cost,omitempty"`
	Reaches bool         `json:"reaches"`
	Passes  []Pass       `json:"passes,omitempty"` // empty if findings name fewer than two

	incomplete int // reviews
}

// Micros returns the cost per review.
func (s Setting) Micros() float64 {
	if s.Cost == nil {
		return 0
	}
	return s.Cost.Value
}

// Against is the comparison of the plan's run with another one.
type Against struct {
	Run         string             `json:"run"`
	Differences []score.Difference `json:"differences"` // that run minus the plan's run
	Says        []string           `json:"says"`        // sentences
}

// Make makes a plan. Its errors name the run that cannot be used.
func Make(runs []Entry, recall float64, price *Price) (Plan, error) {
	p := Plan{Plan: Version, Recall: recall}
	if err := sameCases(runs); err != nil {
		return p, err
	}
	all := len(keysOf(runs[0].Run.Outcomes))
	runs = reviewedByAll(runs)
	p.Cases = len(keysOf(runs[0].Run.Outcomes))
	p.LeftOut = all - p.Cases
	if p.Cases == 0 {
		return p, errors.New("the runs reviewed no case that all of them have reviewed")
	}
	for i := range runs {
		if price != nil {
			runs[i].Run.Outcomes = price.apply(runs[i].Run.Outcomes)
		} else if !isPriced(runs[i].Run) {
			return p, fmt.Errorf("%s has reviews without a price, as scripted models, cassettes and answers by hand have: name a price of "+
				"tokens with --price", runs[i].Name)
		}
	}
	options := differing(runs)
	for i, r := range runs {
		s, golden, err := measure(r, recall)
		if err != nil {
			return p, err
		}
		s.Options, p.Golden = options[i], golden
		p.Settings = append(p.Settings, s)
	}
	slices.SortStableFunc(p.Settings, func(a, b Setting) int {
		return cmp.Or(cmp.Compare(a.Micros(), b.Micros()), cmp.Compare(b.Recall.Value, a.Recall.Value))
	})
	p.choose()
	if err := p.compare(runs); err != nil {
		return p, err
	}
	p.conclude()
	return p, nil
}

// caseKey names a case.
type caseKey struct{ set, id string }

func keyOf(o eval.Outcome) caseKey { return caseKey{o.Case.Set, o.Case.ID} }

func keysOf(list []eval.Outcome) map[caseKey]bool {
	out := map[caseKey]bool{}
	for _, o := range list {
		out[keyOf(o)] = true
	}
	return out
}

// sameCases returns an error if the runs do not cover the same cases.
func sameCases(runs []Entry) error {
	first := keysOf(runs[0].Run.Outcomes)
	if len(first) == 0 {
		return fmt.Errorf("%s has no review", runs[0].Name)
	}
	for _, r := range runs[1:] {
		other := keysOf(r.Run.Outcomes)
		lacks := missing(first, other)
		more := missing(other, first)
		if len(lacks)+len(more) > 0 {
			return fmt.Errorf("%s and %s are not over the same cases: the second lacks %d and has %d others, such as %s; measure both with "+
				"the same sets, --only, --kind, --language, --held and --limit, to the end", runs[0].Name, r.Name, len(lacks), len(more),
				append(lacks, more...)[0])
		}
	}
	return nil
}

// missing lists the ids of cases that other lacks.
func missing(list, other map[caseKey]bool) (out []string) {
	for k := range list {
		if !other[k] {
			out = append(out, k.set+"/"+k.id)
		}
	}
	slices.Sort(out)
	return out
}

// reviewedByAll keeps the outcomes of cases that every run has reviewed.
func reviewedByAll(runs []Entry) []Entry {
	failed := map[caseKey]bool{}
	for _, r := range runs {
		for _, o := range r.Run.Outcomes {
			if o.Skipped || o.Error != "" || len(o.Heads) == 0 {
				failed[keyOf(o)] = true
			}
		}
	}
	out := slices.Clone(runs)
	for i := range out {
		out[i].Run.Outcomes = slices.DeleteFunc(slices.Clone(out[i].Run.Outcomes), func(o eval.Outcome) bool { return failed[keyOf(o)] })
	}
	return out
}

// absent maps an option to the value that a run uses without it. An option that is not here counts as none, such as a panel or
// a limit.
var absent = map[string]string{
	"effort": "of the provider", "lookups": "false", "tier": "by change", "runs": "1", "only": "all", "language": "all", "kind": "all",
}

// differing returns the options of each run that are not equal in all runs.
func differing(runs []Entry) []map[string]string {
	all, names := make([]map[string]string, len(runs)), map[string]bool{}
	for i, r := range runs {
		m := r.Run.Made
		all[i] = map[string]string{"mode": m.Mode, "assay": m.Assay, "prompts": m.Prompt}
		for tier, name := range m.Models {
			all[i]["model "+tier] = name
		}
		maps.Copy(all[i], m.Flags)
		for name := range all[i] {
			names[name] = true
		}
	}
	out := make([]map[string]string, len(runs))
	for i := range runs {
		out[i] = map[string]string{}
		for name := range names {
			if slices.ContainsFunc(all, func(o map[string]string) bool { return o[name] != all[0][name] }) {
				out[i][name] = cmp.Or(all[i][name], absent[name], "none")
			}
		}
	}
	return out
}

// measure returns the measures of a run and the number of known defects.
func measure(r Entry, recall float64) (Setting, int, error) {
	report := r.Run.Report()
	quality := report.QualityBy(measuredBy)
	s := Setting{Run: r.Name, Reviews: report.Costs.Reviews, Cost: report.Costs.Measures[score.Micros],
		incomplete: report.Counts.Incomplete}
	if quality != nil {
		s.Recall, s.Precision = quality.Measures[score.Recall], quality.Measures[score.Precision]
	}
	if s.Recall == nil {
		return s, 0, fmt.Errorf("%s has no recall: its cases have no known defect with a line", r.Name)
	}
	s.Reaches = s.Recall.Value >= recall
	s.Passes = passesOf(r.Run, *s.Recall)
	return s, quality.Golden, nil
}

// choose names the cheapest setting that reaches the recall, and the setting with the highest recall.
func (p *Plan) choose() {
	best := p.Settings[0]
	for _, s := range p.Settings {
		if s.Reaches && p.Chosen == "" {
			p.Chosen = s.Run
		}
		if s.Recall.Value > best.Recall.Value {
			best = s
		}
	}
	p.Best, p.Compared = best.Run, cmp.Or(p.Chosen, best.Run)
}

// compare compares the plan's run with the other ones, in the order of the settings.
func (p *Plan) compare(runs []Entry) error {
	own := find(runs, p.Compared)
	for _, s := range p.Settings {
		if s.Run == own.Name {
			continue
		}
		c := own.Run.Compare(find(runs, s.Run).Run)
		if c.Changed > 0 {
			return fmt.Errorf("%s and %s do not know the same defects: %d cases have other known defects or another kind; measure both "+
				"with the same version of the cases", own.Name, s.Run, c.Changed)
		}
		a := Against{Run: s.Run, Differences: c.Differences}
		for _, d := range c.Differences {
			if slices.Contains([]score.Measure{score.Recall, score.Precision, score.Micros}, d.Measure) {
				a.Says = append(a.Says, d.Says)
			}
		}
		p.Against = append(p.Against, a)
	}
	return nil
}

func find(runs []Entry, name string) Entry {
	return runs[slices.IndexFunc(runs, func(r Entry) bool { return r.Name == name })]
}

// Setting returns the setting of a run.
func (p Plan) Setting(run string) Setting {
	return p.Settings[slices.IndexFunc(p.Settings, func(s Setting) bool { return s.Run == run })]
}

// believed reports whether the difference of a measure may be believed.
func (a Against) believed(m score.Measure) bool {
	return slices.ContainsFunc(a.Differences, func(d score.Difference) bool { return d.Measure == m && d.Believe })
}

// Words returns the options of a setting on a line.
func (s Setting) Words() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		out = append(out, name+" "+s.Options[name])
	}
	return strings.Join(out, ", ")
}
