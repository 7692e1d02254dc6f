package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// HookRemoval is what is needed to remove the webhooks of a connection that was
// deleted. It holds a copy of the token, for a bounded time.
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

// AddHookRemoval keeps v for at most keep; UntilUS is not read. [errs.NotFound]:
// the tenant has no such access.
func (s *Store) AddHookRemoval(ctx context.Context, t domain.Tenant, v HookRemoval, keep time.Duration) error {
	return must1(s.exec1(ctx, `INSERT INTO hook_removals (id, tenant_id, access_id, kind, base_url, owner, username, token, hook_url, until_us)
		SELECT $1, a.tenant_id, a.id, $4, $5, $6, $7, $8, $9, {now} + CAST($10 AS BIGINT) FROM accesses a WHERE a.tenant_id = $2 AND a.id = $3`,
		v.ID, t.ID, v.Access, v.Kind, v.BaseURL, v.Owner, v.Username, v.Token, v.HookURL, keep.Microseconds()))
}

// HookRemoval reads one whose time is not over; [errs.NotFound] else.
func (s *Store) HookRemoval(ctx context.Context, t domain.Tenant, id string) (HookRemoval, error) {
	return one(ctx, s, scanHookRemoval, `SELECT `+hookRemovalColumns+` FROM hook_removals WHERE tenant_id = $1 AND id = $2 AND until_us > {now}`, t.ID, id)
}

// HookRemovalOf reads the newest of an access whose time is not over; [errs.NotFound]
// where there is none.
func (s *Store) HookRemovalOf(ctx context.Context, t domain.Tenant, access string) (HookRemoval, error) {
	return one(ctx, s, scanHookRemoval, `SELECT `+hookRemovalColumns+` FROM hook_removals WHERE tenant_id = $1 AND access_id = $2 AND until_us > {now} ORDER BY until_us DESC, id DESC LIMIT 1`, t.ID, access)
}

// DropHookRemoval forgets one with its token.
func (s *Store) DropHookRemoval(ctx context.Context, t domain.Tenant, id string) error {
	_, err := s.exec(ctx, `DELETE FROM hook_removals WHERE tenant_id = $1 AND id = $2`, t.ID, id)
	return err
}

// DropHookRemovals forgets those of all tenants whose time is over.
func (s *Store) DropHookRemovals(ctx context.Context) error {
	_, err := s.exec(ctx, `DELETE FROM hook_removals WHERE until_us <= {now}`)
	return err
}
