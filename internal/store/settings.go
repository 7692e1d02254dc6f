package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// The kinds of settings documents.
const (
	SettingPolicy      = "policy" // of a repository; repository defaults at tenant level
	SettingModelPolicy = "llm"    // model tiers
	SettingPrices      = "prices" // what models cost, as the tenant's admins have entered it; at tenant level only
	SettingTenant      = "tenant" // what the tenant says of itself and its people; at tenant level only
	SettingMCP         = "mcp"    // what the tenant shows at /mcp; at tenant level only
)

// NeverStored is the version of a document that must not be there yet, for
// [Store.PutSettingAt].
const NeverStored int64 = -1

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

// Document is a settings document; the zero value is one that is not stored.
type Document struct {
	Body               string
	Version, UpdatedUS int64
}

func scanDocument(r scanner, d *Document) error { return r.Scan(&d.Body, &d.Version, &d.UpdatedUS) }

// Document reads a settings document with its time. One that is not stored is
// the zero value.
func (s *Store) Document(ctx context.Context, t domain.Tenant, repository, kind string) (Document, error) {
	d, err := one(ctx, s, scanDocument, `SELECT body, version, updated_us FROM settings WHERE tenant_id = $1 AND repository_id = $2 AND kind = $3`, t.ID, repository, kind)
	if isAbsent(err) {
		return Document{}, nil
	}
	return d, err
}

// PutSettingAt replaces a document whose version is the given one, and returns
// it with the next; 0 is any version, [NeverStored] none. Errors: [errs.Stale]
// where another version is stored, [errs.NotFound] where tenant or repository
// are not there.
func (s *Store) PutSettingAt(ctx context.Context, t domain.Tenant, repository, kind, body string, version int64) (Document, error) {
	var d Document
	var err error
	if version > 0 {
		d, err = returning(ctx, s, scanDocument, `UPDATE settings SET body = $4, version = version + 1, updated_us = {now}
			WHERE tenant_id = $1 AND repository_id = $2 AND kind = $3 AND version = $5 RETURNING body, version, updated_us`, t.ID, repository, kind, body, version)
	} else {
		d, err = returning(ctx, s, scanDocument, `INSERT INTO settings (tenant_id, repository_id, kind, body, version, updated_us)
			SELECT $1, $2, $3, $4, 1, {now} WHERE $2 = '' OR EXISTS (SELECT 1 FROM repositories WHERE tenant_id = $1 AND id = $2)
			ON CONFLICT (tenant_id, repository_id, kind) DO UPDATE SET body = excluded.body, version = settings.version + 1, updated_us = excluded.updated_us
				WHERE CAST($5 AS BIGINT) = 0
			RETURNING body, version, updated_us`, t.ID, repository, kind, body, version)
	}
	if !isAbsent(err) || version == 0 {
		return d, err
	}
	if repository != "" {
		if _, err := s.Repository(ctx, t, repository); err != nil {
			return d, err
		}
	}
	return d, errs.Changed()
}

// PutSetting replaces a document. A repository must be the tenant's.
func (s *Store) PutSetting(ctx context.Context, t domain.Tenant, repository, kind, body string) error {
	return must1(s.exec1(ctx, `INSERT INTO settings (tenant_id, repository_id, kind, body, version, updated_us)
		SELECT $1, $2, $3, $4, 1, {now} WHERE $2 = '' OR EXISTS (SELECT 1 FROM repositories WHERE tenant_id = $1 AND id = $2)
		ON CONFLICT (tenant_id, repository_id, kind) DO UPDATE SET body = excluded.body, version = settings.version + 1, updated_us = excluded.updated_us`,
		t.ID, repository, kind, body))
}

// SettingDocument is a document with its place.
type SettingDocument struct {
	Repository string // "" for the tenant's own
	Name       string // owner/name of the repository
	Document
}

// SettingDocuments lists every document of a kind, the tenant's own first.
func (s *Store) SettingDocuments(ctx context.Context, t domain.Tenant, kind string) ([]SettingDocument, error) {
	return many(ctx, s, func(r scanner, d *SettingDocument) error {
		return r.Scan(&d.Repository, &d.Name, &d.Body, &d.Version, &d.UpdatedUS)
	},
		`SELECT s.repository_id, COALESCE(r.owner || '/' || r.name, ''), s.body, s.version, s.updated_us FROM settings s LEFT JOIN repositories r ON r.tenant_id = s.tenant_id AND r.id = s.repository_id
		WHERE s.tenant_id = $1 AND s.kind = $2 ORDER BY s.repository_id`, t.ID, kind)
}
