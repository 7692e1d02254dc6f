package engine

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
)

func TestRules(t *testing.T) {
	t.Parallel()
	violation := division()
	violation.RuleKey, violation.Category, violation.Severity, violation.SelfDoubt = "repo/R1", domain.CategoryRule, "info", 0.9
	for name, tt := range map[string]struct {
		rule     Rule
		verify   func(n int, user string) (r llm.Response, err error)
		route    domain.Route
		blocking bool
		found    int
	}{
		"confirmed":               {Rule{ID: "R1", Severity: domain.High}, confirmAll, domain.RouteInline, false, 1},
		"mandatory and confirmed": {Rule{ID: "R1", Severity: domain.Low, Mandatory: true}, confirmAll, domain.RouteInline, true, 1},
		"mandatory but refuted":   {Rule{ID: "R1", Severity: domain.High, Mandatory: true}, refuteAll, domain.RouteStored, false, 1},
		"for other paths":         {Rule{ID: "R1", Severity: domain.High, Paths: []string{"other/**"}}, confirmAll, domain.RouteSummary, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Rules = []Rule{tt.rule}
			in.Models = models(&scripted{generate: findings(violation), verify: tt.verify})
			res := review(t, in, Deps{})
			if len(res.Findings) != tt.found {
				t.Fatalf("%d findings, dropped %v", len(res.Findings), res.Stats.Dropped)
			}
			f := res.Findings[0]
			if name == "for other paths" { // the rule does not exist for this change
				if f.RuleID == "repo/R1" || f.Category == domain.CategoryRule && f.Severity == domain.High {
					t.Errorf("the rule was applied to a path it is not for: %+v", f)
				}
				return
			}
			if f.RuleID != "repo/R1" || f.Category != domain.CategoryRule || f.Severity != tt.rule.Severity || f.Route != tt.route || res.Blocks(f.ID) != tt.blocking {
				t.Errorf("rule %s, category %s, severity %s, route %s, blocking %v (confidence %.2f)", f.RuleID, f.Category, f.Severity, f.Route, res.Blocks(f.ID), f.Confidence)
			}
		})
	}
}
