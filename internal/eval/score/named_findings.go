package score

import (
	"fmt"

	"github.com/assay-dev/assay/internal/eval"
)

// maxNamed is the most missed defects, false and unjudged findings that a report names, of each.
const maxNamed = 200

// Named is a missed defect, or a false or unjudged finding.
type Named struct {
	Set   string `json:"set"`
	Case  string `json:"case"`
	Run   int    `json:"run,omitempty"`
	Place string `json:"place"` // path:line; lines of the base are marked
	Text  string `json:"text,omitempty"`
}

// listNamed lists missed defects, false findings and unjudged ones, by the loose rule.
func listNamed(outs []*eval.Outcome) (missed, wrong, unjudged []Named) {
	for _, o := range outs {
		v, ok := compare(o, rule{name: "loose", gap: looseGap})
		if !ok {
			continue
		}
		for j := range v.defects {
			if v.by[j] < 0 && len(missed) < maxNamed {
				p := v.defects[j].places[0]
				missed = append(missed, name(o, string(p.Side), p.Path, p.StartLine, p.Text))
			}
		}
		for i := range v.found {
			f := v.found[i]
			one := name(o, string(f.Side), f.Path, f.StartLine, f.Title)
			switch {
			case v.unjudged(i) && len(unjudged) < maxNamed:
				unjudged = append(unjudged, one)
			case v.wrong(i) && !v.unjudged(i) && len(wrong) < maxNamed:
				wrong = append(wrong, one)
			}
		}
	}
	return missed, wrong, unjudged
}

func name(o *eval.Outcome, side, path string, line int, text string) Named {
	place := path
	if line > 0 {
		place = fmt.Sprintf("%s:%d", path, line)
	}
	if side == "LEFT" {
		place += " (removed)"
	}
	return Named{o.Case.Set, o.Case.ID, o.Run, place, text}
}

// namedTable returns a table of such a list.
func namedTable(title string, list []Named) table {
	t := table{title: title, head: []string{"case", "place", "what"}}
	for _, n := range list[:min(len(list), shownRows)] {
		t.rows = append(t.rows, []string{at(n.Set, n.Case, n.Run), n.Place, n.Text})
	}
	if more := len(list) - len(t.rows); more > 0 {
		t.notes = append(t.notes, fmt.Sprintf("%d more: see the report in JSON.", more))
	}
	return t
}
