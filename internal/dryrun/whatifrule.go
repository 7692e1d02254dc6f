package dryrun

import (
	"context"
	"reflect"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// WhatIfRule shows how the last reviews would have looked with a changed rule: the reviews of the
// repository that has the rule, or with "" of all of the tenant's repositories. For a rule that is switched
// off, the removal of its findings is exact. Errors are those of changing the rule.
func (s *Service) WhatIfRule(ctx context.Context, t domain.Tenant, repository, id string, in tenant.RuleUpdate,
	reviews int) (WhatIf, error) {
	before, after, err := s.Tenant.CheckRule(ctx, t, repository, id, 0, in)
	if err != nil {
		return WhatIf{}, err
	}
	off := before.Enabled && !after.Enabled
	settings := ruleSettings(before, after, off)
	return s.whatIf(ctx, t, repository, reviews, func(src store.PolicySources) (store.PolicySources, policyChange, error) {
		var a policyChange
		if off {
			a.without = breaksRule(id)
		}
		return src, a, nil
	}, &ruleChange{id: id, after: after.AsCreate(), settings: settings})
}

// breaksRule returns a function that reports whether a finding breaks a rule.
func breaksRule(rule string) func(domain.Finding) bool {
	return func(f domain.Finding) bool { return f.RuleID == "repo/"+rule }
}

// ruleChange is a changed rule, for the list of settings and for offers.
type ruleChange struct {
	id       string
	after    tenant.RuleCreate // the rule after the change
	settings []WhatIfSetting
}

// ruleSettings lists the changed properties of a rule; before is the zero value for a new rule.
func ruleSettings(before, after tenant.Rule, off bool) (out []WhatIfSetting) {
	why, gone := otherRule, "Its findings go, which is exact. A model's other findings without the rule are unknown."
	if after.Matcher != nil {
		why, gone = otherPattern, "Its findings go, which is exact. Findings that were merged into them are unknown."
	}
	if before.ID == "" && after.Enabled {
		return []WhatIfSetting{{"rule", effectUnknown, why}}
	}
	for _, x := range []struct {
		name string
		same bool
	}{
		{"title", before.Title == after.Title}, {"instruction", before.Instruction == after.Instruction},
		{"paths", slices.Equal(before.Paths, after.Paths)},
		{"languages", slices.Equal(before.Languages, after.Languages)}, {"severity", before.Severity == after.Severity},
		{"mandatory", before.Mandatory == after.Mandatory}, {"matcher", reflect.DeepEqual(before.Matcher, after.Matcher)},
	} {
		if !x.same && after.Enabled { // a property of a disabled rule has no effect
			out = append(out, WhatIfSetting{"rule." + x.name, effectUnknown, why})
		}
	}
	switch {
	case off:
		out = append(out, WhatIfSetting{"rule.enabled", effectPartly, gone})
	case !before.Enabled && after.Enabled:
		out = append(out, WhatIfSetting{"rule.enabled", effectUnknown, why})
	}
	return out
}

// offer returns the dry run that resolves the unknown effects.
func (s *Service) offer(ctx context.Context, t domain.Tenant, repository string, numbers []int, q policyChange,
	rule *ruleChange) (DryRunOffer, error) {
	out := DryRunOffer{RepositoryID: repository, Request: DryRunCreate{PullRequests: numbers[:min(len(numbers), maxPulls)],
		Overrides: &DryRunOverrides{}, Label: "What if"}}
	if len(q.would) > 0 {
		doc, err := policy.AsUpdate(q.would)
		if err != nil {
			return out, err
		}
		out.Request.Overrides.Policy = &doc
	}
	if rule == nil {
		return out, nil
	}
	all, err := policy.Rules(ctx, s.Store, t, repository, q.after)
	if err != nil {
		return out, err
	}
	out.Request.Overrides.Rules = []tenant.RuleCreate{}
	stored := false
	for _, r := range all {
		v := tenant.RuleCreateOf(r.Rule)
		if r.ID == rule.id {
			v, stored = rule.after, true
		}
		out.Request.Overrides.Rules = append(out.Request.Overrides.Rules, v)
	}
	if !stored {
		out.Request.Overrides.Rules = append(out.Request.Overrides.Rules, rule.after)
	}
	return out, nil
}
