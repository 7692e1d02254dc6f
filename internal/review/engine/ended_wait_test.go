package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestAFindingThatWaitsGetsItsPlace lets a confirmed Medium wait in the third review. The fourth review changes what the wait rests on.
func TestAFindingThatWaitsGetsItsPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(in *Input, severity *string)
		place  domain.Route
		waits  bool
	}{
		"nothing":                 {func(*Input, *string) {}, domain.RouteSummary, true},
		"its edited code is High": {func(_ *Input, severity *string) { *severity = "high" }, domain.RouteInline, false},
		"its code is Critical":    {func(_ *Input, severity *string) { *severity = "critical" }, domain.RouteInline, false},
		"it fails the check":      {func(in *Input, _ *string) { in.Policy.Check.FailOn = new(domain.Medium) }, domain.RouteInline, false},
		"a person asks":           {func(in *Input, _ *string) { in.Asked = true }, domain.RouteSummary, false},
		"a person asks for all":   {func(in *Input, _ *string) { in.Asked, in.Full, in.ReviewedHunks = true, true, nil }, domain.RouteInline, false},
		"its rule is mandatory": {func(in *Input, _ *string) {
			in.Rules = []Rule{{ID: "rul_1", Title: "No division", Instruction: "Do not divide.", Severity: domain.Medium, Mandatory: true}}
			in.Known[0].RuleID = repoPrefix + "rul_1"
		}, domain.RouteInline, false},
		"the limit has no room left": {func(in *Input, severity *string) { *severity, in.Policy.MaxInlineComments = "high", 0 }, domain.RouteSummary, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			severity := "medium"
			found := division()
			m := &scripted{generate: func(n int, user string) (llm.Response, error) {
				found.Severity = severity
				return findings(found)(n, user)
			}, verify: func(_ int, user string) (llm.Response, error) {
				list := verdicts(user, "confirmed")
				for i := range list {
					list[i].Severity = severity
				}
				return say(map[string]any{"verdicts": list})
			}}
			in := sampleChange(t)
			in.Models, in.Round, in.Previous, in.ReviewedHunks = models(m), 3, base{"shop/shop.go": newGo}, map[string]bool{}
			in.Policy.Check.FailOn = nil
			third := review(t, in, Deps{})
			testkit.Require(t, "findings", len(third.Findings), 1)
			testkit.Require(t, "waits in the third review", Waits(third.Findings[0]), true)
			in.publish(third)

			in.Round = 4
			c.change(&in, &severity)
			if severity != "medium" {
				found.Quote = "	return 2 * Total(items) / len(items)"
				edited := strings.Replace(newGo, "	return Total(items) / len(items)", found.Quote, 1)
				in.shows(enginetest.Tree{"shop/shop.go": oldGo}, enginetest.Tree{"shop/shop.go": edited}, nil)
			}
			fourth := review(t, in, Deps{})
			testkit.Require(t, "findings", len(fourth.Findings), 1)
			f := fourth.Findings[0]
			testkit.Equal(t, "the same finding", f.ID, third.Findings[0].ID)
			testkit.Equal(t, "route", f.Route, c.place)
			testkit.Equal(t, "waits", Waits(f), c.waits)
			testkit.Equal(t, "gets a comment", !f.Known && f.Route == domain.RouteInline, c.place == domain.RouteInline)
		})
	}
}
