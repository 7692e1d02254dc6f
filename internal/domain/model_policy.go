package domain

import "slices"

// TierRoute is the model for the calls of one tier.
type TierRoute struct {
	CredentialID    string `json:"credentialId"`
	Model           string `json:"model"`
	ReasoningEffort string `json:"reasoningEffort,omitempty"` // "" means the provider's default
	VectorSize      int    `json:"vectorSize,omitempty"`      // of the tier embeddings
	ContextTokens   int64  `json:"contextTokens,omitempty"`   // of input and answer together; 0 means the catalogue's value
}

// Budget is the maximum cost of models in a month (UTC).
type Budget struct {
	MonthlyMicros int64  `json:"monthlyMicros"` // millionths of the currency
	Currency      string `json:"currency"`      // ISO 4217
	Mode          string `json:"mode"`          // soft: alert only; hard: no more model calls
}

// ModelLimits holds the limits of one review, and of all runs of one pull request; nil for unlimited.
type ModelLimits struct {
	MaxTokensPerReview     *int64 `json:"maxTokensPerReview,omitempty"`
	MaxCostMicrosPerReview *int64 `json:"maxCostMicrosPerReview,omitempty"` // millionths of the tenant's currency
	// MaxCostMicrosPerPullRequest bounds the cost of all runs of a pull request together, in the same unit.
	MaxCostMicrosPerPullRequest *int64 `json:"maxCostMicrosPerPullRequest,omitempty"`
}

// ModelPolicy is the stored document on the use of models, of a tenant or a repository. A repository's
// document narrows the tenant's; absent parts are inherited.
type ModelPolicy struct {
	Tiers map[string]TierRoute `json:"tiers,omitempty"`
	// RepositoryCredentialIDs are the keys that repositories may choose; only in a tenant's document.
	RepositoryCredentialIDs []string     `json:"repositoryCredentialIds,omitempty"`
	Budget                  *Budget      `json:"budget,omitempty"`
	Limits                  *ModelLimits `json:"limits,omitempty"`
	AllowedRegions          []string     `json:"allowedRegions,omitempty"` // empty for every region
	AllowTools              *bool        `json:"allowTools,omitempty"`     // nil in a tenant's document means false
	// AllowPanel is false in a repository's document if the tenant's panel must not read the repository; else nil.
	AllowPanel *bool `json:"allowPanel,omitempty"`
}

// noAllowedRegion is the only entry of allowed regions if a repository allows no region that its tenant allows.
const noAllowedRegion = "none"

// TierPanel is the optional tier of the panel: the model of a second vendor, which makes a general pass of its own.
const TierPanel = "panel"

// RequiredTiers returns the tiers that must be routed together.
func RequiredTiers() []string { return []string{"fast", "standard", "strong"} }

// FindingTiers returns the tiers whose models look for findings, beside the panel.
func FindingTiers() []string { return []string{"standard", "strong"} }

// Narrowed returns the policy of a repository whose document is r. It applies only the parts of r that
// narrow p. If a tenant withdraws a permission, it is withdrawn in all its repositories at once.
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
		own.MaxTokensPerReview = lowerLimit(own.MaxTokensPerReview, r.Limits.MaxTokensPerReview)
		own.MaxCostMicrosPerReview = lowerLimit(own.MaxCostMicrosPerReview, r.Limits.MaxCostMicrosPerReview)
		own.MaxCostMicrosPerPullRequest = lowerLimit(own.MaxCostMicrosPerPullRequest, r.Limits.MaxCostMicrosPerPullRequest)
		out.Limits = &own
	}
	if len(r.AllowedRegions) > 0 {
		out.AllowedRegions = slices.DeleteFunc(slices.Clone(r.AllowedRegions), func(id string) bool { return !p.AllowsRegion(id) })
		if len(out.AllowedRegions) == 0 { // an empty result differs from an absent list
			out.AllowedRegions = []string{noAllowedRegion}
		}
	}
	if r.AllowTools != nil && !*r.AllowTools {
		out.AllowTools = r.AllowTools
	}
	if r.AllowPanel != nil && !*r.AllowPanel {
		delete(out.Tiers, TierPanel)
		out.AllowPanel = r.AllowPanel
	}
	return out
}

// Complete reports whether all required tiers are routed.
func (p ModelPolicy) Complete() bool {
	return !slices.ContainsFunc(RequiredTiers(), func(tier string) bool { _, ok := p.Tiers[tier]; return !ok })
}

// AllowsRegion reports whether data may be processed in a region. "" is an unknown region, which is refused
// if regions are restricted.
func (p ModelPolicy) AllowsRegion(id string) bool {
	return len(p.AllowedRegions) == 0 || slices.Contains(p.AllowedRegions, id)
}

// ToolsAllowed reports whether models may use tools.
func (p ModelPolicy) ToolsAllowed() bool { return p.AllowTools != nil && *p.AllowTools }

// Within reports whether the budget does not exceed another one.
func (b Budget) Within(of Budget) bool {
	return b.Currency == of.Currency && b.MonthlyMicros <= of.MonthlyMicros && (b.Mode == of.Mode || b.Mode == "hard")
}

func lowerLimit(a, b *int64) *int64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}
