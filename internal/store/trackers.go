package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// TrackerConnection is a row of tracker_connections.
type TrackerConnection struct {
	ID, Tenant, Kind, Name    string
	BaseURL                   string
	AuthKind, Email, ClientID string
	Token, ClientSecret       []byte // sealed; nil for none
	TokenUS, ClientSecretUS   int64  // 0 in a write means now
	Projects, Mapping         string // JSON
	Enabled                   bool
	State, Message            string
	SecretUS                  int64 // of the newest webhook secret; 0 without one
	Version                   int64
	CreatedUS, UpdatedUS      int64
}

const trackerColumns = `id, tenant_id, kind, name, base_url, auth_kind, email, client_id, token, token_us, client_secret,
	client_secret_us, projects, mapping, enabled,
	state, message, secret_us, version, created_us, updated_us`

func scanTracker(r scanner, v *TrackerConnection) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Kind, &v.Name, &v.BaseURL, &v.AuthKind, &v.Email, &v.ClientID, &v.Token, number(&v.TokenUS),
		&v.ClientSecret, number(&v.ClientSecretUS),
		&v.Projects, &v.Mapping, &v.Enabled, &v.State, &v.Message, number(&v.SecretUS), &v.Version, &v.CreatedUS, &v.UpdatedUS)
}

// CreateTrackerConnection creates a connection under v.ID, for which its secrets were sealed. An empty
// state becomes pending. It ignores the times and version of v.
func (s *Store) CreateTrackerConnection(ctx context.Context, t domain.Tenant, v TrackerConnection) (TrackerConnection, error) {
	return returning(ctx, s, scanTracker, `INSERT INTO tracker_connections (id, tenant_id, kind, name, base_url, auth_kind, email,
		client_id, token, token_us, client_secret, client_secret_us, projects, mapping, enabled,
		state, message, secret_us, version, created_us, updated_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, CASE WHEN CAST($10 AS BIGINT) = 0 THEN {now} END, $11, CASE
			WHEN CAST($12 AS BIGINT) = 0 THEN {now} END,
			$13, $14, $15, CASE WHEN $16 = '' THEN 'pending' ELSE $16 END, $17, NULL, 1, {now}, {now}) RETURNING `+trackerColumns,
		v.ID, t.ID, v.Kind, v.Name, v.BaseURL, v.AuthKind, v.Email, v.ClientID, blob(v.Token), stamp(v.Token, 0), blob(v.ClientSecret),
		stamp(v.ClientSecret, 0),
		v.Projects, v.Mapping, v.Enabled, v.State, v.Message)
}

// SetTrackerState records the result of a check that was made for a version of a connection. It returns
// false if the connection was deleted or changed since. The version stays, because this is not an edit.
func (s *Store) SetTrackerState(ctx context.Context, t domain.Tenant, id string, version int64, state, message string) (bool, error) {
	return s.exec1(ctx, `UPDATE tracker_connections SET state = $4, message = $5 WHERE tenant_id = $1 AND id = $2 AND version = $3`,
		t.ID, id, version, state, message)
}

// TrackerConnection reads a connection.
func (s *Store) TrackerConnection(ctx context.Context, t domain.Tenant, id string) (TrackerConnection, error) {
	return one(ctx, s, scanTracker, `SELECT `+trackerColumns+` FROM tracker_connections WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// TrackerConnections lists connections, newest first, at most limit of them.
func (s *Store) TrackerConnections(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]TrackerConnection, error) {
	return many(ctx, s, scanTracker, `SELECT `+trackerColumns+` FROM tracker_connections WHERE tenant_id = $1
		AND (created_us, id) < ($2, $3) ORDER BY created_us DESC, id DESC LIMIT $4`, t.ID, before.from(), before.ID, limit)
}

// TrackerSignedIn makes a connection with a new grant pending, with the next version. It returns
// [errs.NotFound] if the connection was deleted or changed in the meantime.
func (s *Store) TrackerSignedIn(ctx context.Context, t domain.Tenant, id string, version int64) (TrackerConnection, error) {
	return returning(ctx, s, scanTracker, `UPDATE tracker_connections
		SET state = 'pending', message = '', version = version + 1, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND version = $3 RETURNING `+trackerColumns, t.ID, id, version)
}

// HoldTracker locks the row of a connection until the transaction ends, so that concurrent requests for its
// jobs wait for each other.
func (s *Store) HoldTracker(ctx context.Context, t domain.Tenant, id string) error {
	return must1(s.exec1(ctx, `UPDATE tracker_connections SET id = id WHERE tenant_id = $1 AND id = $2`, t.ID, id))
}

// UpdateTrackerConnection replaces the editable fields of the connection with version v.Version, and
// returns it with the next version. It returns [errs.NotFound] if the connection was deleted or changed in
// the meantime.
func (s *Store) UpdateTrackerConnection(ctx context.Context, t domain.Tenant, v TrackerConnection) (TrackerConnection, error) {
	return returning(ctx, s, scanTracker, `UPDATE tracker_connections
		SET kind = $4, name = $5, base_url = $6, auth_kind = $7, email = $8, client_id = $9,
		token = $10, token_us = CASE WHEN CAST($11 AS BIGINT) = 0 THEN {now} ELSE $11 END,
		client_secret = $12, client_secret_us = CASE WHEN CAST($13 AS BIGINT) = 0 THEN {now} ELSE $13 END,
		projects = $14, mapping = $15, enabled = $16, state = $17, message = $18, version = version + 1, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND version = $3 RETURNING `+trackerColumns,
		t.ID, v.ID, v.Version, v.Kind, v.Name, v.BaseURL, v.AuthKind, v.Email, v.ClientID, blob(v.Token), stamp(v.Token, v.TokenUS),
		blob(v.ClientSecret), stamp(v.ClientSecret, v.ClientSecretUS), v.Projects, v.Mapping, v.Enabled, v.State, v.Message)
}

// DeleteTrackerConnection deletes a connection with its webhook secrets.
func (s *Store) DeleteTrackerConnection(ctx context.Context, t domain.Tenant, id string) error {
	return must1(s.exec1(ctx, `DELETE FROM tracker_connections WHERE tenant_id = $1 AND id = $2`, t.ID, id))
}
