package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// PushKey is the instance's key pair for push services. The private key is sealed.
type PushKey struct {
	Public  string // unpadded base64url of the uncompressed point
	Private []byte
}

func scanPushKey(r scanner, k *PushKey) error { return r.Scan(&k.Public, &k.Private) }

// PushKey reads the key pair. It returns [errs.NotFound] before the first one is stored.
func (s *Store) PushKey(ctx context.Context) (PushKey, error) {
	return one(ctx, s, scanPushKey, `SELECT public_key, private_key FROM push_keys WHERE id = 'vapid'`)
}

// CreatePushKey stores a key pair if none is stored, and returns the stored one.
func (s *Store) CreatePushKey(ctx context.Context, k PushKey) (PushKey, error) {
	if _, err := s.exec(ctx, `INSERT INTO push_keys (id, public_key, private_key, created_us) VALUES ('vapid', $1, $2, {now})
		ON CONFLICT (id) DO NOTHING`, k.Public, k.Private); err != nil {
		return PushKey{}, err
	}
	return first(ctx, s, s.db.Write, scanPushKey, `SELECT public_key, private_key FROM push_keys WHERE id = 'vapid'`, nil)
}

// PushSubscription is a member's browser that receives notifications.
type PushSubscription struct {
	ID, Tenant, User string
	EndpointHash     string // SHA-256 of the endpoint, hexadecimal
	Host             string // of the endpoint
	Endpoint, Auth   []byte // sealed
	P256dh           string // unpadded base64url
	AuthUS           int64  // when the secrets were set
	Label            string
	Topics           string // JSON array
	QuietHours       string // JSON object; "" for none
	Enabled          bool
	State            string // active, or gone after the push service reported it
	SentUS           int64  // 0 before the first message
	Version          int64
	CreatedUS        int64
	UpdatedUS        int64
}

const pushColumns = `id, tenant_id, user_id, endpoint_hash, host, endpoint, auth, p256dh, auth_us, label, topics, quiet_hours, ` +
	`enabled, state, sent_us, version, created_us, updated_us`

func scanPush(r scanner, v *PushSubscription) error {
	return r.Scan(&v.ID, &v.Tenant, &v.User, &v.EndpointHash, &v.Host, &v.Endpoint, &v.Auth, &v.P256dh, &v.AuthUS, &v.Label, &v.Topics,
		&v.QuietHours, &v.Enabled, &v.State,
		number(&v.SentUS), &v.Version, &v.CreatedUS, &v.UpdatedUS)
}

// CreatePushSubscription stores a subscription under v.ID, because its secrets are sealed for that row.
func (s *Store) CreatePushSubscription(ctx context.Context, t domain.Tenant, v PushSubscription) (PushSubscription, error) {
	return returning(ctx, s, scanPush, `INSERT INTO push_subscriptions (id, tenant_id, user_id, endpoint_hash, host, endpoint, auth,
		p256dh, auth_us, label, topics, quiet_hours, enabled, state,
		version, created_us, updated_us) SELECT $1, $2, $3, $4, $5, $6, $7, $8, {now}, $9, $10, $11, $12, 'active', 1, {now}, {now}
		WHERE EXISTS (SELECT 1 FROM memberships WHERE tenant_id = $2 AND user_id = $3) RETURNING `+pushColumns,
		v.ID, t.ID, v.User, v.EndpointHash, v.Host, v.Endpoint, v.Auth, v.P256dh, v.Label, v.Topics, v.QuietHours, v.Enabled)
}

// PushSubscriptions lists the subscriptions of a member, newest first.
func (s *Store) PushSubscriptions(ctx context.Context, t domain.Tenant, user string) ([]PushSubscription, error) {
	return many(ctx, s, scanPush, `SELECT `+pushColumns+` FROM push_subscriptions WHERE tenant_id = $1 AND user_id = $2
		ORDER BY created_us DESC, id DESC`, t.ID, user)
}

// PushSubscription reads a subscription of a member.
func (s *Store) PushSubscription(ctx context.Context, t domain.Tenant, user, id string) (PushSubscription, error) {
	return one(ctx, s, scanPush, `SELECT `+pushColumns+` FROM push_subscriptions WHERE tenant_id = $1 AND user_id = $2 AND id = $3`,
		t.ID, user, id)
}

// UpdatePushSubscription replaces the editable fields of the subscription with version v.Version, and also
// its keys if v.Auth is set. It returns [errs.NotFound] if the subscription was deleted or changed in the
// meantime.
func (s *Store) UpdatePushSubscription(ctx context.Context, t domain.Tenant, v PushSubscription) (PushSubscription, error) {
	renewed := v.Auth != nil
	return returning(ctx, s, scanPush, `UPDATE push_subscriptions SET label = $5, topics = $6, quiet_hours = $7, enabled = $8, state = $9,
		p256dh = CASE WHEN $10 THEN $11 ELSE p256dh END, auth = CASE WHEN $10 THEN $12 ELSE auth END, auth_us = CASE WHEN $10 THEN {now}
			ELSE auth_us END,
		version = version + 1, updated_us = {now} WHERE tenant_id = $1 AND user_id = $2 AND id = $3 AND version = $4 RETURNING `+pushColumns,
		t.ID, v.User, v.ID, v.Version, v.Label, v.Topics, v.QuietHours, v.Enabled, v.State, renewed, v.P256dh, v.Auth)
}

// RecordPush records that a push service accepted a message, or with gone that it does not know the
// subscription any more.
func (s *Store) RecordPush(ctx context.Context, t domain.Tenant, id string, gone bool) error {
	return must1(s.exec1(ctx, `UPDATE push_subscriptions SET state = CASE WHEN $3 THEN 'gone' ELSE state END, sent_us = CASE
		WHEN $3 THEN sent_us ELSE {now} END,
		version = version + CASE WHEN $3 THEN 1 ELSE 0 END WHERE tenant_id = $1 AND id = $2`, t.ID, id, gone))
}

// DeletePushSubscription deletes a subscription of a member and returns it.
func (s *Store) DeletePushSubscription(ctx context.Context, t domain.Tenant, user, id string) (PushSubscription, error) {
	return returning(ctx, s, scanPush, `DELETE FROM push_subscriptions WHERE tenant_id = $1 AND user_id = $2 AND id = $3 RETURNING `+
		pushColumns, t.ID, user, id)
}
