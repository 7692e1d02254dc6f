// Package score compares what reviews said with what is known of their changes,
// and measures it: pure functions, the same answer for the same input in any
// order. What needs a model to compare is package judge's; it hands its answers
// in as [Judgement]s.
package score

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/review/anchor"
)

// maxFindings is how many findings of one stage of one outcome are compared with
// what is known (design choice: the engine keeps far fewer). Those above count as
// false, and the report says how many there were.
const maxFindings = 2000

// maxLine is the last line that counts.
const maxLine = 1 << 30

// place is one golden with what is compared.
type place struct {
	eval.Golden
	index  int // in the case's golden
	words  anchor.Words
	family string
}

// defect is what is wrong at one or several places of a case, or what somebody
// took for wrong.
type defect struct {
	places   []place
	severity domain.Severity
	rated    bool // the set names a severity that is known
	category string
	key      string // orders defects by what they say, not by where they stand in the list
}

// placed reports whether lines are known, so that no judge is needed.
func (d *defect) placed() bool {
	return slices.ContainsFunc(d.places, func(p place) bool { return p.StartLine > 0 })
}

// holds reports whether the defect is in the code of a head.
func (d *defect) holds(head int) bool {
	return slices.ContainsFunc(d.places, func(p place) bool { return p.Head == head })
}

// name says which defect it is, for people.
func (d *defect) name() string {
	p := d.places[0]
	if p.Defect != "" {
		return p.Defect
	}
	if p.Path == "" {
		return "a defect without a place"
	}
	return fmt.Sprintf("%s:%d", p.Path, p.StartLine)
}

// text is what the set says of it.
func (d *defect) text() string {
	for _, p := range d.places {
		if p.Text != "" {
			return p.Text
		}
	}
	return ""
}

// defectsOf groups the golden of a case into defects: the true ones, or those that
// were rejected. Their order depends on their content alone.
func defectsOf(c eval.Case, rejected bool) []defect {
	var out []defect
	at := map[string]int{}
	for i, g := range c.Golden {
		if g.False != rejected {
			continue
		}
		g.StartLine, g.EndLine = min(g.StartLine, maxLine), min(g.EndLine, maxLine)
		k, known := at[g.Defect]
		if !known || g.Defect == "" {
			k = len(out)
			out = append(out, defect{})
			at[g.Defect] = k
		}
		out[k].places = append(out[k].places, place{Golden: g, index: i, words: anchor.CountWords(g.Text), family: family(g.Category)})
	}
	for i := range out {
		out[i].settle()
	}
	slices.SortStableFunc(out, func(a, b defect) int { return strings.Compare(a.key, b.key) })
	return out
}

// settle orders the places and takes from them what holds for the defect.
func (d *defect) settle() {
	slices.SortStableFunc(d.places, func(a, b place) int { return strings.Compare(placeKey(a.Golden), placeKey(b.Golden)) })
	var key strings.Builder
	for _, p := range d.places {
		key.WriteString(placeKey(p.Golden))
		if s, ok := severity(p.Severity); ok && (!d.rated || s > d.severity) {
			d.severity, d.rated = s, true
		}
		if d.category == "" {
			d.category = p.Category
		}
	}
	d.key = key.String()
}

func placeKey(g eval.Golden) string {
	return fmt.Sprintf("%04d\x00%s\x00%s\x00%010d\x00%010d\x00%s\x00%s\x00%s\x00%s\x01", g.Head, g.Path, g.Side, g.StartLine, g.EndLine, g.Defect, g.Category, g.Severity, g.Text)
}

// found is one finding with what is compared.
type found struct {
	eval.Finding
	head  int
	index int      // in the head's stage
	paths []string // the path and, where the change renamed the file, its other name
	words anchor.Words
	kind  string // family of the category
}

// foundAt lists the findings of a stage over all heads, in an order that depends
// on their content alone, maxFindings at most; left says how many more there are.
func foundAt(o *eval.Outcome, stage eval.Stage, keep func(eval.Finding) bool) (out []found, left int) {
	for h := range o.Heads {
		for i, f := range o.Heads[h].Stages[stage] {
			if keep(f) {
				out = append(out, found{Finding: f, head: h, index: i})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.head, b.head), strings.Compare(findingKey(a.Finding), findingKey(b.Finding)))
	})
	if len(out) > maxFindings {
		out, left = out[:maxFindings], len(out)-maxFindings
	}
	for i := range out {
		f := &out[i]
		f.StartLine = min(max(f.StartLine, 0), maxLine) // a model may have written anything
		f.EndLine = min(max(f.EndLine, f.StartLine), maxLine)
		f.paths = names(f.Path, o.Heads[f.head].Renames)
		f.words = anchor.CountWords(f.Title + " " + f.Text)
		f.kind = family(f.Category)
	}
	return out, left
}

func anyFinding(eval.Finding) bool { return true }
func ofModel(f eval.Finding) bool  { return f.Model }
func findingKey(f eval.Finding) string {
	return fmt.Sprintf("%s\x00%s\x00%010d\x00%010d\x00%s\x00%s\x00%s\x00%s\x00%s\x00%t\x00%t\x00%g\x00%s", f.Path, f.Side, f.StartLine, f.EndLine,
		f.Rule, f.Category, f.Severity, f.Title, f.Text, f.Inline, f.Model, f.Confidence, f.ID)
}

// names lists the names of a file before and after the change.
func names(path string, renames map[string]string) []string {
	out := []string{path}
	if old, ok := renames[path]; ok {
		out = append(out, old)
	}
	for now, old := range renames {
		if old == path {
			out = append(out, now)
		}
	}
	slices.Sort(out[1:])
	return out
}
