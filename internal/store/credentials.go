package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Credential is a stored model key; the key is sealed.
type Credential struct {
	ID, Name, Kind       string
	Preset, BaseURL      string
	Resource, Region     string
	DataRegion           string
	APIKey               []byte // nil if the endpoint needs no key
	APIKeyUS             int64  // when the key was last set; 0 if there is no key
	MaxConcurrency       int64  // 0 means the process's default
	BlockedUntilUS       int64
	Version              int64 // every change increments it
	CreatedUS, UpdatedUS int64
}

const credentialColumns = `id, name, kind, preset, base_url, resource, region, data_region, api_key, api_key_us, ` +
	`max_concurrency, blocked_until_us, version, created_us, updated_us`

func scanCredential(r scanner, c *Credential) error {
	return r.Scan(&c.ID, &c.Name, &c.Kind, &c.Preset, &c.BaseURL, &c.Resource, &c.Region, &c.DataRegion, &c.APIKey, &c.APIKeyUS,
		&c.MaxConcurrency, &c.BlockedUntilUS,
		&c.Version, &c.CreatedUS, &c.UpdatedUS)
}

// CreateCredential creates a model key under its id. It ignores the times and version of c. It returns
// [errs.Conflict] if the tenant has a model key with this name.
func (s *Store) CreateCredential(ctx context.Context, t domain.Tenant, c Credential) (Credential, error) {
	return returning(ctx, s, scanCredential, `INSERT INTO llm_credentials (id, tenant_id, name, kind, preset, base_url, resource,
		region, data_region, api_key, api_key_us,
		max_concurrency, version, created_us, updated_us) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, CASE WHEN $12 THEN {now}
			ELSE 0 END, $11, 1, {now}, {now})
		RETURNING `+credentialColumns,
		c.ID, t.ID, c.Name, c.Kind, c.Preset, c.BaseURL, c.Resource, c.Region, c.DataRegion, c.APIKey, c.MaxConcurrency, len(c.APIKey) > 0)
}

// UpdateCredential replaces the editable fields of the model key with version c.Version, and returns it
// with the next version. If newKey is true, c.APIKey replaces the key; nil removes it. The provider's pause
// becomes c.BlockedUntilUS, 0 for none; the caller locks the key with [Store.HoldCredential], so that it
// cannot overwrite a newer pause. It returns [errs.NotFound] if the model key was deleted or changed in the
// meantime.
func (s *Store) UpdateCredential(ctx context.Context, t domain.Tenant, c Credential, newKey bool) (Credential, error) {
	return returning(ctx, s, scanCredential, `UPDATE llm_credentials
		SET name = $4, preset = $5, base_url = $6, resource = $7, region = $8, data_region = $9, max_concurrency = $10,
		api_key = CASE WHEN $11 THEN $12 ELSE api_key END, api_key_us = CASE WHEN NOT $11 THEN api_key_us WHEN $13 THEN {now} ELSE 0 END,
		blocked_until_us = $14, version = version + 1, updated_us = {now} WHERE tenant_id = $1 AND id = $2 AND version = $3 RETURNING `+
		credentialColumns,
		t.ID, c.ID, c.Version, c.Name, c.Preset, c.BaseURL, c.Resource, c.Region, c.DataRegion, c.MaxConcurrency, newKey, c.APIKey,
		len(c.APIKey) > 0, c.BlockedUntilUS)
}

// Credential reads a model key of a tenant.
func (s *Store) Credential(ctx context.Context, t domain.Tenant, id string) (Credential, error) {
	return one(ctx, s, scanCredential, `SELECT `+credentialColumns+` FROM llm_credentials WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// HoldCredential is like [Store.Credential], but locks the key against change and deletion until the
// transaction of ctx ends. The lock keeps a policy from naming a key while another transaction deletes it.
func (s *Store) HoldCredential(ctx context.Context, t domain.Tenant, id string) (Credential, error) {
	return returning(ctx, s, scanCredential, `SELECT `+credentialColumns+
		` FROM llm_credentials WHERE tenant_id = $1 AND id = $2{forupdate}`, t.ID, id)
}

// HoldCredentials is like [Store.HoldCredential] for every model key of a tenant. It locks them in the
// order of their ids, so that two transactions cannot deadlock.
func (s *Store) HoldCredentials(ctx context.Context, t domain.Tenant) ([]Credential, error) {
	return returned(ctx, s, scanCredential, `SELECT `+credentialColumns+
		` FROM llm_credentials WHERE tenant_id = $1 ORDER BY id{forupdate}`, t.ID)
}

// CredentialPage lists the model keys of a tenant, newest first, at most limit of them.
func (s *Store) CredentialPage(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]Credential, error) {
	return many(ctx, s, scanCredential, `SELECT `+credentialColumns+` FROM llm_credentials WHERE tenant_id = $1
		AND (created_us, id) < ($2, $3) ORDER BY created_us DESC, id DESC LIMIT $4`, t.ID, before.from(), before.ID, limit)
}

// DeleteCredential deletes a model key.
func (s *Store) DeleteCredential(ctx context.Context, t domain.Tenant, id string) error {
	return must1(s.exec1(ctx, `DELETE FROM llm_credentials WHERE tenant_id = $1 AND id = $2`, t.ID, id))
}

// BlockCredential pauses calls with a key for d in every process, because the provider asked for it. A
// longer pause stays. The version stays, because this is not an edit.
func (s *Store) BlockCredential(ctx context.Context, t domain.Tenant, id string, d time.Duration) error {
	return must1(s.exec1(ctx, `UPDATE llm_credentials SET blocked_until_us = CASE
		WHEN blocked_until_us > {now} + $3 THEN blocked_until_us ELSE {now} + $3 END
		WHERE tenant_id = $1 AND id = $2`, t.ID, id, d.Microseconds()))
}

// CredentialBlock returns the rest of a key's pause by the database's clock, 0 if calls are allowed.
func (s *Store) CredentialBlock(ctx context.Context, t domain.Tenant, id string) (time.Duration, error) {
	us, err := one(ctx, s, value[int64], `SELECT CASE WHEN blocked_until_us > {now} THEN blocked_until_us - {now} ELSE 0 END
		FROM llm_credentials WHERE tenant_id = $1 AND id = $2`, t.ID, id)
	return time.Duration(us) * time.Microsecond, err
}

// CredentialRefusals returns the request parts that the endpoint of a key refuses for a model. It returns
// only unexpired refusals of the key's current version, and never nil.
func (s *Store) CredentialRefusals(ctx context.Context, t domain.Tenant, id, model string) ([]string, error) {
	lists, err := many(ctx, s, value[string], `SELECT r.parts FROM llm_refusals r
		JOIN llm_credentials c ON c.id = r.credential_id AND c.version = r.credential_version
		WHERE r.tenant_id = $1 AND r.credential_id = $2 AND r.model = $3 AND r.until_us > {now}`, t.ID, id, model)
	if err != nil || len(lists) == 0 {
		return []string{}, err
	}
	return append([]string{}, FromJSON[[]string](lists[0])...), nil
}

// KeepRefusals stores for d the request parts that the endpoint of a key refuses for a model. It does
// nothing if the key has another version or was deleted.
func (s *Store) KeepRefusals(ctx context.Context, t domain.Tenant, id string, version int64, model string, parts []string,
	d time.Duration,
) error {
	_, err := s.exec1(ctx, `INSERT INTO llm_refusals (tenant_id, credential_id, model, credential_version, parts, until_us)
		SELECT tenant_id, id, $4, version, $5, {now} + $6 FROM llm_credentials WHERE tenant_id = $1 AND id = $2 AND version = $3
		ON CONFLICT (credential_id, model) DO UPDATE SET credential_version = excluded.credential_version, parts = excluded.parts,
		until_us = excluded.until_us`,
		t.ID, id, version, model, JSON(parts), d.Microseconds())
	return err
}

// ForgetRefusals deletes the refusals of a key for every model.
func (s *Store) ForgetRefusals(ctx context.Context, t domain.Tenant, id string) error {
	_, err := s.exec1(ctx, `DELETE FROM llm_refusals WHERE tenant_id = $1 AND credential_id = $2`, t.ID, id)
	return err
}
