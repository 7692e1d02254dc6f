package store

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Unswept holds the times after which a repository is swept for lost heads again. They differ because the
// hosts of installations keep undelivered events and the hosts of connections do not.
type Unswept struct{ Installation, Connection time.Duration }

// repositoryReachable is the condition that a repository r is active and has an installation or an enabled connection.
const repositoryReachable = `r.state = 'active' AND (r.installation_id IS NOT NULL OR EXISTS (SELECT 1 FROM accesses a
	JOIN provider_connections p ON p.tenant_id = a.tenant_id AND p.id = a.connection_id WHERE a.id = r.access_id AND p.enabled = TRUE))`

// EnqueueSweeps marks the due repositories and adds a job of [domain.KindHeads] for at most limit of their
// accesses, in any tenant, that have no open one. Each job starts after a random part of spread, so that
// many hosts are not asked at once. It returns the number of jobs.
func (s *Store) EnqueueSweeps(ctx context.Context, u Unswept, spread time.Duration, limit int) (made int, err error) {
	if _, err := s.exec(ctx, `UPDATE repositories SET swept_us = 0 WHERE swept_us > 0
		AND id IN (SELECT r.id FROM repositories r WHERE r.swept_us > 0 AND
			r.swept_us < {now} - CASE WHEN r.installation_id IS NULL THEN CAST($2 AS BIGINT) ELSE CAST($1 AS BIGINT) END AND `+
		repositoryReachable+`)`,
		u.Installation.Microseconds(), u.Connection.Microseconds()); err != nil {
		return 0, err
	}
	due, err := many(ctx, s, func(r scanner, v *[2]string) error { return r.Scan(&v[0], &v[1]) },
		`SELECT DISTINCT r.tenant_id, COALESCE(r.access_id, r.installation_id) FROM repositories r WHERE r.swept_us = 0 AND `+
			repositoryReachable+`
			AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.subject = COALESCE(r.access_id, r.installation_id) AND j.tenant_id = r.tenant_id
				AND j.kind = $1 AND j.state IN ('queued', 'running'))
			ORDER BY 2, 1 LIMIT $2`, string(domain.KindHeads), limit)
	for _, of := range due {
		var delay time.Duration
		if spread > 0 {
			delay = rand.N(spread)
		}
		is, err := s.EnqueueSweep(ctx, domain.Tenant{ID: of[0]}, of[1], delay)
		if err != nil {
			return made, err
		}
		if is {
			made++
		}
	}
	return made, err
}

// EnqueueSweep adds a job of [domain.KindHeads] for an access, unless it has an open one.
func (s *Store) EnqueueSweep(ctx context.Context, t domain.Tenant, access string, delay time.Duration) (made bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		// Processes that both found the access wait for each other here.
		if held, err := s.exec1(ctx, `UPDATE accesses SET id = id WHERE tenant_id = $1 AND id = $2`, t.ID, access); err != nil || !held {
			return err
		}
		open, err := first(ctx, s, s.db.Write, value[int], `SELECT COUNT(*) FROM jobs WHERE subject = $1 AND tenant_id = $2 AND kind = $3
			AND state IN ('queued', 'running')`,
			[]any{access, t.ID, string(domain.KindHeads)})
		if err != nil || open > 0 {
			return err
		}
		made, err = s.Enqueue(ctx, NewJob{Kind: domain.KindHeads, FairKey: t.ID, Subject: access, Tenant: t.ID, Delay: delay})
		return err
	})
	return made && err == nil, err
}

// TakeUnswept returns a repository of an access that is due for a sweep for lost heads, and marks it as
// swept. It returns [errs.NotFound] if no repository is due or the connection is disabled.
func (s *Store) TakeUnswept(ctx context.Context, t domain.Tenant, access string) (Repository, error) {
	return returning(ctx, s, scanRepository, `UPDATE repositories SET swept_us = {now} WHERE swept_us = 0
		AND id = (SELECT r.id FROM repositories r
			WHERE r.tenant_id = $1 AND COALESCE(r.access_id, r.installation_id) = $2 AND r.swept_us = 0 AND `+repositoryReachable+
		` ORDER BY r.id LIMIT 1)
		RETURNING `+repositoryColumns, t.ID, access)
}

// SweepAgain makes a repository due for another sweep.
func (s *Store) SweepAgain(ctx context.Context, t domain.Tenant, repository string) error {
	_, err := s.exec(ctx, `UPDATE repositories SET swept_us = 0 WHERE tenant_id = $1 AND id = $2`, t.ID, repository)
	return err
}
