package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// TrackerBackfill is the progress of a tracker connection's newest backfill, which links open pull requests
// to issues.
type TrackerBackfill struct {
	Job     string
	After   string // id of the last processed pull request; "" before the first
	Looked  int
	Linked  int // processed pull requests with an issue
	Issues  int // found issues
	Skipped int // unreadable pull requests
}

// BeginBackfill returns the progress of a connection's backfill by a job. It starts at the beginning if the
// stored progress belongs to another job.
func (s *Store) BeginBackfill(ctx context.Context, t domain.Tenant, connection, job string) (TrackerBackfill, error) {
	_, err := s.exec(ctx, `INSERT INTO tracker_backfills (tenant_id, connection_id, job_id, after_id, looked, linked, issues, skipped)
		SELECT c.tenant_id, c.id, $3, '', 0, 0, 0, 0 FROM tracker_connections c WHERE c.tenant_id = $1 AND c.id = $2
		ON CONFLICT (tenant_id, connection_id) DO UPDATE SET job_id = excluded.job_id, after_id = '', looked = 0, linked = 0, issues = 0,
			skipped = 0
		WHERE tracker_backfills.job_id <> excluded.job_id`, t.ID, connection, job)
	if err != nil {
		return TrackerBackfill{}, err
	}
	return one(ctx, s, func(r scanner, v *TrackerBackfill) error {
		return r.Scan(&v.Job, &v.After, &v.Looked, &v.Linked, &v.Issues, &v.Skipped)
	}, `SELECT job_id, after_id, looked, linked, issues, skipped FROM tracker_backfills WHERE tenant_id = $1 AND connection_id = $2
		AND job_id = $3`, t.ID, connection, job)
}

// SaveBackfill records the progress of a backfill. It only moves forward, and does nothing after another
// job has started.
func (s *Store) SaveBackfill(ctx context.Context, t domain.Tenant, connection string, v TrackerBackfill) error {
	_, err := s.exec(ctx, `UPDATE tracker_backfills SET after_id = $4, looked = $5, linked = $6, issues = $7, skipped = $8
		WHERE tenant_id = $1 AND connection_id = $2 AND job_id = $3 AND after_id < $4`, t.ID, connection, v.Job, v.After, v.Looked,
		v.Linked, v.Issues, v.Skipped)
	return err
}

// OpenPull is an open pull request of a connected repository.
type OpenPull struct {
	ID, Repository string
	Number         int
}

const openPulls = ` FROM pull_requests p JOIN repositories r ON r.tenant_id = p.tenant_id AND r.id = p.repository_id
	WHERE p.tenant_id = $1 AND p.id > $2 AND p.state = 'open' AND r.state = 'active'`

// OpenPulls lists at most limit open pull requests of a tenant in the order of their ids, starting after
// the id after.
func (s *Store) OpenPulls(ctx context.Context, t domain.Tenant, after string, limit int) ([]OpenPull, error) {
	return many(ctx, s, func(r scanner, v *OpenPull) error { return r.Scan(&v.ID, &v.Repository, &v.Number) },
		`SELECT p.id, p.repository_id, p.number`+openPulls+` ORDER BY p.id LIMIT $3`, t.ID, after, limit)
}

// CountOpenPulls counts the pull requests that [Store.OpenPulls] would list without a limit.
func (s *Store) CountOpenPulls(ctx context.Context, t domain.Tenant, after string) (int, error) {
	return one(ctx, s, value[int], `SELECT COUNT(*)`+openPulls, t.ID, after)
}
