package plan

import (
	"fmt"

	"github.com/assay-dev/assay/internal/eval/score"
)

// fewDefects is the number of known defects below which a plan warns (docs/evaluation-measures.md).
const fewDefects = 200

// conclude writes the sentences of a plan.
func (p *Plan) conclude() {
	say := func(format string, args ...any) { p.Says = append(p.Says, fmt.Sprintf(format, args...)) }
	want := percent(p.Recall)
	if p.Chosen == "" {
		best := p.Setting(p.Best)
		say("No run reaches a recall of %s. The best is %s, with %s%s.", want, p.Best, percent(best.Recall.Value), interval(best.Recall))
		if i := best.Recall.Interval; i != nil && i.High >= p.Recall {
			say("Its interval holds %s, so on other cases it may reach it.", want)
		}
	} else {
		p.sayChosen(say)
	}
	for _, a := range p.Against {
		p.sayNoise(say, a)
	}
	if p.Golden < fewDefects {
		say("The cases have %d known defects. Below %d, a difference decides nothing by itself.", p.Golden, fewDefects)
	}
	if p.LeftOut > 0 {
		say("Cases left out, because a run could not review them: %d.", p.LeftOut)
	}
	for _, s := range p.Settings {
		if s.incomplete > 0 {
			say("Incomplete reviews of %s: %d. Their recall and their cost are too low.", s.Run, s.incomplete)
		}
	}
}

func (p *Plan) sayChosen(say func(format string, args ...any)) {
	s, want := p.Setting(p.Chosen), percent(p.Recall)
	say("%s reaches a recall of %s at the least cost: %s, for %s per review.", s.Run, want, percent(s.Recall.Value)+interval(s.Recall),
		dollars(s.Micros()))
	switch i := s.Recall.Interval; {
	case i == nil:
		say("There are too few cases for an interval: on other cases it may find much less.")
	case i.Low < p.Recall:
		say("Its interval begins below %s: these cases do not show that it reaches it on others.", want)
	}
}

// sayNoise says if a run differs from the plan's run by less than chance explains.
func (p *Plan) sayNoise(say func(format string, args ...any), a Against) {
	own, other := p.Setting(p.Compared), p.Setting(a.Run)
	recall, cost := a.believed(score.Recall), a.believed(score.Micros)
	switch {
	case !recall && !cost:
		say("%s and %s do not differ in recall or in cost by more than chance explains.", other.Run, own.Run)
	case !recall && other.Micros() < own.Micros():
		say("%s is cheaper, and its recall does not differ from that of %s by more than chance explains. More cases would decide.",
			other.Run, own.Run)
	case !recall:
		say("%s costs more, and its recall does not differ from that of %s by more than chance explains.", other.Run, own.Run)
	case other.Recall.Value > own.Recall.Value:
		say("%s finds more than %s, which may be believed, for %s per review.", other.Run, own.Run, dollars(other.Micros()))
	case !cost && other.Reaches:
		say("The cost of %s does not differ from that of %s by more than chance explains.", other.Run, own.Run)
	}
}

// Rows returns the table of the settings: its head, then a row for each.
func (p Plan) Rows() (head []string, rows [][]string) {
	head = []string{"RUN", "SETTINGS", "REVIEWS", "RECALL", "PRECISION", "COST PER REVIEW", "REACHES IT"}
	for _, s := range p.Settings {
		reaches, precision, cost := "no", "-", dollars(s.Micros())
		if s.Precision != nil {
			precision = percent(s.Precision.Value)
		}
		if s.Cost != nil && s.Cost.Interval != nil {
			cost += fmt.Sprintf(" (%s to %s)", dollars(s.Cost.Interval.Low), dollars(s.Cost.Interval.High))
		}
		if s.Reaches {
			reaches = "yes"
		}
		rows = append(rows, []string{s.Run, s.Words(), fmt.Sprint(s.Reviews), percent(s.Recall.Value) + interval(s.Recall), precision, cost,
			reaches})
	}
	return head, rows
}

// PassRows returns the table of the passes of all settings; rows is empty if no run names two.
func (p Plan) PassRows() (head []string, rows [][]string) {
	head = []string{"RUN", "WITHOUT", "DEFECTS LOST", "RECALL", "FINDINGS LOST"}
	for _, s := range p.Settings {
		for _, pass := range s.Passes {
			rows = append(rows, []string{s.Run, pass.Name, fmt.Sprint(pass.Defects), percent(pass.Recall), fmt.Sprint(pass.Findings)})
		}
	}
	return head, rows
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

func dollars(micros float64) string { return fmt.Sprintf("%.4f USD", micros/1e6) }

// interval returns an interval in parentheses, or "".
func interval(r *score.Ratio) string {
	if r.Interval == nil {
		return ""
	}
	return fmt.Sprintf(" (95 %%: %s to %s)", percent(r.Interval.Low), percent(r.Interval.High))
}
