package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// maxSignedHooks is the maximum number of recorded repositories per connection (design choice: more than a
// connection has). It is needed because the holder of the connection's secret chooses the repository ids.
const maxSignedHooks = 100_000

// RecordHookSignature records that the webhook of a repository of a connection has signed a delivery. It stores at
// most 100,000 repositories per connection.
func (s *Store) RecordHookSignature(ctx context.Context, t domain.Tenant, connection string, repository domain.HostID) error {
	_, err := s.exec(ctx, `INSERT INTO signed_hooks (tenant_id, connection_id, repository, since_us)
		SELECT tenant_id, id, $3, {now} FROM provider_connections WHERE tenant_id = $1 AND id = $2
		AND (SELECT COUNT(*) FROM signed_hooks WHERE connection_id = $2) < $4 ON CONFLICT (connection_id, repository) DO NOTHING`, t.ID,
		connection, string(repository), maxSignedHooks)
	return err
}

// SignsDeliveries reports whether the webhook of a repository has signed a delivery since the connection's
// webhook secret was set.
func (s *Store) SignsDeliveries(ctx context.Context, t domain.Tenant, connection string, repository domain.HostID) (bool, error) {
	n, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM signed_hooks WHERE tenant_id = $1 AND connection_id = $2 AND repository = $3`,
		t.ID, connection, string(repository))
	return n > 0, err
}
