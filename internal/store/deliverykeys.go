package store

import "context"

// DeliveryKey is an enabled connection with one of its currently valid webhook secrets.
type DeliveryKey struct {
	Connection, Tenant, Kind string
	Secret                   string // id; "" if the connection has no secret
	Sealed                   []byte
}

// DeliveryKeys lists the enabled connections to code hosts and issue trackers of all tenants, with one row
// per valid secret, newest secret first. A connection without a secret has one row.
func (s *Store) DeliveryKeys(ctx context.Context) ([]DeliveryKey, error) {
	keys := func(table, column string) string {
		return `SELECT c.id AS connection, c.tenant_id AS tenant, c.kind AS kind, w.id AS secret, w.sealed AS sealed, w.created_us AS made
			FROM ` + table + ` c LEFT JOIN webhook_secrets w
			ON w.tenant_id = c.tenant_id AND w.` + column + ` = c.id AND (w.until_us IS NULL OR w.until_us > {now}) WHERE c.enabled = TRUE`
	}
	return many(ctx, s, func(r scanner, v *DeliveryKey) error {
		return r.Scan(&v.Connection, &v.Tenant, &v.Kind, text(&v.Secret), &v.Sealed)
	}, `SELECT k.connection, k.tenant, k.kind, k.secret, k.sealed FROM (`+keys("provider_connections", "provider_connection_id")+` UNION ALL `+
		keys("tracker_connections", "tracker_connection_id")+`) k ORDER BY k.connection, k.made DESC, k.secret DESC`)
}
