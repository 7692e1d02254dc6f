package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// RecentActivity describes the tenant's newest 100 runs with their pull requests, its newest 30 events, the length of
// its audit log, and the last change of a repository. The answer differs after a change of one of them. Both numbers are
// design choices: the end of an older run adds an event, and each act of a person adds an audit entry.
func (s *Store) RecentActivity(ctx context.Context, t domain.Tenant) ([]string, error) {
	return many(ctx, s, value[string], `SELECT a.line FROM (
		SELECT r.id || ' ' || r.state || ' ' || COALESCE((SELECT p.state || ' ' || CAST(p.updated_us AS TEXT) FROM pull_requests p
				WHERE p.tenant_id = $1 AND p.id = r.pull_request_id), '') AS line
			FROM (SELECT id, state, pull_request_id FROM review_runs WHERE tenant_id = $1 ORDER BY created_us DESC LIMIT 100) r
		UNION ALL SELECT e.id FROM (SELECT id FROM events WHERE tenant_id = $1 ORDER BY created_us DESC LIMIT 30) e
		UNION ALL SELECT CAST(size AS TEXT) FROM audit_logs WHERE log_id = $1
		UNION ALL SELECT CAST(COUNT(*) AS TEXT) || ' ' || CAST(MAX(updated_us) AS TEXT) FROM repositories
			WHERE tenant_id = $1 GROUP BY tenant_id) a
		ORDER BY a.line`, t.ID)
}
