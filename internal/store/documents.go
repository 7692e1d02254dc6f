package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// The kinds of documents about assignment and analytics.
const (
	SettingAssignment = "assignment"       // of a tenant, and of a member
	SettingApply      = "assignment-apply" // of a repository: its opt-in
	SettingAnalytics  = "analytics"        // of a tenant
)

// PersonalSetting reads a member's document in the tenant. It returns the zero Document if none is stored.
func (s *Store) PersonalSetting(ctx context.Context, t domain.Tenant, user, kind string) (Document, error) {
	d, err := one(ctx, s, scanDocument, `SELECT body, version, updated_us FROM personal_settings WHERE tenant_id = $1 AND user_id = $2
		AND kind = $3`, t.ID, user, kind)
	if isAbsent(err) {
		return Document{}, nil
	}
	return d, err
}

// PutPersonalSettingAt is like [Store.PutSettingAt] for a member's document. It returns [errs.Stale] if the
// version differs, and [errs.NotFound] if the tenant has no such member.
func (s *Store) PutPersonalSettingAt(ctx context.Context, t domain.Tenant, user, kind, body string, version int64) (d Document, err error) {
	if version > 0 {
		d, err = returning(ctx, s, scanDocument, `UPDATE personal_settings SET body = $4, version = version + 1, updated_us = {now}
			WHERE tenant_id = $1 AND user_id = $2 AND kind = $3 AND version = $5 RETURNING body, version, updated_us`, t.ID, user, kind,
			body, version)
	} else {
		d, err = returning(ctx, s, scanDocument, `INSERT INTO personal_settings (tenant_id, user_id, kind, body, version, updated_us)
			SELECT $1, $2, $3, $4, 1, {now} WHERE EXISTS (SELECT 1 FROM memberships WHERE tenant_id = $1 AND user_id = $2)
			ON CONFLICT (tenant_id, user_id, kind) DO UPDATE SET body = excluded.body, version = personal_settings.version + 1,
				updated_us = excluded.updated_us
				WHERE CAST($5 AS BIGINT) = 0
			RETURNING body, version, updated_us`, t.ID, user, kind, body, version)
	}
	if !isAbsent(err) || version == 0 {
		return d, err
	}
	role, err := s.RoleOf(ctx, t, user)
	if err != nil {
		return d, err
	}
	if role == "" {
		return d, errs.Absent()
	}
	return d, errs.Changed()
}
