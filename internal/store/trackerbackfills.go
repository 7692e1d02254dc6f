package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// TrackerBackfill is how far the newest backfill of a tracker connection is.
type TrackerBackfill struct {
	Job     string
	After   string // the last pull request that was looked at; "": none
	Looked  int
	Linked  int // of these those that belong to an issue
	Issues  int // of all of them together
	Skipped int // pull requests that could not be looked at
}

// BeginBackfill returns how far a job of a connection is that links open pull
// requests: at the beginning where none, or another job, was there before.
func (s *Store) BeginBackfill(ctx context.Context, t domain.Tenant, connection, job string) (TrackerBackfill, error) {
	_, err := s.exec(ctx, `INSERT INTO tracker_backfills (tenant_id, connection_id, job_id, after_id, looked, linked, issues, skipped)
		SELECT c.tenant_id, c.id, $3, '', 0, 0, 0, 0 FROM tracker_connections c WHERE c.tenant_id = $1 AND c.id = $2
		ON CONFLICT (tenant_id, connection_id) DO UPDATE SET job_id = excluded.job_id, after_id = '', looked = 0, linked = 0, issues = 0, skipped = 0
		WHERE tracker_backfills.job_id <> excluded.job_id`, t.ID, connection, job)
	if err != nil {
		return TrackerBackfill{}, err
	}
	return one(ctx, s, func(r scanner, v *TrackerBackfill) error {
		return r.Scan(&v.Job, &v.After, &v.Looked, &v.Linked, &v.Issues, &v.Skipped)
	}, `SELECT job_id, after_id, looked, linked, issues, skipped FROM tracker_backfills WHERE tenant_id = $1 AND connection_id = $2 AND job_id = $3`, t.ID, connection, job)
}

// SaveBackfill records how far a backfill is; it goes forward only, and not while
// another job has begun.
func (s *Store) SaveBackfill(ctx context.Context, t domain.Tenant, connection string, v TrackerBackfill) error {
	_, err := s.exec(ctx, `UPDATE tracker_backfills SET after_id = $4, looked = $5, linked = $6, issues = $7, skipped = $8
		WHERE tenant_id = $1 AND connection_id = $2 AND job_id = $3 AND after_id < $4`, t.ID, connection, v.Job, v.After, v.Looked, v.Linked, v.Issues, v.Skipped)
	return err
}

// OpenPull is an open pull request of a repository that is connected.
type OpenPull struct {
	ID, Repository string
	Number         int
}

const openPulls = ` FROM pull_requests p JOIN repositories r ON r.tenant_id = p.tenant_id AND r.id = p.repository_id
	WHERE p.tenant_id = $1 AND p.id > $2 AND p.state = 'open' AND r.state = 'active'`

// OpenPulls lists the open pull requests of a tenant after one, in the order of
// their ids, at most limit of them.
func (s *Store) OpenPulls(ctx context.Context, t domain.Tenant, after string, limit int) ([]OpenPull, error) {
	return many(ctx, s, func(r scanner, v *OpenPull) error { return r.Scan(&v.ID, &v.Repository, &v.Number) },
		`SELECT p.id, p.repository_id, p.number`+openPulls+` ORDER BY p.id LIMIT $3`, t.ID, after, limit)
}

// CountOpenPulls counts what [Store.OpenPulls] lists.
func (s *Store) CountOpenPulls(ctx context.Context, t domain.Tenant, after string) (int, error) {
	return one(ctx, s, value[int], `SELECT COUNT(*)`+openPulls, t.ID, after)
}
