package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/review/verdict/verdicttest"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestRoundsEnd has a model that reports another defect of Medium at each push. From the third review on only code of the push gets a
// comment, unless the defect is High or a person asks.
func TestRoundsEnd(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.calls("medium")
		text := divides + "\nfunc Before(items []int) int {\n\treturn items[len(items)-2]\n}\n\nfunc Pick(items []int) int {\n\treturn items[0]\n}\n"
		check := func(comments, later int, what string) {
			t.Helper()
			testkit.Equal(t, what+": comments", len(f.Host.Comments), comments)
			runs := h.Runs()
			got, ok := verdicttest.Parse(f.Host.Check(runs[len(runs)-1].ID).Summary.String())
			testkit.Equal(t, what+": a verdict", ok, true)
			testkit.Equal(t, what+": round", got.Round, len(runs))
			testkit.Equal(t, what+": later rounds", got.Left.LaterRounds, later)
		}
		h.push("a", text, division)
		check(1, 0, "first")
		text += "\nfunc Last(items []int) int {\n\treturn items[len(items)-1]\n}\n"
		h.push("b", text, report{"\treturn items[len(items)-1]", "index-out-of-range", "", "Last reads before the list", true})
		check(2, 0, "second")
		text += "\nfunc Nothing() {}\n"
		h.push("c", text, report{"\treturn items[0]", "index-out-of-range", "", "Pick reads beyond an empty list", true})
		check(2, 1, "third, older code")
		if !strings.Contains(h.Host.Visible()[0], "Pick reads beyond an empty list") {
			t.Errorf("the summary does not name it:\n%s", h.Host.Visible()[0])
		}
		text += "\nfunc Second(items []int) int {\n\treturn items[1]\n}\n"
		h.push("d", text, report{"\treturn items[1]", "index-out-of-range", "", "Second reads beyond the list", true})
		check(3, 1, "fourth, code of the push")
		h.calls("high")
		text += "\nfunc Never() {}\n"
		h.push("e", text, report{"\treturn items[len(items)-2]", "index-out-of-range", "", "Before reads before the list", true})
		check(4, 1, "fifth, High")
		for _, k := range h.known() {
			testkit.Equal(t, "state of "+k.Title, k.State, domain.FindingOpen)
		}
	})
}
