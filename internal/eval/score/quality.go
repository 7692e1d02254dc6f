package score

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
)

// Quality holds the measures of a run's reviews by one rule of comparison.
type Quality struct {
	Rule     string `json:"rule"`     // strict, loose, or judged
	Compared int    `json:"compared"` // outcomes
	// LeftOut counts outcomes that the rule cannot compare: they have a defect without lines or, for
	// judges, no judgement or undecided pairs.
	LeftOut  int `json:"leftOut"`
	Golden   int `json:"golden"`   // true defects
	Rejected int `json:"rejected"` // places that people rejected
	Findings int `json:"findings"` // published: the sum of the four below
	Right    int `json:"right"`    // with the credit for a defect, or confirmed by judges
	Further  int `json:"further"`  // further reports of such a defect, which are neither true nor false
	Unjudged int `json:"unjudged"` // not explained by anything known
	False    int `json:"false"`    // on clean changes, at rejected places, refuted by judges, or uncompared
	// Uncompared counts findings above [maxFindings] of an outcome. They count as false.
	Uncompared int `json:"uncompared,omitempty"`
	// Greedy counts groups too large for an optimal pairing.
	Greedy   int      `json:"greedy,omitempty"`
	Measures Measures `json:"measures"`
	// Severities counts the findings with credit: first by the set's severity, then by the review's.
	Severities map[string]map[string]int `json:"severities,omitempty"`
	Confidence *Calibration              `json:"confidence,omitempty"`
	Groups     []Dimension               `json:"groups,omitempty"`
}

// Dimension is a way to group the measures.
type Dimension struct {
	By     string  `json:"by"`
	Groups []Group `json:"groups"` // in the order of their names; sizes and severities in their own order
}

// Group is one group of a dimension.
type Group struct {
	Name     string   `json:"name"`
	Golden   int      `json:"golden"`
	Findings int      `json:"findings"`
	Measures Measures `json:"measures"`
}

func quality(outs []*eval.Outcome, r rule, seed uint64) *Quality {
	q := &Quality{Rule: r.name}
	var list []*review
	for _, o := range outs {
		v, ok := compare(o, r)
		if !ok {
			q.LeftOut++
			continue
		}
		list = append(list, v)
		q.Golden += len(v.defects)
		q.Rejected += len(v.rejected)
		q.countFindings(v)
		q.Uncompared += v.left
		q.Greedy += v.greedy
	}
	q.Compared = len(list)
	q.Measures = measured(list, measures, seed)
	q.Severities = confusion(list)
	q.Confidence = calibration(list)
	q.Groups = dimensions(list, seed)
	return q
}

// countFindings adds the findings of a review by their truth. Findings that judges confirmed are right.
func (q *Quality) countFindings(v *review) {
	q.Findings += len(v.found) + v.left
	q.False += v.left
	for i := range v.found {
		switch {
		case v.isTrue(i):
			q.Right++
		case v.further[i]:
			q.Further++
		case v.unjudged(i):
			q.Unjudged++
		default:
			q.False++
		}
	}
}

// confusion counts the severities that findings gave to defects with a known severity.
func confusion(list []*review) map[string]map[string]int {
	out := map[string]map[string]int{}
	for _, v := range list {
		for i := range v.found {
			want, got, ok := v.grades(i)
			if !ok {
				continue
			}
			name := domain.Severity(want).String()
			if out[name] == nil {
				out[name] = map[string]int{}
			}
			out[name][domain.Severity(got).String()]++
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// sizes are classes of changes by changed lines. Their bounds are those between the depths of a review
// (docs/engine/depth.md).
var sizes = []struct {
	name string
	most int
}{{"1 to 10 lines", 10}, {"11 to 100 lines", 100}, {"101 to 1500 lines", 1500}}

func sizeOf(v *review) string {
	lines := 0
	for _, h := range v.out.Heads {
		lines = max(lines, h.Lines)
	}
	for _, s := range sizes {
		if lines <= s.most {
			return s.name
		}
	}
	return "over 1500 lines"
}

// ofCases are the dimensions of whole cases.
var ofCases = []struct {
	by string
	of func(v *review) string
}{
	{"set", func(v *review) string { return v.out.Case.Set }},
	{"kind", func(v *review) string { return string(v.out.Case.Kind) }},
	{"language", func(v *review) string { return v.out.Case.Language }},
	{"size", sizeOf},
	{"repository", func(v *review) string { return v.out.Case.Repository }},
}

// ofGroup are the measures of each group.
var ofGroup = slices.DeleteFunc(slices.Clone(measures), func(m measure) bool {
	return !slices.Contains([]Measure{Recall, Precision, PrecisionDecided, F1, Noise, CleanSilence}, m.name)
})

// unnamed is the group of entries without a name in a dimension.
const unnamed = "not known"

func dimensions(list []*review, seed uint64) (out []Dimension) {
	for _, d := range ofCases {
		parts := map[string][]*review{}
		for _, v := range list {
			name := cmp.Or(d.of(v), unnamed)
			parts[name] = append(parts[name], v)
		}
		dim := Dimension{By: d.by}
		for _, name := range slices.SortedFunc(maps.Keys(parts), func(a, b string) int {
			return cmp.Or(cmp.Compare(sizeRank(a),
				sizeRank(b)), cmp.Compare(a, b))
		}) {
			g := Group{Name: name, Measures: measured(parts[name], ofGroup, seed)}
			for _, v := range parts[name] {
				g.Golden += len(v.defects)
				g.Findings += len(v.found) + v.left
			}
			dim.Groups = append(dim.Groups, g)
		}
		out = append(out, dim)
	}
	return append(out,
		within(list, seed, "severity", func(d *defect) string { return grade(d) }, func(f *found) string { return gradeOf(f.Severity) }),
		within(list, seed, bySetCategory, func(d *defect) string { return strings.ToLower(d.category) }, nil),
		within(list, seed, byOwnCategory, nil, func(f *found) string { return f.Category }))
}

// The dimensions by category. The words of sets differ from ours, so a group has either defects or
// findings.
const (
	bySetCategory = "category of the set"
	byOwnCategory = "category of the finding"
)

// sizeRank orders sizes. Other names keep alphabetical order.
func sizeRank(name string) int {
	for i, s := range sizes {
		if s.name == name {
			return i
		}
	}
	return len(sizes)
}

func grade(d *defect) string {
	if !d.rated {
		return ""
	}
	return d.severity.String()
}

func gradeOf(word string) string {
	if s, ok := severity(word); ok {
		return s.String()
	}
	return ""
}

// within groups the defects and findings of each case: recall by the set's words, precision by the review's
// words. If ofDefect or ofFinding is nil, only the other one is grouped.
func within(list []*review, seed uint64, by string, ofDefect func(*defect) string, ofFinding func(*found) string) Dimension {
	golden, said := map[string]int{}, map[string]int{}
	for _, v := range list {
		for j := range v.defects {
			if ofDefect != nil {
				golden[cmp.Or(ofDefect(&v.defects[j]), unnamed)]++
			}
		}
		for i := range v.found {
			if ofFinding != nil {
				said[cmp.Or(ofFinding(&v.found[i]), unnamed)]++
			}
		}
	}
	all := maps.Clone(golden)
	maps.Copy(all, said)
	out := Dimension{By: by}
	for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)),
			cmp.Compare(a, b))
	}) {
		ours := func(v *review) func(j int) bool {
			return func(j int) bool { return cmp.Or(ofDefect(&v.defects[j]), unnamed) == name }
		}
		theirs := func(v *review) func(i int) bool {
			return func(i int) bool { return cmp.Or(ofFinding(&v.found[i]), unnamed) == name }
		}
		var of []measure
		if ofDefect != nil {
			of = append(of, measure{Recall, "", share, func(v *review) part {
				of := ours(v)
				return part{v.countDefects(func(j int) bool { return of(j) && v.seen(j) }), v.countDefects(of)}
			}})
		}
		if ofFinding != nil {
			of = append(of, measure{Precision, "", share, func(v *review) part { return v.precisionOf(theirs(v)) }},
				measure{PrecisionDecided, "", share, func(v *review) part { return v.precisionDecided(theirs(v)) }})
		}
		out.Groups = append(out.Groups, Group{Name: name, Golden: golden[name], Findings: said[name], Measures: measured(list, of, seed)})
	}
	return out
}

// rank orders severities among other names, worst first.
func rank(name string) int {
	s, ok := domain.ParseSeverity(name)
	if !ok {
		return -1
	}
	return int(s)
}
