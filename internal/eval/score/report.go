package score

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/review/engine"
)

// Version is the version of the form of a [Report].
const Version = 1

// maxProblems is the most failed, skipped and incomplete reviews that a report names.
const maxProblems = 200

// Made holds the inputs of a run.
type Made struct {
	Assay  string            `json:"assay"`            // version of the program
	Prompt string            `json:"prompt,omitempty"` // hash over texts and schemas of the prompts
	Sets   []string          `json:"sets,omitempty"`
	Mode   string            `json:"mode,omitempty"`    // scripted, cassette or live
	Models map[string]string `json:"models,omitempty"`  // by tier
	Flags  map[string]string `json:"options,omitempty"` // other options that change findings
	Seed   uint64            `json:"seed"`
	Date   time.Time         `json:"date"`
	Judges []string          `json:"judges,omitempty"` // models
}

// Options are the inputs of a report besides outcomes.
type Options struct {
	Made Made
	Seed uint64 // seed of random draws: the same seed gives the same report
	// Judgements holds the judges' answers, at most one for each outcome. Without any, the report has no
	// judged quality.
	Judgements []Judgement
}

// Report is the report of a run.
type Report struct {
	Report   int       `json:"report"` // version of this form: 1
	Made     Made      `json:"made"`
	Counts   Counts    `json:"counts"`
	Problems []Problem `json:"problems,omitempty"`
	// Unnamed counts the problems above 200.
	Unnamed int `json:"unnamedProblems,omitempty"`
	// Quality is by rule: strict, loose, and judged if there are judgements.
	Quality []*Quality `json:"quality"`
	// Missed, Wrong and Unjudged name the first 200 missed defects, false findings (on clean changes, or at places that
	// people rejected), and findings that nothing known explains, by the loose rule.
	Missed   []Named   `json:"missed,omitempty"`
	Wrong    []Named   `json:"wrong,omitempty"`
	Unjudged []Named   `json:"unjudged,omitempty"`
	Judges   *Judges   `json:"judges,omitempty"`
	Funnel   *Funnel   `json:"funnel"`
	Measures Measures  `json:"measures"` // stability and context
	Verifier *Verifier `json:"verifier,omitempty"`
	Costs    Costs     `json:"costs"`
}

// Counts counts cases and reviews by their end.
type Counts struct {
	Cases      int `json:"cases"`
	Outcomes   int `json:"outcomes"`   // cases times runs
	Reviewed   int `json:"reviewed"`   // outcomes that count
	Failed     int `json:"failed"`     // outcomes without a review, which do not count
	Skipped    int `json:"skipped"`    // outcomes without code, which do not count
	Incomplete int `json:"incomplete"` // outcomes with an incomplete head, which count
	Golden     int `json:"golden"`     // true defects of the reviewed cases, each once over all runs
	Held       int `json:"held"`       // reviewed outcomes of cases that are not used for tuning
}

// Problem is an outcome that failed, was skipped, or is incomplete.
type Problem struct {
	Set  string `json:"set"`
	Case string `json:"case"`
	Run  int    `json:"run,omitempty"`
	What string `json:"what"` // failed, skipped, incomplete
	Why  string `json:"why,omitempty"`
}

// Judges holds the agreement of judges.
type Judges struct {
	Agreement Agreement `json:"agreement"`
	// Kappa is Cohen's kappa over all pairs that both judges answered. It is absent if chance alone would
	// make them agree.
	Kappa     *float64 `json:"kappa,omitempty"`
	Pairs     int      `json:"pairs"`
	Undecided int      `json:"undecided"` // pairs
	Unjudged  int      `json:"unjudged"`  // findings without an opinion
}

// Score makes the report of a run. The order of outcomes, findings and golden does not matter. Its time
// grows with outcomes times resamples.
func Score(outcomes []eval.Outcome, o Options) Report {
	r := Report{Report: Version, Made: o.Made, Measures: Measures{}}
	outs, problems := separateProblems(outcomes)
	r.count(outcomes, outs, problems)
	r.Quality = []*Quality{quality(outs, rule{name: "strict", gap: strictGap}, o.Seed),
		quality(outs, rule{name: "loose", gap: looseGap}, o.Seed)}
	if len(o.Judgements) > 0 {
		judged := map[outcomeKey]*Judgement{}
		for i := range o.Judgements {
			j := &o.Judgements[i]
			judged[outcomeKey{caseKey{j.Set, j.Case}, j.Run}] = j
		}
		r.Quality = append(r.Quality, quality(outs, rule{name: "judged", gap: looseGap, judged: judged}, o.Seed))
		r.Judges = judges(o.Judgements)
	}
	r.Missed, r.Wrong, r.Unjudged = listNamed(outs)
	r.Funnel = funnel(outs, o.Seed)
	for name, of := range map[Measure]*Ratio{Stability: stability(outs, o.Seed), ContextRecall: contextRecall(outs, o.Seed, everywhere),
		ContextHere: contextRecall(outs, o.Seed, here), ContextElsewhere: contextRecall(outs, o.Seed, elsewhere),
		UsefulShown: contextRecall(outs, o.Seed, usefulShown), UsefulShare: contextRecall(outs, o.Seed, usefulShare)} {
		if of != nil {
			r.Measures[name] = of
		}
	}
	claims, stage := claimsOf(outs)
	if r.Verifier = measureVerifier(claims, o.Seed); r.Verifier != nil {
		r.Verifier.Stage = stage
	}
	r.Costs = costs(outs, o.Seed)
	return r
}

// QualityBy returns the quality by a rule, or nil if the report lacks it.
func (r Report) QualityBy(rule string) *Quality {
	i := slices.IndexFunc(r.Quality, func(q *Quality) bool { return q.Rule == rule })
	if i < 0 {
		return nil
	}
	return r.Quality[i]
}

// separateProblems separates the outcomes that count, in the order of cases and runs, from problems.
func separateProblems(outcomes []eval.Outcome) (outs []*eval.Outcome, problems []Problem) {
	for i := range outcomes {
		o := &outcomes[i]
		p := Problem{Set: o.Case.Set, Case: o.Case.ID, Run: o.Run}
		switch note := incomplete(o); {
		case o.Skipped:
			p.What, p.Why = "skipped", cmp.Or(o.Error, eval.ErrNoCode.Error())
		case o.Error != "" || len(o.Heads) == 0:
			p.What, p.Why = "failed", cmp.Or(o.Error, "no head was reviewed")
		case note != "":
			p.What, p.Why = "incomplete", note
			outs = append(outs, o)
		default:
			outs = append(outs, o)
			continue
		}
		problems = append(problems, p)
	}
	slices.SortStableFunc(outs, func(a, b *eval.Outcome) int {
		return cmp.Or(strings.Compare(a.Case.Set, b.Case.Set), strings.Compare(a.Case.ID, b.Case.ID), cmp.Compare(a.Run, b.Run))
	})
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.What, b.What), strings.Compare(a.Set, b.Set), strings.Compare(a.Case, b.Case), cmp.Compare(a.Run, b.Run))
	})
	return outs, problems
}

// incomplete returns the reason for an incomplete review, or "".
func incomplete(o *eval.Outcome) string {
	for _, h := range o.Heads {
		if h.Note != "" && h.Model != engine.ModelNone { // without a model by choice
			return h.Note
		}
	}
	if want := max(o.Case.Heads, 1); len(o.Heads) > 0 && len(o.Heads) < want {
		return "later heads were not reviewed"
	}
	return ""
}

func (r *Report) count(outcomes []eval.Outcome, outs []*eval.Outcome, problems []Problem) {
	cases := map[caseKey]bool{}
	for i := range outcomes {
		cases[outcomeCase(&outcomes[i])] = true
	}
	r.Counts = Counts{Cases: len(cases), Outcomes: len(outcomes), Reviewed: len(outs)}
	for _, p := range problems {
		switch p.What {
		case "failed":
			r.Counts.Failed++
		case "skipped":
			r.Counts.Skipped++
		case "incomplete":
			r.Counts.Incomplete++
		}
	}
	counted := map[caseKey]bool{}
	for _, o := range outs {
		r.Counts.Held += boolToInt(o.Case.Held)
		if !counted[outcomeCase(o)] {
			counted[outcomeCase(o)] = true
			r.Counts.Golden += len(defectsOf(o.Case, false))
		}
	}
	r.Problems = problems[:min(len(problems), maxProblems)]
	r.Unnamed = len(problems) - len(r.Problems)
}

func judges(list []Judgement) *Judges {
	out := &Judges{}
	for _, j := range list {
		out.Agreement.Add(j.Agreement)
		out.Pairs += j.Pairs
		out.Undecided += j.Undecided
		out.Unjudged += j.Unjudged
	}
	if k, ok := out.Agreement.Kappa(); ok {
		out.Kappa = &k
	}
	return out
}

// sortedNames lists the keys of a map in order.
func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
