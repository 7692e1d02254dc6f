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

// Repository is a repository of a tenant.
type Repository struct {
	ID, Tenant                 string
	Access                     string // the [Access] that reaches it
	Installation               string // the same id if the access is an installation, else ""
	ExternalID                 domain.HostID
	Owner, Name, DefaultBranch string
	Private                    bool
	Internal                   bool   // private, but readable by everyone with an account on the host
	FromEvent                  bool   // write-only: the facts come from an event, not from an answer of the host
	State                      string // active, disconnected
	Intake                     string // assigned on first sight; see [domain.IntakeOn]
	ReviewFromUS               int64  // pull requests opened since then are reviewed even if it was connected later; 0 for none
	CreatedUS, UpdatedUS       int64
}

// Open reports whether everyone, or everyone with an account on the host, can read the repository.
func (v Repository) Open() bool { return !v.Private || v.Internal }

const repositoryColumns = `id, tenant_id, COALESCE(access_id, installation_id), installation_id, COALESCE(external_text, ` +
	`CAST(external_id AS TEXT)), owner, name, default_branch, private, internal, state, intake, review_from_us, created_us, updated_us`

func scanRepository(r scanner, v *Repository) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Access, text(&v.Installation), hostID(&v.ExternalID), &v.Owner, &v.Name, &v.DefaultBranch,
		&v.Private, &v.Internal, &v.State, &v.Intake, &v.ReviewFromUS, &v.CreatedUS, &v.UpdatedUS)
}

// unusedHost is the host of the installation $3, or NULL if the tenant $2 already has a row for the
// repository $4 on that host. Two apps can reach one repository, and a reinstalled app is a new
// installation.
const unusedHost = `(SELECT c.host FROM accesses c WHERE c.id = $3
	AND NOT EXISTS (SELECT 1 FROM repositories o WHERE o.tenant_id = $2 AND o.host = c.host AND o.external_id = $4))`

// UpsertRepository creates or refreshes a repository of an installation as the host reports it. If v.FromEvent is
// true, the visibility of a known repository stays. Intake applies to a new repository only; "" means
// [domain.IntakeOn]. [Store.SyncAccessRepositories] handles the repositories of other accesses.
func (s *Store) UpsertRepository(ctx context.Context, t domain.Tenant, v Repository) (out Repository, err error) {
	_, err = first(ctx, s, s.db.Write, value[string], `SELECT id FROM repositories WHERE tenant_id = $1 AND installation_id = $2
		AND external_id = $3`,
		[]any{t.ID, v.Installation, requireNumber("repositories.external_id", v.ExternalID)})
	if !isAbsent(err) {
		if err == nil {
			out, err = s.upsertRepository(ctx, t, v)
		}
		return out, err
	}
	// Concurrent inserts would conflict on the key of the host's id, and ON CONFLICT handles only one key.
	// The lock makes them take turns.
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM accesses WHERE tenant_id = $1 AND id = $2{forupdate}`,
			[]any{t.ID, v.Installation}); err != nil && !isAbsent(err) {
			return err
		}
		out, err = s.upsertRepository(ctx, t, v)
		return err
	})
	return out, err
}

func (s *Store) upsertRepository(ctx context.Context, t domain.Tenant, v Repository) (Repository, error) {
	return returning(ctx, s, scanRepository, `INSERT INTO repositories (id, tenant_id, installation_id, access_id, external_id, owner,
		name, default_branch, private, internal, visible_us, state, intake, created_us, updated_us, swept_us, host)
		VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $10, CASE WHEN $11 THEN 0 ELSE {now} END, 'active', CASE WHEN $9 = '' THEN 'on'
			ELSE $9 END, {now}, {now}, {now}, `+unusedHost+`)
		ON CONFLICT (installation_id, external_id) DO UPDATE SET owner = excluded.owner, name = excluded.name,
			default_branch = CASE WHEN excluded.default_branch = '' THEN repositories.default_branch ELSE excluded.default_branch END,
			private = CASE WHEN excluded.visible_us = 0 THEN repositories.private ELSE excluded.private END,
			internal = CASE WHEN excluded.visible_us = 0 THEN repositories.internal ELSE excluded.internal END,
			visible_us = CASE WHEN excluded.visible_us = 0 THEN repositories.visible_us ELSE excluded.visible_us END,
			state = 'active', updated_us = excluded.updated_us, access_id = excluded.access_id, host = COALESCE(repositories.host, excluded.host)
		WHERE repositories.tenant_id = excluded.tenant_id
		RETURNING `+repositoryColumns, domain.NewID("rep"), t.ID, v.Installation, requireNumber("repositories.external_id", v.ExternalID),
		v.Owner, v.Name, v.DefaultBranch, v.Private, v.Intake,
		v.Internal, v.FromEvent)
}

// DisconnectRepositories disconnects repositories of an installation; their history stays. Without ids it
// disconnects all.
func (s *Store) DisconnectRepositories(ctx context.Context, t domain.Tenant, installation string, externalIDs ...domain.HostID) error {
	if len(externalIDs) > 0 {
		numbers, err := requireNumbers("repositories.external_id", externalIDs)
		if err != nil {
			return err
		}
		return execIn(ctx, s, numbers, `UPDATE repositories SET state = 'disconnected', updated_us = {now} WHERE tenant_id = $1
			AND installation_id = $2 AND external_id IN ({list})`, t.ID, installation)
	}
	_, err := s.exec(ctx, `UPDATE repositories SET state = 'disconnected', updated_us = {now} WHERE tenant_id = $1
		AND installation_id = $2`, t.ID, installation)
	return err
}

// Repository reads a repository of a tenant.
func (s *Store) Repository(ctx context.Context, t domain.Tenant, id string) (Repository, error) {
	return one(ctx, s, scanRepository, `SELECT `+repositoryColumns+` FROM repositories WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// RepositoryByExternal finds a repository of a tenant's installation by the host's id.
func (s *Store) RepositoryByExternal(ctx context.Context, t domain.Tenant, installation string,
	external domain.HostID) (Repository, error) {
	return one(ctx, s, scanRepository, `SELECT `+repositoryColumns+
		` FROM repositories WHERE tenant_id = $1 AND installation_id = $2 AND external_id = $3`, t.ID, installation,
		requireNumber("repositories.external_id", external))
}

// Repositories lists the repositories of a tenant by name.
func (s *Store) Repositories(ctx context.Context, t domain.Tenant) ([]Repository, error) {
	return many(ctx, s, scanRepository, `SELECT `+repositoryColumns+` FROM repositories WHERE tenant_id = $1 ORDER BY owner, name, id`, t.ID)
}
