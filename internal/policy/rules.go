package policy

import (
	"cmp"
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// maxRules bounds the rules read from one place. It is above tenant.MaxRules, the limit for creating rules.
const maxRules = 1000

// The reasons why a rule is not applied.
const (
	ruleDisabled    = "disabled"    // the rule is switched off
	ruleCategoryOff = "categoryOff" // the policy excludes findings of the category rule
)

// Rule is a rule as reviews of a repository apply it.
type Rule struct {
	store.Rule
	Origin   Origin // tenant, repository
	Inactive string // reason: ruleDisabled, ruleCategoryOff; "" if the rule is applied
}

// Rules returns the rules of a repository in the order in which a review reads them: the tenant's, then the
// repository's, each with mandatory rules first, then by severity, then oldest first. p is the policy in
// effect. A mandatory rule applies even if the policy excludes its category.
func Rules(ctx context.Context, s *store.Store, t domain.Tenant, repository string, p domain.Policy) ([]Rule, error) {
	var out []Rule
	for _, place := range []struct {
		repository string
		origin     Origin
	}{{"", OriginTenant}, {repository, OriginRepository}} {
		rows, err := s.Rules(ctx, t, place.repository, store.Cursor{}, maxRules)
		if err != nil {
			return nil, err
		}
		slices.Reverse(rows)
		out = append(out, Ordered(rows, place.origin, p)...)
	}
	return out, nil
}

// Ordered sorts the rules of one place, given oldest first, as a review reads them, and marks those that
// the policy p does not apply.
func Ordered(rows []store.Rule, origin Origin, p domain.Policy) (out []Rule) {
	slices.SortStableFunc(rows, func(a, b store.Rule) int {
		return cmp.Or(compareBool(b.Mandatory, a.Mandatory), cmp.Compare(severity(b), severity(a)))
	})
	for _, r := range rows {
		out = append(out, Rule{Rule: r, Origin: origin, Inactive: inactive(r, p)})
	}
	return out
}

// Applied marks the rules that another policy does not apply.
func Applied(rules []Rule, p domain.Policy) []Rule {
	out := slices.Clone(rules)
	for i := range out {
		out[i].Inactive = inactive(out[i].Rule, p)
	}
	return out
}

func inactive(r store.Rule, p domain.Policy) string {
	switch {
	case !r.Enabled:
		return ruleDisabled
	case !r.Mandatory && !p.Allows(domain.CategoryRule):
		return ruleCategoryOff
	}
	return ""
}

func severity(r store.Rule) domain.Severity {
	s, _ := domain.ParseSeverity(r.Severity)
	return s
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
