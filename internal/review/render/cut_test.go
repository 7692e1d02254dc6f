package render

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
)

// A review lists everything that it left out in its first comment and in those after later pushes.
// Files that the policy excludes are listed in the first one only.
func TestEveryReviewListsOmissions(t *testing.T) {
	t.Parallel()
	notices := []string{"The checks found 7 more than the 200 findings that one review lists.", "The change was read through the code host.",
		"2 files could not be checked within bounds of memory and time; no model saw them.", "The change is of more files than the 4000 that are looked at; 3 were left out."}
	in := input(bug("fnd_1", nil))
	in.Result.Notices = notices
	in.Result.Coverage.Skipped = append(in.Result.Coverage.Skipped, engine.FileNote{Path: "table.sql", Why: diff.OmittedLarge})
	in.Result.Coverage.Skimmed = append(in.Result.Coverage.Skimmed, engine.FileNote{Path: "keys.txt", Why: check.WhyCut})
	want := append([]string{"`table.sql`", diff.OmittedLarge, "`keys.txt`"}, notices...)
	for name, first := range map[string]bool{"first": true, "later": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := in
			in.First = first
			body := Render(in).Body.String()
			for _, w := range want {
				if !strings.Contains(strings.ReplaceAll(body, "`4000`", "4000"), w) {
					t.Errorf("the comment lacks %q:\n%s", w, body)
				}
			}
			if said := strings.Contains(body, "binary"); said != first {
				t.Errorf("the note about a binary file: %v\n%s", said, body)
			}
		})
	}
}

// A title that ends with a question mark is not followed by a full stop.
func TestATitleThatAsks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		verdict     domain.Verdict
		title, want string
	}{
		"stated":          {domain.VerdictConfirmed, "It leaks", "It leaks. The"},
		"stated question": {domain.VerdictConfirmed, "Does it leak?", "Does it leak? The"},
		"asked":           {domain.VerdictUnproven, "It leaks.", "It leaks? The"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(bug("fnd_1", func(f *domain.Finding) {
				f.Title, f.Verdict, f.Route, f.Explanation = tt.title, tt.verdict, domain.RouteSummary, "The file stays open."
			}))
			if body := Render(in).Body.String(); !strings.Contains(body, tt.want) {
				t.Errorf("no %q in\n%s", tt.want, body)
			}
		})
	}
}
