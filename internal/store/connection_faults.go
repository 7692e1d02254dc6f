package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// FailConnection records that a connection fails, with a stable word as the reason. It returns false if
// this was recorded with the same reason.
func (s *Store) FailConnection(ctx context.Context, t domain.Tenant, kind, id, reason string) (changed bool, err error) {
	return s.exec1(ctx, `INSERT INTO connection_faults (tenant_id, connection_kind, connection_id, reason, since_us)
		VALUES ($1, $2, $3, $4, {now})
		ON CONFLICT (tenant_id, connection_kind, connection_id) DO UPDATE SET reason = excluded.reason, since_us = excluded.since_us
		WHERE connection_faults.reason <> excluded.reason`, t.ID, kind, id, reason)
}

// RestoreConnection records that a connection works. Callers use it after every successful call, so it only
// writes if a fault was recorded.
func (s *Store) RestoreConnection(ctx context.Context, t domain.Tenant, kind, id string) error {
	where, args := ` FROM connection_faults WHERE tenant_id = $1 AND connection_kind = $2 AND connection_id = $3`, []any{t.ID, kind, id}
	if _, err := one(ctx, s, value[int64], `SELECT since_us`+where, args...); err != nil {
		if isAbsent(err) {
			return nil
		}
		return err
	}
	_, err := s.exec(ctx, `DELETE`+where, args...)
	return err
}
