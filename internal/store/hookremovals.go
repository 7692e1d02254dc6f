package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// HookRemoval holds the data to remove the webhooks of a deleted connection, including a copy of the token
// until UntilUS.
type HookRemoval struct {
	ID, Tenant, Access, Kind string
	BaseURL, Owner, Username string
	Token                    []byte // sealed
	HookURL                  string
	UntilUS                  int64
}

const hookRemovalColumns = `id, tenant_id, access_id, kind, base_url, owner, username, token, hook_url, until_us`

func scanHookRemoval(r scanner, v *HookRemoval) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Access, &v.Kind, &v.BaseURL, &v.Owner, &v.Username, &v.Token, &v.HookURL, &v.UntilUS)
}

// AddHookRemoval stores v for the time keep; it ignores UntilUS. It returns [errs.NotFound] if the tenant
// has no such access.
func (s *Store) AddHookRemoval(ctx context.Context, t domain.Tenant, v HookRemoval, keep time.Duration) error {
	return must1(s.exec1(ctx, `INSERT INTO hook_removals (id, tenant_id, access_id, kind, base_url, owner, username, token, hook_url, until_us)
		SELECT $1, a.tenant_id, a.id, $4, $5, $6, $7, $8, $9, {now} + CAST($10 AS BIGINT) FROM accesses a WHERE a.tenant_id = $2 AND a.id = $3`,
		v.ID, t.ID, v.Access, v.Kind, v.BaseURL, v.Owner, v.Username, v.Token, v.HookURL, keep.Microseconds()))
}

// HookRemoval reads an unexpired removal. It returns [errs.NotFound] if there is no such removal.
func (s *Store) HookRemoval(ctx context.Context, t domain.Tenant, id string) (HookRemoval, error) {
	return one(ctx, s, scanHookRemoval, `SELECT `+hookRemovalColumns+
		` FROM hook_removals WHERE tenant_id = $1 AND id = $2 AND until_us > {now}`, t.ID, id)
}

// HookRemovalOf reads the newest unexpired removal of an access. It returns [errs.NotFound] if the access
// has no unexpired removal.
func (s *Store) HookRemovalOf(ctx context.Context, t domain.Tenant, access string) (HookRemoval, error) {
	return one(ctx, s, scanHookRemoval, `SELECT `+hookRemovalColumns+
		` FROM hook_removals WHERE tenant_id = $1 AND access_id = $2 AND until_us > {now} ORDER BY until_us DESC, id DESC LIMIT 1`, t.ID, access)
}

// DropHookRemoval deletes a removal with its token.
func (s *Store) DropHookRemoval(ctx context.Context, t domain.Tenant, id string) error {
	_, err := s.exec(ctx, `DELETE FROM hook_removals WHERE tenant_id = $1 AND id = $2`, t.ID, id)
	return err
}

// DropHookRemovals deletes the expired removals of all tenants.
func (s *Store) DropHookRemovals(ctx context.Context) error {
	_, err := s.exec(ctx, `DELETE FROM hook_removals WHERE until_us <= {now}`)
	return err
}
