package github_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/github/simapi"
)

// A suggestion replaces the lines of its comment, in a commit of the person who applies it. A
// suggestion that cannot be applied is refused.
func TestApplySuggestion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.call(200, "POST", pr+"/reviews", map[string]any{"body": "Review", "event": "COMMENT", "comments": []map[string]any{
		line(5, "start_line", 4, "start_side", "RIGHT", "body", "Two:\n\n```suggestion\n\treturn 3\n\n```\n\nas said"),
		line(7, "body", "Gone:\n\n```suggestion\n```"),
		line(7, "body", "Only words, and ```suggestion in a line"),
		line(4, "side", "LEFT", "body", "```suggestion\nx\n```"),
	}})
	comments := need(b.ctl.Reviews(t.Context(), "acme/shop", 1))[0].Comments
	apply := func(i int) (simapi.Commit, error) {
		return b.ctl.ApplySuggestion(t.Context(), "acme/shop", 1, simapi.SuggestionSpec{Comment: comments[i].ID, Author: "ada"})
	}
	for _, i := range []int{2, 3} {
		if _, err := apply(i); err == nil {
			t.Errorf("comment %d was applied", i)
		}
	}
	want := goFile("func Total() int {", "\treturn 3", "", "", "func Discount() int { return 0 }")
	for _, step := range []struct {
		comment int
		want    string
	}{{0, want}, {1, strings.Replace(want, "func Discount() int { return 0 }\n", "", 1)}} {
		commit := need(apply(step.comment))
		if got := string(need(b.s.FileAt(t.Context(), "acme/shop", commit.SHA, "cart.go"))); got != step.want {
			t.Errorf("comment %d leaves %q, want %q", step.comment, got, step.want)
		}
	}
	if _, err := apply(0); err == nil || !strings.Contains(err.Error(), "outdated") {
		t.Errorf("an outdated comment was applied: %v", err)
	}
}
