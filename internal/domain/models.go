package domain

import "slices"

// TierRoute is where the calls of one tier go.
type TierRoute struct {
	CredentialID    string `json:"credentialId"`
	Model           string `json:"model"`
	ReasoningEffort string `json:"reasoningEffort,omitempty"` // "" is the provider's default
	VectorSize      int    `json:"vectorSize,omitempty"`      // of the tier embeddings
	ContextTokens   int64  `json:"contextTokens,omitempty"`   // of input and answer together; 0 is what the catalogue says
}

// Budget is what models may cost in a month (UTC).
type Budget struct {
	MonthlyMicros int64  `json:"monthlyMicros"` // millionths of the currency
	Currency      string `json:"currency"`      // ISO 4217
	Mode          string `json:"mode"`          // soft: an alert; hard: no model any more
}

// ModelLimits bound one review; nil is no bound.
type ModelLimits struct {
	MaxTokensPerReview     *int64 `json:"maxTokensPerReview,omitempty"`
	MaxCostMicrosPerReview *int64 `json:"maxCostMicrosPerReview,omitempty"` // millionths of the tenant's currency
}

// ModelPolicy is the stored document on the use of models: of a tenant, or what
// a repository narrows of it. In a repository's, absent parts are inherited.
type ModelPolicy struct {
	Tiers map[string]TierRoute `json:"tiers,omitempty"`
	// RepositoryCredentialIDs are the keys that repositories may choose; a tenant's only.
	RepositoryCredentialIDs []string     `json:"repositoryCredentialIds,omitempty"`
	Budget                  *Budget      `json:"budget,omitempty"`
	Limits                  *ModelLimits `json:"limits,omitempty"`
	AllowedRegions          []string     `json:"allowedRegions,omitempty"` // none: every region
	AllowTools              *bool        `json:"allowTools,omitempty"`     // nil in a tenant's: false
}

// noRegion stands alone in a list of allowed regions where a repository allows
// none of those that its tenant does.
const noRegion = "none"

// RequiredTiers are routed together, or none of them is.
func RequiredTiers() []string { return []string{"fast", "standard", "strong"} }

// Narrowed returns what holds for a repository whose own document is r. Only
// what narrows counts, whatever r says: a tenant that takes something back
// takes it back everywhere, at once.
func (p ModelPolicy) Narrowed(r ModelPolicy) ModelPolicy {
	out := p
	out.Tiers = map[string]TierRoute{}
	for tier, route := range p.Tiers {
		out.Tiers[tier] = route
	}
	for tier, route := range r.Tiers {
		if slices.Contains(p.RepositoryCredentialIDs, route.CredentialID) {
			out.Tiers[tier] = route
		}
	}
	if r.Budget != nil && (p.Budget == nil || r.Budget.Within(*p.Budget)) {
		out.Budget = r.Budget
	}
	if r.Limits != nil {
		own := ModelLimits{}
		if p.Limits != nil {
			own = *p.Limits
		}
		own.MaxTokensPerReview = lower(own.MaxTokensPerReview, r.Limits.MaxTokensPerReview)
		own.MaxCostMicrosPerReview = lower(own.MaxCostMicrosPerReview, r.Limits.MaxCostMicrosPerReview)
		out.Limits = &own
	}
	if len(r.AllowedRegions) > 0 {
		out.AllowedRegions = slices.DeleteFunc(slices.Clone(r.AllowedRegions), func(id string) bool { return !p.AllowsRegion(id) })
		if len(out.AllowedRegions) == 0 { // none of them is left, which is not the same as no list
			out.AllowedRegions = []string{noRegion}
		}
	}
	if r.AllowTools != nil && !*r.AllowTools {
		out.AllowTools = r.AllowTools
	}
	return out
}

// Complete reports whether all required tiers are routed.
func (p ModelPolicy) Complete() bool {
	return !slices.ContainsFunc(RequiredTiers(), func(tier string) bool { _, ok := p.Tiers[tier]; return !ok })
}

// AllowsRegion reports whether data may be processed in a region; "" is one
// that nobody knows, which is refused where regions are restricted.
func (p ModelPolicy) AllowsRegion(id string) bool {
	return len(p.AllowedRegions) == 0 || slices.Contains(p.AllowedRegions, id)
}

// ToolsAllowed reports whether models may use tools.
func (p ModelPolicy) ToolsAllowed() bool { return p.AllowTools != nil && *p.AllowTools }

// Within reports whether a budget is not wider than another.
func (b Budget) Within(of Budget) bool {
	return b.Currency == of.Currency && b.MonthlyMicros <= of.MonthlyMicros && (b.Mode == of.Mode || b.Mode == "hard")
}

func lower(a, b *int64) *int64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}
