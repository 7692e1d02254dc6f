package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// DueListing is an access whose host must be asked for its newest repositories. Listed is a digest of the
// host's last answer, "" before the first.
type DueListing struct{ Tenant, Access, Connection, Listed string }

// TakeDueListings takes at most limit accesses that are due: the connection works, no webhook reports new
// repositories, and the host was last asked for the newest ones at least every ago. It marks them as asked,
// so that workers share the work.
func (s *Store) TakeDueListings(ctx context.Context, every time.Duration, limit int) ([]DueListing, error) {
	const due = `looked_us <= {now} - $1`
	return returned(ctx, s, func(r scanner, v *DueListing) error { return r.Scan(&v.Tenant, &v.Access, &v.Connection, &v.Listed) },
		`UPDATE accesses SET looked_us = {now} WHERE id IN (SELECT a.id FROM accesses a
			JOIN provider_connections p ON p.tenant_id = a.tenant_id AND p.id = a.connection_id WHERE a.state = 'active' AND a.told = FALSE
				AND a.`+due+`
				AND p.enabled = TRUE AND p.state = 'active' ORDER BY a.looked_us LIMIT $2)
		AND `+due+` RETURNING tenant_id, id, connection_id, newest`, every.Microseconds(), limit)
}

// SetNewest stores a digest of the newest repositories that a host listed.
func (s *Store) SetNewest(ctx context.Context, t domain.Tenant, access, listed string) error {
	_, err := s.exec(ctx, `UPDATE accesses SET newest = $3 WHERE tenant_id = $1 AND id = $2`, t.ID, access, listed)
	return err
}

// SetHookReportsRepositories stores whether a webhook reports new repositories of an access's owner.
func (s *Store) SetHookReportsRepositories(ctx context.Context, t domain.Tenant, access string, told bool) error {
	_, err := s.exec(ctx, `UPDATE accesses SET told = $3 WHERE tenant_id = $1 AND id = $2 AND told <> $3`, t.ID, access, told)
	return err
}

// ActiveOfAccess counts the active repositories of an access.
func (s *Store) ActiveOfAccess(ctx context.Context, t domain.Tenant, access string) (int, error) {
	n, err := one(ctx, s, value[int64], `SELECT count(*) FROM repositories
		WHERE tenant_id = $1 AND access_id = $2 AND state = 'active'`, t.ID, access)
	return int(n), err
}

// KnownPulls returns the stored pull requests of a repository among numbers.
func (s *Store) KnownPulls(ctx context.Context, t domain.Tenant, repository string, numbers []int) (map[int]bool, error) {
	rows, err := manyIn(ctx, s, value[int], numbers, `SELECT number FROM pull_requests
		WHERE tenant_id = $1 AND repository_id = $2 AND number IN ({list})`, t.ID, repository)
	known := make(map[int]bool, len(rows))
	for _, n := range rows {
		known[n] = true
	}
	return known, err
}
