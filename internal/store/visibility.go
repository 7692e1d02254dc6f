package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// VisibilityKnown reports whether the host answered within a time who can read a repository.
func (s *Store) VisibilityKnown(ctx context.Context, t domain.Tenant, repository string, within time.Duration) (bool, error) {
	return one(ctx, s, value[bool], `SELECT visible_us > {now} - $3 FROM repositories WHERE tenant_id = $1 AND id = $2`,
		t.ID, repository, within.Microseconds())
}

// SetVisibility stores the host's current answer on who can read a repository.
func (s *Store) SetVisibility(ctx context.Context, t domain.Tenant, repository string, private, internal bool) (Repository, error) {
	return returning(ctx, s, scanRepository, `UPDATE repositories SET private = $3, internal = $4, visible_us = {now},
			updated_us = CASE WHEN private = $3 AND internal = $4 THEN updated_us ELSE {now} END
		WHERE tenant_id = $1 AND id = $2 RETURNING `+repositoryColumns, t.ID, repository, private, internal)
}
