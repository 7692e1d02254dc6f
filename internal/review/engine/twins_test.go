package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// Two equal lines stand next to each other, each with a defect of its own. One is
// repaired: the other one keeps its finding.
func TestOneOfTwoEqualNeighboursIsRepaired(t *testing.T) {
	t.Parallel()
	const twin = "check(err)"
	text := func(body ...string) string {
		return "package x\n\nfunc first() {\n\t" + strings.Join(body, "\n\t") + "\n}\n"
	}
	for name, c := range map[string]struct {
		then []string
		line int // of the report that is left
		kept int // the finding that is kept: 0 for the upper, 1 for the lower
	}{
		"the upper is replaced": {[]string{"open(a)", "read(b)", "guard(a)", twin, "v = old", "shut(d)"}, 7, 1},
		"the lower is replaced": {[]string{"open(a)", "read(b)", twin, "guard(a)", "v = old", "shut(d)"}, 6, 0},
		"one is deleted":        {[]string{"open(a)", "read(b)", twin, "v = old", "shut(d)"}, 6, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Models, in.ReviewedHunks = models(reports(twin, 6, 7)), map[string]bool{}
			in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": text("open(a)", "read(b)", twin, twin, "v = old", "shut(d)")}, nil)
			res := review(t, in, Deps{})
			first := res.Open()
			if len(first) != 2 {
				t.Fatalf("first: %+v", res.Findings)
			}
			slices.SortFunc(first, func(a, b domain.Finding) int { return a.Anchor.StartLine - b.Anchor.StartLine })
			in.publish(res)
			in.Models = models(reports(twin, c.line))
			in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": text(c.then...)}, nil)
			res = review(t, in, Deps{})
			open := res.Open()
			if len(open) != 1 || open[0].ID != first[c.kept].ID || open[0].Anchor.StartLine != c.line || len(res.Resolved) != 1 {
				t.Fatalf("want %s at %d alone: %+v, resolved %v", first[c.kept].ID, c.line, open, res.Resolved)
			}
		})
	}
}

// reports is a model that reports lines, each in other words, and confirms no earlier finding.
func reports(quote string, lines ...int) *scripted {
	said := map[int]string{6: "The check is too weak", 7: "A second error gets lost here"}
	return &scripted{
		generate: func(int, string) (llm.Response, error) {
			var list []candidate
			for _, n := range lines {
				list = append(list, candidate{Path: "x.go", Side: "RIGHT", Start: n, End: n, Quote: quote, Category: "bug", RuleKey: "wrong-argument",
					Severity: "high", Title: said[n], Explanation: "It lets through what it should stop.", Trigger: "always"})
			}
			return findings(list...)(0, "")
		},
		verify: func(_ int, user string) (llm.Response, error) {
			list := verdicts(user, "confirmed")
			for i, block := range claimBlocks(user) {
				if strings.Contains(block, "\nquestion:") {
					list[i].Verdict = "unproven"
				}
			}
			return say(map[string]any{"verdicts": list})
		},
	}
}
