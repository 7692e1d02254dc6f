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

// Tried are settings of a repository as they would be; what is nil holds as stored.
type Tried struct {
	Policy *policy.RepositoryPolicyUpdate
	Rules  []RuleCreate // in place of all rules, unless nil
	Models *RepoLlmPolicy
}

// CheckTried says what is wrong with settings that are only tried, as their saving
// would: Invalid, by pointers below at. Like saving a model policy it may ask
// providers for what is not known of their models.
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
		if err := note(field.At("/rules", i), r.rule(repository).check(Rule{})); err != nil {
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

// TriedModels is what a repository would say of models if it said in addition, or
// instead, what in says: each tier and each other part by itself. The budget is the
// stored one.
func (s *Service) TriedModels(ctx context.Context, t domain.Tenant, repository string, in RepoLlmPolicy) (domain.ModelPolicy, error) {
	own, _, err := s.modelPolicy(ctx, t, repository)
	if err != nil {
		return own, err
	}
	said := in.policy()
	tiers := maps.Clone(own.Tiers)
	if tiers == nil {
		tiers = map[string]domain.TierRoute{}
	}
	maps.Copy(tiers, said.Tiers)
	if own.Tiers = tiers; len(tiers) == 0 {
		own.Tiers = nil
	}
	if said.Limits != nil {
		own.Limits = said.Limits
	}
	if said.AllowedRegions != nil {
		own.AllowedRegions = said.AllowedRegions
	}
	if said.AllowTools != nil {
		own.AllowTools = said.AllowTools
	}
	return own, nil
}

// TriedRules are rules that are only tried, as a review under a policy has them. One
// that says what a stored rule says has the id of that, so that its findings are
// known again; the others have ids of their own, which are no rows.
func (s *Service) TriedRules(ctx context.Context, t domain.Tenant, repository string, p domain.Policy, in []RuleCreate) ([]policy.Rule, error) {
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
			stored = slices.Delete(stored, j, j+1) // each is one rule only
		}
	}
	return policy.Ordered(rows, policy.OriginRepository, p), nil
}

// Again is the rule as it would be made anew, without what has no effect yet.
func (r Rule) Again() RuleCreate {
	return RuleCreate{Title: r.Title, Instruction: r.Instruction, Paths: r.Paths, Languages: r.Languages, Severity: r.Severity, Enabled: &r.Enabled, Mandatory: r.Mandatory}
}

// RuleAgain is [Rule.Again] of a stored rule.
func RuleAgain(row store.Rule) RuleCreate { return ruleOf(row).Again() }
