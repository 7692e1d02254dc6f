package connect

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// recorder writes one row per call of a run, reserves what the call may cost
// before it, and puts the cost in its place afterwards.
type recorder struct {
	models  *Models
	run     store.Run
	routing domain.ModelPolicy
	budgets budget.Budgets
	prices  *price.Table
	keys    map[string]catalog.Key // by tier

	mu     sync.Mutex
	tokens int64 // of the run so far, calls of earlier attempts included
	cost   int64 // of the run so far, with what is reserved
	begun  map[string]begun
}

// begun is a call under way.
type begun struct {
	call    engine.Call
	reserve int64
	tokens  int64
}

// maxOutput is what a call may answer at most where it sets no limit (design
// choice; no answer of a review comes near).
const maxOutput = 32_000

// resume counts what earlier attempts of the run have used.
func (r *recorder) resume(ctx context.Context) error {
	rows, err := r.models.Store.RunUsage(ctx, domain.Tenant{ID: r.run.Tenant}, r.run.ID)
	for _, u := range rows {
		r.tokens += u.Input + u.Output
		r.cost += u.CostMicros
	}
	return err
}

// Before implements [engine.Recorder].
func (r *recorder) Before(ctx context.Context, c engine.Call) (string, error) {
	route := r.routing.Tiers[c.Tier]
	output := c.MaxOutput
	if output <= 0 {
		output = maxOutput
	}
	p, priced := r.prices.Find(r.keys[c.Tier], c.Model, "", time.Now())
	if !priced && r.budgets.Hard() {
		return "", errs.New(errs.Conflict, "price_unknown", "The budget is hard and the price of the model is unknown; an administrator must enter it.")
	}
	hold := begun{call: c, tokens: c.EstimatedInput + output}
	if priced {
		hold.reserve = p.Most(c.EstimatedInput, output)
	}
	if err := r.hold(hold); err != nil {
		return "", err
	}
	tenant, repository := r.budgets.Limits()
	id, err := r.models.Store.BeginCall(ctx, domain.Tenant{ID: r.run.Tenant}, store.ModelCall{Repository: r.run.Repository, Run: r.run.ID, Stage: c.Stage,
		Tier: c.Tier, Credential: route.CredentialID, Model: c.Model, Effort: route.ReasoningEffort, Reserve: hold.reserve, TenantLimit: tenant, RepositoryLimit: repository})
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.tokens, r.cost = r.tokens-hold.tokens, r.cost-hold.reserve
		return "", err
	}
	if r.begun == nil {
		r.begun = map[string]begun{}
	}
	r.begun[id] = hold
	return id, nil
}

// hold counts a call on the limits of one review.
func (r *recorder) hold(b begun) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.routing.Limits; l != nil {
		if l.MaxTokensPerReview != nil && r.tokens+b.tokens > *l.MaxTokensPerReview || l.MaxCostMicrosPerReview != nil && r.cost+b.reserve > *l.MaxCostMicrosPerReview {
			return errs.New(errs.Conflict, "review_limit", "The limit of tokens or cost for one review has no room for another call.")
		}
	}
	r.tokens, r.cost = r.tokens+b.tokens, r.cost+b.reserve
	return nil
}

// After implements [engine.Recorder]. The price is that of now, for good; a
// model without a price has no cost, never 0.
func (r *recorder) After(ctx context.Context, id string, o engine.Outcome) {
	r.mu.Lock()
	b := r.begun[id]
	delete(r.begun, id)
	r.mu.Unlock()
	key := r.keys[b.call.Tier]
	var cost *int64
	if p, ok := r.prices.Find(key, b.call.Model, o.Model, time.Now()); ok {
		cost = new(p.Cost(o.Usage))
	} else if o.Usage == (llm.Usage{}) && o.Err != "" {
		cost = new(int64(0)) // the provider has not told of any token
	}
	r.settle(b, o.Usage.Total(), cost)
	outcome := "ok"
	if o.Err != "" {
		outcome = o.Err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	t := domain.Tenant{ID: r.run.Tenant}
	spent, err := r.models.Store.EndCall(ctx, t, id, store.ModelCall{Model: o.Model, Input: o.Usage.InputTokens, Cached: o.Usage.CachedInputTokens, CacheWrite: o.Usage.CacheWriteTokens,
		Output: o.Usage.OutputTokens, Reasoning: o.Usage.ReasoningTokens, CostMicros: cost, Outcome: outcome})
	if err != nil {
		r.models.Logger.WarnContext(ctx, "the usage of a model call could not be recorded; it stays marked as started, and its reservation counts", "call", id, "error", err)
	} else if err := r.budgets.Raise(ctx, r.models.Store, t, r.run.Repository, spent); err != nil {
		r.models.Logger.WarnContext(ctx, "a budget alert could not be raised; the next call raises it", "error", err)
	}
	if r.models.Observer != nil {
		word, _, _ := strings.Cut(outcome, " ")
		r.models.Observer.ModelCalled(key.Kind, b.call.Tier, strings.TrimSuffix(word, ":"), o.Duration, o.Usage)
	}
}

func (r *recorder) settle(b begun, tokens int64, cost *int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens += tokens - b.tokens
	r.cost -= b.reserve
	if cost != nil {
		r.cost += *cost
	}
}
