package tenant

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// routes converts the tiers of a request into their stored form.
func (in LlmTiers) routes() map[string]domain.TierRoute {
	out := map[string]domain.TierRoute{}
	for name, tier := range map[string]patch.Nullable[LlmTier]{"fast": in.Fast, "standard": in.Standard, "strong": in.Strong,
		domain.TierPanel: in.Panel} {
		if !tier.Set() || tier.Null() {
			continue
		}
		v := tier.Get()
		if v.ReasoningEffort == catalog.EffortDefault {
			v.ReasoningEffort = ""
		}
		out[name] = domain.TierRoute{CredentialID: v.CredentialID, Model: v.Model, ReasoningEffort: v.ReasoningEffort,
			ContextTokens: v.ContextTokens}
	}
	if v := in.Embeddings; v.Set() && !v.Null() {
		out["embeddings"] = domain.TierRoute{CredentialID: v.Get().CredentialID, Model: v.Get().Model, VectorSize: v.Get().VectorSize}
	}
	return out
}

// policy converts a request into its stored form.
func (in TenantLlmPolicy) policy() domain.ModelPolicy {
	return domain.ModelPolicy{Tiers: in.Tiers.Get().routes(), RepositoryCredentialIDs: in.RepositoryCredentialIDs,
		Budget: budgetOf(in.Budget), Limits: limitsOf(in.Limits),
		AllowedRegions: in.AllowedRegions, AllowTools: &in.AllowTools}
}

// policy converts a request into its stored form.
func (in RepoLlmPolicy) policy() domain.ModelPolicy {
	out := domain.ModelPolicy{Tiers: in.Tiers.Get().routes(), Budget: budgetOf(in.Budget), Limits: limitsOf(in.Limits),
		AllowedRegions: in.AllowedRegions.Get()}
	if in.AllowTools.Set() && !in.AllowTools.Null() {
		out.AllowTools = new(in.AllowTools.Get())
	}
	if in.AllowPanel.Set() && !in.AllowPanel.Null() && !in.AllowPanel.Get() {
		out.AllowPanel = new(false) // true is the same as absent
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
	in.Get().MaxCostMicrosPerPullRequest.IntoPointer(&out.MaxCostMicrosPerPullRequest)
	if out == (domain.ModelLimits{}) {
		return nil
	}
	return &out
}

func tenantPolicyOf(p domain.ModelPolicy, row store.Document) LlmPolicy {
	out := LlmPolicy{LlmPolicyParts: partsOf(p), RepositoryCredentialIDs: list(p.RepositoryCredentialIDs), Version: row.Version,
		UpdatedAt: store.TimeOrNil(row.UpdatedUS)}
	out.AllowTools = new(p.ToolsAllowed())
	out.NotInEffect = policy.NotInEffectIn(policy.DocModels, p)
	return out
}

func partsOf(p domain.ModelPolicy) LlmPolicyParts {
	out := LlmPolicyParts{Limits: p.Limits, AllowedRegions: p.AllowedRegions, AllowTools: p.AllowTools, AllowPanel: p.AllowPanel}
	for name, to := range map[string]**LlmTier{"fast": &out.Tiers.Fast, "standard": &out.Tiers.Standard, "strong": &out.Tiers.Strong,
		domain.TierPanel: &out.Tiers.Panel} {
		if r, ok := p.Tiers[name]; ok {
			effort := r.ReasoningEffort
			if effort == "" {
				effort = catalog.EffortDefault
			}
			*to = &LlmTier{CredentialID: r.CredentialID, Model: r.Model, ReasoningEffort: effort, ContextTokens: r.ContextTokens}
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

// panelOrigin returns the level that decides about the panel of a repository. tier is that of the route.
func panelOrigin(narrowing domain.ModelPolicy, tier string) string {
	if narrowing.AllowPanel != nil {
		return "repository"
	}
	return tier
}

func repositoryPolicyOf(tenantPolicy, narrowing domain.ModelPolicy, row store.Document) RepositoryLlmPolicy {
	effective := tenantPolicy.Narrowed(narrowing)
	acts := policy.InEffect(policy.DocModels, effective)
	out := RepositoryLlmPolicy{Own: partsOf(narrowing), Effective: partsOf(acts),
		NotInEffect: policy.NotInEffectIn(policy.DocModels, narrowing), SelectableCredentials: list(tenantPolicy.RepositoryCredentialIDs),
		Version: row.Version, UpdatedAt: store.TimeOrNil(row.UpdatedUS)}
	out.Effective.AllowTools = new(acts.ToolsAllowed())
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
		chosen, has := narrowing.Tiers[name]
		_, inherits := tenantPolicy.Tiers[name]
		return origin(has && effective.Tiers[name] == chosen, inherits)
	}
	differs := func(a, b *int64) bool { return a != nil && (b == nil || *a != *b) }
	tenantLimits := domain.ModelLimits{}
	if tenantPolicy.Limits != nil {
		tenantLimits = *tenantPolicy.Limits
	}
	out.Origins = LlmOrigins{Fast: tier("fast"), Standard: tier("standard"), Strong: tier("strong"), Panel: panelOrigin(narrowing, tier(domain.TierPanel)),
		Embeddings: tier("embeddings"),
		Budget:     origin(narrowing.Budget != nil && effective.Budget == narrowing.Budget, tenantPolicy.Budget != nil),
		Limits: origin(narrowing.Limits != nil && (differs(effective.Limits.MaxTokensPerReview,
			tenantLimits.MaxTokensPerReview) || differs(effective.Limits.MaxCostMicrosPerReview, tenantLimits.MaxCostMicrosPerReview) ||
			differs(effective.Limits.MaxCostMicrosPerPullRequest, tenantLimits.MaxCostMicrosPerPullRequest)),
			tenantPolicy.Limits != nil),
		AllowedRegions: origin(len(narrowing.AllowedRegions) > 0 && !slices.Equal(effective.AllowedRegions, tenantPolicy.AllowedRegions),
			len(tenantPolicy.AllowedRegions) > 0),
		AllowTools: origin(narrowing.AllowTools != nil && !*narrowing.AllowTools && tenantPolicy.ToolsAllowed(),
			tenantPolicy.AllowTools != nil)}
	return out
}
