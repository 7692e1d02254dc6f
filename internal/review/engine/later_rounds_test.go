package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestFindingsThatWaitInALaterRound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*finding.Item, *domain.Policy)
		route  domain.Route
		waits  bool
	}{
		"Medium on older code":         {func(*finding.Item, *domain.Policy) {}, domain.RouteSummary, true},
		"in an earlier round":          {func(it *finding.Item, _ *domain.Policy) { it.LaterRound = false }, domain.RouteInline, false},
		"on code of the last push":     {func(it *finding.Item, _ *domain.Policy) { it.FromPush = true }, domain.RouteInline, false},
		"High":                         {func(it *finding.Item, _ *domain.Policy) { it.Severity = domain.High }, domain.RouteInline, false},
		"Low on older code":            {func(it *finding.Item, _ *domain.Policy) { it.Severity = domain.Low }, domain.RouteSummary, true},
		"Low on code of the last push": {func(it *finding.Item, _ *domain.Policy) { it.Severity, it.FromPush = domain.Low, true }, domain.RouteSummary, false},
		"not verified, on code of the last push": {func(it *finding.Item, _ *domain.Policy) {
			it.Verdict, it.Unheard, it.FromPush = domain.VerdictUnproven, true, true
		}, domain.RouteSummary, true},
		"fails the check":         {func(_ *finding.Item, p *domain.Policy) { p.Check.FailOn = new(domain.Medium) }, domain.RouteInline, false},
		"breaks a mandatory rule": {func(it *finding.Item, _ *domain.Policy) { it.Mandatory = true }, domain.RouteInline, false},
		"of a check": {func(it *finding.Item, _ *domain.Policy) {
			it.Origin, it.Category, it.Verdict = domain.OriginStatic, domain.CategoryStaticAnalysis, domain.VerdictSkipped
		}, domain.RouteInline, false},
		"stored anyway": {func(it *finding.Item, _ *domain.Policy) { it.Confidence = 0.1 }, domain.RouteStored, false},
	} {
		it := &finding.Item{Changed: true, LaterRound: true, Finding: domain.Finding{Origin: domain.OriginModel, Category: domain.CategoryBug,
			Severity: domain.Medium, Confidence: 0.9, Verdict: domain.VerdictConfirmed, Scope: "introduced",
			Anchor: domain.Anchor{Path: "a.go", StartLine: 1, EndLine: 1, Level: domain.AnchorLine}}}
		p := domain.DefaultPolicy()
		p.Check.FailOn = nil
		c.change(it, &p)
		got, _ := route(it, p)
		testkit.Equal(t, name+": route", got, c.route)
		testkit.Equal(t, name+": waits", Waits(it.Finding), c.waits)
	}
}

// TestALaterRoundComparesWithTheLastReview reviews a change in several rounds, in which the file at the head of the last review had the
// defect or not. What the review says without that round holds again under another policy.
func TestALaterRoundComparesWithTheLastReview(t *testing.T) {
	t.Parallel()
	without := strings.Replace(newGo, "	return Total(items) / len(items)", "	return 0", 1)
	for name, c := range map[string]struct {
		round    int
		asked    bool
		previous guideline.Tree
		severity string
		waits    bool
	}{
		"second round":                       {2, false, base{"shop/shop.go": newGo}, "medium", false},
		"the code was there":                 {3, false, base{"shop/shop.go": newGo}, "medium", true},
		"the code was there, and it is High": {3, false, base{"shop/shop.go": newGo}, "high", false},
		"the last push wrote the code":       {3, false, base{"shop/shop.go": without}, "medium", false},
		"the last push added the file":       {4, false, base{}, "medium", false},
		"the last head is not available":     {3, false, nil, "medium", true},
		"a person asked":                     {3, true, base{"shop/shop.go": newGo}, "medium", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := division()
			found.Severity = c.severity
			m := &scripted{generate: findings(found), verify: func(_ int, user string) (llm.Response, error) {
				list := verdicts(user, "confirmed")
				for i := range list {
					list[i].Severity = c.severity
				}
				return say(map[string]any{"verdicts": list})
			}}
			in := sampleChange(t)
			in.Models, in.Round, in.Asked, in.Previous = models(m), c.round, c.asked, c.previous
			in.Policy.Check.FailOn = nil
			res := review(t, in, Deps{})
			testkit.Require(t, "findings", len(res.Findings), 1)
			f := res.Findings[0]
			testkit.Equal(t, "waits", Waits(f), c.waits)
			testkit.Equal(t, "on its line", f.Route == domain.RouteInline, !c.waits)
			testkit.Equal(t, "rerouted", Reroute(res.Findings, 1, in.Policy)[0].Route, f.Route)
		})
	}
}
