package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// WebhookSecret is a row of webhook_secrets.
type WebhookSecret struct {
	ID        string
	Sealed    []byte
	CreatedUS int64
	UntilUS   int64 // 0 for the newest one, which does not expire
	NowUS     int64 // the database's clock when the row was read
}

const webhookSecretColumns = `id, sealed, created_us, until_us, {now}`

func scanWebhookSecret(r scanner, v *WebhookSecret) error {
	return r.Scan(&v.ID, &v.Sealed, &v.CreatedUS, number(&v.UntilUS), &v.NowUS)
}

// RotateProviderSecret stores a sealed webhook secret of a provider connection under the given id. The
// former secret stays valid for the overlap; older ones end. It also forgets which webhooks have signed. It
// returns the connection and the end of the former secret in microseconds, 0 without a former secret. Call
// it in a transaction: its first statement locks the connection's row, so that rotations run one after the
// other.
func (s *Store) RotateProviderSecret(ctx context.Context, t domain.Tenant, connection, id string, sealed []byte,
	overlap time.Duration) (v ProviderConnection, until int64, err error) {
	v, err = returning(ctx, s, scanProvider, `UPDATE provider_connections SET secret_us = {now}, version = version + 1, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 RETURNING `+providerColumns, t.ID, connection)
	if err != nil {
		return v, 0, err
	}
	if _, err := s.exec(ctx, `DELETE FROM webhook_secrets WHERE tenant_id = $1 AND provider_connection_id = $2
		AND until_us IS NOT NULL`, t.ID, connection); err != nil {
		return v, 0, err
	}
	until, err = returning(ctx, s, value[int64], `UPDATE webhook_secrets SET until_us = {now} + $3 WHERE tenant_id = $1
		AND provider_connection_id = $2 RETURNING until_us`,
		t.ID, connection, overlap.Microseconds())
	if err != nil && !isAbsent(err) {
		return v, 0, err
	}
	if _, err = s.exec(ctx, `DELETE FROM signed_hooks WHERE tenant_id = $1 AND connection_id = $2`, t.ID, connection); err != nil {
		return v, 0, err
	}
	_, err = s.exec(ctx, `INSERT INTO webhook_secrets (id, tenant_id, provider_connection_id, sealed, created_us)
		VALUES ($1, $2, $3, $4, {now})`, id, t.ID, connection, sealed)
	return v, until, err
}

// RotateTrackerSecret is like [Store.RotateProviderSecret] for a tracker connection.
func (s *Store) RotateTrackerSecret(ctx context.Context, t domain.Tenant, connection, id string, sealed []byte,
	overlap time.Duration) (v TrackerConnection, until int64, err error) {
	v, err = returning(ctx, s, scanTracker, `UPDATE tracker_connections SET secret_us = {now}, version = version + 1, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 RETURNING `+trackerColumns, t.ID, connection)
	if err != nil {
		return v, 0, err
	}
	if _, err := s.exec(ctx, `DELETE FROM webhook_secrets WHERE tenant_id = $1 AND tracker_connection_id = $2
		AND until_us IS NOT NULL`, t.ID, connection); err != nil {
		return v, 0, err
	}
	until, err = returning(ctx, s, value[int64], `UPDATE webhook_secrets SET until_us = {now} + $3 WHERE tenant_id = $1
		AND tracker_connection_id = $2 RETURNING until_us`,
		t.ID, connection, overlap.Microseconds())
	if err != nil && !isAbsent(err) {
		return v, 0, err
	}
	_, err = s.exec(ctx, `INSERT INTO webhook_secrets (id, tenant_id, tracker_connection_id, sealed, created_us)
		VALUES ($1, $2, $3, $4, {now})`, id, t.ID, connection, sealed)
	return v, until, err
}

// WebhookSecrets lists the valid webhook secrets of a provider or tracker connection, newest first, at most
// two.
func (s *Store) WebhookSecrets(ctx context.Context, t domain.Tenant, connection string) ([]WebhookSecret, error) {
	return many(ctx, s, scanWebhookSecret, `SELECT `+webhookSecretColumns+` FROM webhook_secrets WHERE tenant_id = $1
		AND (provider_connection_id = $2 OR tracker_connection_id = $2) AND (until_us IS NULL OR until_us > {now})
			ORDER BY created_us DESC, id DESC`, t.ID, connection)
}

// DropWebhookSecrets deletes all webhook secrets of a provider or tracker connection that now belongs to
// another account on the host. It returns their number.
func (s *Store) DropWebhookSecrets(ctx context.Context, t domain.Tenant, connection string) (int64, error) {
	n, err := s.exec(ctx, `DELETE FROM webhook_secrets WHERE tenant_id = $1
		AND (provider_connection_id = $2 OR tracker_connection_id = $2)`, t.ID, connection)
	if err != nil {
		return n, err
	}
	if _, err := s.exec(ctx, `UPDATE provider_connections SET secret_us = NULL WHERE tenant_id = $1 AND id = $2`, t.ID,
		connection); err != nil {
		return n, err
	}
	_, err = s.exec(ctx, `UPDATE tracker_connections SET secret_us = NULL WHERE tenant_id = $1 AND id = $2`, t.ID, connection)
	return n, err
}
