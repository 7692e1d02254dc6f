package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// An answer with several lists is read as the model means it. If the answer does not say which list
// counts, the model is asked once more. If that does not help, the part does not count as reviewed.
func TestSeveralLists(t *testing.T) {
	t.Parallel()
	removed := candidate{Path: "shop/shop.go", Side: "RIGHT", Start: 16, End: 16, Quote: "	return &items[0]", Category: "bug", RuleKey: "out-of-bounds", Severity: "high",
		Title: "First reads an item that is not there", Trigger: "First(nil) panics", Explanation: "The check of the length was removed.", Evidence: []citation{}}
	list := func(c ...candidate) string { out, _ := findings(c...)(0, ""); return out.Text }
	first, second, none := list(division()), list(removed), list()
	revised := division()
	revised.Severity, revised.Title = "medium", "Average divides by zero"
	for name, tt := range map[string]struct {
		answers  []string // the last one is repeated
		findings int
		state    string
		calls    int
	}{
		"an empty draft":                      {[]string{none + "\nWait.\n" + first}, 1, ModelComplete, 1},
		"a draft in thoughts":                 {[]string{"<think>" + second + "</think>" + first}, 1, ModelComplete, 1},
		"thoughts at the end":                 {[]string{first + "<think>" + none + "</think>"}, 1, ModelComplete, 1},
		"a revised draft":                     {[]string{first + "\nWait.\n" + list(revised)}, 1, ModelComplete, 1},
		"a draft with less":                   {[]string{first + "\nAnd more:\n" + list(division(), removed)}, 2, ModelComplete, 1},
		"empty at the end":                    {[]string{first + "\nWait.\n" + none}, 1, ModelPartial, 2},
		"empty at the end, and so it is":      {[]string{first + "\nWait.\n" + none, none}, 0, ModelComplete, 2},
		"empty at the end, and it is not":     {[]string{first + "\nWait.\n" + none, first}, 1, ModelComplete, 2},
		"two lists":                           {[]string{"One: " + first + "\nTwo: " + second}, 2, ModelPartial, 2},
		"two lists, then one":                 {[]string{"One: " + first + "\nTwo: " + second, list(division(), removed)}, 2, ModelComplete, 2},
		"two lists, one counts":               {[]string{"One: " + first + "\nTwo: " + second, second}, 1, ModelComplete, 2},
		"two lists with nothing between them": {[]string{first + "\n" + second}, 2, ModelComplete, 1},
		"only thoughts":                       {[]string{"<think>" + none + "</think>"}, 0, ModelPartial, 2},
		"thoughts without an end":             {[]string{"<think>" + none}, 0, ModelPartial, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			m := &scripted{verify: confirmAll, generate: func(n int, _ string) (llm.Response, error) {
				return enginetest.Reply(tt.answers[min(n, len(tt.answers)-1)]), nil
			}}
			in.Models = models(m)
			res := review(t, in, Deps{})
			if len(res.Findings) != tt.findings || res.ModelState != tt.state || m.count("generate") != tt.calls {
				t.Errorf("%d findings, %s (%s), %d calls; want %d, %s, %d; dropped %v", len(res.Findings), res.ModelState, res.ModelNote, m.count("generate"), tt.findings, tt.state, tt.calls, res.Stats.Dropped)
			}
		})
	}
}

// A verdict that a later empty list takes back is unknown.
func TestSeveralListsOfVerdicts(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(division()), verify: func(n int, user string) (llm.Response, error) {
		out, err := confirmAll(n, user)
		out.Text += "\nWait.\n" + `{"verdicts":[]}`
		return out, err
	}})
	res := review(t, in, Deps{})
	if res.ModelState != ModelPartial || !strings.Contains(res.ModelNote, "verified") {
		t.Errorf("%s: %s; %+v", res.ModelState, res.ModelNote, res.Findings)
	}
}
