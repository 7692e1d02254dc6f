package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

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

// NameDefaultBranch stores the name of a repository's default branch.
func (s *Store) NameDefaultBranch(ctx context.Context, t domain.Tenant, id, branch string) (Repository, error) {
	return returning(ctx, s, scanRepository, `UPDATE repositories SET default_branch = $3, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 RETURNING `+repositoryColumns, t.ID, id, branch)
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
