package tenant

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// Tried are planned settings of a repository. Nil parts keep their stored values.
type Tried struct {
	Policy *policy.RepositoryPolicyUpdate
	Rules  []RuleCreate // in place of all rules, unless nil
	Models *RepoLlmPolicy
}

// CheckTried checks planned settings as saving them would: Invalid, by pointers below at. It reads cached
// answers of providers, and asks no provider. Call it outside of a transaction, because the cache may be
// across a network.
func (s *Service) CheckTried(ctx context.Context, t domain.Tenant, repository, at string, in Tried) error {
	var fields []errs.Field
	note := func(part string, err error) error {
		wrong, ok := errors.AsType[*errs.Error](err)
		if err == nil || !ok || len(wrong.Fields) == 0 {
			return err
		}
		for _, f := range wrong.Fields {
			fields = append(fields, errs.Field{Pointer: at + part + f.Pointer, Message: f.Message})
		}
		return nil
	}
	if in.Policy != nil {
		_, err := s.CheckPolicy(ctx, t, repository, *in.Policy)
		if err := note("/policy", err); err != nil {
			return err
		}
	}
	for i, r := range in.Rules {
		if err := note(field.At("/rules", i), r.rule(repository).check()); err != nil {
			return err
		}
	}
	if in.Models != nil {
		if err := note("/llmPolicy", s.checkTriedModels(ctx, t, repository, *in.Models)); err != nil {
			return err
		}
	}
	return field.Invalid(fields)
}

func (s *Service) checkTriedModels(ctx context.Context, t domain.Tenant, repository string, in RepoLlmPolicy) error {
	if in.Budget.Set() && !in.Budget.Null() {
		return field.Wrong("/budget", "must be absent: a trial counts on the stored budgets")
	}
	next, err := s.TriedModels(ctx, t, repository, in)
	if err != nil {
		return err
	}
	efforts, err := s.knownEfforts(ctx, t, next.Tiers)
	if err != nil {
		return err
	}
	facts, err := s.policyFacts(ctx, t)
	if err != nil {
		return err
	}
	facts.efforts = efforts
	return field.Invalid(checkRepositoryPolicy(next, facts.ofRepository(repository), facts))
}

// TriedModels returns a repository's model policy with the parts that in sets: each tier and each other
// part by itself. The budget is the stored one.
func (s *Service) TriedModels(ctx context.Context, t domain.Tenant, repository string, in RepoLlmPolicy) (domain.ModelPolicy, error) {
	stored, _, err := s.modelPolicy(ctx, t, repository)
	if err != nil {
		return stored, err
	}
	planned := in.policy()
	tiers := maps.Clone(stored.Tiers)
	if tiers == nil {
		tiers = map[string]domain.TierRoute{}
	}
	if planned.AllowPanel != nil { // a stored panel does not stay where it is kept away
		delete(tiers, domain.TierPanel)
	}
	maps.Copy(tiers, planned.Tiers)
	if stored.Tiers = tiers; len(tiers) == 0 {
		stored.Tiers = nil
	}
	if planned.Limits != nil {
		stored.Limits = planned.Limits
	}
	if planned.AllowedRegions != nil {
		stored.AllowedRegions = planned.AllowedRegions
	}
	if in.AllowPanel.Set() {
		stored.AllowPanel = planned.AllowPanel // nil for true and null
	}
	if planned.AllowTools != nil {
		stored.AllowTools = planned.AllowTools
	}
	return stored, nil
}

// TriedRules returns planned rules as a review under a policy applies them. A rule with the instruction of
// a stored rule gets its id, so that its findings are recognised. The others get ids without rows.
func (s *Service) TriedRules(ctx context.Context, t domain.Tenant, repository string, p domain.Policy,
	in []RuleCreate) ([]policy.Rule, error) {
	stored, err := policy.Rules(ctx, s.Store, t, repository, p)
	if err != nil {
		return nil, err
	}
	rows := make([]store.Rule, len(in))
	for i, r := range in {
		rows[i] = r.rule(repository).row()
		rows[i].ID = fmt.Sprintf("tried-%d", i+1)
		if j := slices.IndexFunc(stored, func(old policy.Rule) bool {
			return strings.TrimSpace(old.Instruction) == strings.TrimSpace(r.Instruction)
		}); j >= 0 {
			rows[i].ID = stored[j].ID
			stored = slices.Delete(stored, j, j+1) // each stored rule matches only once
		}
	}
	return policy.Ordered(rows, policy.OriginRepository, p), nil
}

// AsCreate returns the request that would create the rule again.
func (r Rule) AsCreate() RuleCreate {
	return RuleCreate{Title: r.Title, Instruction: r.Instruction, Paths: r.Paths, Languages: r.Languages, Severity: r.Severity,
		Enabled: &r.Enabled, Mandatory: r.Mandatory, Matcher: r.Matcher}
}

// RuleCreateOf is [Rule.AsCreate] for a stored rule.
func RuleCreateOf(row store.Rule) RuleCreate { return ruleOf(row).AsCreate() }
