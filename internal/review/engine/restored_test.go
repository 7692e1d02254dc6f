package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/testkit"
)

// A finding on removed lines may put them back beside the line that now follows, or that stands before them at the end.
func TestRemovedLinesArePutBack(t *testing.T) {
	t.Parallel()
	const guard = "\tif n == 0 {\n\t\treturn 0\n\t}\n"
	const from, to = "package p\n\nfunc half(n int) int {\n", "\treturn 10 / n\n}\n"
	for name, c := range map[string]struct {
		old, new    string
		first, last int
		quote, fix  string
		want        string // the file after a click, "" for none
	}{
		"a guard":                  {from + guard + to, from + to, 4, 6, guard, guard, from + guard + to},
		"without its indentation":  {from + guard + to, from + to, 4, 6, guard, "if n == 0 {\nreturn 0\n}", from + guard + to},
		"a better guard":           {from + guard + to, from + to, 4, 6, guard, "\tif n <= 0 {\n\t\treturn 0\n\t}", from + "\tif n <= 0 {\n\t\treturn 0\n\t}\n" + to},
		"a part of the hole":       {from + "\tuse(n)\n" + guard + to, from + to, 5, 7, guard, guard, from + guard + to},
		"the end of the file":      {from + to + "\nvar last = 1\n", from + to, 7, 7, "var last = 1", "var last = 1", from + to + "var last = 1\n"},
		"other lines in its place": {from + guard + to, from + "\tuse(n)\n" + to, 4, 6, guard, guard, ""},
		"a broken file":            {from + guard + to, from + to, 4, 6, guard, "\tif n == 0 {\n\t\treturn 0", ""},
		"too long":                 {from + strings.Repeat("\tuse(n)\n", 6) + to, from + to, 4, 9, strings.Repeat("\tuse(n)\n", 6), strings.Repeat("\tuse(n)\n", 6), ""},
		"nothing":                  {from + guard + to, from + to, 4, 6, guard, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.shows(enginetest.Tree{"a.go": c.old}, enginetest.Tree{"a.go": c.new}, nil)
			f := division()
			f.Path, f.Side, f.Start, f.End, f.Quote, f.Fix = "a.go", "LEFT", c.first, c.last, c.quote, &fix{Old: c.quote, New: c.fix}
			in.Models = models(&scripted{generate: findings(f), verify: confirmAll})
			res := review(t, in, Deps{})
			if len(res.Findings) != 1 || res.Findings[0].Anchor.Side != domain.Left {
				t.Fatalf("%+v, dropped %v", res.Findings, res.Stats.Dropped)
			}
			got := ""
			if s := res.Findings[0].Suggestion; s != nil && s.Applies {
				got = string(anchor.Apply([]byte(c.new), *s))
			}
			testkit.Equal(t, "after a click", got, c.want)
		})
	}
	t.Run("it quotes other lines", func(t *testing.T) {
		t.Parallel()
		in := sampleChange(t)
		in.shows(enginetest.Tree{"a.go": from + guard + to}, enginetest.Tree{"a.go": from + to}, nil)
		f := division()
		f.Path, f.Side, f.Start, f.End, f.Quote, f.Fix = "a.go", "LEFT", 4, 6, guard, &fix{Old: "\treturn 10 / n", New: guard}
		in.Models = models(&scripted{generate: findings(f), verify: confirmAll})
		if s := review(t, in, Deps{}).Findings[0].Suggestion; s != nil {
			t.Errorf("%+v", s)
		}
	})
}

// If several suggestions change the same line, the finding with the highest rank keeps its suggestion.
func TestOverlappingSuggestionsBecomeOne(t *testing.T) {
	t.Parallel()
	item := func(severity domain.Severity, path string, start, end int, change func(*finding.Item)) *finding.Item {
		it := &finding.Item{Finding: domain.Finding{Severity: severity, Confidence: 1, Route: domain.RouteInline, Anchor: domain.Anchor{Path: path},
			Suggestion: &domain.Suggestion{Path: path, Start: start, End: end, Applies: true}}}
		if change != nil {
			change(it)
		}
		return it
	}
	for name, c := range map[string]struct {
		items []*finding.Item
		want  string // which keep theirs, by rank
	}{
		"the same lines":   {[]*finding.Item{item(domain.Low, "a", 1, 2, nil), item(domain.High, "a", 1, 2, nil)}, "high"},
		"a common line":    {[]*finding.Item{item(domain.High, "a", 1, 3, nil), item(domain.Medium, "a", 3, 5, nil), item(domain.Low, "a", 4, 6, nil)}, "high low"},
		"neighbours":       {[]*finding.Item{item(domain.High, "a", 1, 3, nil), item(domain.Medium, "a", 4, 5, nil)}, "high medium"},
		"other files":      {[]*finding.Item{item(domain.High, "a", 1, 3, nil), item(domain.Medium, "b", 1, 3, nil)}, "high medium"},
		"one is not shown": {[]*finding.Item{item(domain.High, "a", 1, 3, func(it *finding.Item) { it.Route = domain.RouteStored }), item(domain.Medium, "a", 1, 3, nil)}, "medium high"},
		"one is not a click": {[]*finding.Item{item(domain.High, "a", 1, 3, func(it *finding.Item) { it.Suggestion.Applies = false }), item(domain.Medium, "a", 1, 3, nil)},
			"high medium"},
	} {
		rank(c.items)
		keepOneOfOverlapping(c.items)
		var kept []string
		for _, it := range c.items {
			if it.Suggestion != nil {
				kept = append(kept, it.Severity.String())
			}
		}
		testkit.Equal(t, name, strings.Join(kept, " "), c.want)
	}
	mended := division()
	mended.Title, mended.RuleKey, mended.Severity = "The average of nothing is unknown", "wrong-return-value", "medium"
	mended.Fix = &fix{Old: mended.Quote, New: "\treturn Total(items) / max(len(items), 1)"}
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(mended, division()), verify: confirmAll})
	applied := 0
	for _, f := range review(t, in, Deps{}).Findings {
		if f.Suggestion != nil && f.Suggestion.Applies {
			applied++
		}
	}
	testkit.Equal(t, "suggestions of a review", applied, 1)
}
