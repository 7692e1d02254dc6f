// Package score compares the findings of reviews with the known defects of their changes, and computes
// measures. Its functions are pure and do not depend on the order of their input. Package judge makes
// comparisons that need a model, and passes its answers in as [Judgement]s.
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

// maxFindings is the most findings of one stage of one outcome that are compared with known places (design
// choice: the engine keeps far fewer). The others count as false, and the report counts them.
const maxFindings = 2000

// maxLine is the last line that counts.
const maxLine = 1 << 30

// place is one golden with the data for comparisons.
type place struct {
	eval.Golden
	index  int // index in the case's golden
	words  anchor.Words
	family string
}

// defect is a defect at one or several places of a case, or a finding that people rejected.
type defect struct {
	places   []place
	severity domain.Severity
	rated    bool // the set names a known severity
	category string
	key      string // orders defects by content, not by their position in the list
}

// placed reports whether the defect has lines, so that it needs no judge.
func (d *defect) placed() bool {
	return slices.ContainsFunc(d.places, func(p place) bool { return p.StartLine > 0 })
}

// holds reports whether the code of a head has the defect.
func (d *defect) holds(head int) bool {
	return slices.ContainsFunc(d.places, func(p place) bool { return p.Head == head })
}

// name returns a name of the defect for people.
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

// text returns the set's description of the defect.
func (d *defect) text() string {
	for _, p := range d.places {
		if p.Text != "" {
			return p.Text
		}
	}
	return ""
}

// defectsOf groups the golden of a case into true or rejected defects. Their order depends on their content
// alone.
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
		out[i].deriveFields()
	}
	slices.SortStableFunc(out, func(a, b defect) int { return strings.Compare(a.key, b.key) })
	return out
}

// deriveFields orders the places and derives the defect's own fields from them.
func (d *defect) deriveFields() {
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
	return fmt.Sprintf("%04d\x00%s\x00%s\x00%010d\x00%010d\x00%s\x00%s\x00%s\x00%s\x01", g.Head, g.Path, g.Side, g.StartLine,
		g.EndLine, g.Defect, g.Category, g.Severity, g.Text)
}

// found is one finding with the data for comparisons.
type found struct {
	eval.Finding
	head  int
	index int      // position in the head's stage
	paths []string // path, and the file's other name if the change renamed it
	words anchor.Words
	kind  string // family of the category
	runs  []eval.Run
}

// foundAt lists at most maxFindings findings of a stage over all heads, ordered by content alone. left
// counts the others.
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
		f.StartLine = min(max(f.StartLine, 0), maxLine) // a model may write any number
		f.EndLine = min(max(f.EndLine, f.StartLine), maxLine)
		f.paths = names(f.Path, o.Heads[f.head].Renames)
		f.words = anchor.CountWords(f.Title + " " + f.Text)
		f.kind = family(f.Category)
		f.runs = runsOf(&o.Heads[f.head], f.paths)
	}
	return out, left
}

func anyFinding(eval.Finding) bool { return true }
func ofModel(f eval.Finding) bool  { return f.Model }
func findingKey(f eval.Finding) string {
	return fmt.Sprintf("%s\x00%s\x00%010d\x00%010d\x00%s\x00%s\x00%s\x00%s\x00%s\x00%t\x00%t\x00%g\x00%s", f.Path, f.Side, f.StartLine,
		f.EndLine,
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
