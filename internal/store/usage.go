package store

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// The kinds of runs that call models, in the figures of costs.
const (
	RunKindReview = "review"  // the run of a call is a review run
	RunKindDryRun = "dry_run" // it is a pull request of a dry run
	RunKindTriage = "triage"  // it is a triage run
	RunKindDiff   = "diff"    // it is a call of an assistant that has a diff reviewed
)

// runOfKind looks for the run of a call, by its kind.
var runOfKind = map[string]string{
	RunKindReview: `SELECT id FROM review_runs WHERE tenant_id = $1 AND id = $2`,
	RunKindDryRun: `SELECT id FROM dry_run_pulls WHERE tenant_id = $1 AND id = $2`,
	RunKindTriage: `SELECT id FROM triage_runs WHERE tenant_id = $1 AND id = $2`,
	RunKindDiff:   `SELECT id FROM assistant_calls WHERE tenant_id = $1 AND id = $2`,
}

// ModelCall is one call of a model.
type ModelCall struct {
	Repository, Run, Stage, Tier, Credential, Model, Effort string
	Input, Cached, CacheWrite, Output, Reasoning            int64  // tokens; Cached and CacheWrite are part of Input, Reasoning of Output
	CostMicros                                              *int64 // nil: the price is unknown
	Outcome                                                 string // started, ok, or the class of the error
	RunKind                                                 string // of the run that makes the call; "" is review
	Estimated                                               bool   // some of the tokens are not the provider's count
	Answered                                                string // what the answer calls the model; "" where it does not say, or there is none

	// Reserve is what the call may cost at most, in millionths of the currency, and
	// ReserveTokens what it may use. They count on the budgets of the month and on
	// the limits of the run until EndCall says what it did use; a call that never
	// ends counts with them until somebody settles it, or the month is over.
	Reserve, ReserveTokens int64
	// TenantLimit and RepositoryLimit are hard budgets of the month; nil is none.
	TenantLimit, RepositoryLimit *int64
	// RunTokens and RunMicros are the limits of one run; nil is none.
	RunTokens, RunMicros *int64
}

// mostSpent is where the sum of a month stays: far above what anybody can pay,
// and low enough that no later sum overflows.
const mostSpent = int64(1) << 62

// BeginCall records that a model is about to be called, and reserves what the
// call may cost, so that calls at the same time cannot spend more than there is
// and a call whose worker died is still counted. [errs.Conflict]: a budget
// (code budget_exhausted) or a limit of the run (code review_limit) has no room
// for it, and nothing has happened. [errs.NotFound]: the tenant has no such run.
func (s *Store) BeginCall(ctx context.Context, t domain.Tenant, c ModelCall) (id string, err error) {
	id = domain.NewID("cal")
	kind := cmp.Or(c.RunKind, RunKindReview)
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := first(ctx, s, s.db.Write, value[string], runOfKind[kind], []any{t.ID, c.Run}); err != nil {
			return err
		}
		now, err := first(ctx, s, s.db.Write, value[int64], `SELECT {now}`, nil)
		if err != nil {
			return err
		}
		period := Period(now)
		// Always the tenant's row first: two calls do not wait for each other. It
		// is held until the transaction ends, so that calls of a run take turns too.
		if err := s.reserve(ctx, t, "", period, c.Reserve, c.TenantLimit); err != nil {
			return err
		}
		if err := s.reserve(ctx, t, c.Repository, period, c.Reserve, c.RepositoryLimit); err != nil {
			return err
		}
		if err := s.withinRun(ctx, t, c); err != nil {
			return err
		}
		// The call is of the month that it is reserved in, also where waiting for its turn took it over the end.
		_, err = s.exec(ctx, `INSERT INTO llm_calls (id, tenant_id, repository_id, run_id, stage, tier, credential_id, model, effort, period, reserved_micros, run_kind, started_us, reserved_tokens)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			id, t.ID, c.Repository, c.Run, c.Stage, c.Tier, c.Credential, c.Model, c.Effort, period, c.Reserve, kind, now, c.ReserveTokens)
		return err
	})
	if err != nil {
		return "", err
	}
	return id, nil
}

// Period is the month of budgets that a moment is in, in UTC: 2026-11.
func Period(us int64) string { return time.UnixMicro(us).UTC().Format("2006-01") }

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
		return errs.Wrap(ErrNoRoom, errs.Conflict, CodeBudget, "The month's budget for models has no room for this call.")
	}
	return err
}

// ErrNoRoom is in the chain of errors that refuse a call of a model because a
// budget or a limit of its run has no room for it.
var ErrNoRoom = errors.New("no room for another model call")

// The codes of those errors: of a budget, and of the limits of one review.
const (
	CodeBudget = "budget_exhausted"
	CodeLimit  = "review_limit"
)

// withinRun refuses a call that the limits of its run have no room for. Calls
// that were not settled count with what they may use, whoever made them.
func (s *Store) withinRun(ctx context.Context, t domain.Tenant, c ModelCall) error {
	if c.RunTokens == nil && c.RunMicros == nil {
		return nil
	}
	type used struct{ tokens, micros int64 }
	u, err := first(ctx, s, s.db.Write, func(r scanner, u *used) error { return r.Scan(&u.tokens, &u.micros) },
		`SELECT CAST(COALESCE(SUM(CASE WHEN finished_us IS NULL THEN reserved_tokens ELSE input_tokens + output_tokens END), 0) AS BIGINT),
			CAST(COALESCE(SUM(CASE WHEN finished_us IS NULL THEN reserved_micros ELSE COALESCE(cost_micros, 0) END), 0) AS BIGINT)
		FROM llm_calls WHERE tenant_id = $1 AND run_id = $2`, []any{t.ID, c.Run})
	if err == nil && (over(u.tokens, c.ReserveTokens, c.RunTokens) || over(u.micros, c.Reserve, c.RunMicros)) {
		return errs.Wrap(ErrNoRoom, errs.Conflict, CodeLimit, "The limit of tokens or cost for one review has no room for another call.")
	}
	return err
}

func over(used, more int64, limit *int64) bool { return limit != nil && used > *limit-more }

// Month is what calls of models have cost in a month, and what is reserved for
// those that were not settled, in millionths of the currency.
type Month struct{ Spent, Reserved int64 }

// BudgetMonth reads a month; repository is "" for the whole tenant. One without
// calls is empty.
func (s *Store) BudgetMonth(ctx context.Context, t domain.Tenant, repository, period string) (Month, error) {
	v, err := one(ctx, s, func(r scanner, v *Month) error { return r.Scan(&v.Spent, &v.Reserved) },
		`SELECT spent_micros, reserved_micros FROM budget_months WHERE tenant_id = $1 AND repository_id = $2 AND period = $3`, t.ID, repository, period)
	if isAbsent(err) {
		return Month{}, nil
	}
	return v, err
}

// Settled is what a month has cost when a call of it was settled.
type Settled struct {
	Period                       string // 2026-11, UTC
	Repository                   string
	TenantSpent, RepositorySpent int64 // millionths of the currency
	Reserved                     int64 // what was held for the call
}

// EndCall records what a call used, how it ended and who answered, and puts its
// cost in the place of what was reserved, in the month in which it began and
// however late. The model stays the one that was asked for.
// It works once; afterwards it is [errs.NotFound].
func (s *Store) EndCall(ctx context.Context, t domain.Tenant, id string, c ModelCall) (Settled, error) {
	var out Settled
	err := s.Atomically(ctx, func(ctx context.Context) (err error) {
		out, err = returning(ctx, s, func(r scanner, v *Settled) error { return r.Scan(&v.Repository, &v.Period, &v.Reserved) },
			`UPDATE llm_calls SET input_tokens = $3, cached_tokens = $4, output_tokens = $5, reasoning_tokens = $6, cost_micros = $7, outcome = $8, finished_us = {now},
			answered_model = $9, cache_write_tokens = $10, estimated = $11 WHERE tenant_id = $1 AND id = $2 AND finished_us IS NULL RETURNING repository_id, period, reserved_micros`,
			t.ID, id, c.Input, c.Cached, c.Output, c.Reasoning, c.CostMicros, clip.Bytes(c.Outcome, 200), clip.Bytes(c.Answered, 200), c.CacheWrite, c.Estimated)
		if err != nil {
			return err
		}
		cost := int64(0)
		if c.CostMicros != nil {
			cost = *c.CostMicros
		}
		if out.TenantSpent, err = s.settle(ctx, t, "", out.Period, out.Reserved, cost); err != nil {
			return err
		}
		out.RepositorySpent, err = s.settle(ctx, t, out.Repository, out.Period, out.Reserved, cost)
		return err
	})
	return out, err
}

func (s *Store) settle(ctx context.Context, t domain.Tenant, repository, period string, reserved, cost int64) (spent int64, err error) {
	return returning(ctx, s, value[int64], `UPDATE budget_months SET reserved_micros = reserved_micros - $4,
		spent_micros = CASE WHEN spent_micros > CAST($6 AS BIGINT) - CAST($5 AS BIGINT) THEN CAST($6 AS BIGINT) ELSE spent_micros + $5 END
		WHERE tenant_id = $1 AND repository_id = $2 AND period = $3 RETURNING spent_micros`, t.ID, repository, period, reserved, cost, mostSpent)
}

// OpenCall is a call that was not settled: it is under way, or its worker died.
type OpenCall struct {
	ID, Tenant, Repository, Run, Tier, Model, Period string
	Reserve, StartedUS                               int64
}

const openCallColumns = `id, tenant_id, repository_id, run_id, tier, model, period, reserved_micros, started_us`

func scanOpenCall(r scanner, v *OpenCall) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Repository, &v.Run, &v.Tier, &v.Model, &v.Period, &v.Reserve, &v.StartedUS)
}

// OpenCalls lists calls of all tenants that began before a moment and were not
// settled, oldest first, for operators.
func (s *Store) OpenCalls(ctx context.Context, before int64, limit int) ([]OpenCall, error) {
	return many(ctx, s, scanOpenCall, `SELECT `+openCallColumns+` FROM llm_calls WHERE finished_us IS NULL AND started_us < $1 ORDER BY started_us, id LIMIT $2`, before, limit)
}

// OpenCall reads one call that was not settled, of any tenant, for operators.
func (s *Store) OpenCall(ctx context.Context, id string) (OpenCall, error) {
	return one(ctx, s, scanOpenCall, `SELECT `+openCallColumns+` FROM llm_calls WHERE finished_us IS NULL AND id = $1`, id)
}

// StartDelay is the time from the receipt of the delivery that made a run to the
// run's start, for the service-level objective of the review start.
// [errs.NotFound]: the run has not started, or no delivery made it. A run that
// follows a newer head names the delivery of the run before, which did not make it.
func (s *Store) StartDelay(ctx context.Context, t domain.Tenant, run string) (time.Duration, error) {
	us, err := one(ctx, s, value[int64], `SELECT r.started_us - d.received_us FROM review_runs r JOIN webhook_deliveries d ON d.id = r.delivery_id AND d.run_id = r.id AND d.disposition = 'run'
		WHERE r.tenant_id = $1 AND r.id = $2 AND r.started_us IS NOT NULL`, t.ID, run)
	return time.Duration(us) * time.Microsecond, err
}
