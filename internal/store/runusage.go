package store

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// ModelUsage is the usage of one model on one tier by a run. The sums cover settled calls.
type ModelUsage struct {
	Tier, Model                                         string // as routed
	Calls, Input, Cached, CacheWrite, Output, Reasoning int64
	CostMicros                                          int64
	Unpriced                                            int64    // settled calls with an unknown price
	Estimated                                           int64    // calls with estimated token counts
	Open                                                int64    // unsettled calls: running, or their worker died
	ReservedMicros                                      int64    // maximum cost of the open calls
	Answered                                            []string // distinct model names in the answers, sorted
}

// Add adds the usage of another model or tier.
func (u *ModelUsage) Add(o ModelUsage) {
	u.Calls, u.Input, u.Cached, u.CacheWrite, u.Output, u.Reasoning = u.Calls+o.Calls, u.Input+o.Input, u.Cached+o.Cached,
		u.CacheWrite+o.CacheWrite, u.Output+o.Output, u.Reasoning+o.Reasoning
	u.CostMicros, u.Unpriced, u.Open, u.ReservedMicros = u.CostMicros+o.CostMicros, u.Unpriced+o.Unpriced, u.Open+o.Open,
		u.ReservedMicros+o.ReservedMicros
	u.Estimated += o.Estimated
	u.Answered = slices.Concat(u.Answered, o.Answered)
	slices.Sort(u.Answered)
	u.Answered = slices.Compact(u.Answered)
}

// RunUsage sums the calls of a run by tier and model.
func (s *Store) RunUsage(ctx context.Context, t domain.Tenant, run string) ([]ModelUsage, error) {
	parts, err := many(ctx, s, func(r scanner, u *ModelUsage) error {
		var answered string
		err := r.Scan(&u.Tier, &u.Model, &answered, &u.Calls, &u.Input, &u.Cached, &u.CacheWrite, &u.Output, &u.Reasoning, &u.CostMicros,
			&u.Unpriced, &u.Open, &u.ReservedMicros, &u.Estimated)
		if answered != "" {
			u.Answered = []string{answered}
		}
		return err
	}, `SELECT tier, model, answered_model, COUNT(*), CAST(SUM(input_tokens) AS BIGINT), CAST(SUM(cached_tokens) AS BIGINT),
		CAST(SUM(cache_write_tokens) AS BIGINT),
			CAST(SUM(output_tokens) AS BIGINT), CAST(SUM(reasoning_tokens) AS BIGINT), CAST(COALESCE(SUM(cost_micros), 0) AS BIGINT),
			COUNT(*) FILTER (WHERE finished_us IS NOT NULL AND cost_micros IS NULL), COUNT(*) FILTER (WHERE finished_us IS NULL),
			CAST(COALESCE(SUM(reserved_micros) FILTER (WHERE finished_us IS NULL), 0) AS BIGINT), COUNT(*) FILTER (WHERE estimated)
		FROM llm_calls WHERE tenant_id = $1 AND run_id = $2 GROUP BY tier, model, answered_model ORDER BY tier, model, answered_model`, t.ID, run)
	var out []ModelUsage
	for _, p := range parts {
		if n := len(out); n > 0 && out[n-1].Tier == p.Tier && out[n-1].Model == p.Model {
			out[n-1].Add(p)
			continue
		}
		out = append(out, p)
	}
	return out, err
}

// RunCosts sums the calls of runs for lists, by run: their number, cost, and how many are open or have no known price. Runs without
// calls are absent.
func (s *Store) RunCosts(ctx context.Context, t domain.Tenant, runs []string) (map[string]ModelUsage, error) {
	type runCost struct {
		run string
		ModelUsage
	}
	rows, err := manyIn(ctx, s, func(r scanner, v *runCost) error {
		return r.Scan(&v.run, &v.Calls, &v.CostMicros, &v.Unpriced, &v.Open)
	}, runs, `SELECT run_id, COUNT(*), CAST(COALESCE(SUM(cost_micros), 0) AS BIGINT),
			COUNT(*) FILTER (WHERE finished_us IS NOT NULL AND cost_micros IS NULL), COUNT(*) FILTER (WHERE finished_us IS NULL)
		FROM llm_calls WHERE tenant_id = $1 AND run_id IN ({list}) GROUP BY run_id`, t.ID)
	out := map[string]ModelUsage{}
	for _, v := range rows {
		out[v.run] = v.ModelUsage
	}
	return out, err
}
