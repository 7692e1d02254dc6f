package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// UsageTotal is the usage of model calls. Tokens and cost cover the calls that have ended. An open call is
// running, or its worker died.
type UsageTotal struct {
	Calls             int64  `json:"calls"`
	OpenCalls         int64  `json:"openCalls" doc:"Calls that have not ended: under way, or their worker has died"`
	InputTokens       int64  `json:"inputTokens" doc:"With those read from and written to caches"`
	CachedInputTokens int64  `json:"cachedInputTokens" doc:"Of the input, read from a cache"`
	CacheWriteTokens  int64  `json:"cacheWriteTokens" doc:"Of the input, written to a cache"`
	OutputTokens      int64  `json:"outputTokens" doc:"With those of reasoning"`
	ReasoningTokens   int64  `json:"reasoningTokens" doc:"Of the output"`
	CostMicros        *int64 `json:"costMicros" doc:"Of the calls that have ended, in millionths of the currency; null where the price of one is unknown, or none has ended"`
	UnpricedCalls     int64  `json:"unpricedCalls" doc:"Calls that have ended and whose price is unknown"`
	EstimatedCalls    int64  `json:"estimatedCalls" doc:"Calls whose tokens the provider counted in part or not at all; the rest is estimated from the size of the texts"`
	ReservedMicros    int64  `json:"reservedMicros" doc:"What the open calls may cost at most"`
	Currency          string `json:"currency" example:"USD"`
}

// ModelUsage is the usage of one model on one tier by a run.
type ModelUsage struct {
	Tier  string `json:"tier"`
	Model string `json:"model" doc:"As the tier routes it; for azure the name of the deployment"`
	// AnsweredModels lists the provider's names of the model in its answers.
	AnsweredModels []string `json:"answeredModels" doc:"Names of the model in its answers, such as a dated name, sorted; empty without answers"`
	UsageTotal
}

// PullRequestCost is the cost of all runs of a pull request.
type PullRequestCost struct {
	CostMicros     int64  `json:"costMicros" doc:"Of ended calls with a known price, in millionths of the currency"`
	ReservedMicros int64  `json:"reservedMicros" doc:"What the calls under way may cost at most"`
	LimitMicros    *int64 `json:"limitMicros,omitempty" doc:"The limit of the model policy; absent without one" example:"5000000"`
	LimitFrom      string `json:"limitFrom,omitempty" enum:"tenant,repository" doc:"Whose model policy sets the limit; absent without one"`
	Currency       string `json:"currency" example:"USD"`
}

// pullRequestCost returns the cost of a pull request so far, with the limit that holds now.
func (s *server) pullRequestCost(ctx context.Context, t domain.Tenant, repository, pull string) (out PullRequestCost, err error) {
	spent, err := s.Store.PullRequestCost(ctx, t, pull)
	if err != nil {
		return out, err
	}
	tenant, own, err := policy.Models(ctx, s.Store, t, repository)
	out = PullRequestCost{CostMicros: spent.Spent, ReservedMicros: spent.Reserved, Currency: analytics.Currency}
	if l := tenant.Narrowed(own).Limits; l != nil {
		out.LimitMicros = l.MaxCostMicrosPerPullRequest
	}
	if out.LimitMicros != nil {
		out.LimitFrom = "repository"
		if l := tenant.Limits; l != nil && l.MaxCostMicrosPerPullRequest != nil && *l.MaxCostMicrosPerPullRequest == *out.LimitMicros {
			out.LimitFrom = "tenant"
		}
	}
	return out, err
}

// usage returns the usage of a run so far, by tier and model, and its sum.
func (s *server) usage(ctx context.Context, run store.Run) ([]ModelUsage, UsageTotal, error) {
	rows, err := s.Store.RunUsage(ctx, domain.Tenant{ID: run.Tenant}, run.ID)
	out, sum := []ModelUsage{}, store.ModelUsage{}
	for _, u := range rows {
		out = append(out, ModelUsage{u.Tier, u.Model, append([]string{}, u.Answered...), usageTotal(u)})
		sum.Add(u)
	}
	return out, usageTotal(sum), err
}

func usageTotal(u store.ModelUsage) UsageTotal {
	out := UsageTotal{u.Calls, u.Open, u.Input, u.Cached, u.CacheWrite, u.Output, u.Reasoning, &u.CostMicros, u.Unpriced, u.Estimated,
		u.ReservedMicros, analytics.Currency}
	if u.Unpriced > 0 || u.Calls > 0 && u.Open == u.Calls {
		out.CostMicros = nil
	}
	return out
}
