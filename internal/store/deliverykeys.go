package store

import "context"

// DeliveryKey is a connection that may get deliveries, with one of the secrets
// that verify them now.
type DeliveryKey struct {
	Connection, Tenant, Kind string
	Secret                   string // id; "" where the connection has none
	Sealed                   []byte
}

// DeliveryKeys lists the enabled provider connections of all tenants, those of one
// connection newest first; a connection without a secret is there once.
func (s *Store) DeliveryKeys(ctx context.Context) ([]DeliveryKey, error) {
	return many(ctx, s, func(r scanner, v *DeliveryKey) error {
		return r.Scan(&v.Connection, &v.Tenant, &v.Kind, text(&v.Secret), &v.Sealed)
	}, `SELECT c.id, c.tenant_id, c.kind, w.id, w.sealed FROM provider_connections c LEFT JOIN webhook_secrets w
		ON w.tenant_id = c.tenant_id AND w.provider_connection_id = c.id AND (w.until_us IS NULL OR w.until_us > {now})
		WHERE c.enabled = TRUE ORDER BY c.id, w.created_us DESC, w.id DESC`)
}
