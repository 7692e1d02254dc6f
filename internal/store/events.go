package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Event is a row of events: an occurrence that channels and browsers are notified about.
type Event struct {
	ID, Kind  string
	Subject   string // its subject as text; not a reference
	Body      string // JSON object
	CreatedUS int64
}

// AddEvent stores an event with the job that notifies channels and browsers about it.
func (s *Store) AddEvent(ctx context.Context, t domain.Tenant, kind, subject, body string) error {
	id := domain.NewID("evt")
	return s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.exec(ctx, `INSERT INTO events (id, tenant_id, kind, subject_id, body, created_us)
			VALUES ($1, $2, $3, $4, $5, {now})`, id, t.ID, kind, subject, body); err != nil {
			return err
		}
		_, err := s.Enqueue(ctx, NewJob{Kind: domain.KindEvent, FairKey: t.ID, Subject: id, Dedup: string(domain.KindEvent) + ":" + id,
			Tenant: t.ID})
		return err
	})
}

// Event reads an event.
func (s *Store) Event(ctx context.Context, t domain.Tenant, id string) (Event, error) {
	return one(ctx, s, func(r scanner, v *Event) error { return r.Scan(&v.ID, &v.Kind, &v.Subject, &v.Body, &v.CreatedUS) },
		`SELECT id, kind, subject_id, body, created_us FROM events WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// DropEvents deletes events older than age, and notifications that ended more than age ago, at most 1,000
// of each per call.
func (s *Store) DropEvents(ctx context.Context, age time.Duration) error {
	for _, text := range []string{
		`DELETE FROM notification_deliveries WHERE id IN (SELECT id FROM notification_deliveries WHERE state <> 'pending'
			AND updated_us < {now} - $1 ORDER BY updated_us LIMIT 1000)`,
		`DELETE FROM push_deliveries WHERE id IN (SELECT id FROM push_deliveries WHERE created_us < {now} - $1 ORDER BY created_us LIMIT 1000)`,
		`DELETE FROM events WHERE id IN (SELECT id FROM events WHERE created_us < {now} - $1 ORDER BY created_us LIMIT 1000)`,
	} {
		if _, err := s.exec(ctx, text, age.Microseconds()); err != nil {
			return err
		}
	}
	return nil
}
