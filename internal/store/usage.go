package store

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// RunKindReview is the kind of a review run, in the figures of costs.
const RunKindReview = "review"

// ModelCall is one call of a model.
type ModelCall struct {
	Repository, Run, Stage, Tier, Credential, Model, Effort string
	Input, Cached, CacheWrite, Output, Reasoning            int64  // tokens; Cached and CacheWrite are part of Input, Reasoning of Output
	CostMicros                                              *int64 // nil: the price is unknown
	Outcome                                                 string // started, ok, or the class of the error
	RunKind                                                 string // of the run that makes the call; "" is review

	// Reserve is what the call may cost at most, in millionths of the currency. It
	// counts on the budgets of the month until EndCall says what it did cost; a
	// call that never ends counts with it until the month is over.
	Reserve int64
	// TenantLimit and RepositoryLimit are hard budgets of the month; nil is none.
	TenantLimit, RepositoryLimit *int64
}

// BeginCall records that a model is about to be called, and reserves what the
// call may cost, so that calls at the same time cannot spend more than there is
// and a call whose worker died is still counted. [errs.Conflict]: a budget has
// no room for it, and nothing has happened.
func (s *Store) BeginCall(ctx context.Context, t domain.Tenant, c ModelCall) (id string, err error) {
	id = domain.NewID("cal")
	err = s.Atomically(ctx, func(ctx context.Context) error {
		now, err := first(ctx, s, s.db.Write, value[int64], `SELECT {now}`, nil)
		if err != nil {
			return err
		}
		period := time.UnixMicro(now).UTC().Format("2006-01")
		// Always the tenant's row first: two calls do not wait for each other.
		if err := s.reserve(ctx, t, "", period, c.Reserve, c.TenantLimit); err != nil {
			return err
		}
		if err := s.reserve(ctx, t, c.Repository, period, c.Reserve, c.RepositoryLimit); err != nil {
			return err
		}
		_, err = s.exec(ctx, `INSERT INTO llm_calls (id, tenant_id, repository_id, run_id, stage, tier, credential_id, model, effort, period, reserved_micros, run_kind, started_us)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, {now})`,
			id, t.ID, c.Repository, c.Run, c.Stage, c.Tier, c.Credential, c.Model, c.Effort, period, c.Reserve, cmp.Or(c.RunKind, RunKindReview))
		return err
	})
	if err != nil {
		return "", err
	}
	return id, nil
}

// reserve holds an amount of a month's budget.
func (s *Store) reserve(ctx context.Context, t domain.Tenant, repository, period string, amount int64, limit *int64) error {
	if _, err := s.exec(ctx, `INSERT INTO budget_months (tenant_id, repository_id, period) VALUES ($1, $2, $3) ON CONFLICT (tenant_id, repository_id, period) DO NOTHING`,
		t.ID, repository, period); err != nil {
		return err
	}
	most := int64(math.MaxInt64)
	if limit != nil {
		most = *limit
	}
	ok, err := s.exec1(ctx, `UPDATE budget_months SET reserved_micros = reserved_micros + $4 WHERE tenant_id = $1 AND repository_id = $2 AND period = $3
		AND spent_micros + reserved_micros <= CAST($5 AS BIGINT) - CAST($4 AS BIGINT)`, t.ID, repository, period, amount, most)
	if err == nil && !ok {
		return errs.New(errs.Conflict, "budget_exhausted", "The month's budget for models has no room for this call.")
	}
	return err
}

// Settled is what a month has cost when a call of it was settled.
type Settled struct {
	Period                       string // 2026-11, UTC
	TenantSpent, RepositorySpent int64  // millionths of the currency
}

// EndCall records what a call used and how it ended, and puts its cost in the
// place of what was reserved. It works once; afterwards it is [errs.NotFound].
func (s *Store) EndCall(ctx context.Context, t domain.Tenant, id string, c ModelCall) (Settled, error) {
	var out Settled
	err := s.Atomically(ctx, func(ctx context.Context) error {
		type held struct {
			repository string
			reserved   int64
		}
		h, err := returning(ctx, s, func(r scanner, h *held) error { return r.Scan(&h.repository, &out.Period, &h.reserved) },
			`UPDATE llm_calls SET input_tokens = $3, cached_tokens = $4, output_tokens = $5, reasoning_tokens = $6, cost_micros = $7, outcome = $8, finished_us = {now},
			model = CASE WHEN $9 = '' THEN model ELSE $9 END, cache_write_tokens = $10 WHERE tenant_id = $1 AND id = $2 AND finished_us IS NULL RETURNING repository_id, period, reserved_micros`,
			t.ID, id, c.Input, c.Cached, c.Output, c.Reasoning, c.CostMicros, clip(c.Outcome, 200), c.Model, c.CacheWrite)
		if err != nil {
			return err
		}
		cost := int64(0)
		if c.CostMicros != nil {
			cost = *c.CostMicros
		}
		if out.TenantSpent, err = s.settle(ctx, t, "", out.Period, h.reserved, cost); err != nil {
			return err
		}
		out.RepositorySpent, err = s.settle(ctx, t, h.repository, out.Period, h.reserved, cost)
		return err
	})
	return out, err
}

func (s *Store) settle(ctx context.Context, t domain.Tenant, repository, period string, reserved, cost int64) (spent int64, err error) {
	return returning(ctx, s, value[int64], `UPDATE budget_months SET spent_micros = spent_micros + $5, reserved_micros = reserved_micros - $4
		WHERE tenant_id = $1 AND repository_id = $2 AND period = $3 RETURNING spent_micros`, t.ID, repository, period, reserved, cost)
}

// ModelUsage is what a run used of one model on one tier.
type ModelUsage struct {
	Tier, Model                             string
	Calls, Input, Cached, Output, Reasoning int64
	CostMicros                              int64
	Unpriced                                int64 // calls whose price is unknown
}

// RunUsage sums the calls of a run by tier and model.
func (s *Store) RunUsage(ctx context.Context, t domain.Tenant, run string) ([]ModelUsage, error) {
	return many(ctx, s, func(r scanner, u *ModelUsage) error {
		return r.Scan(&u.Tier, &u.Model, &u.Calls, &u.Input, &u.Cached, &u.Output, &u.Reasoning, &u.CostMicros, &u.Unpriced)
	}, `SELECT tier, model, COUNT(*), CAST(SUM(input_tokens) AS BIGINT), CAST(SUM(cached_tokens) AS BIGINT), CAST(SUM(output_tokens) AS BIGINT), CAST(SUM(reasoning_tokens) AS BIGINT),
			CAST(COALESCE(SUM(cost_micros), 0) AS BIGINT), COUNT(*) FILTER (WHERE cost_micros IS NULL)
		FROM llm_calls WHERE tenant_id = $1 AND run_id = $2 GROUP BY tier, model ORDER BY tier, model`, t.ID, run)
}

// AddEvent records something that happened, for channels and the inbox.
func (s *Store) AddEvent(ctx context.Context, t domain.Tenant, kind, subject, body string) error {
	_, err := s.exec(ctx, `INSERT INTO events (id, tenant_id, kind, subject_id, body, created_us) VALUES ($1, $2, $3, $4, $5, {now})`, domain.NewID("evt"), t.ID, kind, subject, body)
	return err
}

// StartDelays returns the time from receipt to start, in microseconds, of the
// newest runs, for the service-level objective of the review start.
func (s *Store) StartDelays(ctx context.Context, limit int) ([]int64, error) {
	return many(ctx, s, value[int64], `SELECT r.started_us - d.received_us FROM review_runs r JOIN webhook_deliveries d ON d.id = r.delivery_id
		WHERE r.started_us IS NOT NULL ORDER BY r.created_us DESC LIMIT $1`, limit)
}
