package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
)

// recorder writes one row per model call of a run. It reserves the highest cost before the call and
// replaces it by the real cost afterwards. It reads budgets and limits before each call, so that changes
// apply at once. Their use is counted in the database, so that dead attempts and other processes count.
type recorder struct {
	models  *Models
	caller  review.Caller
	routing domain.ModelPolicy
	prices  *price.Table
	keys    map[string]catalog.Key // by tier

	full  atomic.Bool // tool calls are no longer recorded
	mu    sync.Mutex
	begun map[string]startedCall
}

// startedCall is a call under way.
type startedCall struct {
	call    ask.Call
	budgets budget.Budgets
	at      time.Time   // by the database's clock
	price   price.Price // when the call began
	priced  bool
}

// maxOutput is the maximum output of a call without a limit, in tokens (design choice; no answer of a
// review comes near).
const maxOutput = 32_000

// providerOverhead is the provider's own share of the input, in tokens: turn marks and its instructions for tools and
// answer formats. Anthropic documents 159 to 530 tokens (API documentation, "Tool use", pricing). Design
// choice, with a margin.
const providerOverhead = 2_000

// maxInput returns the largest possible input of a call, in tokens. The estimate assumes 3.5 bytes per token
// ([ask.Call]). A token of a byte-level vocabulary has at least one byte, so there are never more tokens
// than bytes.
func maxInput(estimate int64) int64 {
	return (7*min(max(estimate, 0), maxTokens)+1)/2 + providerOverhead
}

// maxTokens is the largest accepted token count; no context comes near it.
const maxTokens = 1_000_000_000_000

// Before implements [ask.Recorder].
func (r *recorder) Before(ctx context.Context, c ask.Call) (string, error) {
	t := r.caller.Tenant
	tenant, own, err := policy.Models(ctx, r.models.Store, t, r.caller.Repository)
	if err != nil {
		return "", err
	}
	limited := own // an override has its own limits, but shares the budgets
	if r.caller.Own != nil {
		limited = *r.caller.Own
	}
	now, err := r.models.Store.Now(ctx)
	if err != nil {
		return "", err
	}
	b := startedCall{call: c, budgets: budget.Of(tenant, own), at: time.UnixMicro(now)}
	b.price, b.priced = r.prices.Find(r.keys[c.Tier], c.Model, "", b.at)
	if !b.priced && b.budgets.Hard() {
		return "", errs.Wrap(ask.ErrBudget, errs.Conflict, "price_unknown",
			"The budget is hard and the price of the model is unknown; an administrator must enter it.")
	}
	input, output := maxInput(c.EstimatedInput), c.MaxOutput
	if output <= 0 {
		output = maxOutput
	}
	route := r.routing.Tiers[c.Tier]
	row := store.ModelCall{Repository: r.caller.Repository, Run: r.caller.Run, RunKind: r.caller.Kind, Stage: c.Stage, Tier: c.Tier,
		Credential: route.CredentialID, Model: c.Model, Effort: route.ReasoningEffort,
		ReserveTokens: input + output}
	if b.priced {
		row.Reserve = b.price.MaxCost(input, output)
	}
	row.TenantLimit, row.RepositoryLimit = b.budgets.Limits()
	if l := tenant.Narrowed(limited).Limits; l != nil {
		row.RunTokens, row.RunMicros, row.PullRequestMicros = l.MaxTokensPerReview, l.MaxCostMicrosPerReview, l.MaxCostMicrosPerPullRequest
	}
	id, err := r.models.Store.BeginCall(ctx, t, row)
	if err != nil {
		if e, ok := errors.AsType[*errs.Error](err); ok && e.Code == store.CodeBudget {
			if err := b.budgets.Refused(ctx, r.models.Store, t, r.caller.Repository, row.Reserve); err != nil {
				r.models.Logger.WarnContext(ctx, "a budget alert could not be raised; the next call raises it", "error", err)
			}
		}
		if errors.Is(err, store.ErrNoRoom) {
			err = fmt.Errorf("%w: %w", ask.ErrBudget, err)
		}
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun == nil {
		r.begun = map[string]startedCall{}
	}
	r.begun[id] = b
	return id, nil
}

// plausibleUsage removes impossible values from a usage: negative numbers, numbers beyond any context, and parts
// larger than the whole.
func plausibleUsage(u llm.Usage) llm.Usage {
	within := func(n, whole int64) int64 { return max(min(n, whole), 0) }
	u.InputTokens, u.OutputTokens = within(u.InputTokens, maxTokens), within(u.OutputTokens, maxTokens)
	u.CachedInputTokens = within(u.CachedInputTokens, u.InputTokens)
	u.CacheWriteTokens = within(u.CacheWriteTokens, u.InputTokens-u.CachedInputTokens)
	u.ReasoningTokens = within(u.ReasoningTokens, u.OutputTokens)
	return u
}

// answeringModel returns the model that the answer names. If the answer names no model, the engine fills in the
// requested one; for a failed call this returns "".
func answeringModel(c ask.Call, o ask.Outcome) string {
	if o.Err != "" && o.Model == c.Model {
		return ""
	}
	return o.Model
}

// After implements [ask.Recorder]. It uses the price from when the call began. If only the answer names the
// model, it uses the price of that model. A model without a price has an unknown cost, never 0.
func (r *recorder) After(ctx context.Context, id string, o ask.Outcome) {
	r.mu.Lock()
	b := r.begun[id]
	delete(r.begun, id)
	r.mu.Unlock()
	key := r.keys[b.call.Tier]
	o.Usage = plausibleUsage(o.Usage)
	if !b.priced {
		b.price, b.priced = r.prices.Find(key, b.call.Model, o.Model, b.at)
	}
	var cost *int64
	if b.priced {
		cost = new(b.price.Cost(o.Usage))
	} else if o.Usage == (llm.Usage{}) && o.Err != "" {
		cost = new(int64(0)) // the provider has reported no tokens
	}
	outcome := "ok"
	if o.Err != "" {
		outcome = o.Err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	t := r.caller.Tenant
	spent, err := r.models.Store.EndCall(ctx, t, id, store.ModelCall{Answered: answeringModel(b.call, o), Input: o.Usage.InputTokens,
		Cached: o.Usage.CachedInputTokens, CacheWrite: o.Usage.CacheWriteTokens,
		Output: o.Usage.OutputTokens, Reasoning: o.Usage.ReasoningTokens, CostMicros: cost, Outcome: outcome, Estimated: o.Usage.Estimated})
	if err != nil {
		r.models.Logger.WarnContext(ctx, "the usage of a model call could not be recorded; it stays marked as started, and its "+
			"reservation counts", "call", id, "error", err)
	} else if err := b.budgets.Raise(ctx, r.models.Store, t, r.caller.Repository, spent); err != nil {
		r.models.Logger.WarnContext(ctx, "a budget alert could not be raised; the next call raises it", "error", err)
	}
	if cost != nil && err == nil && *cost > spent.Reserved && spent.Reserved > 0 {
		r.models.Logger.WarnContext(ctx, "a model call cost more than was reserved for it: its provider reports more tokens than the "+
			"text has bytes, than were allowed, or of several attempts",
			"call", id, "costMicros", *cost, "reservedMicros", spent.Reserved)
	}
	if r.models.Observer != nil {
		known := int64(0)
		if cost != nil {
			known = *cost
		}
		r.models.Observer.ModelCalled(key.Kind, b.call.Tier, cmp.Or(o.Class, "ok"), o.Duration, o.Usage, known)
	}
}

// Looked implements [ask.Recorder]. It records tool calls of reviews only.
func (r *recorder) Looked(ctx context.Context, l ask.ToolUse) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if r.caller.Kind != store.RunKindReview || r.full.Load() {
		return
	}
	kept, err := r.models.Store.AddToolCall(ctx, r.caller.Tenant, r.caller.Run,
		store.ToolCall{Stage: l.Stage, Tool: l.Tool, Arguments: l.Arguments, Outcome: l.Outcome,
			Hits: int64(l.Hits), Bytes: int64(l.Bytes), DurationUS: l.Duration.Microseconds()})
	switch {
	case err != nil:
		r.models.Logger.WarnContext(ctx, "a call of a tool could not be recorded", "error", err)
	case !kept && r.full.CompareAndSwap(false, true):
		r.models.Logger.WarnContext(ctx, "further calls of tools are not recorded: the run has as many as are kept", "most", store.MaxToolCalls)
	}
}
