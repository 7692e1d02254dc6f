package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// ProviderConnection is a row of provider_connections.
type ProviderConnection struct {
	ID, Tenant, Kind, Name   string
	BaseURL, Owner, Username string
	Token                    []byte // sealed
	TokenUS                  int64  // 0 in a write means now
	AllRepositories          bool
	Repositories             string // JSON array
	RegisterWebhooks         bool
	Enabled                  bool
	State, Message           string
	SecretUS                 int64 // of the newest webhook secret; 0 without one
	TokenEndsUS              int64 // expiry of the token; 0 if the host gave none or was not asked
	Version                  int64
	CreatedUS, UpdatedUS     int64
}

const providerColumns = `id, tenant_id, kind, name, base_url, owner, username, token, token_us, all_repositories, repositories,
	register_webhooks, enabled,
	state, message, secret_us, token_ends_us, version, created_us, updated_us`

func scanProvider(r scanner, v *ProviderConnection) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Kind, &v.Name, &v.BaseURL, &v.Owner, &v.Username, &v.Token, &v.TokenUS, &v.AllRepositories,
		&v.Repositories, &v.RegisterWebhooks, &v.Enabled,
		&v.State, &v.Message, number(&v.SecretUS), &v.TokenEndsUS, &v.Version, &v.CreatedUS, &v.UpdatedUS)
}

// CreateProviderConnection creates a connection under v.ID, for which its token was sealed. An empty state
// becomes pending. It ignores the times and version of v.
func (s *Store) CreateProviderConnection(ctx context.Context, t domain.Tenant, v ProviderConnection) (ProviderConnection, error) {
	return returning(ctx, s, scanProvider, `INSERT INTO provider_connections (id, tenant_id, kind, name, base_url, owner, username,
		token, token_us, all_repositories, repositories, register_webhooks, enabled,
		state, message, secret_us, token_ends_us, version, created_us, updated_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, {now}, $9, $10, $11, $12,
			CASE WHEN $13 = '' THEN 'pending' ELSE $13 END, $14, NULL, $15, 1, {now}, {now}) RETURNING `+providerColumns,
		v.ID, t.ID, v.Kind, v.Name, v.BaseURL, v.Owner, v.Username, v.Token, v.AllRepositories, v.Repositories, v.RegisterWebhooks,
		v.Enabled, v.State, v.Message, v.TokenEndsUS)
}

// SetProviderState records the result of a check that was made for a version of a connection. It returns
// false if the connection was deleted or changed since. The version stays, because this is not an edit.
func (s *Store) SetProviderState(ctx context.Context, t domain.Tenant, id string, version int64, state, message string) (bool, error) {
	return s.exec1(ctx, `UPDATE provider_connections SET state = $4, message = $5 WHERE tenant_id = $1 AND id = $2 AND version = $3`,
		t.ID, id, version, state, message)
}

// SetTokenEnd records the expiry of a connection's token in microseconds, 0 for none, as the host gave it
// for this version of the connection. It does nothing if the connection was deleted or changed since.
func (s *Store) SetTokenEnd(ctx context.Context, t domain.Tenant, id string, version, endsUS int64) error {
	_, err := s.exec(ctx, `UPDATE provider_connections SET token_ends_us = $4 WHERE tenant_id = $1 AND id = $2 AND version = $3
		AND token_ends_us <> $4`, t.ID, id, version, endsUS)
	return err
}

// ClaimTokenEndNotice reports whether the administrators must now be notified that the token of a connection
// expires within a time. It returns true once for each expiry, and false for a token that has already
// expired or a connection that no longer has the version.
func (s *Store) ClaimTokenEndNotice(ctx context.Context, t domain.Tenant, id string, version int64, within time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE provider_connections SET token_told_us = token_ends_us WHERE tenant_id = $1 AND id = $2 AND version = $3
		AND token_told_us <> token_ends_us AND token_ends_us > {now} AND token_ends_us <= {now} + $4`, t.ID, id, version, within.Microseconds())
}

// ProviderConnection reads a connection.
func (s *Store) ProviderConnection(ctx context.Context, t domain.Tenant, id string) (ProviderConnection, error) {
	return one(ctx, s, scanProvider, `SELECT `+providerColumns+` FROM provider_connections WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// ProviderConnections lists connections, newest first, at most limit of them.
func (s *Store) ProviderConnections(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]ProviderConnection, error) {
	return many(ctx, s, scanProvider, `SELECT `+providerColumns+` FROM provider_connections WHERE tenant_id = $1
		AND (created_us, id) < ($2, $3) ORDER BY created_us DESC, id DESC LIMIT $4`, t.ID, before.from(), before.ID, limit)
}

// UpdateProviderConnection replaces the editable fields of the connection with version v.Version and
// returns it with the next version. It returns [errs.NotFound] if the connection was deleted or changed in
// the meantime.
func (s *Store) UpdateProviderConnection(ctx context.Context, t domain.Tenant, v ProviderConnection) (ProviderConnection, error) {
	return returning(ctx, s, scanProvider, `UPDATE provider_connections
		SET kind = $4, name = $5, base_url = $6, owner = $7, username = $8, token = $9,
		token_us = CASE WHEN CAST($10 AS BIGINT) = 0 THEN {now} ELSE $10 END, all_repositories = $11, repositories = $12,
			register_webhooks = $13, enabled = $14,
		state = $15, message = $16, token_ends_us = $17, version = version + 1, updated_us = {now} WHERE tenant_id = $1 AND id = $2
			AND version = $3 RETURNING `+providerColumns,
		t.ID, v.ID, v.Version, v.Kind, v.Name, v.BaseURL, v.Owner, v.Username, v.Token, v.TokenUS, v.AllRepositories, v.Repositories,
		v.RegisterWebhooks, v.Enabled,
		v.State, v.Message, v.TokenEndsUS)
}

// DeleteProviderConnection deletes a connection with its webhook secrets. Its access ends; the access and
// its disconnected repositories stay.
func (s *Store) DeleteProviderConnection(ctx context.Context, t domain.Tenant, id string) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.endAccesses(ctx, t, id, ""); err != nil {
			return err
		}
		return s.deleteProviderConnection(ctx, t, id)
	})
}

func (s *Store) deleteProviderConnection(ctx context.Context, t domain.Tenant, id string) error {
	return must1(s.exec1(ctx, `DELETE FROM provider_connections WHERE tenant_id = $1 AND id = $2`, t.ID, id))
}

// blob returns a sealed value for a column, NULL if it is nil.
func blob(sealed []byte) any {
	if sealed == nil {
		return nil
	}
	return sealed
}

// stamp returns the time of a sealed value for a column, NULL if the value is nil.
func stamp(sealed []byte, us int64) any {
	if sealed == nil {
		return nil
	}
	return us
}
