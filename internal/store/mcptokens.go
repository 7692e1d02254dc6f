package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// MCPToken is a row of mcp_tokens with its owner's name. Only the hash of the
// token is stored.
type MCPToken struct {
	ID, Tenant, User, UserName string
	Name, Prefix               string
	Scopes                     string // JSON array
	CreatedUS                  int64
	UsedUS                     int64 // 0 for never
	ExpiresUS                  int64
}

const mcpTokenColumns = `id, tenant_id, user_id, (SELECT display_name FROM users WHERE users.id = user_id), name, prefix, ` +
	`scopes, created_us, used_us, expires_us`

func scanMCPToken(r scanner, v *MCPToken) error {
	return r.Scan(&v.ID, &v.Tenant, &v.User, &v.UserName, &v.Name, &v.Prefix, &v.Scopes, &v.CreatedUS, number(&v.UsedUS), &v.ExpiresUS)
}

// CreateMCPToken stores a token of a member. mostUS is its maximum lifetime. It returns [errs.NotFound] if
// v.ExpiresUS is past or exceeds the maximum, or the person is not a member.
func (s *Store) CreateMCPToken(ctx context.Context, t domain.Tenant, v MCPToken, hash string, mostUS int64) (MCPToken, error) {
	return returning(ctx, s, scanMCPToken, `INSERT INTO mcp_tokens (id, tenant_id, user_id, name, prefix, token_hash, scopes,
		created_us, expires_us)
		SELECT $1, $2, $3, $4, $5, $6, $7, {now}, CAST($8 AS BIGINT) WHERE CAST($8 AS BIGINT) > {now}
			AND CAST($8 AS BIGINT) <= {now} + CAST($9 AS BIGINT)
		AND EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = $2 AND m.user_id = $3 AND `+membershipLives+`) RETURNING `+mcpTokenColumns,
		domain.NewID("mct"), t.ID, v.User, v.Name, v.Prefix, hash, v.Scopes, v.ExpiresUS, mostUS)
}

// MCPTokens lists a person's tokens, or all for "", newest first, at most limit of them.
func (s *Store) MCPTokens(ctx context.Context, t domain.Tenant, user string, before Cursor, limit int) ([]MCPToken, error) {
	return many(ctx, s, scanMCPToken, `SELECT `+mcpTokenColumns+` FROM mcp_tokens WHERE tenant_id = $1 AND ($2 = '' OR user_id = $2)
		AND (created_us, id) < ($3, $4) ORDER BY created_us DESC, id DESC LIMIT $5`, t.ID, user, before.from(), before.ID, limit)
}

// DeleteMCPToken deletes a token of a person, or of any person for "", and returns it.
func (s *Store) DeleteMCPToken(ctx context.Context, t domain.Tenant, user, id string) (MCPToken, error) {
	return returning(ctx, s, scanMCPToken, `DELETE FROM mcp_tokens WHERE tenant_id = $1 AND ($2 = '' OR user_id = $2) AND id = $3
		RETURNING `+mcpTokenColumns, t.ID, user, id)
}

// MCPCaller is the person and tenant that a token authenticates.
type MCPCaller struct {
	Token, Tenant string      // ids
	Scopes        string      // JSON array
	Role          domain.Role // the owner's current role in the tenant
	User          User
}

// UseMCPToken finds the unexpired token with a hash, its owner and the owner's current role, and records
// the use to the minute. It returns [errs.NotFound] if there is no such token or its owner is not a member
// any more.
func (s *Store) UseMCPToken(ctx context.Context, hash string) (MCPCaller, error) {
	var user string
	v, err := one(ctx, s, func(r scanner, v *MCPCaller) error { return r.Scan(&v.Token, &v.Scopes, &v.Tenant, &user) },
		`SELECT id, scopes, tenant_id, user_id FROM mcp_tokens WHERE token_hash = $1 AND expires_us > {now}`, hash)
	if err != nil {
		return MCPCaller{}, err
	}
	if v.Role, err = s.RoleOf(ctx, domain.Tenant{ID: v.Tenant}, user); err != nil {
		return MCPCaller{}, err
	}
	if v.Role == "" {
		return MCPCaller{}, errs.Absent()
	}
	if v.User, err = s.UserByID(ctx, user); err != nil {
		return MCPCaller{}, err
	}
	_, err = s.exec(ctx, `UPDATE mcp_tokens SET used_us = {now} WHERE id = $1 AND (used_us IS NULL OR used_us < {now} - 60000000)`, v.Token)
	return v, err
}

// EndMCPTokens deletes the tokens of a person who is not a member any more. Call it after any removal of a
// membership.
func (s *Store) EndMCPTokens(ctx context.Context, t domain.Tenant, user string) error {
	_, err := s.exec(ctx, `DELETE FROM mcp_tokens WHERE tenant_id = $1 AND user_id = $2
		AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = $1 AND m.user_id = $2 AND `+membershipLives+`)`, t.ID, user)
	return err
}

// DropMCPTokens deletes tokens that expired more than thirty days ago, and tokens whose owner's membership
// has lapsed. Lists show expired tokens until then.
func (s *Store) DropMCPTokens(ctx context.Context) error {
	_, err := s.exec(ctx, `DELETE FROM mcp_tokens WHERE expires_us < {now} - 2592000000000
		OR NOT EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = mcp_tokens.tenant_id AND m.user_id = mcp_tokens.user_id AND `+
		membershipLives+`)`)
	return err
}
