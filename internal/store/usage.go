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

// The kinds of runs that call models, for the figures of costs.
const (
	RunKindReview = "review"  // the run id of a call is a review run
	RunKindDryRun = "dry_run" // a pull request of a dry run
	RunKindTriage = "triage"  // a triage run
	RunKindDiff   = "diff"    // an assistant call that reviews a diff
	RunKindCI     = "ci"      // an analysis of a failed job
	RunKindFix    = "fix"     // a fix run
)

// runOfKind looks up the run of a call, by its kind.
var runOfKind = map[string]string{
	RunKindReview: `SELECT id FROM review_runs WHERE tenant_id = $1 AND id = $2`,
	RunKindDryRun: `SELECT id FROM dry_run_pulls WHERE tenant_id = $1 AND id = $2`,
	RunKindTriage: `SELECT id FROM triage_runs WHERE tenant_id = $1 AND id = $2`,
	RunKindDiff:   `SELECT id FROM assistant_calls WHERE tenant_id = $1 AND id = $2`,
	RunKindCI:     `SELECT id FROM ci_analyses WHERE tenant_id = $1 AND id = $2`,
	RunKindFix:    `SELECT id FROM fix_runs WHERE tenant_id = $1 AND id = $2`,
}

// ModelCall is one call of a model.
type ModelCall struct {
	Repository, Run, Stage, Tier, Credential, Model, Effort string
	Input, Cached, CacheWrite, Output, Reasoning            int64  // tokens; Cached and CacheWrite are part of Input, Reasoning of Output
	CostMicros                                              *int64 // nil if the price is unknown
	Outcome                                                 string // started, ok, or the class of the error
	RunKind                                                 string // of the run that makes the call; "" means review
	Estimated                                               bool   // some of the tokens are not counted by the provider
	// Answered is the model's name in the answer; "" if the answer is missing or has no name.
	Answered string

	// Reserve is the maximum cost of the call in millionths of the currency, ReserveTokens its maximum
	// token use. They count against the budgets of the month and the limits of the run until EndCall
	// replaces them. A call that never ends counts with them until it is settled or the month is over.
	Reserve, ReserveTokens int64
	// TenantLimit and RepositoryLimit are hard budgets of the month; nil for unlimited.
	TenantLimit, RepositoryLimit *int64
	// RunTokens and RunMicros are the limits of one run; nil for unlimited.
	RunTokens, RunMicros *int64
	// PullRequestMicros is the limit of the cost of all runs of the call's pull request; nil for unlimited, and
	// without effect for a run without a pull request.
	PullRequestMicros *int64
}

// maxSpent is the cap of a month's sum: far above any real cost, and low enough that no later sum
// overflows.
const maxSpent = int64(1) << 62

// BeginCall records the start of a model call and reserves its maximum cost. The reservation keeps
// concurrent calls within the budgets and covers calls whose worker died. It returns [errs.Conflict] if a
// budget (code budget_exhausted), a limit of the run (code review_limit) or that of the pull request (code
// pull_request_limit) has no room, and [errs.NotFound] if the tenant has no such run. In both cases nothing is
// stored.
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
		// Locking the tenant's row first prevents deadlocks between calls. The lock lasts until the
		// transaction ends and also orders the calls of a run.
		if err := s.reserve(ctx, t, "", period, c.Reserve, c.TenantLimit); err != nil {
			return err
		}
		if err := s.reserve(ctx, t, c.Repository, period, c.Reserve, c.RepositoryLimit); err != nil {
			return err
		}
		if err := s.withinRun(ctx, t, c); err != nil {
			return err
		}
		if err := s.withinPullRequest(ctx, t, kind, c); err != nil {
			return err
		}
		// The call belongs to the month of its reservation, even if waiting for the lock took it past the
		// end of that month.
		_, err = s.exec(ctx, `INSERT INTO llm_calls (id, tenant_id, repository_id, run_id, stage, tier, credential_id, model, effort,
			period, reserved_micros, run_kind, started_us, reserved_tokens)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			id, t.ID, c.Repository, c.Run, c.Stage, c.Tier, c.Credential, c.Model, c.Effort, period, c.Reserve, kind, now, c.ReserveTokens)
		return err
	})
	if err != nil {
		return "", err
	}
	return id, nil
}

// Period returns the budget month of a time in UTC, for example 2026-11.
func Period(us int64) string { return time.UnixMicro(us).UTC().Format("2006-01") }

// reserve reserves an amount of a month's budget.
func (s *Store) reserve(ctx context.Context, t domain.Tenant, repository, period string, amount int64, limit *int64) error {
	if _, err := s.exec(ctx, `INSERT INTO budget_months (tenant_id, repository_id, period) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, repository_id, period) DO NOTHING`,
		t.ID, repository, period); err != nil {
		return err
	}
	most := int64(math.MaxInt64)
	if limit != nil {
		most = *limit
	}
	ok, err := s.exec1(ctx, `UPDATE budget_months SET reserved_micros = reserved_micros + $4 WHERE tenant_id = $1
		AND repository_id = $2 AND period = $3
		AND spent_micros + reserved_micros <= CAST($5 AS BIGINT) - CAST($4 AS BIGINT)`, t.ID, repository, period, amount, most)
	if err == nil && !ok {
		return errs.Wrap(ErrNoRoom, errs.Conflict, CodeBudget, "The month's budget for models has no room for this call.")
	}
	return err
}

// ErrNoRoom is in the error chain if a budget or a limit of the run has no room for a model call.
var ErrNoRoom = errors.New("no room for another model call")

// The codes of these errors: for a budget, for the limits of one review, and for that of a pull request.
const (
	CodeBudget    = "budget_exhausted"
	CodeLimit     = "review_limit"
	CodePullLimit = "pull_request_limit"
)

// withinRun returns an error if the limits of a run have no room for a call. Unsettled calls of any worker
// count with their reservations.
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

// pullOfKind looks up the pull request of a run, by the kind of the run.
var pullOfKind = map[string]string{
	RunKindReview: `SELECT pull_request_id FROM review_runs WHERE tenant_id = $1 AND id = $2`,
	RunKindTriage: `SELECT pull_request_id FROM triage_runs WHERE tenant_id = $1 AND id = $2`,
	RunKindCI:     `SELECT COALESCE(pull_request_id, '') FROM ci_analyses WHERE tenant_id = $1 AND id = $2`,
	RunKindFix:    `SELECT pull_request_id FROM fix_runs WHERE tenant_id = $1 AND id = $2`,
}

// withinPullRequest returns an error if the limit of a pull request has no room for a call.
func (s *Store) withinPullRequest(ctx context.Context, t domain.Tenant, kind string, c ModelCall) error {
	if c.PullRequestMicros == nil || pullOfKind[kind] == "" {
		return nil
	}
	pull, err := first(ctx, s, s.db.Write, value[string], pullOfKind[kind], []any{t.ID, c.Run})
	if err != nil {
		return err
	}
	m, err := first(ctx, s, s.db.Write, scanMonth, pullRequestCost, []any{t.ID, pull, openCallTime.Microseconds()})
	if err == nil && over(m.Spent, m.Reserved+c.Reserve, c.PullRequestMicros) {
		return errs.Wrap(ErrNoRoom, errs.Conflict, CodePullLimit, "The limit of cost for one pull request has no room for another call.")
	}
	return err
}

// openCallTime is how long a call without an end counts with its reservation in the limit of a pull request (design choice). No call
// lasts as long, so an older one has lost its worker.
const openCallTime = 24 * time.Hour

// pullRequestCost sums the calls of all reviews, first looks and analyses of failed jobs of a pull request: ended ones with their
// cost, others with their reservation until openCallTime is over. Its arguments are the tenant, the pull request and
// openCallTime in microseconds.
const pullRequestCost = `SELECT CAST(COALESCE(SUM(CASE WHEN finished_us IS NULL THEN 0 ELSE COALESCE(cost_micros, 0) END), 0) AS BIGINT),
		CAST(COALESCE(SUM(CASE WHEN finished_us IS NULL AND started_us > {now} - $3 THEN reserved_micros ELSE 0 END), 0) AS BIGINT)
	FROM llm_calls WHERE tenant_id = $1 AND run_id IN (SELECT id FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2
		UNION ALL SELECT id FROM triage_runs WHERE tenant_id = $1 AND pull_request_id = $2
		UNION ALL SELECT id FROM ci_analyses WHERE tenant_id = $1 AND pull_request_id = $2
		UNION ALL SELECT id FROM fix_runs WHERE tenant_id = $1 AND pull_request_id = $2)`

// PullRequestCost returns the cost of all runs of a pull request. It is zero without calls.
func (s *Store) PullRequestCost(ctx context.Context, t domain.Tenant, pull string) (Month, error) {
	return one(ctx, s, scanMonth, pullRequestCost, t.ID, pull, openCallTime.Microseconds())
}

func over(used, more int64, limit *int64) bool { return limit != nil && used > *limit-more }

// Month is the cost of model calls, of a month or of a pull request, and the reservations of those not settled, in millionths of
// the currency.
type Month struct{ Spent, Reserved int64 }

func scanMonth(r scanner, v *Month) error { return r.Scan(&v.Spent, &v.Reserved) }

// BudgetMonth reads a month of a repository, or of the whole tenant if repository is "". It returns the
// zero Month if there were no calls.
func (s *Store) BudgetMonth(ctx context.Context, t domain.Tenant, repository, period string) (Month, error) {
	v, err := one(ctx, s, scanMonth,
		`SELECT spent_micros, reserved_micros FROM budget_months WHERE tenant_id = $1 AND repository_id = $2 AND period = $3`, t.ID,
		repository, period)
	if isAbsent(err) {
		return Month{}, nil
	}
	return v, err
}

// Settled is the state of a month after a call was settled.
type Settled struct {
	Period                       string // 2026-11, UTC
	Repository                   string
	TenantSpent, RepositorySpent int64 // millionths of the currency
	Reserved                     int64 // the amount reserved for the call
}

// EndCall records the usage, outcome and answering model of a call, and replaces its reservation by its
// cost in the month in which it began. The requested model stays. It returns [errs.NotFound] if the call
// was settled before.
func (s *Store) EndCall(ctx context.Context, t domain.Tenant, id string, c ModelCall) (Settled, error) {
	var out Settled
	err := s.Atomically(ctx, func(ctx context.Context) (err error) {
		out, err = returning(ctx, s, func(r scanner, v *Settled) error { return r.Scan(&v.Repository, &v.Period, &v.Reserved) },
			`UPDATE llm_calls SET input_tokens = $3, cached_tokens = $4, output_tokens = $5, reasoning_tokens = $6, cost_micros = $7,
				outcome = $8, finished_us = {now},
			answered_model = $9, cache_write_tokens = $10, estimated = $11 WHERE tenant_id = $1 AND id = $2 AND finished_us IS NULL
				RETURNING repository_id, period, reserved_micros`,
			t.ID, id, c.Input, c.Cached, c.Output, c.Reasoning, c.CostMicros, clip.Bytes(c.Outcome, 200), clip.Bytes(c.Answered, 200),
			c.CacheWrite, c.Estimated)
		if err != nil {
			return err
		}
		cost := int64(0)
		if c.CostMicros != nil {
			cost = *c.CostMicros
		}
		if out.TenantSpent, err = s.settleMonth(ctx, t, "", out.Period, out.Reserved, cost); err != nil {
			return err
		}
		out.RepositorySpent, err = s.settleMonth(ctx, t, out.Repository, out.Period, out.Reserved, cost)
		return err
	})
	return out, err
}

func (s *Store) settleMonth(ctx context.Context, t domain.Tenant, repository, period string, reserved,
	cost int64) (spent int64, err error) {
	return returning(ctx, s, value[int64], `UPDATE budget_months SET reserved_micros = reserved_micros - $4,
		spent_micros = CASE WHEN spent_micros > CAST($6 AS BIGINT) - CAST($5 AS BIGINT) THEN CAST($6 AS BIGINT) ELSE spent_micros + $5 END
		WHERE tenant_id = $1 AND repository_id = $2 AND period = $3 RETURNING spent_micros`, t.ID, repository, period, reserved, cost, maxSpent)
}

// OpenCall is an unsettled call: running, or its worker died.
type OpenCall struct {
	ID, Tenant, Repository, Run, Tier, Model, Period string
	Reserve, StartedUS                               int64
}

const openCallColumns = `id, tenant_id, repository_id, run_id, tier, model, period, reserved_micros, started_us`

func scanOpenCall(r scanner, v *OpenCall) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Repository, &v.Run, &v.Tier, &v.Model, &v.Period, &v.Reserve, &v.StartedUS)
}

// OpenCalls lists at most limit unsettled calls of all tenants that began before a time, oldest first, for
// operators.
func (s *Store) OpenCalls(ctx context.Context, before int64, limit int) ([]OpenCall, error) {
	return many(ctx, s, scanOpenCall, `SELECT `+openCallColumns+
		` FROM llm_calls WHERE finished_us IS NULL AND started_us < $1 ORDER BY started_us, id LIMIT $2`, before, limit)
}

// OpenCall reads an unsettled call of any tenant, for operators.
func (s *Store) OpenCall(ctx context.Context, id string) (OpenCall, error) {
	return one(ctx, s, scanOpenCall, `SELECT `+openCallColumns+` FROM llm_calls WHERE finished_us IS NULL AND id = $1`, id)
}

// StartDelay returns the time from the receipt of the delivery that triggered a run to the run's start, for
// the service-level objective of the review start. It returns [errs.NotFound] if the run has not started or
// no delivery triggered it. A run for a newer head refers to the former run's delivery, which did not
// trigger it.
func (s *Store) StartDelay(ctx context.Context, t domain.Tenant, run string) (time.Duration, error) {
	us, err := one(ctx, s, value[int64], `SELECT r.started_us - d.received_us FROM review_runs r
		JOIN webhook_deliveries d ON d.id = r.delivery_id AND d.run_id = r.id AND d.disposition = 'run'
		WHERE r.tenant_id = $1 AND r.id = $2 AND r.started_us IS NOT NULL`, t.ID, run)
	return time.Duration(us) * time.Microsecond, err
}
