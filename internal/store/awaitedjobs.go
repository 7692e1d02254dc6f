package store

import (
	"cmp"
	"context"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// JobReport is the report of a job for the people who wait for it.
type JobReport struct {
	Progress string // JSON of [domain.JobProgress]; "" before the first report
	Outcome  string // JSON of [domain.JobOutcome]; "" before it ends
	Problem  string // why its last attempt failed, in words for people
}

// maxProblem bounds [JobReport.Problem], in bytes.
const maxProblem = 1000

// deadJobProblem is the problem shown for a failed job that reported none.
const deadJobProblem = "It was given up. The operator of the instance finds the errors in the dead letters."

// PublicState returns the state that people see of a job they wait for (queued, running, completed or failed) and
// its problem in words for them. It never returns the error that operators see.
func (j Job) PublicState() (state, problem string) {
	switch j.State {
	case domain.JobQueued, domain.JobRunning:
		return string(j.State), j.Report.Problem
	case domain.JobDone:
		if j.Report.Problem == "" {
			return "completed", ""
		}
		return "failed", j.Report.Problem // the job ended itself, because another attempt would not help
	}
	return "failed", cmp.Or(j.Report.Problem, deadJobProblem)
}

// RecordProgress records the progress of a claimed job. It returns false if the claim is lost.
func (s *Store) RecordProgress(ctx context.Context, id string, gen int64, p domain.JobProgress) (held bool, err error) {
	return s.exec1(ctx, `UPDATE jobs SET progress = $3 WHERE id = $1 AND claim_gen = $2 AND state = 'running'`, id, gen, JSON(p))
}

// RecordOutcome records the outcome of a claimed job, or with a problem why this attempt failed. It returns
// false if the claim is lost.
func (s *Store) RecordOutcome(ctx context.Context, id string, gen int64, o domain.JobOutcome, problem string) (held bool, err error) {
	if o.Counts == nil {
		o.Counts = map[string]int{}
	}
	o.Notes = append([]string{}, o.Notes[:min(len(o.Notes), domain.MaxJobNotes)]...)
	return s.exec1(ctx, `UPDATE jobs SET outcome = $3, problem = $4 WHERE id = $1 AND claim_gen = $2 AND state = 'running'`, id, gen,
		JSON(o), clip.Bytes(problem, maxProblem))
}

// TenantJob reads a job of a tenant.
func (s *Store) TenantJob(ctx context.Context, t domain.Tenant, id string) (Job, error) {
	return one(ctx, s, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// EnqueueAwaited adds a job that people wait for, unless a job of its kind and subject is open. It then
// returns the open job and makes it due at once if it was queued. A running job may already have read what
// the caller changed. If such a job ends with [Store.FinishUnasked], it runs once more for all requests in
// between. Call it in a transaction that locks the subject's row, so that concurrent requests wait for each
// other.
func (s *Store) EnqueueAwaited(ctx context.Context, t domain.Tenant, kind domain.JobKind, subject string) (Job, error) {
	open, err := returning(ctx, s, scanJob, `UPDATE jobs SET asked_us = {now}, asked_gen = CASE WHEN state = 'running' THEN claim_gen
		ELSE asked_gen END,
			dispatched_us = CASE WHEN state = 'queued' AND run_us > {now} THEN NULL ELSE dispatched_us END,
			run_us = CASE WHEN state = 'queued' AND run_us > {now} THEN {now} ELSE run_us END
		WHERE id = (SELECT id FROM jobs WHERE tenant_id = $1 AND kind = $2 AND subject = $3 AND state IN ('queued', 'running')
			ORDER BY created_us, id LIMIT 1)
			AND state IN ('queued', 'running') RETURNING `+jobColumns, t.ID, string(kind), subject)
	switch {
	case err == nil:
		s.announceJobs(ctx)
		return open, nil
	case !isAbsent(err):
		return open, err
	}
	made, err := returning(ctx, s, scanJob, `INSERT INTO jobs (id, kind, lane, fair_key, subject, tenant_id, state, run_us, created_us)
		VALUES ($1, $2, $3, $4, $5, $6, 'queued', {now}, {now}) RETURNING `+jobColumns,
		domain.NewID("job"), string(kind), string(kind.Lane()), t.ID, subject, t.ID)
	if err == nil {
		s.announceJobs(ctx)
	}
	return made, err
}

// FinishUnasked ends a claim successfully unless the job was requested since it was claimed. In that case
// it returns again true and the claim continues. If ended and again are both false, the claim is lost.
func (s *Store) FinishUnasked(ctx context.Context, id string, gen int64) (ended, again bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		asked, err := first(ctx, s, s.db.Write, value[int64], `SELECT asked_gen FROM jobs WHERE id = $1 AND claim_gen = $2
			AND state = 'running'{forupdate}`, []any{id, gen})
		if isAbsent(err) {
			return nil
		}
		if again = err == nil && asked == gen; again || err != nil {
			return err
		}
		ended, err = s.FinishJob(ctx, id, gen)
		return err
	})
	return ended, again, err
}

// LastJobs reads the newest job of a kind for each subject. Subjects without a job are missing in the
// result.
func (s *Store) LastJobs(ctx context.Context, t domain.Tenant, kind domain.JobKind, subjects []string) (map[string]Job, error) {
	rows, err := manyIn(ctx, s, scanJob, subjects, `SELECT `+jobColumns+
		` FROM jobs WHERE tenant_id = $1 AND kind = $2 AND subject IN ({list}) ORDER BY created_us, id`, t.ID, string(kind))
	out := make(map[string]Job, len(rows))
	for _, j := range rows {
		out[j.Subject] = j
	}
	return out, err
}

// noRecentJob is true for a connection p without an open or recent job of the kind $1. Recent means at most
// $2 microseconds ago plus an offset below $3 that is fixed for each connection.
const noRecentJob = `NOT EXISTS (SELECT 1 FROM jobs j WHERE j.subject = p.id AND j.tenant_id = p.tenant_id AND j.kind = $1
	AND (j.state IN ('queued', 'running') OR j.created_us > {now} - CAST($2 AS BIGINT) - p.created_us % CAST($3 AS BIGINT)))`

// EnqueueSyncs adds a job of [domain.KindSync] for at most limit enabled connections of the kinds, in any
// tenant, and returns the number of jobs. A connection is due when its last job is older than every plus a
// part of spread. The part is fixed for each connection, so that an instance's connections do not all ask
// at once.
func (s *Store) EnqueueSyncs(ctx context.Context, kinds []string, every, spread time.Duration, limit int) (int, error) {
	return s.enqueueDue(ctx, "provider_connections", domain.KindSync, kinds, every, spread, limit)
}

// EnqueueTrackerChecks is like [Store.EnqueueSyncs] for tracker connections, with jobs of
// [domain.KindTrackerCheck].
func (s *Store) EnqueueTrackerChecks(ctx context.Context, kinds []string, every, spread time.Duration, limit int) (int, error) {
	return s.enqueueDue(ctx, "tracker_connections", domain.KindTrackerCheck, kinds, every, spread, limit)
}

// EnqueueSyncOfAccess adds a synchronization job for an access's connection and reports whether it did. It
// adds none if the last job is newer than least, or newer than each times the access's active repositories,
// so that large connections cause little extra load beside the hourly synchronization. It also adds none if
// the access has no enabled connection.
func (s *Store) EnqueueSyncOfAccess(ctx context.Context, t domain.Tenant, access string, least, each time.Duration) (made bool, err error) {
	connection, err := one(ctx, s, value[string], `SELECT p.id FROM accesses a JOIN provider_connections p ON p.id = a.connection_id
		AND p.tenant_id = a.tenant_id
		WHERE a.tenant_id = $1 AND a.id = $2 AND a.state = 'active' AND p.enabled = TRUE`, t.ID, access)
	if isAbsent(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	n, err := s.ActiveOfAccess(ctx, t, access)
	if err != nil {
		return false, err
	}
	return s.enqueueUnlessAsked(ctx, "provider_connections", domain.KindSync, t, connection, max(least, time.Duration(n)*each), 0)
}

func (s *Store) enqueueDue(ctx context.Context, table string, kind domain.JobKind, kinds []string, every, spread time.Duration,
	limit int) (int, error) {
	due, err := manyIn(ctx, s, func(r scanner, v *[2]string) error { return r.Scan(&v[0], &v[1]) }, kinds,
		`SELECT p.tenant_id, p.id FROM `+table+` p WHERE p.enabled = TRUE AND `+noRecentJob+
			` AND p.kind IN ({list}) ORDER BY p.id LIMIT $4`, append(recentJobArgs(kind, every, spread), limit)...)
	made := 0
	for _, of := range due {
		is, err := s.enqueueUnlessAsked(ctx, table, kind, domain.Tenant{ID: of[0]}, of[1], every, spread)
		if err != nil {
			return made, err
		}
		if is {
			made++
		}
	}
	return made, err
}

// recentJobArgs returns the arguments of [noRecentJob].
func recentJobArgs(kind domain.JobKind, every, spread time.Duration) []any {
	return []any{string(kind), every.Microseconds(), max(spread.Microseconds(), 1)}
}

// enqueueUnlessAsked adds a job for a connection in a table, unless it has an open or recent job. It locks
// the connection's row, so that of two processes that found the connection due, the second sees the job of
// the first.
func (s *Store) enqueueUnlessAsked(ctx context.Context, table string, kind domain.JobKind, t domain.Tenant, id string, every,
	spread time.Duration) (made bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.exec(ctx, `UPDATE `+table+` SET id = id WHERE tenant_id = $1 AND id = $2`, t.ID, id); err != nil {
			return err
		}
		still, err := first(ctx, s, s.db.Write, value[int64], `SELECT count(*) FROM `+table+
			` p WHERE p.tenant_id = $4 AND p.id = $5 AND `+noRecentJob, append(recentJobArgs(kind, every, spread), t.ID, id))
		if err != nil || still == 0 {
			return err
		}
		made = true
		_, err = s.EnqueueAwaited(ctx, t, kind, id)
		return err
	})
	return made, err
}
