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
	UntilUS   int64 // 0: the newest one, which has no end
}

const webhookSecretColumns = `id, sealed, created_us, until_us`

func scanWebhookSecret(r scanner, v *WebhookSecret) error {
	return r.Scan(&v.ID, &v.Sealed, &v.CreatedUS, number(&v.UntilUS))
}

// RotateProviderSecret makes a sealed value the webhook secret of a provider
// connection under the given id. The one before stays valid for the overlap,
// older ones end. It returns the connection, and when the one before ends (0:
// there was none). It forgets which webhooks have signed. Call it in a transaction: its first statement holds the
// connection's row, so that two rotations come one after the other.
func (s *Store) RotateProviderSecret(ctx context.Context, t domain.Tenant, connection, id string, sealed []byte, overlap time.Duration) (v ProviderConnection, until int64, err error) {
	v, err = returning(ctx, s, scanProvider, `UPDATE provider_connections SET secret_us = {now}, version = version + 1, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 RETURNING `+providerColumns, t.ID, connection)
	if err != nil {
		return v, 0, err
	}
	if _, err := s.exec(ctx, `DELETE FROM webhook_secrets WHERE tenant_id = $1 AND provider_connection_id = $2 AND until_us IS NOT NULL`, t.ID, connection); err != nil {
		return v, 0, err
	}
	until, err = returning(ctx, s, value[int64], `UPDATE webhook_secrets SET until_us = {now} + $3 WHERE tenant_id = $1 AND provider_connection_id = $2 RETURNING until_us`,
		t.ID, connection, overlap.Microseconds())
	if err != nil && !isAbsent(err) {
		return v, 0, err
	}
	if _, err = s.exec(ctx, `DELETE FROM signed_hooks WHERE tenant_id = $1 AND connection_id = $2`, t.ID, connection); err != nil {
		return v, 0, err
	}
	_, err = s.exec(ctx, `INSERT INTO webhook_secrets (id, tenant_id, provider_connection_id, sealed, created_us) VALUES ($1, $2, $3, $4, {now})`, id, t.ID, connection, sealed)
	return v, until, err
}

// RotateTrackerSecret is RotateProviderSecret for a tracker connection.
func (s *Store) RotateTrackerSecret(ctx context.Context, t domain.Tenant, connection, id string, sealed []byte, overlap time.Duration) (v TrackerConnection, until int64, err error) {
	v, err = returning(ctx, s, scanTracker, `UPDATE tracker_connections SET secret_us = {now}, version = version + 1, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 RETURNING `+trackerColumns, t.ID, connection)
	if err != nil {
		return v, 0, err
	}
	if _, err := s.exec(ctx, `DELETE FROM webhook_secrets WHERE tenant_id = $1 AND tracker_connection_id = $2 AND until_us IS NOT NULL`, t.ID, connection); err != nil {
		return v, 0, err
	}
	until, err = returning(ctx, s, value[int64], `UPDATE webhook_secrets SET until_us = {now} + $3 WHERE tenant_id = $1 AND tracker_connection_id = $2 RETURNING until_us`,
		t.ID, connection, overlap.Microseconds())
	if err != nil && !isAbsent(err) {
		return v, 0, err
	}
	_, err = s.exec(ctx, `INSERT INTO webhook_secrets (id, tenant_id, tracker_connection_id, sealed, created_us) VALUES ($1, $2, $3, $4, {now})`, id, t.ID, connection, sealed)
	return v, until, err
}

// WebhookSecrets lists the secrets with which a delivery of a connection of
// either sort may be signed now, the newest first: at most two.
func (s *Store) WebhookSecrets(ctx context.Context, t domain.Tenant, connection string) ([]WebhookSecret, error) {
	return many(ctx, s, scanWebhookSecret, `SELECT `+webhookSecretColumns+` FROM webhook_secrets WHERE tenant_id = $1
		AND (provider_connection_id = $2 OR tracker_connection_id = $2) AND (until_us IS NULL OR until_us > {now}) ORDER BY created_us DESC, id DESC`, t.ID, connection)
}

// DropWebhookSecrets ends all webhook secrets of a connection of either sort,
// which now belongs to another account on the host. It returns how many there were.
func (s *Store) DropWebhookSecrets(ctx context.Context, t domain.Tenant, connection string) (int64, error) {
	n, err := s.exec(ctx, `DELETE FROM webhook_secrets WHERE tenant_id = $1 AND (provider_connection_id = $2 OR tracker_connection_id = $2)`, t.ID, connection)
	if err != nil {
		return n, err
	}
	if _, err := s.exec(ctx, `UPDATE provider_connections SET secret_us = NULL WHERE tenant_id = $1 AND id = $2`, t.ID, connection); err != nil {
		return n, err
	}
	_, err = s.exec(ctx, `UPDATE tracker_connections SET secret_us = NULL WHERE tenant_id = $1 AND id = $2`, t.ID, connection)
	return n, err
}
