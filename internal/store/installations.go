package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// MarkSwept moves the watermark of the delivery sweeper forward, never back.
func (s *Store) MarkSwept(ctx context.Context, app string, us int64) error {
	_, err := s.exec(ctx, `UPDATE apps SET swept_us = $2 WHERE id = $1 AND swept_us < $2`, app, us)
	return err
}

// TakeLost reserves the search for lost deliveries of an app for the lease. It returns false if another
// process holds the reservation.
func (s *Store) TakeLost(ctx context.Context, app string, lease time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE apps SET lost_until_us = {now} + $2 WHERE id = $1 AND lost_until_us <= {now}`, app, lease.Microseconds())
}

// KeepLost records the number of waiting lost deliveries of an app and extends the reservation by lease; 0
// ends it.
func (s *Store) KeepLost(ctx context.Context, app string, waiting int, lease time.Duration) error {
	_, err := s.exec(ctx, `UPDATE apps SET lost_waiting = $2, lost_until_us = {now} + $3 WHERE id = $1`, app, waiting, lease.Microseconds())
	return err
}

// SweepOfHost makes the sweep for lost heads due for repositories of an app's installation, by the host's
// ids.
func (s *Store) SweepOfHost(ctx context.Context, app string, installation domain.HostID, repositories ...domain.HostID) error {
	numbers, err := requireNumbers("repositories.external_id", repositories)
	if err != nil || len(numbers) == 0 {
		return err
	}
	return execIn(ctx, s, numbers, `UPDATE repositories SET swept_us = 0 WHERE state = 'active' AND external_id IN ({list})
		AND installation_id = (SELECT id FROM installations WHERE app_id = $1 AND external_id = $2)`, app,
		requireNumber("installations.external_id", installation))
}

// Installation is an installation of an app on an account.
type Installation struct {
	ID, AppID                 string
	ExternalID, AccountID     domain.HostID
	AccountLogin, AccountType string
	Tenant                    string // "" if it is not assigned to a tenant
	State                     domain.InstallationState
	CreatedUS                 int64
}

const installationColumns = `id, app_id, external_id, account_id, account_login, account_type, tenant_id, state, created_us`

func scanInstallation(r scanner, i *Installation) error {
	return r.Scan(&i.ID, &i.AppID, hostID(&i.ExternalID), hostID(&i.AccountID), &i.AccountLogin, &i.AccountType, text(&i.Tenant),
		&i.State, &i.CreatedUS)
}

// UpsertInstallation creates or refreshes an installation as the host reports it. It never changes the tenant;
// a new installation is unplaced.
func (s *Store) UpsertInstallation(ctx context.Context, i Installation) (Installation, error) {
	return returning(ctx, s, scanInstallation, `INSERT INTO installations (id, app_id, external_id, account_id, account_login,
		account_type, state, created_us, updated_us)
		VALUES ($1, $2, $3, $4, $5, $6, 'unplaced', {now}, {now})
		ON CONFLICT (app_id, external_id) DO UPDATE SET account_login = excluded.account_login, account_type = excluded.account_type,
			updated_us = excluded.updated_us
		RETURNING `+installationColumns, domain.NewID("ins"), i.AppID, requireNumber("installations.external_id", i.ExternalID),
		requireNumber("installations.account_id", i.AccountID), i.AccountLogin, i.AccountType)
}

// SetInstallationState records suspension, removal and return. An installation without a tenant returns to
// unplaced.
func (s *Store) SetInstallationState(ctx context.Context, id string, state domain.InstallationState) error {
	_, err := s.exec(ctx, `UPDATE installations SET state = CASE WHEN $2 = 'active' AND tenant_id IS NULL THEN 'unplaced'
		ELSE $2 END, updated_us = {now} WHERE id = $1`, id, string(state))
	return err
}

// PlaceInstallation assigns an unplaced installation to a tenant and reports whether the installation now
// belongs to it. It never moves an installation to another tenant, and keeps the states suspended and
// deleted.
func (s *Store) PlaceInstallation(ctx context.Context, t domain.Tenant, id string) (bool, error) {
	return s.exec1(ctx, `UPDATE installations SET tenant_id = $1, updated_us = {now}, state = CASE
		WHEN state = 'unplaced' THEN 'active' ELSE state END
		WHERE id = $2 AND (tenant_id IS NULL OR tenant_id = $1)`, t.ID, id)
}

// InstallationByExternal finds an installation of an app by the host's id.
func (s *Store) InstallationByExternal(ctx context.Context, app string, external domain.HostID) (Installation, error) {
	return one(ctx, s, scanInstallation, `SELECT `+installationColumns+` FROM installations WHERE app_id = $1 AND external_id = $2`,
		app, requireNumber("installations.external_id", external))
}

// Installation reads an installation.
func (s *Store) Installation(ctx context.Context, id string) (Installation, error) {
	return one(ctx, s, scanInstallation, `SELECT `+installationColumns+` FROM installations WHERE id = $1`, id)
}

// Installations lists installations in a state, or all for "".
func (s *Store) Installations(ctx context.Context, state domain.InstallationState) ([]Installation, error) {
	return many(ctx, s, scanInstallation, `SELECT `+installationColumns+
		` FROM installations WHERE $1 = '' OR state = $1 ORDER BY created_us, id`, string(state))
}

// TenantInstallation is an installation as its tenant sees it.
type TenantInstallation struct {
	Installation
	WebURL       string // of the host
	Repositories int64  // currently connected
}

// TenantInstallations lists the installations of a tenant, including removed ones, newest first.
func (s *Store) TenantInstallations(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]TenantInstallation, error) {
	return many(ctx, s, func(r scanner, v *TenantInstallation) error {
		return scanInstallation(extraColumns{r, []any{&v.WebURL, &v.Repositories}}, &v.Installation)
	}, `SELECT `+installationColumns+`, (SELECT a.web_url FROM apps a WHERE a.id = app_id),
			(SELECT COUNT(*) FROM repositories r WHERE r.tenant_id = $1 AND r.installation_id = installations.id AND r.state = 'active')
		FROM installations WHERE tenant_id = $1 AND (created_us, id) < ($2, $3) ORDER BY created_us DESC, id DESC LIMIT $4`, t.ID,
		before.from(), before.ID, limit)
}

// RepositoryHost is the host of a repository.
type RepositoryHost struct {
	Kind string // [KindGitHub], or a [domain.ConnectionKind]
	Web  string // web address of the host
}

// HostOf reads the host of a tenant's repository. The address is that of the app or connection, or the
// access's [HostAddress] if the connection was deleted.
func (s *Store) HostOf(ctx context.Context, t domain.Tenant, repository string) (RepositoryHost, error) {
	return one(ctx, s, func(r scanner, v *RepositoryHost) error { return r.Scan(&v.Kind, &v.Web) },
		`SELECT x.kind, COALESCE(a.web_url, c.base_url, x.host)
		FROM repositories r JOIN accesses x ON x.id = COALESCE(r.access_id, r.installation_id)
		LEFT JOIN installations i ON i.id = x.installation_id LEFT JOIN apps a ON a.id = i.app_id
		LEFT JOIN provider_connections c ON c.tenant_id = r.tenant_id AND c.id = x.connection_id
		WHERE r.tenant_id = $1 AND r.id = $2`, t.ID, repository)
}

// PlacedInstallations lists the installations of an app that have a tenant and are not deleted.
func (s *Store) PlacedInstallations(ctx context.Context, app string) ([]Installation, error) {
	return many(ctx, s, scanInstallation, `SELECT `+installationColumns+
		` FROM installations WHERE app_id = $1 AND tenant_id IS NOT NULL AND state <> 'deleted' ORDER BY created_us, id`, app)
}
