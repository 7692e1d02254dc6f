package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// The kinds of settings documents.
const (
	SettingPolicy  = "policy" // of a repository; repository defaults at tenant level
	SettingRouting = "llm"    // model tiers
)

// Setting reads a document; ok is false where there is none. repository is ""
// for the tenant's own.
func (s *Store) Setting(ctx context.Context, t domain.Tenant, repository, kind string) (body string, version int64, ok bool, err error) {
	type doc struct {
		body    string
		version int64
	}
	d, err := one(ctx, s, func(r scanner, d *doc) error { return r.Scan(&d.body, &d.version) },
		`SELECT body, version FROM settings WHERE tenant_id = $1 AND repository_id = $2 AND kind = $3`, t.ID, repository, kind)
	if isAbsent(err) {
		return "", 0, false, nil
	}
	return d.body, d.version, err == nil, err
}

// PutSetting replaces a document. A repository must be the tenant's.
func (s *Store) PutSetting(ctx context.Context, t domain.Tenant, repository, kind, body string) error {
	return must1(s.exec1(ctx, `INSERT INTO settings (tenant_id, repository_id, kind, body, version, updated_us)
		SELECT $1, $2, $3, $4, 1, {now} WHERE $2 = '' OR EXISTS (SELECT 1 FROM repositories WHERE tenant_id = $1 AND id = $2)
		ON CONFLICT (tenant_id, repository_id, kind) DO UPDATE SET body = excluded.body, version = settings.version + 1, updated_us = excluded.updated_us`,
		t.ID, repository, kind, body))
}

// Credential is a stored model key; the key is sealed.
type Credential struct {
	ID, Name, Kind, BaseURL string
	APIKey                  []byte // nil: the endpoint needs none
	MaxConcurrency          int64
	Version                 int64
}

const credentialColumns = `id, name, kind, base_url, api_key, max_concurrency, version`

func scanCredential(r scanner, c *Credential) error {
	return r.Scan(&c.ID, &c.Name, &c.Kind, &c.BaseURL, &c.APIKey, &c.MaxConcurrency, &c.Version)
}

// SaveCredential makes or replaces a model key under its id.
func (s *Store) SaveCredential(ctx context.Context, t domain.Tenant, c Credential) error {
	return must1(s.exec1(ctx, `INSERT INTO llm_credentials (id, tenant_id, name, kind, base_url, api_key, max_concurrency, version, created_us, updated_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 1, {now}, {now})
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, base_url = excluded.base_url, api_key = excluded.api_key,
			max_concurrency = excluded.max_concurrency, version = llm_credentials.version + 1, updated_us = excluded.updated_us
		WHERE llm_credentials.tenant_id = $2`, c.ID, t.ID, c.Name, c.Kind, c.BaseURL, c.APIKey, c.MaxConcurrency))
}

// Credential reads a model key of a tenant.
func (s *Store) Credential(ctx context.Context, t domain.Tenant, id string) (Credential, error) {
	return one(ctx, s, scanCredential, `SELECT `+credentialColumns+` FROM llm_credentials WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// Credentials lists the model keys of a tenant by name.
func (s *Store) Credentials(ctx context.Context, t domain.Tenant) ([]Credential, error) {
	return many(ctx, s, scanCredential, `SELECT `+credentialColumns+` FROM llm_credentials WHERE tenant_id = $1 ORDER BY name, id`, t.ID)
}
