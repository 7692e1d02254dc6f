package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Availability is a period in which a member reviews less or not at all.
type Availability struct {
	ID, Tenant, User string
	FromUS, ToUS     int64
	Kind             string // away or reduced
	Note             string
	CreatedUS        int64
}

const availabilityColumns = `id, tenant_id, user_id, from_us, to_us, kind, note, created_us`

func scanAvailability(r scanner, v *Availability) error {
	return r.Scan(&v.ID, &v.Tenant, &v.User, &v.FromUS, &v.ToUS, &v.Kind, &v.Note, &v.CreatedUS)
}

// CreateAvailability creates a period of a member. It returns [errs.NotFound] if the period is over or
// there is no such member.
func (s *Store) CreateAvailability(ctx context.Context, t domain.Tenant, v Availability) (Availability, error) {
	return returning(ctx, s, scanAvailability, `INSERT INTO availability (id, tenant_id, user_id, from_us, to_us, kind, note, created_us)
		SELECT $1, $2, $3, $4, $5, $6, $7, {now} WHERE CAST($5 AS BIGINT) > {now}
			AND EXISTS (SELECT 1 FROM memberships WHERE tenant_id = $2 AND user_id = $3)
		RETURNING `+availabilityColumns,
		domain.NewID("avl"), t.ID, v.User, v.FromUS, v.ToUS, v.Kind, v.Note)
}

// Availability lists a member's periods, newest first. It includes periods that are over only if past is
// true.
func (s *Store) Availability(ctx context.Context, t domain.Tenant, user string, past bool, before Cursor,
	limit int) ([]Availability, error) {
	return many(ctx, s, scanAvailability, `SELECT `+availabilityColumns+
		` FROM availability WHERE tenant_id = $1 AND user_id = $2 AND ($3 OR to_us > {now})
		AND (created_us, id) < ($4, $5) ORDER BY created_us DESC, id DESC LIMIT $6`, t.ID, user, past, before.from(), before.ID, limit)
}

// DeleteAvailability deletes a period of a member and returns it.
func (s *Store) DeleteAvailability(ctx context.Context, t domain.Tenant, user, id string) (Availability, error) {
	return returning(ctx, s, scanAvailability, `DELETE FROM availability WHERE tenant_id = $1 AND user_id = $2 AND id = $3 RETURNING `+
		availabilityColumns, t.ID, user, id)
}

// DropAvailability deletes periods that ended more than age ago.
func (s *Store) DropAvailability(ctx context.Context, age time.Duration) error {
	_, err := s.exec(ctx, `DELETE FROM availability WHERE to_us < {now} - $1`, age.Microseconds())
	return err
}
