package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Why the refresh token of a grant must not be used any more.
const (
	GrantRefused = "refused" // the tracker does not take it: somebody revoked it
	GrantLost    = "lost"    // it may be used up, and what came for it is lost
)

// TrackerGrant is what a tracker gave by OAuth to the app of a connection.
type TrackerGrant struct {
	Generation      int64         // of the tokens, which are sealed for it
	Access, Refresh []byte        // sealed; Refresh is nil where the tracker gave none
	Life            time.Duration // of Access: in a write from now on, when read what is left of it; see Endless
	Endless         bool          // Access has no end
	Held            bool          // somebody trades Refresh for the next generation
	Lapsed          bool          // and has not come back in time
	Ended           string        // why Refresh must not be used any more; "" where it may
}

// lifeUS is how long Access lives from now on, in microseconds; 0: it has no end.
func (v TrackerGrant) lifeUS() int64 {
	if us := v.Life.Microseconds(); us != 0 || v.Endless {
		return us
	}
	return -1
}

// TrackerGrant reads the grant of a connection.
func (s *Store) TrackerGrant(ctx context.Context, t domain.Tenant, connection string) (TrackerGrant, error) {
	return one(ctx, s, func(r scanner, v *TrackerGrant) error {
		var left int64
		err := r.Scan(&v.Generation, &v.Access, &v.Refresh, &v.Endless, &left, &v.Held, &v.Lapsed, &v.Ended)
		v.Life = time.Duration(left) * time.Microsecond
		return err
	}, `SELECT generation, access, refresh, expires_us = 0, expires_us - {now}, holder <> '', holder <> '' AND lease_us <= {now}, ended
		FROM tracker_grants WHERE tenant_id = $1 AND connection_id = $2`, t.ID, connection)
}

// PutTrackerGrant keeps what a person's consent gave, in place of the generation
// before v.Generation, 0 for none. False: it is another one now.
func (s *Store) PutTrackerGrant(ctx context.Context, t domain.Tenant, connection string, v TrackerGrant) (bool, error) {
	return s.exec1(ctx, `INSERT INTO tracker_grants (tenant_id, connection_id, generation, access, refresh, expires_us, holder, lease_us, ended, updated_us)
		SELECT c.tenant_id, c.id, $3, $4, $5, CASE WHEN CAST($6 AS BIGINT) = 0 THEN 0 ELSE {now} + CAST($6 AS BIGINT) END, '', 0, '', {now} FROM tracker_connections c WHERE c.tenant_id = $1 AND c.id = $2
		ON CONFLICT (tenant_id, connection_id) DO UPDATE SET generation = excluded.generation, access = excluded.access, refresh = excluded.refresh, expires_us = excluded.expires_us,
			holder = '', lease_us = 0, ended = '', updated_us = excluded.updated_us
		WHERE tracker_grants.generation = excluded.generation - 1`, t.ID, connection, v.Generation, v.Access, blob(v.Refresh), v.lifeUS())
}

// HoldTrackerGrant gives one process the right to use the refresh token of a
// generation, once, for so long. False: it is used already, or must not be.
func (s *Store) HoldTrackerGrant(ctx context.Context, t domain.Tenant, connection string, generation int64, holder string, lease time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE tracker_grants SET holder = $4, lease_us = {now} + $5 WHERE tenant_id = $1 AND connection_id = $2 AND generation = $3 AND holder = '' AND ended = '' AND refresh IS NOT NULL`,
		t.ID, connection, generation, holder, lease.Microseconds())
}

// RenewTrackerGrant keeps what the refresh token of the generation before
// v.Generation gave to its holder. False: the connection has another one now.
func (s *Store) RenewTrackerGrant(ctx context.Context, t domain.Tenant, connection, holder string, v TrackerGrant) (bool, error) {
	return s.exec1(ctx, `UPDATE tracker_grants SET generation = $3, access = $5, refresh = $6, expires_us = CASE WHEN CAST($7 AS BIGINT) = 0 THEN 0 ELSE {now} + CAST($7 AS BIGINT) END,
			holder = '', lease_us = 0, ended = '', updated_us = {now}
		WHERE tenant_id = $1 AND connection_id = $2 AND generation = $3 - 1 AND holder = $4`, t.ID, connection, v.Generation, holder, v.Access, blob(v.Refresh), v.lifeUS())
}

// FreeTrackerGrant ends what [Store.HoldTrackerGrant] gave: with "" the refresh token
// was surely not sent and may be used, else it must not be used any more. A holder
// that is late may still come back with what it got.
func (s *Store) FreeTrackerGrant(ctx context.Context, t domain.Tenant, connection string, generation int64, holder, ended string) error {
	_, err := s.exec(ctx, `UPDATE tracker_grants SET holder = '', lease_us = 0, ended = $5 WHERE tenant_id = $1 AND connection_id = $2 AND generation = $3 AND holder = $4`,
		t.ID, connection, generation, holder, ended)
	return err
}

// LoseTrackerGrant gives up a generation whose holder did not come back in time.
func (s *Store) LoseTrackerGrant(ctx context.Context, t domain.Tenant, connection string, generation int64) error {
	_, err := s.exec(ctx, `UPDATE tracker_grants SET ended = 'lost' WHERE tenant_id = $1 AND connection_id = $2 AND generation = $3 AND holder <> '' AND lease_us <= {now} AND ended = ''`,
		t.ID, connection, generation)
	return err
}

// DropTrackerGrant deletes the grant of a connection that has another app, or another
// way to sign in, now.
func (s *Store) DropTrackerGrant(ctx context.Context, t domain.Tenant, connection string) error {
	_, err := s.exec(ctx, `DELETE FROM tracker_grants WHERE tenant_id = $1 AND connection_id = $2`, t.ID, connection)
	return err
}
