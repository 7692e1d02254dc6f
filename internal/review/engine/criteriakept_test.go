package engine

import (
	"testing"

	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A criterion that is called missing is judged again if the change could prove it: any code for any
// criterion, a document for a criterion about that document.
func TestVerdictsAreJudgedAgainAfterRelevantChanges(t *testing.T) {
	t.Parallel()
	c := labelledChanges[1]
	readme := c.head["README.md"] + "\nAt most 10,000 users are in it.\n"
	about := map[string]string{"The README documents the export and its limit.": "README.md", "Columns are separated by semicolons and quoted.": "app/export.py"}
	quotes := map[string]string{"README.md": "Administrators download all users as CSV", "app/export.py": "writer = csv.writer(out, delimiter=\";\")"}
	for text, file := range about {
		for name, l := range map[string]struct {
			changed enginetest.Tree
			kept    map[string]bool // by the file that is quoted
		}{
			"nothing":           {enginetest.Tree{}, map[string]bool{"README.md": true, "app/export.py": true}},
			"another document":  {enginetest.Tree{"NOTES.md": "# Notes\n\nSomething else.\n"}, map[string]bool{"README.md": true, "app/export.py": true}},
			"the document":      {enginetest.Tree{"README.md": readme}, map[string]bool{"app/export.py": true}},
			"other code":        {enginetest.Tree{"app/quote.py": "QUOTING = csv.QUOTE_ALL\n"}, map[string]bool{}},
			"a test":            {enginetest.Tree{"tests/test_export.py": "def test_export():\n    assert to_csv([])\n"}, map[string]bool{}},
			"an unrelated text": {enginetest.Tree{"list.txt": "one\n"}, map[string]bool{"README.md": true, "app/export.py": true}},
		} {
			t.Run(text+" "+name, func(t *testing.T) {
				t.Parallel()
				m := func() *enginetest.Turns {
					return ruled(func(string) verdictGiven {
						return verdictGiven{Verdict: partly, Reason: "The limit is missing.", Quotes: quoted(file, quotes[file])}
					}, none)
				}
				first := verdictsOn(t, between(t, c.base, c.head, m(), ticketOf(text)), Deps{})
				testkit.Equal(t, "verdict", first[0].Verdict, partly)
				in := between(t, c.base, enginetest.Merged(c.head, l.changed), m(), ticketOf(text))
				in.EarlierChecks = first
				got := verdictsOn(t, in, Deps{})
				testkit.Equal(t, "kept", got[0].Kept, l.kept[file])
				testkit.Equal(t, "verdict", got[0].Verdict, partly)
			})
		}
	}
}
