package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Reasons why a grant's refresh token must not be used any more.
const (
	GrantRefused = "refused" // the tracker rejects it, for example after revocation
	GrantLost    = "lost"    // it may have been used, and its answer is lost
)

// TrackerGrant holds the OAuth tokens that a tracker issued to the app of a connection.
type TrackerGrant struct {
	Generation      int64         // of the tokens, which are sealed under it
	Access, Refresh []byte        // sealed; Refresh is nil if the tracker issued none
	Life            time.Duration // of Access: in a write its lifetime, in a read the rest of it; see Endless
	Endless         bool          // Access does not expire
	Held            bool          // a process is exchanging Refresh for the next generation
	Lapsed          bool          // its lease is over
	Ended           string        // why Refresh must not be used any more; "" if it may be used
}

// lifeUS returns the lifetime of Access in microseconds, 0 if it does not expire, and -1 if it is expired.
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

// PutTrackerGrant stores the tokens from a person's consent, replacing generation v.Generation-1, 0 for
// none. It returns false if another generation is stored.
func (s *Store) PutTrackerGrant(ctx context.Context, t domain.Tenant, connection string, v TrackerGrant) (bool, error) {
	return s.exec1(ctx, `INSERT INTO tracker_grants (tenant_id, connection_id, generation, access, refresh, expires_us, holder,
		lease_us, ended, updated_us)
		SELECT c.tenant_id, c.id, $3, $4, $5, CASE WHEN CAST($6 AS BIGINT) = 0 THEN 0
			ELSE {now} + CAST($6 AS BIGINT) END, '', 0, '', {now} FROM tracker_connections c WHERE c.tenant_id = $1 AND c.id = $2
		ON CONFLICT (tenant_id, connection_id) DO UPDATE SET generation = excluded.generation, access = excluded.access,
			refresh = excluded.refresh, expires_us = excluded.expires_us,
			holder = '', lease_us = 0, ended = '', updated_us = excluded.updated_us
		WHERE tracker_grants.generation = excluded.generation - 1`, t.ID, connection, v.Generation, v.Access, blob(v.Refresh), v.lifeUS())
}

// HoldTrackerGrant reserves the single use of a generation's refresh token for the lease. It returns false
// if the token is reserved or must not be used.
func (s *Store) HoldTrackerGrant(ctx context.Context, t domain.Tenant, connection string, generation int64, holder string,
	lease time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE tracker_grants SET holder = $4, lease_us = {now} + $5 WHERE tenant_id = $1 AND connection_id = $2
		AND generation = $3 AND holder = '' AND ended = '' AND refresh IS NOT NULL`,
		t.ID, connection, generation, holder, lease.Microseconds())
}

// RenewTrackerGrant stores the tokens that the holder received for the refresh token of generation
// v.Generation-1. It returns false if another generation is stored.
func (s *Store) RenewTrackerGrant(ctx context.Context, t domain.Tenant, connection, holder string, v TrackerGrant) (bool, error) {
	return s.exec1(ctx, `UPDATE tracker_grants SET generation = $3, access = $5, refresh = $6, expires_us = CASE
		WHEN CAST($7 AS BIGINT) = 0 THEN 0 ELSE {now} + CAST($7 AS BIGINT) END,
			holder = '', lease_us = 0, ended = '', updated_us = {now}
		WHERE tenant_id = $1 AND connection_id = $2 AND generation = $3 - 1 AND holder = $4`, t.ID, connection, v.Generation, holder,
		v.Access, blob(v.Refresh), v.lifeUS())
}

// FreeTrackerGrant ends a reservation of [Store.HoldTrackerGrant]. ended is "" if the refresh token was
// certainly not sent and can be used again; otherwise it is the reason why the token must not be used. It
// does nothing if the holder has changed.
func (s *Store) FreeTrackerGrant(ctx context.Context, t domain.Tenant, connection string, generation int64, holder, ended string) error {
	_, err := s.exec(ctx, `UPDATE tracker_grants SET holder = '', lease_us = 0, ended = $5 WHERE tenant_id = $1 AND connection_id = $2
		AND generation = $3 AND holder = $4`,
		t.ID, connection, generation, holder, ended)
	return err
}

// LoseTrackerGrant marks a generation as lost whose holder's lease is over.
func (s *Store) LoseTrackerGrant(ctx context.Context, t domain.Tenant, connection string, generation int64) error {
	_, err := s.exec(ctx, `UPDATE tracker_grants SET ended = 'lost' WHERE tenant_id = $1 AND connection_id = $2 AND generation = $3
		AND holder <> '' AND lease_us <= {now} AND ended = ''`,
		t.ID, connection, generation)
	return err
}

// DropTrackerGrant deletes the grant of a connection whose app or sign-in method has changed.
func (s *Store) DropTrackerGrant(ctx context.Context, t domain.Tenant, connection string) error {
	_, err := s.exec(ctx, `DELETE FROM tracker_grants WHERE tenant_id = $1 AND connection_id = $2`, t.ID, connection)
	return err
}
