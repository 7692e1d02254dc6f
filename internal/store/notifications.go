package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// Notification is a row of notification_deliveries: one message to one channel.
type Notification struct {
	ID, Channel, Event, State string
	EventID                   string // "" for a test
	Payload                   string
	Attempts, ResponseCode    int64
	Error                     string
	NextAttemptUS             int64
	CreatedUS, UpdatedUS      int64
}

const notificationColumns = `id, channel_id, event, state, event_id, payload, attempts, response_code, error, next_attempt_us, ` +
	`created_us, updated_us`

func scanNotification(r scanner, n *Notification) error {
	return r.Scan(&n.ID, &n.Channel, &n.Event, &n.State, &n.EventID, &n.Payload, &n.Attempts, &n.ResponseCode, &n.Error,
		&n.NextAttemptUS, &n.CreatedUS, &n.UpdatedUS)
}

// AddNotification stores a message to a channel, once for each event. It returns [errs.NotFound] if there
// is one for the event or the channel does not belong to the tenant.
func (s *Store) AddNotification(ctx context.Context, t domain.Tenant, n Notification) (Notification, error) {
	return returning(ctx, s, scanNotification, `INSERT INTO notification_deliveries (id, tenant_id, channel_id, event, state, payload,
		attempts, response_code, error, next_attempt_us, created_us, updated_us, event_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, {now}, {now}, $11) ON CONFLICT DO NOTHING RETURNING `+notificationColumns,
		n.ID, t.ID, n.Channel, n.Event, n.State, n.Payload, n.Attempts, n.ResponseCode, n.Error, n.NextAttemptUS, n.EventID)
}

// Notification reads a message to a channel.
func (s *Store) Notification(ctx context.Context, t domain.Tenant, id string) (Notification, error) {
	return one(ctx, s, scanNotification, `SELECT `+notificationColumns+
		` FROM notification_deliveries WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// RecordAttempt records an attempt to send a pending message. n has the number of earlier attempts, and the
// state, response code and error after this one. again is the delay of the next attempt, used only if the
// state is pending. It returns false if the message is not pending or another process recorded this
// attempt.
func (s *Store) RecordAttempt(ctx context.Context, t domain.Tenant, n Notification, again time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE notification_deliveries SET attempts = attempts + 1, state = $4, response_code = $5, error = $6,
		next_attempt_us = CASE WHEN $4 = 'pending' THEN {now} + $7 ELSE 0 END, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND state = 'pending' AND attempts = $3`, t.ID, n.ID, n.Attempts, n.State, n.ResponseCode,
		clip.Bytes(n.Error, 500), again.Microseconds())
}

// EndNotifications fails the pending messages to a channel, with the reason.
func (s *Store) EndNotifications(ctx context.Context, t domain.Tenant, channel, reason string) error {
	_, err := s.exec(ctx, `UPDATE notification_deliveries SET state = 'failed', error = $3, next_attempt_us = 0, updated_us = {now}
		WHERE tenant_id = $1 AND channel_id = $2 AND state = 'pending'`, t.ID, channel, clip.Bytes(reason, 500))
	return err
}

// DropNotifications deletes the messages of one kind to a channel.
func (s *Store) DropNotifications(ctx context.Context, t domain.Tenant, channel, event string) error {
	_, err := s.exec(ctx, `DELETE FROM notification_deliveries WHERE tenant_id = $1 AND channel_id = $2 AND event = $3`, t.ID, channel, event)
	return err
}

// Notifications lists the messages to a channel, newest first, at most limit of them.
func (s *Store) Notifications(ctx context.Context, t domain.Tenant, channel string, before Cursor, limit int) ([]Notification, error) {
	return many(ctx, s, scanNotification, `SELECT `+notificationColumns+` FROM notification_deliveries WHERE tenant_id = $1 AND channel_id = $2
		AND (created_us, id) < ($3, $4) ORDER BY created_us DESC, id DESC LIMIT $5`, t.ID, channel, before.from(), before.ID, limit)
}
