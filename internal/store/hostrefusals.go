package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// HostRefusal is a kind of request that a host refused to the account of a connection's token. Path and
// Words are text from outside.
type HostRefusal struct {
	Connection, Op, Path, Words string
	AtUS                        int64
}

// KeepHostRefusal stores a refusal, replacing an earlier one of the same kind. It does nothing if the
// connection has another version or was deleted.
func (s *Store) KeepHostRefusal(ctx context.Context, t domain.Tenant, version int64, v HostRefusal) error {
	_, err := s.exec(ctx, `INSERT INTO host_refusals (tenant_id, connection_id, op, connection_version, path, words, at_us)
		SELECT tenant_id, id, $4, version, $5, $6, {now} FROM provider_connections WHERE tenant_id = $1 AND id = $2 AND version = $3
		ON CONFLICT (connection_id, op) DO UPDATE SET connection_version = excluded.connection_version, path = excluded.path,
			words = excluded.words, at_us = excluded.at_us`,
		t.ID, v.Connection, version, v.Op, v.Path, v.Words)
	return err
}

// DropHostRefusal deletes a refusal after the host answered the same request.
func (s *Store) DropHostRefusal(ctx context.Context, t domain.Tenant, connection, op, path string) error {
	_, err := s.exec(ctx, `DELETE FROM host_refusals WHERE tenant_id = $1 AND connection_id = $2 AND op = $3 AND path = $4`, t.ID,
		connection, op, path)
	return err
}

// HostRefusals lists the refusals of connections within a time, by connection and kind. It leaves out
// refusals of former versions of the connections.
func (s *Store) HostRefusals(ctx context.Context, t domain.Tenant, connections []string, within time.Duration) ([]HostRefusal, error) {
	return manyIn(ctx, s, func(r scanner, v *HostRefusal) error { return r.Scan(&v.Connection, &v.Op, &v.Path, &v.Words, &v.AtUS) },
		connections,
		`SELECT r.connection_id, r.op, r.path, r.words, r.at_us FROM host_refusals r
		JOIN provider_connections p ON p.tenant_id = r.tenant_id AND p.id = r.connection_id AND p.version = r.connection_version
		WHERE r.tenant_id = $1 AND r.at_us > {now} - $2 AND r.connection_id IN ({list}) ORDER BY r.connection_id, r.op`, t.ID,
		within.Microseconds())
}
