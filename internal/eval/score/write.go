package score

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// write formats a number in its unit.
func write(u unit, v float64) string {
	switch u {
	case share:
		return fmt.Sprintf("%.1f %%", 100*v)
	case dollar:
		return fmt.Sprintf("%.4f USD", v/1e6)
	}
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// step formats a distance of two numbers. Shares are in points.
func step(u unit, v float64) string {
	if u == share {
		return fmt.Sprintf("%.1f points", 100*v)
	}
	return write(u, v)
}

// signed formats a difference with its sign.
func signed(u unit, v float64) string {
	sign := "+"
	if v < 0 {
		sign, v = "-", -v
	}
	return sign + strings.TrimSuffix(step(u, v), " points")
}

// table is the content of both forms of a report.
type table struct {
	title string
	head  []string
	rows  [][]string
	notes []string // only our own words and numbers
}

// rowOf returns the row of a ratio.
func rowOf(title string, u unit, r *Ratio) []string {
	within := fmt.Sprintf("n = %d", r.Cases)
	if r.Interval != nil {
		within = write(u, r.Interval.Low) + " to " + write(u, r.Interval.High)
	}
	num, den := fmt.Sprintf("%.0f", r.Num), fmt.Sprintf("%.0f", r.Den)
	if r.Num != float64(int64(r.Num)) {
		num = fmt.Sprintf("%.2f", r.Num)
	}
	if r.Den != float64(int64(r.Den)) {
		den = fmt.Sprintf("%.2f", r.Den)
	}
	return []string{title, write(u, r.Value), within, num + " / " + den}
}

var ratioHead = []string{"measure", "value", "95 %", "made of"}

// measuresTable returns a table of measures in their order, without absent ones.
func measuresTable(title string, of Measures, which []measure) table {
	t := table{title: title, head: ratioHead}
	for _, m := range which {
		if r := of[m.name]; r != nil {
			t.rows = append(t.rows, rowOf(m.title, m.unit, r))
		}
	}
	return t
}

// shownGroups is the most groups of a dimension in a text; JSON has all.
const shownGroups = 20

func groupTable(d Dimension) table {
	t := table{title: "By " + d.By, head: []string{d.By}}
	if d.By != byOwnCategory {
		t.head = append(t.head, "golden", "recall")
	}
	if d.By != bySetCategory {
		t.head = append(t.head, "findings", "precision", "without unjudged")
	}
	whole := slices.ContainsFunc(d.Groups, func(g Group) bool { return g.Measures[Noise] != nil }) // the groups contain whole reviews
	if whole {
		t.head = append(t.head, "noise inline")
	}
	for i, g := range d.Groups {
		if i == shownGroups {
			t.notes = append(t.notes, fmt.Sprintf("%d more: see the report in JSON.", len(d.Groups)-i))
			break
		}
		line := []string{g.Name}
		if d.By != byOwnCategory {
			line = append(line, fmt.Sprint(g.Golden), value(share, g.Measures[Recall]))
		}
		if d.By != bySetCategory {
			line = append(line, fmt.Sprint(g.Findings), value(share, g.Measures[Precision]),
				value(share, g.Measures[PrecisionDecided]))
		}
		if whole {
			line = append(line, value(amount, g.Measures[Noise]))
		}
		t.rows = append(t.rows, line)
	}
	return t
}

func value(u unit, r *Ratio) string {
	if r == nil {
		return "-"
	}
	return write(u, r.Value)
}

// many returns a number with its noun, which gets an s unless the number is 1.
func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// heading lists the inputs of the run, and first the reviews missing from the numbers.
func (r Report) heading() (out []string) {
	c := r.Counts
	out = append(out, fmt.Sprintf("%s, %s wanted: %d reviewed, %d failed, %d skipped, %d incomplete.", many(c.Cases, "case"),
		many(c.Outcomes, "review"), c.Reviewed, c.Failed, c.Skipped, c.Incomplete))
	for _, q := range r.Quality {
		switch {
		case q.LeftOut > 0 && q.Rule == "judged":
			out = append(out, fmt.Sprintf("%d reviews have no judgement, or an undecided pair, and are left out of the judged measures.", q.LeftOut))
		case q.LeftOut > 0 && q.Rule == "loose":
			out = append(out, fmt.Sprintf("%d reviews are of cases without lines, and only judges can measure them.", q.LeftOut))
		}
		if q.Uncompared > 0 && q.Rule != "strict" {
			out = append(out, fmt.Sprintf("%s: %d findings above %d of a review were not compared and count as false.", q.Rule, q.Uncompared,
				maxFindings))
		}
		if q.Greedy > 0 && q.Rule != "strict" {
			out = append(out, fmt.Sprintf("%s: %d groups of findings were too large to be paired in the best way.", q.Rule, q.Greedy))
		}
	}
	if c.Held > 0 {
		out = append(out, fmt.Sprintf("%d of the reviews are of cases that are kept back from tuning.", c.Held))
	}
	if r.Counts.Golden < wantedGolden {
		out = append(out, fmt.Sprintf("Only %s: below %d, differences decide nothing by themselves.", many(r.Counts.Golden, "golden defect"),
			wantedGolden))
	}
	return append(out, r.Made.lines()...)
}

// lines lists the inputs of a run.
func (m Made) lines() (out []string) {
	add := func(name, value string) {
		if value != "" {
			out = append(out, name+": "+value)
		}
	}
	add("assay", strings.TrimSpace(m.Assay+", prompts "+m.Prompt))
	add("sets", strings.Join(m.Sets, ", "))
	add("mode", m.Mode)
	add("models", pairs(m.Models))
	add("options", pairs(m.Flags))
	add("judges", strings.Join(m.Judges, ", "))
	when := ""
	if !m.Date.IsZero() {
		when = ", " + m.Date.UTC().Format(time.RFC3339)
	}
	add("seed", fmt.Sprint(m.Seed)+when)
	return out
}

func pairs(m map[string]string) string {
	var out []string
	for _, k := range sortedNames(m) {
		out = append(out, k+" "+m[k])
	}
	return strings.Join(out, ", ")
}

// tables lists the tables of a report, in order.
func (r Report) tables() (out []table) {
	out = append(out, r.problems())
	for _, q := range r.Quality {
		t := measuresTable(q.title(), q.Measures, measures)
		t.notes = append(t.notes, fmt.Sprintf("%d reviews, %d golden defects, %d places that people rejected. %d findings: %d right, "+
			"%d further reports of a defect, %d unjudged, %d false.", q.Compared, q.Golden, q.Rejected, q.Findings, q.Right, q.Further,
			q.Unjudged, q.False))
		if c := q.Confidence; c != nil {
			t.notes = append(t.notes, fmt.Sprintf("Expected calibration error %.3f over %d findings with a confidence.", c.ECE, c.Findings))
		}
		out = append(out, t)
	}
	out = append(out, namedTable("Missed", r.Missed), namedTable("False: on clean changes, or at places that people rejected", r.Wrong),
		namedTable("Unjudged: findings that no known defect explains", r.Unjudged), r.judgesTable(),
		r.Funnel.table(), r.Funnel.lossTable(), r.runTable(), r.verifierTable(), r.costTable())
	for _, q := range r.Quality {
		if q.Rule == "loose" {
			for _, d := range q.Groups {
				out = append(out, groupTable(d))
			}
			out = append(out, q.severityTable())
		}
	}
	return out
}

func (q *Quality) title() string {
	switch q.Rule {
	case "strict":
		return fmt.Sprintf("Strict: at most %d line apart", strictGap)
	case "loose":
		return fmt.Sprintf("Loose: at most %d lines apart", looseGap)
	}
	return "Judged: the same defect, by judges"
}
