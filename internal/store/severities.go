package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// severityCount is the number of findings of a severity that belong to a row of a list.
type severityCount struct {
	of, severity string
	n            int64
}

func scanSeverityCount(r scanner, v *severityCount) error { return r.Scan(&v.of, &v.severity, &v.n) }

// bySeverity gathers the counts of each row.
func bySeverity(rows []severityCount, err error) (map[string]domain.SeverityCounts, error) {
	out := map[string]domain.SeverityCounts{}
	for _, r := range rows {
		c := out[r.of]
		c.Add(r.severity, r.n)
		out[r.of] = c
	}
	return out, err
}

// RunSeverities counts the findings of review runs that are open now, also of runs whose review is not published. It leaves
// out findings that are stored only: no published review shows them, and the run's review does not either.
func (s *Store) RunSeverities(ctx context.Context, t domain.Tenant, runs []string) (map[string]domain.SeverityCounts, error) {
	return bySeverity(manyIn(ctx, s, scanSeverityCount, runs, `SELECT x.run_id, f.severity, COUNT(*) FROM run_findings x
		JOIN findings f ON f.tenant_id = x.tenant_id AND f.id = x.finding_id
		WHERE x.tenant_id = $1 AND f.state = 'open' AND (f.posted_run IS NOT NULL OR REPLACE(x.body, $2, '') = x.body)
			AND x.run_id IN ({list})
		GROUP BY x.run_id, f.severity`, t.ID, `"route":"`+string(domain.RouteStored)+`"`))
}

// RepositorySeverities counts the open findings of open pull requests that published reviews show, by repository.
func (s *Store) RepositorySeverities(ctx context.Context, t domain.Tenant,
	repositories []string) (map[string]domain.SeverityCounts, error) {
	return bySeverity(manyIn(ctx, s, scanSeverityCount, repositories, `SELECT f.repository_id, f.severity, COUNT(*) FROM findings f
		WHERE f.tenant_id = $1 AND f.state = 'open' AND f.pull_open = $2 AND f.posted_run IS NOT NULL AND f.repository_id IN ({list})
		GROUP BY f.repository_id, f.severity`, t.ID, true))
}

// PullSeverities counts the open findings of pull requests that published reviews show, by pull request.
func (s *Store) PullSeverities(ctx context.Context, t domain.Tenant, pulls []string) (map[string]domain.SeverityCounts, error) {
	return bySeverity(manyIn(ctx, s, scanSeverityCount, pulls, `SELECT f.pull_request_id, f.severity, COUNT(*) FROM findings f
		WHERE f.tenant_id = $1 AND f.state = 'open' AND f.posted_run IS NOT NULL AND f.pull_request_id IN ({list})
		GROUP BY f.pull_request_id, f.severity`, t.ID))
}
