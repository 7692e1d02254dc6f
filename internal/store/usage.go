package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// ModelCall is one call of a model.
type ModelCall struct {
	Repository, Run, Stage, Tier, Credential, Model, Effort string
	Input, Cached, Output, Reasoning                        int64  // tokens
	CostMicros                                              *int64 // nil: the price is unknown
	Outcome                                                 string // started, ok, or the class of the error
}

// BeginCall records that a model is about to be called, so that a call whose
// worker died is still counted.
func (s *Store) BeginCall(ctx context.Context, t domain.Tenant, c ModelCall) (id string, err error) {
	id = domain.NewID("cal")
	_, err = s.exec(ctx, `INSERT INTO llm_calls (id, tenant_id, repository_id, run_id, stage, tier, credential_id, model, effort, started_us) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {now})`,
		id, t.ID, c.Repository, c.Run, c.Stage, c.Tier, c.Credential, c.Model, c.Effort)
	if err != nil {
		return "", err
	}
	return id, nil
}

// EndCall records what a call used and how it ended.
func (s *Store) EndCall(ctx context.Context, t domain.Tenant, id string, c ModelCall) error {
	return must1(s.exec1(ctx, `UPDATE llm_calls SET input_tokens = $3, cached_tokens = $4, output_tokens = $5, reasoning_tokens = $6, cost_micros = $7, outcome = $8, finished_us = {now},
		model = CASE WHEN $9 = '' THEN model ELSE $9 END WHERE tenant_id = $1 AND id = $2`,
		t.ID, id, c.Input, c.Cached, c.Output, c.Reasoning, c.CostMicros, clip(c.Outcome, 200), c.Model))
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
