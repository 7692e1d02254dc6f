package store

import (
	"context"
	"encoding/base64"
)

// SealedColumn is a column of sealed values. [SealedColumns] lists all of them.
type SealedColumn struct {
	Table, Column string
	// sealedAs is the column that the values were sealed for, if they were moved from another column.
	sealedAs string
	key      string // SQL expression that identifies a row: unique, not empty
	row      string // SQL expression of the row's name in the sealing scope; the key if ""
	shared   bool   // of the instance, without a tenant
	where    string // SQL condition on the rows
	text     bool   // base 64 in a text column
	large    bool   // values of up to some MiB
}

// Batch returns how many values of the column a caller reads at once: limit, or fewer if the values are large.
func (c SealedColumn) Batch(limit int) int {
	if c.large {
		return min(limit, 2)
	}
	return limit
}

// SealedColumns lists all columns of sealed values. The values of a missing column would keep replaced data
// keys and become unreadable after these keys are dropped. A test compares the list with the schema.
func SealedColumns() []SealedColumn {
	const id, name, state = "id", "name", "state_hash"
	return []SealedColumn{
		{Table: "apps", Column: "private_key", key: id, shared: true},
		{Table: "apps", Column: "webhook_secret", key: id, shared: true},
		{Table: "apps", Column: "next_webhook_secret", key: id, shared: true},
		{Table: "apps", Column: "client_secret", key: id, shared: true},
		{Table: "audit_keys", Column: "sealed", key: name, shared: true},
		{Table: "hook_removals", Column: "token", key: id},
		{Table: "identity_providers", Column: "client_secret", key: id, shared: true},
		{Table: "identity_tokens", Column: "access_token", key: tokenKey, row: tokenRow, shared: true},
		{Table: "identity_tokens", Column: "refresh_token", key: tokenKey, row: tokenRow, shared: true},
		{Table: "instance_documents", Column: "body", key: "kind", shared: true, where: " AND kind = '" + DocumentBootstrap + "'", text: true},
		{Table: "llm_credentials", Column: "api_key", key: id},
		{Table: "mcp_servers", Column: "secret", key: id},
		{Table: "notification_channels", Column: "target", key: id},
		{Table: "notification_channels", Column: "secret", key: id},
		{Table: "notification_channels", Column: "previous_secret", sealedAs: "secret", key: id},
		{Table: "provider_connections", Column: "token", key: id},
		{Table: "push_keys", Column: "private_key", key: id, shared: true},
		{Table: "push_subscriptions", Column: "endpoint", key: id},
		{Table: "push_subscriptions", Column: "auth", key: id},
		{Table: "sast_documents", Column: "body", key: "sast_run_id", large: true},
		{Table: "sign_in_states", Column: "sealed", key: state, shared: true},
		{Table: "tracker_connections", Column: "token", key: id},
		{Table: "tracker_connections", Column: "client_secret", key: id},
		{Table: "tracker_grants", Column: "access", key: "connection_id", row: grantRow},
		{Table: "tracker_grants", Column: "refresh", key: "connection_id", row: grantRow},
		{Table: "webhook_secrets", Column: "sealed", key: id},
	}
}

const (
	tokenKey = `identity_id || ' ' || app_id`
	tokenRow = `(SELECT i.issuer || ' ' || i.subject FROM identities i WHERE i.id = identity_id) || ' ' || app_id`
	grantRow = `connection_id || '.' || CAST(generation AS TEXT)`
)

// SealedValue is a sealed value with its place.
type SealedValue struct {
	Tenant, Table, Row, Column string // of the scope that it was sealed for
	Sealed                     []byte
	Key                        string // identifies its row in the column, for [Store.SealedValues]
}

// SealedValues lists at most limit values of a column, starting after the key after; "" starts at the
// first.
func (s *Store) SealedValues(ctx context.Context, c SealedColumn, after string, limit int) ([]SealedValue, error) {
	tenant, row := "tenant_id", c.row
	if c.shared {
		tenant = "''"
	}
	if row == "" {
		row = c.key
	}
	return many(ctx, s, func(r scanner, v *SealedValue) error {
		v.Table, v.Column = c.Table, c.Column
		if c.sealedAs != "" {
			v.Column = c.sealedAs
		}
		if !c.text {
			return r.Scan(&v.Tenant, &v.Row, &v.Key, &v.Sealed)
		}
		var encoded string
		if err := r.Scan(&v.Tenant, &v.Row, &v.Key, &encoded); err != nil {
			return err
		}
		var err error
		v.Sealed, err = base64.StdEncoding.DecodeString(encoded)
		return err
	}, `SELECT `+tenant+`, `+row+`, `+c.key+`, `+c.Column+` FROM `+c.Table+`
		WHERE `+c.Column+` IS NOT NULL`+c.where+` AND ($1 = '' OR `+c.key+` > $1) ORDER BY `+c.key+` LIMIT $2`, after, limit)
}

// Reseal replaces a sealed value. It returns false and changes nothing if the value changed since v was
// read.
func (s *Store) Reseal(ctx context.Context, c SealedColumn, v SealedValue, sealed []byte) (bool, error) {
	var was, next any = v.Sealed, sealed
	if c.text {
		was, next = base64.StdEncoding.EncodeToString(v.Sealed), base64.StdEncoding.EncodeToString(sealed)
	}
	return s.exec1(ctx, `UPDATE `+c.Table+` SET `+c.Column+` = $1 WHERE `+c.key+` = $2 AND `+c.Column+` = $3`, next, v.Key, was)
}
