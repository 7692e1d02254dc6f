package tenant

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store"
)

// routes are the tiers of a request as they are stored.
func (in LlmTiers) routes() map[string]domain.TierRoute {
	out := map[string]domain.TierRoute{}
	for name, tier := range map[string]patch.Nullable[LlmTier]{"fast": in.Fast, "standard": in.Standard, "strong": in.Strong} {
		if !tier.Set() || tier.Null() {
			continue
		}
		v := tier.Get()
		if v.ReasoningEffort == catalog.EffortDefault {
			v.ReasoningEffort = ""
		}
		out[name] = domain.TierRoute{CredentialID: v.CredentialID, Model: v.Model, ReasoningEffort: v.ReasoningEffort}
	}
	if v := in.Embeddings; v.Set() && !v.Null() {
		out["embeddings"] = domain.TierRoute{CredentialID: v.Get().CredentialID, Model: v.Get().Model, VectorSize: v.Get().VectorSize}
	}
	return out
}

func budgetOf(in patch.Nullable[LlmBudget]) *domain.Budget {
	if !in.Set() || in.Null() {
		return nil
	}
	return new(domain.Budget(in.Get()))
}

func limitsOf(in patch.Nullable[LlmLimits]) *domain.ModelLimits {
	var out domain.ModelLimits
	in.Get().MaxTokensPerReview.IntoPointer(&out.MaxTokensPerReview)
	in.Get().MaxCostMicrosPerReview.IntoPointer(&out.MaxCostMicrosPerReview)
	if out == (domain.ModelLimits{}) {
		return nil
	}
	return &out
}

func tenantPolicyOf(p domain.ModelPolicy, row store.Document) LlmPolicy {
	out := LlmPolicy{LlmPolicyParts: partsOf(p), RepositoryCredentialIDs: list(p.RepositoryCredentialIDs), Version: row.Version, UpdatedAt: store.TimeOrNil(row.UpdatedUS)}
	out.AllowTools = new(p.ToolsAllowed())
	return out
}

func partsOf(p domain.ModelPolicy) LlmPolicyParts {
	out := LlmPolicyParts{Limits: p.Limits, AllowedRegions: p.AllowedRegions, AllowTools: p.AllowTools}
	for name, to := range map[string]**LlmTier{"fast": &out.Tiers.Fast, "standard": &out.Tiers.Standard, "strong": &out.Tiers.Strong} {
		if r, ok := p.Tiers[name]; ok {
			effort := r.ReasoningEffort
			if effort == "" {
				effort = catalog.EffortDefault
			}
			*to = &LlmTier{CredentialID: r.CredentialID, Model: r.Model, ReasoningEffort: effort}
		}
	}
	if r, ok := p.Tiers["embeddings"]; ok {
		out.Tiers.Embeddings = &LlmEmbeddingsTier{CredentialID: r.CredentialID, Model: r.Model, VectorSize: r.VectorSize}
	}
	if p.Budget != nil {
		out.Budget = new(LlmBudget(*p.Budget))
	}
	return out
}

func repositoryPolicyOf(of, own domain.ModelPolicy, row store.Document) RepositoryLlmPolicy {
	holds := of.Narrowed(own)
	out := RepositoryLlmPolicy{Own: partsOf(own), Effective: partsOf(holds), SelectableCredentials: list(of.RepositoryCredentialIDs), Version: row.Version, UpdatedAt: store.TimeOrNil(row.UpdatedUS)}
	out.Effective.AllowTools = new(holds.ToolsAllowed())
	origin := func(repository, tenant bool) string {
		switch {
		case repository:
			return "repository"
		case tenant:
			return "tenant"
		}
		return "default"
	}
	tier := func(name string) string {
		mine, chosen := own.Tiers[name]
		_, theirs := of.Tiers[name]
		return origin(chosen && holds.Tiers[name] == mine, theirs)
	}
	differs := func(a, b *int64) bool { return a != nil && (b == nil || *a != *b) }
	limited := domain.ModelLimits{}
	if of.Limits != nil {
		limited = *of.Limits
	}
	out.Origins = LlmOrigins{Fast: tier("fast"), Standard: tier("standard"), Strong: tier("strong"), Embeddings: tier("embeddings"),
		Budget:         origin(own.Budget != nil && holds.Budget == own.Budget, of.Budget != nil),
		Limits:         origin(own.Limits != nil && (differs(holds.Limits.MaxTokensPerReview, limited.MaxTokensPerReview) || differs(holds.Limits.MaxCostMicrosPerReview, limited.MaxCostMicrosPerReview)), of.Limits != nil),
		AllowedRegions: origin(len(own.AllowedRegions) > 0 && !slices.Equal(holds.AllowedRegions, of.AllowedRegions), len(of.AllowedRegions) > 0),
		AllowTools:     origin(own.AllowTools != nil && !*own.AllowTools && of.ToolsAllowed(), of.AllowTools != nil)}
	return out
}
