package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// Told is what a job says to the people who wait for it.
type Told struct {
	Progress string // JSON of [domain.JobProgress]; "" before it has said anything
	Outcome  string // JSON of [domain.JobOutcome]; "" before there is one
	Problem  string // what hindered its last attempt, in words for people
}

// mostProblem bounds [Told.Problem], in bytes.
const mostProblem = 1000

// TellProgress records where a claimed job stands; false: the claim is lost.
func (s *Store) TellProgress(ctx context.Context, id string, gen int64, p domain.JobProgress) (held bool, err error) {
	return s.exec1(ctx, `UPDATE jobs SET progress = $3 WHERE id = $1 AND claim_gen = $2 AND state = 'running'`, id, gen, JSON(p))
}

// TellOutcome records what came of a claimed job, or with a problem what
// hindered this attempt; false: the claim is lost.
func (s *Store) TellOutcome(ctx context.Context, id string, gen int64, o domain.JobOutcome, problem string) (held bool, err error) {
	if o.Counts == nil {
		o.Counts = map[string]int{}
	}
	o.Notes = append([]string{}, o.Notes[:min(len(o.Notes), domain.MaxJobNotes)]...)
	return s.exec1(ctx, `UPDATE jobs SET outcome = $3, problem = $4 WHERE id = $1 AND claim_gen = $2 AND state = 'running'`, id, gen, JSON(o), clip.Bytes(problem, mostProblem))
}

// TenantJob reads a job of a tenant.
func (s *Store) TenantJob(ctx context.Context, t domain.Tenant, id string) (Job, error) {
	return one(ctx, s, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// EnqueueAwaited puts a job into the ledger that people wait for, unless one of
// its kind about its subject has not ended: that one is returned then, due at
// once if it was waiting. Call it in a transaction that holds the subject's row,
// so that of two that ask at the same time one waits for the other.
func (s *Store) EnqueueAwaited(ctx context.Context, t domain.Tenant, kind domain.JobKind, subject string) (Job, error) {
	open, err := returning(ctx, s, scanJob, `UPDATE jobs SET dispatched_us = CASE WHEN state = 'queued' AND run_us > {now} THEN NULL ELSE dispatched_us END,
			run_us = CASE WHEN state = 'queued' AND run_us > {now} THEN {now} ELSE run_us END
		WHERE id = (SELECT id FROM jobs WHERE tenant_id = $1 AND kind = $2 AND subject = $3 AND state IN ('queued', 'running') ORDER BY created_us, id LIMIT 1)
			AND state IN ('queued', 'running') RETURNING `+jobColumns, t.ID, string(kind), subject)
	if err == nil || !isAbsent(err) {
		return open, err
	}
	return returning(ctx, s, scanJob, `INSERT INTO jobs (id, kind, lane, fair_key, subject, tenant_id, state, run_us, created_us)
		VALUES ($1, $2, $3, $4, $5, $6, 'queued', {now}, {now}) RETURNING `+jobColumns,
		domain.NewID("job"), string(kind), string(kind.Lane()), t.ID, subject, t.ID)
}
