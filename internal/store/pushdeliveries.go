package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// PushDelivery is a row of push_deliveries: one event to one browser.
type PushDelivery struct {
	ID, Subscription, EventID, Event string // Event is its kind
	Repository                       string // whose viewers may see it; "": it is about none
	State, Payload                   string
	Attempts                         int64
	Error                            string
	CreatedUS                        int64
}

const pushDeliveryColumns = `id, subscription_id, event_id, event, repository_id, state, payload, attempts, error, created_us`

func scanPushDelivery(r scanner, v *PushDelivery) error {
	return r.Scan(&v.ID, &v.Subscription, &v.EventID, &v.Event, &v.Repository, &v.State, &v.Payload, &v.Attempts, &v.Error, &v.CreatedUS)
}

// PushSubscribers lists the browsers of a tenant that get notifications: enabled
// ones of people who are members now.
func (s *Store) PushSubscribers(ctx context.Context, t domain.Tenant) ([]PushSubscription, error) {
	return many(ctx, s, scanPush, `SELECT `+pushColumns+` FROM push_subscriptions WHERE tenant_id = $1 AND enabled AND state = 'active'
		AND EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = $1 AND m.user_id = push_subscriptions.user_id AND `+lives+`) ORDER BY id`, t.ID)
}

// PushSubscriber reads one of them. [errs.NotFound]: it is none any more.
func (s *Store) PushSubscriber(ctx context.Context, t domain.Tenant, id string) (PushSubscription, error) {
	return one(ctx, s, scanPush, `SELECT `+pushColumns+` FROM push_subscriptions WHERE tenant_id = $1 AND id = $2 AND enabled AND state = 'active'
		AND EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = $1 AND m.user_id = push_subscriptions.user_id AND `+lives+`)`, t.ID, id)
}

// AddPushDelivery stores a pending message to a browser, once for each event.
// [errs.NotFound]: there is one already, or the browser is not the tenant's.
func (s *Store) AddPushDelivery(ctx context.Context, t domain.Tenant, v PushDelivery) (PushDelivery, error) {
	return returning(ctx, s, scanPushDelivery, `INSERT INTO push_deliveries (id, tenant_id, subscription_id, event_id, event, repository_id, state, payload, attempts, error, created_us, updated_us)
		VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7, 0, '', {now}, {now}) ON CONFLICT DO NOTHING RETURNING `+pushDeliveryColumns,
		v.ID, t.ID, v.Subscription, v.EventID, v.Event, v.Repository, v.Payload)
}

// PushDelivery reads a message to a browser.
func (s *Store) PushDelivery(ctx context.Context, t domain.Tenant, id string) (PushDelivery, error) {
	return one(ctx, s, scanPushDelivery, `SELECT `+pushDeliveryColumns+` FROM push_deliveries WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// NotePushAttempt notes what the next attempt to send a pending message led to:
// v has the attempts before it, and state and error after it. False: somebody
// else has noted it.
func (s *Store) NotePushAttempt(ctx context.Context, t domain.Tenant, v PushDelivery) (bool, error) {
	return s.exec1(ctx, `UPDATE push_deliveries SET attempts = attempts + 1, state = $4, error = $5, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND state = 'pending' AND attempts = $3`, t.ID, v.ID, v.Attempts, v.State, clip.Bytes(v.Error, 500))
}
