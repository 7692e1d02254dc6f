package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// MCPServer is a row of mcp_servers.
type MCPServer struct {
	ID, Tenant, Name     string
	URL                  string
	AuthKind, AuthHeader string
	Secret               []byte // sealed; nil for none
	SecretUS             int64  // 0 in a write means now
	Enabled              bool
	TimeoutSeconds       int64
	State, Message       string
	DiscoveredUS         int64 // 0 for never
	Version              int64
	CreatedUS, UpdatedUS int64
}

const mcpServerColumns = `id, tenant_id, name, url, auth_kind, auth_header, secret, secret_us, enabled, timeout_seconds, state, ` +
	`message, discovered_us, version, created_us, updated_us`

func scanMCPServer(r scanner, v *MCPServer) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Name, &v.URL, &v.AuthKind, &v.AuthHeader, &v.Secret, number(&v.SecretUS), &v.Enabled,
		&v.TimeoutSeconds, &v.State, &v.Message,
		number(&v.DiscoveredUS), &v.Version, &v.CreatedUS, &v.UpdatedUS)
}

// CreateMCPServer creates a server under v.ID, for which its secret was sealed. It ignores state, times and
// version of v.
func (s *Store) CreateMCPServer(ctx context.Context, t domain.Tenant, v MCPServer) (MCPServer, error) {
	return returning(ctx, s, scanMCPServer, `INSERT INTO mcp_servers (id, tenant_id, name, url, auth_kind, auth_header, secret,
		secret_us, enabled, timeout_seconds,
		state, message, discovered_us, version, created_us, updated_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN CAST($8 AS BIGINT) = 0 THEN {now} END, $9, $10, 'pending', '', NULL, 1, {now},
			{now}) RETURNING `+mcpServerColumns,
		v.ID, t.ID, v.Name, v.URL, v.AuthKind, v.AuthHeader, blob(v.Secret), stamp(v.Secret, 0), v.Enabled, v.TimeoutSeconds)
}

// MCPServer reads a server.
func (s *Store) MCPServer(ctx context.Context, t domain.Tenant, id string) (MCPServer, error) {
	return one(ctx, s, scanMCPServer, `SELECT `+mcpServerColumns+` FROM mcp_servers WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// MCPServers lists servers, newest first, at most limit of them.
func (s *Store) MCPServers(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]MCPServer, error) {
	return many(ctx, s, scanMCPServer, `SELECT `+mcpServerColumns+` FROM mcp_servers WHERE tenant_id = $1
		AND (created_us, id) < ($2, $3) ORDER BY created_us DESC, id DESC LIMIT $4`, t.ID, before.from(), before.ID, limit)
}

// UpdateMCPServer replaces the editable fields of the server with version v.Version, and returns it with
// the next version. It returns [errs.NotFound] if the server was deleted or changed in the meantime.
func (s *Store) UpdateMCPServer(ctx context.Context, t domain.Tenant, v MCPServer) (MCPServer, error) {
	return returning(ctx, s, scanMCPServer, `UPDATE mcp_servers SET name = $4, url = $5, auth_kind = $6, auth_header = $7, secret = $8,
		secret_us = CASE WHEN CAST($9 AS BIGINT) = 0 THEN {now} ELSE $9 END, enabled = $10, timeout_seconds = $11, state = $12, message = $13,
		version = version + 1, updated_us = {now} WHERE tenant_id = $1 AND id = $2 AND version = $3 RETURNING `+mcpServerColumns,
		t.ID, v.ID, v.Version, v.Name, v.URL, v.AuthKind, v.AuthHeader, blob(v.Secret), stamp(v.Secret, v.SecretUS), v.Enabled,
		v.TimeoutSeconds, v.State, v.Message)
}

// SetMCPDiscovery records the result of listing a server's tools and increments the version. It returns
// [errs.NotFound] if the server was deleted or does not have the given version any more.
func (s *Store) SetMCPDiscovery(ctx context.Context, t domain.Tenant, id string, version int64, state, message string) (MCPServer, error) {
	return returning(ctx, s, scanMCPServer, `UPDATE mcp_servers SET state = $4, message = $5, discovered_us = {now},
		version = version + 1, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND version = $3 RETURNING `+mcpServerColumns, t.ID, id, version, state, clip.Bytes(message, 500))
}

// RecordUnchangedListing records a listing of a server's tools without changes; the version stays. Errors are as in
// [Store.SetMCPDiscovery].
func (s *Store) RecordUnchangedListing(ctx context.Context, t domain.Tenant, id string, version int64) error {
	return must1(s.exec1(ctx, `UPDATE mcp_servers SET discovered_us = {now} WHERE tenant_id = $1 AND id = $2 AND version = $3`, t.ID,
		id, version))
}

// DeleteMCPServer deletes a server with its tools and the record of its calls.
func (s *Store) DeleteMCPServer(ctx context.Context, t domain.Tenant, id string) error {
	return must1(s.exec1(ctx, `DELETE FROM mcp_servers WHERE tenant_id = $1 AND id = $2`, t.ID, id))
}
