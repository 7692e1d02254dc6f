package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// The kinds of settings documents.
const (
	SettingPolicy      = "policy" // of a repository; at tenant level the repository defaults
	SettingModelPolicy = "llm"    // model tiers
	SettingPrices      = "prices" // model prices entered by the tenant's admins; at tenant level only
	SettingTenant      = "tenant" // facts about the tenant and its people; at tenant level only
	SettingFile        = "file"   // the repository's own file as read on its default branch; of a repository only
	SettingMCP         = "mcp"    // what the tenant exposes at /mcp; at tenant level only
)

// NeverStored is the expected version in [Store.PutSettingAt] of a document that is not stored yet.
const NeverStored int64 = -1

// Setting reads a document; repository is "" for the tenant's. It returns ok false if the document is not
// stored.
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

// Document is a settings document. The zero value means that the document is not stored.
type Document struct {
	Body               string
	Version, UpdatedUS int64
}

func scanDocument(r scanner, d *Document) error { return r.Scan(&d.Body, &d.Version, &d.UpdatedUS) }

// Document reads a settings document with its time. It returns the zero Document if none is stored.
func (s *Store) Document(ctx context.Context, t domain.Tenant, repository, kind string) (Document, error) {
	d, err := one(ctx, s, scanDocument, `SELECT body, version, updated_us FROM settings WHERE tenant_id = $1 AND repository_id = $2
		AND kind = $3`, t.ID, repository, kind)
	if isAbsent(err) {
		return Document{}, nil
	}
	return d, err
}

// PutSettingAt replaces a document with the given version and returns it with the next version. Version 0
// matches any, and [NeverStored] a document that is not stored. It returns [errs.Stale] if another version
// is stored, and [errs.NotFound] if the tenant or repository does not exist.
func (s *Store) PutSettingAt(ctx context.Context, t domain.Tenant, repository, kind, body string, version int64) (Document, error) {
	var d Document
	var err error
	if version > 0 {
		d, err = returning(ctx, s, scanDocument, `UPDATE settings SET body = $4, version = version + 1, updated_us = {now}
			WHERE tenant_id = $1 AND repository_id = $2 AND kind = $3 AND version = $5 RETURNING body, version, updated_us`, t.ID,
			repository, kind, body, version)
	} else {
		d, err = returning(ctx, s, scanDocument, `INSERT INTO settings (tenant_id, repository_id, kind, body, version, updated_us)
			SELECT $1, $2, $3, $4, 1, {now} WHERE $2 = '' OR EXISTS (SELECT 1 FROM repositories WHERE tenant_id = $1 AND id = $2)
			ON CONFLICT (tenant_id, repository_id, kind) DO UPDATE SET body = excluded.body, version = settings.version + 1,
				updated_us = excluded.updated_us
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

// PutSetting replaces a document in any version. It returns [errs.NotFound] if the repository does not
// belong to the tenant.
func (s *Store) PutSetting(ctx context.Context, t domain.Tenant, repository, kind, body string) error {
	return must1(s.exec1(ctx, `INSERT INTO settings (tenant_id, repository_id, kind, body, version, updated_us)
		SELECT $1, $2, $3, $4, 1, {now} WHERE $2 = '' OR EXISTS (SELECT 1 FROM repositories WHERE tenant_id = $1 AND id = $2)
		ON CONFLICT (tenant_id, repository_id, kind) DO UPDATE SET body = excluded.body, version = settings.version + 1,
			updated_us = excluded.updated_us`,
		t.ID, repository, kind, body))
}

// SettingDocument is a document with its repository.
type SettingDocument struct {
	Repository string // "" for the tenant's
	Name       string // owner/name of the repository
	Document
}

// SettingDocuments lists every document of a kind, the tenant's first.
func (s *Store) SettingDocuments(ctx context.Context, t domain.Tenant, kind string) ([]SettingDocument, error) {
	return many(ctx, s, func(r scanner, d *SettingDocument) error {
		return r.Scan(&d.Repository, &d.Name, &d.Body, &d.Version, &d.UpdatedUS)
	},
		`SELECT s.repository_id, COALESCE(r.owner || '/' || r.name, ''), s.body, s.version, s.updated_us FROM settings s
			LEFT JOIN repositories r ON r.tenant_id = s.tenant_id AND r.id = s.repository_id
		WHERE s.tenant_id = $1 AND s.kind = $2 ORDER BY s.repository_id`, t.ID, kind)
}
