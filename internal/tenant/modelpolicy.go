package tenant

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// LlmTier is the destination of a tier's calls.
type LlmTier struct {
	CredentialID    string `json:"credentialId" minLength:"1" maxLength:"100" doc:"A model key of the tenant"`
	Model           string `json:"model" minLength:"1" maxLength:"200" doc:"Id of the model; for azure the name of the deployment" example:"gpt-5.4"`
	ReasoningEffort string `json:"reasoningEffort,omitempty" enum:"default,none,minimal,low,medium,high,xhigh,max" doc:"Absent is default: the provider decides"`
	ContextTokens   int64  `json:"contextTokens,omitempty" minimum:"8000" maximum:"100000000" doc:"Beyond the specification: how many tokens input and answer of the model may have together, such as num_ctx of Ollama. Absent: the value of the embedded data, or 32000 for an unknown model" example:"32768"`
}

// LlmEmbeddingsTier is the source of embeddings.
type LlmEmbeddingsTier struct {
	CredentialID string `json:"credentialId" minLength:"1" maxLength:"100" doc:"A model key of the tenant"`
	Model        string `json:"model" minLength:"1" maxLength:"200" example:"text-embedding-3-large"`
	VectorSize   int    `json:"vectorSize" enum:"384,768,1024,1536,3072" example:"1536"`
}

// LlmTiers are the tiers of a request; null means absent.
type LlmTiers struct {
	Fast       patch.Nullable[LlmTier]           `json:"fast,omitzero"`
	Standard   patch.Nullable[LlmTier]           `json:"standard,omitzero"`
	Strong     patch.Nullable[LlmTier]           `json:"strong,omitzero"`
	Panel      patch.Nullable[LlmTier]           `json:"panel,omitzero" doc:"Optional: a model of another vendor than standard and strong. It looks for findings too, and the tiers check them. Its provider gets the code of the changes; default none"`
	Embeddings patch.Nullable[LlmEmbeddingsTier] `json:"embeddings,omitzero" doc:"Kept and tested; nothing calls it until the search in code is built"`
}

// LlmBudget is the maximum cost of models per month (UTC).
type LlmBudget struct {
	MonthlyMicros int64  `json:"monthlyMicros" minimum:"0" maximum:"1000000000000000" doc:"Millionths of the currency" example:"250000000"`
	Currency      string `json:"currency" minLength:"3" maxLength:"3" doc:"USD, the currency of the prices of models" example:"USD"`
	Mode          string `json:"mode" enum:"soft,hard" doc:"soft: alerts only. hard: no model is used any more, deterministic checks go on"`
}

// LlmLimits bound one review, and all runs of one pull request.
type LlmLimits struct {
	MaxTokensPerReview          patch.Nullable[int64] `json:"maxTokensPerReview,omitzero" minimum:"20000" maximum:"1000000000" doc:"Input and output of all calls together; a smaller number has no room for one call"`
	MaxCostMicrosPerReview      patch.Nullable[int64] `json:"maxCostMicrosPerReview,omitzero" minimum:"1" maximum:"1000000000000" doc:"Millionths of the currency"`
	MaxCostMicrosPerPullRequest patch.Nullable[int64] `json:"maxCostMicrosPerPullRequest,omitzero" minimum:"1" maximum:"1000000000000" doc:"Beyond the specification: millionths of the currency, for all runs of a pull request together"`
}

// TenantLlmPolicy replaces a tenant's model policy. Absent and null fields are unset.
type TenantLlmPolicy struct {
	Tiers                   patch.Nullable[LlmTiers]  `json:"tiers,omitzero" doc:"None or all of fast, standard and strong; panel with them or not; embeddings as one likes"`
	RepositoryCredentialIDs []string                  `json:"repositoryCredentialIds,omitempty" maxItems:"100" doc:"Model keys that repositories may choose"`
	Budget                  patch.Nullable[LlmBudget] `json:"budget,omitzero"`
	Limits                  patch.Nullable[LlmLimits] `json:"limits,omitzero"`
	AllowedRegions          []string                  `json:"allowedRegions,omitempty" maxItems:"20" doc:"Data regions of GET /api/llm-presets; an empty list allows every region. With a list, keys without a region are refused"`
	AllowTools              bool                      `json:"allowTools,omitempty" doc:"Lets reviews call the allowed tools of the tenant's tool servers; default false. Requests to them can hold names and lines of the code. The tools with which a review looks at the repository need no setting"`
}

// RepoLlmPolicy replaces a repository's restrictions of its tenant's model policy. Absent and null fields
// are inherited.
type RepoLlmPolicy struct {
	Tiers          patch.Nullable[LlmTiers]  `json:"tiers,omitzero" doc:"Each tier by itself; keys are those that the tenant lets repositories choose"`
	Budget         patch.Nullable[LlmBudget] `json:"budget,omitzero" doc:"Of this repository; not above the tenant's, which holds as well"`
	Limits         patch.Nullable[LlmLimits] `json:"limits,omitzero" doc:"Not above the tenant's"`
	AllowedRegions patch.Nullable[[]string]  `json:"allowedRegions,omitzero" minItems:"1" maxItems:"20" doc:"Some of those that the tenant allows"`
	AllowPanel     patch.Nullable[bool]      `json:"allowPanel,omitzero" doc:"false: the panel of the tenant does not look at this repository, and its provider gets no code of it; default true"`
	AllowTools     patch.Nullable[bool]      `json:"allowTools,omitzero" doc:"Lets reviews call the allowed tools of the tenant's tool servers; default false. Requests to them can hold names and lines of the code. The tools with which a review looks at the repository need no setting"`
}

// LlmTiersShown are tiers in the interface.
type LlmTiersShown struct {
	Fast       *LlmTier           `json:"fast,omitempty"`
	Standard   *LlmTier           `json:"standard,omitempty"`
	Strong     *LlmTier           `json:"strong,omitempty"`
	Panel      *LlmTier           `json:"panel,omitempty"`
	Embeddings *LlmEmbeddingsTier `json:"embeddings,omitempty"`
}

// LlmPolicyParts is the model policy of one level.
type LlmPolicyParts struct {
	Tiers          LlmTiersShown       `json:"tiers" audit:"track"`
	Budget         *LlmBudget          `json:"budget,omitempty" audit:"track"`
	Limits         *domain.ModelLimits `json:"limits,omitempty" audit:"track"`
	AllowedRegions []string            `json:"allowedRegions,omitempty" audit:"track"`
	AllowTools     *bool               `json:"allowTools,omitempty" audit:"track"`
	AllowPanel     *bool               `json:"allowPanel,omitempty" audit:"track" doc:"false: a repository keeps the panel of its tenant away; absent otherwise"`
}

// LlmPolicy is a tenant's model policy in the interface.
type LlmPolicy struct {
	LlmPolicyParts
	RepositoryCredentialIDs []string             `json:"repositoryCredentialIds" audit:"track"`
	NotInEffect             []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"What is stored and does something else for now; absent where there is nothing"`
	Version                 int64                `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\"; 0: never stored"`
	UpdatedAt               *time.Time           `json:"updatedAt,omitempty" audit:"ignore"`
}

// LlmOrigins names the level that sets each part of an effective policy: repository, tenant, or default.
type LlmOrigins struct {
	Fast           string `json:"fast" enum:"repository,tenant,default"`
	Standard       string `json:"standard" enum:"repository,tenant,default"`
	Strong         string `json:"strong" enum:"repository,tenant,default"`
	Panel          string `json:"panel" enum:"repository,tenant,default"`
	Embeddings     string `json:"embeddings" enum:"repository,tenant,default"`
	Budget         string `json:"budget" enum:"repository,tenant,default"`
	Limits         string `json:"limits" enum:"repository,tenant,default"`
	AllowedRegions string `json:"allowedRegions" enum:"repository,tenant,default"`
	AllowTools     string `json:"allowTools" enum:"repository,tenant,default"`
}

// RepositoryLlmPolicy is a repository's model policy and the effective one.
type RepositoryLlmPolicy struct {
	Own                   LlmPolicyParts `json:"own" audit:"track"`
	Effective             LlmPolicyParts `json:"effective" audit:"ignore" doc:"What reviews use; parts of own that the tenant no longer allows do not count"`
	Origins               LlmOrigins     `json:"origins" audit:"ignore"`
	SelectableCredentials []string       `json:"selectableCredentialIds" audit:"ignore" doc:"Model keys that the repository may choose"`

	NotInEffect []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"What own has stored that does something else for now; absent where there is nothing"`

	Version   int64      `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\"; 0: never stored"`
	UpdatedAt *time.Time `json:"updatedAt,omitempty" audit:"ignore"`
}

// LlmPolicy returns the tenant's model policy.
func (s *Service) LlmPolicy(ctx context.Context, t domain.Tenant) (LlmPolicy, error) {
	said, row, err := s.modelPolicy(ctx, t, "")
	return tenantPolicyOf(said, row), err
}

// PutLlmPolicy replaces the tenant's model policy. version 0 means any version; otherwise the stored one
// must have it (Stale). Errors: Invalid.
func (s *Service) PutLlmPolicy(ctx context.Context, t domain.Tenant, version int64, in TenantLlmPolicy) (LlmPolicy, error) {
	next := in.policy()
	efforts, err := s.knownEfforts(ctx, t, next.Tiers)
	if err != nil {
		return LlmPolicy{}, err
	}
	var after LlmPolicy
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		facts, err := s.policyFacts(ctx, t)
		if err != nil {
			return audit.Act{}, err
		}
		facts.efforts = efforts
		if err := field.Invalid(checkTenantPolicy(next, facts)); err != nil {
			return audit.Act{}, err
		}
		row, err := s.Store.PutSettingAt(ctx, t, "", store.SettingModelPolicy, store.JSON(next), version)
		if err != nil {
			return audit.Act{}, err
		}
		before := tenantPolicyOf(facts.tenant, store.Document{})
		after = tenantPolicyOf(next, row)
		return audit.Act{Tenant: t, Action: "llm-policy.update", Target: audit.Target{Kind: "llm-policy", ID: t.ID}, Before: before,
			After: after}, nil
	})
	return after, err
}

// RepositoryLlmPolicy returns a repository's model policy and the effective one.
func (s *Service) RepositoryLlmPolicy(ctx context.Context, t domain.Tenant, repository string) (RepositoryLlmPolicy, error) {
	tenantPolicy, _, err := s.modelPolicy(ctx, t, "")
	if err != nil {
		return RepositoryLlmPolicy{}, err
	}
	own, row, err := s.modelPolicy(ctx, t, repository)
	if err != nil {
		return RepositoryLlmPolicy{}, err
	}
	settings, err := policy.Settings(ctx, s.Store, t)
	return repositoryPolicyOf(policy.Budgeted(tenantPolicy, settings), own, row), err
}

// PutRepositoryLlmPolicy replaces a repository's model policy. Errors are those of [Service.PutLlmPolicy].
func (s *Service) PutRepositoryLlmPolicy(ctx context.Context, t domain.Tenant, repository store.Repository, version int64,
	in RepoLlmPolicy) (RepositoryLlmPolicy, error) {
	next := in.policy()
	efforts, err := s.knownEfforts(ctx, t, next.Tiers)
	if err != nil {
		return RepositoryLlmPolicy{}, err
	}
	var after RepositoryLlmPolicy
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		facts, err := s.policyFacts(ctx, t)
		if err != nil {
			return audit.Act{}, err
		}
		facts.efforts = efforts
		current := facts.ofRepository(repository.ID)
		if err := field.Invalid(checkRepositoryPolicy(next, current, facts)); err != nil {
			return audit.Act{}, err
		}
		row, err := s.Store.PutSettingAt(ctx, t, repository.ID, store.SettingModelPolicy, store.JSON(next), version)
		if err != nil {
			return audit.Act{}, err
		}
		settings, err := policy.Settings(ctx, s.Store, t)
		if err != nil {
			return audit.Act{}, err
		}
		of := policy.Budgeted(facts.tenant, settings)
		before := repositoryPolicyOf(of, current, store.Document{})
		after = repositoryPolicyOf(of, next, row)
		return audit.Act{Tenant: t, Action: "repository-llm-policy.update", Target: target(repository), Before: before, After: after}, nil
	})
	return after, err
}
