package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// Findings of versions that stored rule and path only in the body are found by these, too.
func TestFindingsOfOlderVersions(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedPublishing(t, s)
		f := finding("a", "A")
		f.RuleID, f.Anchor.Path = "llm/x\"y", "a/ü%.go"
		f.Explanation = `"ruleId":"llm/z",`
		saved := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{f}))(t)
		count := func(filter store.FindingsFilter) int {
			filter.Limit = 10
			return len(must2(s.Findings(bg, w.Tenant, w.Repository.ID, filter))(t))
		}
		for _, older := range []bool{false, true} {
			if older {
				raw(t, s, `UPDATE findings SET rule_id = '', path = ''`)
			}
			testkit.Equal(t, "of the rule", count(store.FindingsFilter{Rule: f.RuleID}), 1)
			testkit.Equal(t, "of the path", count(store.FindingsFilter{Path: f.Anchor.Path, Rule: f.RuleID}), 1)
			testkit.Equal(t, "of a rule that stands in its words", count(store.FindingsFilter{Rule: "llm/z"}), 0)
			testkit.Equal(t, "of a path in other letters", count(store.FindingsFilter{Path: "A/ü%.go"}), 0)
		}
		sightings := must2(s.Sightings(bg, w.Tenant, saved[0].ID))(t)
		if len(sightings) != 1 || sightings[0].Run != w.Run.ID || sightings[0].RuleID != f.RuleID {
			t.Errorf("%+v", sightings)
		}
	})
}
