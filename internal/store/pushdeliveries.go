package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// PushDelivery is a row of push_deliveries: one event to one browser.
type PushDelivery struct {
	ID, Subscription, EventID, Event string // Event is its kind
	Repository                       string // only its viewers may see it; "" if it concerns no repository
	State, Payload                   string
	Attempts                         int64
	Error                            string
	CreatedUS                        int64
}

const pushDeliveryColumns = `id, subscription_id, event_id, event, repository_id, state, payload, attempts, error, created_us`

func scanPushDelivery(r scanner, v *PushDelivery) error {
	return r.Scan(&v.ID, &v.Subscription, &v.EventID, &v.Event, &v.Repository, &v.State, &v.Payload, &v.Attempts, &v.Error, &v.CreatedUS)
}

// PushSubscribers lists a tenant's enabled subscriptions of current members.
func (s *Store) PushSubscribers(ctx context.Context, t domain.Tenant) ([]PushSubscription, error) {
	return many(ctx, s, scanPush, `SELECT `+pushColumns+` FROM push_subscriptions WHERE tenant_id = $1 AND enabled AND state = 'active'
		AND EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = $1 AND m.user_id = push_subscriptions.user_id AND `+membershipLives+
		`) ORDER BY id`, t.ID)
}

// PushSubscriber reads an enabled subscription of a current member. It returns [errs.NotFound] if there is
// no such subscription.
func (s *Store) PushSubscriber(ctx context.Context, t domain.Tenant, id string) (PushSubscription, error) {
	return one(ctx, s, scanPush, `SELECT `+pushColumns+` FROM push_subscriptions WHERE tenant_id = $1 AND id = $2 AND enabled
		AND state = 'active'
		AND EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = $1 AND m.user_id = push_subscriptions.user_id AND `+membershipLives+
		`)`, t.ID, id)
}

// AddPushDelivery stores a pending message to a browser, once for each event. It returns [errs.NotFound] if
// there is one for the event or the subscription does not belong to the tenant.
func (s *Store) AddPushDelivery(ctx context.Context, t domain.Tenant, v PushDelivery) (PushDelivery, error) {
	return returning(ctx, s, scanPushDelivery, `INSERT INTO push_deliveries (id, tenant_id, subscription_id, event_id, event,
		repository_id, state, payload, attempts, error, created_us, updated_us)
		VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7, 0, '', {now}, {now}) ON CONFLICT DO NOTHING RETURNING `+pushDeliveryColumns,
		v.ID, t.ID, v.Subscription, v.EventID, v.Event, v.Repository, v.Payload)
}

// PushDelivery reads a message to a browser.
func (s *Store) PushDelivery(ctx context.Context, t domain.Tenant, id string) (PushDelivery, error) {
	return one(ctx, s, scanPushDelivery, `SELECT `+pushDeliveryColumns+` FROM push_deliveries WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// RecordPushAttempt records an attempt to send a pending message. v has the number of earlier attempts, and
// the state and error after this one. It returns false if another process recorded it.
func (s *Store) RecordPushAttempt(ctx context.Context, t domain.Tenant, v PushDelivery) (bool, error) {
	return s.exec1(ctx, `UPDATE push_deliveries SET attempts = attempts + 1, state = $4, error = $5, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND state = 'pending' AND attempts = $3`, t.ID, v.ID, v.Attempts, v.State, clip.Bytes(v.Error, 500))
}
