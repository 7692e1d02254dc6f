package engine

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/testkit"
)

// A finding that a limit moved to the summary names the limit.
func TestLimitsSayWhy(t *testing.T) {
	t.Parallel()
	grave := func(n, files int) (out []*finding.Item) {
		for i := range n {
			out = append(out, &finding.Item{Order: i, Finding: domain.Finding{Severity: domain.High, Confidence: 0.9, Route: domain.RouteInline, Title: fmt.Sprint("Defect ", i),
				Anchor: domain.Anchor{Path: fmt.Sprintf("f%d.go", i%files), StartLine: i + 1, Level: domain.AnchorLine}}})
		}
		return out
	}
	for name, c := range map[string]struct {
		items         []*finding.Item
		lines, policy int
		inline        int
		why           string
	}{
		"size of the change": {grave(7, 7), 14, 10, 3, "beyond the 3 comments that a change of this size gets"},
		"policy":             {grave(7, 7), 6000, 1, 1, "beyond the 1 comment that a review may have"},
		"one file":           {grave(7, 1), 6000, 10, 3, "beyond the 3 comments that a file gets"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limitInline(c.items, c.lines, c.policy)
			for i, it := range c.items {
				want := domain.Finding{Route: domain.RouteInline}
				if i >= c.inline {
					want.Route, want.Aside = domain.RouteSummary, c.why
				}
				testkit.Equal(t, "route", it.Route, want.Route)
				testkit.Equal(t, "aside", it.Aside, want.Aside)
			}
		})
	}
	t.Run("one request", func(t *testing.T) {
		t.Parallel()
		items := grave(hardInline+1, hardInline+1)
		for _, it := range items {
			it.Mandatory = true
		}
		limitInline(items, 6000, 40)
		testkit.Equal(t, "aside", items[hardInline].Aside, "beyond the 30 comments that a review may have")
	})
}

// A finding without a line says why it has no line.
func TestFindingsWithoutALineSayWhy(t *testing.T) {
	t.Parallel()
	set, err := diff.Parse([]byte("diff --git a/key.bin b/key.bin\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/key.bin differ\n" +
		"diff --git a/a.go b/a.go\nindex 1111111..2222222 100644\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a\n+b\n" +
		"diff --git a/big.go b/big.go\nindex 1111111..2222222 100644\n--- a/big.go\n+++ b/big.go\n@@ -1 +1 @@\n-a\n+b\n"))
	if err != nil {
		t.Fatal(err)
	}
	set.File("big.go").Hunks, set.File("big.go").Omitted = nil, diff.OmittedLarge
	policy := domain.DefaultPolicy()
	for _, c := range []struct {
		anchor domain.Anchor
		want   string
	}{
		{domain.Anchor{Path: "key.bin", Level: domain.AnchorFile}, "a binary file has no lines"},
		{domain.Anchor{Path: "a.go", Level: domain.AnchorFile, Quote: "func far() {"}, "its lines are not shown in the diff"},
		{domain.Anchor{Path: "a.go", Level: domain.AnchorFile}, "not about a line"},
		{domain.Anchor{Path: "big.go", Level: domain.AnchorFile}, "the diff of the file is too large"},
		{domain.Anchor{Level: domain.AnchorPR}, "not about a line"},
		{domain.Anchor{Path: "a.go", StartLine: 1, EndLine: 1, Level: domain.AnchorLine}, ""},
	} {
		it := &finding.Item{Lineless: lineless(c.anchor, set), Finding: domain.Finding{Origin: domain.OriginModel, Category: domain.CategoryBug, Severity: domain.High,
			Confidence: 0.9, Verdict: domain.VerdictConfirmed, Anchor: c.anchor}}
		route(it, policy)
		testkit.Equal(t, c.anchor.Path, it.Aside, c.want)
	}
}

// Findings that the routing table sends to the summary say why, except minor ones, which are folded
// under a heading.
func TestRoutesToTheSummarySayWhy(t *testing.T) {
	t.Parallel()
	policy := domain.DefaultPolicy()
	for name, c := range map[string]struct {
		change func(*finding.Item)
		want   string
	}{
		"reviewed lines":  {func(it *finding.Item) { it.Reviewed, it.Severity = true, domain.Medium }, "on lines that an earlier review has read"},
		"not verified":    {func(it *finding.Item) { it.Unheard, it.Verdict = true, domain.VerdictUnproven }, "the model gave no answer that verifies it"},
		"second opinion":  {func(it *finding.Item) { it.Alone = true }, "confirmed by a second opinion alone"},
		"maintainability": {func(it *finding.Item) { it.Category = domain.CategoryMaintainability }, "maintainability and docs get no comments on lines"},
		"low":             {func(it *finding.Item) { it.Severity = domain.Low }, ""},
		"on its line":     {func(*finding.Item) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			it := &finding.Item{Changed: true, Finding: domain.Finding{Origin: domain.OriginModel, Category: domain.CategoryBug, Severity: domain.High, Confidence: 0.9,
				Verdict: domain.VerdictConfirmed, Anchor: domain.Anchor{Path: "a.go", StartLine: 1, EndLine: 1, Level: domain.AnchorLine}}}
			c.change(it)
			route(it, policy)
			testkit.Equal(t, "aside", it.Aside, c.want)
		})
	}
}
