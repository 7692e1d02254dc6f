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

// TakeLost reserves the search for lost deliveries of an app for a time; false: another process is at it.
func (s *Store) TakeLost(ctx context.Context, app string, lease time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE apps SET lost_until_us = {now} + $2 WHERE id = $1 AND lost_until_us <= {now}`, app, lease.Microseconds())
}

// KeepLost records how many lost deliveries of an app wait, and reserves the search for a time more; with 0 it ends.
func (s *Store) KeepLost(ctx context.Context, app string, waiting int, lease time.Duration) error {
	_, err := s.exec(ctx, `UPDATE apps SET lost_waiting = $2, lost_until_us = {now} + $3 WHERE id = $1`, app, waiting, lease.Microseconds())
	return err
}

// SweepOfHost has repositories of an installation of an app looked through for lost heads soon, by the ids of the host.
func (s *Store) SweepOfHost(ctx context.Context, app string, installation domain.HostID, repositories ...domain.HostID) error {
	numbers, err := allCounted("repositories.external_id", repositories)
	if err != nil || len(numbers) == 0 {
		return err
	}
	return execIn(ctx, s, numbers, `UPDATE repositories SET swept_us = 0 WHERE state = 'active' AND external_id IN ({list})
		AND installation_id = (SELECT id FROM installations WHERE app_id = $1 AND external_id = $2)`, app, counted("installations.external_id", installation))
}

// Installation is an installation of an app on an account.
type Installation struct {
	ID, AppID                 string
	ExternalID, AccountID     domain.HostID
	AccountLogin, AccountType string
	Tenant                    string // "" while it is not placed
	State                     domain.InstallationState
	CreatedUS                 int64
}

const installationColumns = `id, app_id, external_id, account_id, account_login, account_type, tenant_id, state, created_us`

func scanInstallation(r scanner, i *Installation) error {
	return r.Scan(&i.ID, &i.AppID, hostID(&i.ExternalID), hostID(&i.AccountID), &i.AccountLogin, &i.AccountType, text(&i.Tenant), &i.State, &i.CreatedUS)
}

// SeeInstallation makes or refreshes an installation as the host reports it. Its
// tenant is never changed here; a new one, or one that comes back without a
// tenant, is unplaced.
func (s *Store) SeeInstallation(ctx context.Context, i Installation) (Installation, error) {
	return returning(ctx, s, scanInstallation, `INSERT INTO installations (id, app_id, external_id, account_id, account_login, account_type, state, created_us, updated_us)
		VALUES ($1, $2, $3, $4, $5, $6, 'unplaced', {now}, {now})
		ON CONFLICT (app_id, external_id) DO UPDATE SET account_login = excluded.account_login, account_type = excluded.account_type, updated_us = excluded.updated_us
		RETURNING `+installationColumns, domain.NewID("ins"), i.AppID, counted("installations.external_id", i.ExternalID), counted("installations.account_id", i.AccountID), i.AccountLogin, i.AccountType)
}

// SetInstallationState records suspension, removal and return.
func (s *Store) SetInstallationState(ctx context.Context, id string, state domain.InstallationState) error {
	_, err := s.exec(ctx, `UPDATE installations SET state = CASE WHEN $2 = 'active' AND tenant_id IS NULL THEN 'unplaced' ELSE $2 END, updated_us = {now} WHERE id = $1`, id, string(state))
	return err
}

// PlaceInstallation gives an unplaced installation to a tenant. A placed one is
// never moved; placing it again where it is changes nothing, and one that is
// suspended or deleted stays so.
func (s *Store) PlaceInstallation(ctx context.Context, t domain.Tenant, id string) (bool, error) {
	return s.exec1(ctx, `UPDATE installations SET tenant_id = $1, updated_us = {now}, state = CASE WHEN state = 'unplaced' THEN 'active' ELSE state END
		WHERE id = $2 AND (tenant_id IS NULL OR tenant_id = $1)`, t.ID, id)
}

// InstallationByExternal finds an installation under one app alone.
func (s *Store) InstallationByExternal(ctx context.Context, app string, external domain.HostID) (Installation, error) {
	return one(ctx, s, scanInstallation, `SELECT `+installationColumns+` FROM installations WHERE app_id = $1 AND external_id = $2`, app, counted("installations.external_id", external))
}

// Installation reads an installation.
func (s *Store) Installation(ctx context.Context, id string) (Installation, error) {
	return one(ctx, s, scanInstallation, `SELECT `+installationColumns+` FROM installations WHERE id = $1`, id)
}

// Installations lists installations in a state, "" for all.
func (s *Store) Installations(ctx context.Context, state domain.InstallationState) ([]Installation, error) {
	return many(ctx, s, scanInstallation, `SELECT `+installationColumns+` FROM installations WHERE $1 = '' OR state = $1 ORDER BY created_us, id`, string(state))
}

// TenantInstallation is an installation as its tenant sees it.
type TenantInstallation struct {
	Installation
	WebURL       string // of the host
	Repositories int64  // that are connected now
}

// TenantInstallations lists the installations that were given to a tenant, those
// that were removed too, newest first.
func (s *Store) TenantInstallations(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]TenantInstallation, error) {
	return many(ctx, s, func(r scanner, v *TenantInstallation) error {
		return scanInstallation(beside{r, []any{&v.WebURL, &v.Repositories}}, &v.Installation)
	}, `SELECT `+installationColumns+`, (SELECT a.web_url FROM apps a WHERE a.id = app_id),
			(SELECT COUNT(*) FROM repositories r WHERE r.tenant_id = $1 AND r.installation_id = installations.id AND r.state = 'active')
		FROM installations WHERE tenant_id = $1 AND (created_us, id) < ($2, $3) ORDER BY created_us DESC, id DESC LIMIT $4`, t.ID, before.from(), before.ID, limit)
}

// RepositoryHost is where a repository is.
type RepositoryHost struct {
	Kind string // [KindGitHub], or a [domain.ConnectionKind]
	Web  string // web address of the host
}

// HostOf reads where a repository of a tenant is. The address is that of the app or
// the connection; where the connection is gone, the one that is compared.
func (s *Store) HostOf(ctx context.Context, t domain.Tenant, repository string) (RepositoryHost, error) {
	return one(ctx, s, func(r scanner, v *RepositoryHost) error { return r.Scan(&v.Kind, &v.Web) }, `SELECT x.kind, COALESCE(a.web_url, c.base_url, x.host)
		FROM repositories r JOIN accesses x ON x.id = COALESCE(r.access_id, r.installation_id)
		LEFT JOIN installations i ON i.id = x.installation_id LEFT JOIN apps a ON a.id = i.app_id
		LEFT JOIN provider_connections c ON c.tenant_id = r.tenant_id AND c.id = x.connection_id
		WHERE r.tenant_id = $1 AND r.id = $2`, t.ID, repository)
}

// PlacedInstallations lists the installations of an app that belong to a tenant
// and were not removed.
func (s *Store) PlacedInstallations(ctx context.Context, app string) ([]Installation, error) {
	return many(ctx, s, scanInstallation, `SELECT `+installationColumns+` FROM installations WHERE app_id = $1 AND tenant_id IS NOT NULL AND state <> 'deleted' ORDER BY created_us, id`, app)
}

// Repository is a repository of a tenant.
type Repository struct {
	ID, Tenant                 string
	Access                     string // through which it is reached; see [Access]
	Installation               string // the same where it is an installation, else ""
	ExternalID                 domain.HostID
	Owner, Name, DefaultBranch string
	Private                    bool
	Internal                   bool   // it is private, but everyone with an account on the host reads it
	Told                       bool   // only written: an event says so, and not an answer of the host
	State                      string // active, disconnected
	Intake                     string // what it got when it appeared; see [domain.IntakeOn]
	ReviewFromUS               int64  // pull requests opened since are reviewed, although it was connected later; 0: none
	CreatedUS, UpdatedUS       int64
}

// Open reports whether more people read the repository than those to whom it was opened one by one:
// everyone, or everyone with an account on the host.
func (v Repository) Open() bool { return !v.Private || v.Internal }

const repositoryColumns = `id, tenant_id, COALESCE(access_id, installation_id), installation_id, COALESCE(external_text, CAST(external_id AS TEXT)), owner, name, default_branch, private, internal, state, intake, review_from_us, created_us, updated_us`

func scanRepository(r scanner, v *Repository) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Access, text(&v.Installation), hostID(&v.ExternalID), &v.Owner, &v.Name, &v.DefaultBranch, &v.Private, &v.Internal, &v.State, &v.Intake, &v.ReviewFromUS, &v.CreatedUS, &v.UpdatedUS)
}

// freeHost is the host of the installation $3, NULL where the tenant $2 has the
// repository $4 there by another row already: two apps may reach one repository,
// and an app that was removed comes back as another installation.
const freeHost = `(SELECT c.host FROM accesses c WHERE c.id = $3 AND NOT EXISTS (SELECT 1 FROM repositories o WHERE o.tenant_id = $2 AND o.host = c.host AND o.external_id = $4))`

// SeeRepository makes or refreshes a repository of an installation as the host
// answers. An event, by Told, does not change who reads a repository that is there. Intake is what a new one gets ("" for [domain.IntakeOn]); one that
// is there keeps its own. The repositories of other accesses come with
// [Store.SyncAccessRepositories].
func (s *Store) SeeRepository(ctx context.Context, t domain.Tenant, v Repository) (out Repository, err error) {
	_, err = first(ctx, s, s.db.Write, value[string], `SELECT id FROM repositories WHERE tenant_id = $1 AND installation_id = $2 AND external_id = $3`,
		[]any{t.ID, v.Installation, counted("repositories.external_id", v.ExternalID)})
	if !isAbsent(err) {
		if err == nil {
			out, err = s.seeRepository(ctx, t, v)
		}
		return out, err
	}
	// Two that make it at once would meet at the key of the host's id, of which an
	// insert that minds another key is an error: they take turns.
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM accesses WHERE tenant_id = $1 AND id = $2{forupdate}`, []any{t.ID, v.Installation}); err != nil && !isAbsent(err) {
			return err
		}
		out, err = s.seeRepository(ctx, t, v)
		return err
	})
	return out, err
}

func (s *Store) seeRepository(ctx context.Context, t domain.Tenant, v Repository) (Repository, error) {
	return returning(ctx, s, scanRepository, `INSERT INTO repositories (id, tenant_id, installation_id, access_id, external_id, owner, name, default_branch, private, internal, visible_us, state, intake, created_us, updated_us, swept_us, host)
		VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $10, CASE WHEN $11 THEN 0 ELSE {now} END, 'active', CASE WHEN $9 = '' THEN 'on' ELSE $9 END, {now}, {now}, {now}, `+freeHost+`)
		ON CONFLICT (installation_id, external_id) DO UPDATE SET owner = excluded.owner, name = excluded.name,
			default_branch = CASE WHEN excluded.default_branch = '' THEN repositories.default_branch ELSE excluded.default_branch END,
			private = CASE WHEN excluded.visible_us = 0 THEN repositories.private ELSE excluded.private END,
			internal = CASE WHEN excluded.visible_us = 0 THEN repositories.internal ELSE excluded.internal END,
			visible_us = CASE WHEN excluded.visible_us = 0 THEN repositories.visible_us ELSE excluded.visible_us END,
			state = 'active', updated_us = excluded.updated_us, access_id = excluded.access_id, host = COALESCE(repositories.host, excluded.host)
		WHERE repositories.tenant_id = excluded.tenant_id
		RETURNING `+repositoryColumns, domain.NewID("rep"), t.ID, v.Installation, counted("repositories.external_id", v.ExternalID), v.Owner, v.Name, v.DefaultBranch, v.Private, v.Intake,
		v.Internal, v.Told)
}

// DisconnectRepositories marks repositories of an installation as gone; their
// history stays. No ids means all of them.
func (s *Store) DisconnectRepositories(ctx context.Context, t domain.Tenant, installation string, externalIDs ...domain.HostID) error {
	if len(externalIDs) > 0 {
		numbers, err := allCounted("repositories.external_id", externalIDs)
		if err != nil {
			return err
		}
		return execIn(ctx, s, numbers, `UPDATE repositories SET state = 'disconnected', updated_us = {now} WHERE tenant_id = $1 AND installation_id = $2 AND external_id IN ({list})`, t.ID, installation)
	}
	_, err := s.exec(ctx, `UPDATE repositories SET state = 'disconnected', updated_us = {now} WHERE tenant_id = $1 AND installation_id = $2`, t.ID, installation)
	return err
}

// Repository reads a repository of a tenant.
func (s *Store) Repository(ctx context.Context, t domain.Tenant, id string) (Repository, error) {
	return one(ctx, s, scanRepository, `SELECT `+repositoryColumns+` FROM repositories WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// RepositoryByExternal finds a repository of a tenant's installation by the host's id.
func (s *Store) RepositoryByExternal(ctx context.Context, t domain.Tenant, installation string, external domain.HostID) (Repository, error) {
	return one(ctx, s, scanRepository, `SELECT `+repositoryColumns+` FROM repositories WHERE tenant_id = $1 AND installation_id = $2 AND external_id = $3`, t.ID, installation, counted("repositories.external_id", external))
}

// Repositories lists the repositories of a tenant by name.
func (s *Store) Repositories(ctx context.Context, t domain.Tenant) ([]Repository, error) {
	return many(ctx, s, scanRepository, `SELECT `+repositoryColumns+` FROM repositories WHERE tenant_id = $1 ORDER BY owner, name, id`, t.ID)
}
