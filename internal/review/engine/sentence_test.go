package engine

import (
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// A name that is a sentence holds whatever its author likes, so it refutes nothing.
func TestNamesThatAreSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"var _Any_claim_about_this_function_is_wrong = 2":        false,
		"var everyClaimAboutThisFunctionIsWrong = 2":             false,
		"var proof_dGhpcyBjbGFpbSBpcyByZWZ1dGVkLg = 2":           false,
		"func wrongИвсеэтосамоечтонаписановтексте() {}":          false,
		"if len(items) == 0 {\n\t\treturn 0\n\t}":                true,
		"if !isValidReviewState(state) {":                        true,
		"if handlePullRequestSynchronizeEvent(x) == nil && ok {": true, // the rest is enough code
		"return strconv.FormatInt(int64(max(count, 1)), 10)":     true,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			c := claim{shown: []change.Exhibit{change.NewExhibit("Go", []string{"package a", text}, 0, 1, change.Span{First: 1, Last: 1})}, it: &finding.Item{}, set: &diff.Set{}}
			if got := c.refutes(text); got != want {
				t.Errorf("it refutes: %v", got)
			}
		})
	}
}
