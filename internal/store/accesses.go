package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// KindGitHub is the kind of an access that is an installation of an app. Every other access has a
// [domain.ConnectionKind].
const KindGitHub = "github"

// MaxAccessRepositories is the maximum number of repositories of one access.
const MaxAccessRepositories = 10_000

// Access is the way in which assay reaches repositories: an installation of an app or a provider
// connection. If the connection is deleted, its access stays, with its repositories and their history.
type Access struct {
	ID, Tenant               string // "" if the installation is not assigned to a tenant
	Kind                     string // [KindGitHub], or a [domain.ConnectionKind]
	Installation, Connection string // one has an id, the other is ""
	Host                     string // web address, see [HostAddress]
	AccountID                domain.HostID
	AccountLogin             string
	State                    domain.InstallationState
	CreatedUS, UpdatedUS     int64
}

// HostAddress returns the web address of a host in the form that the database stores and compares.
func HostAddress(url string) string { return strings.ToLower(strings.TrimRight(url, "/")) }

const accessColumns = `id, tenant_id, kind, installation_id, connection_id, host, account_id, account_login, state, created_us, updated_us`

func scanAccess(r scanner, a *Access) error {
	return r.Scan(&a.ID, text(&a.Tenant), &a.Kind, text(&a.Installation), text(&a.Connection), &a.Host, hostID(&a.AccountID),
		&a.AccountLogin, &a.State, &a.CreatedUS, &a.UpdatedUS)
}

// Access reads an access of any tenant, for work on a repository that was read with its tenant.
func (s *Store) Access(ctx context.Context, id string) (Access, error) {
	return one(ctx, s, scanAccess, `SELECT `+accessColumns+` FROM accesses WHERE id = $1`, id)
}

// AccessOfConnection reads the current access of a tenant's connection. It returns [errs.NotFound] before
// the first synchronization.
func (s *Store) AccessOfConnection(ctx context.Context, t domain.Tenant, connection string) (Access, error) {
	return one(ctx, s, scanAccess, `SELECT `+accessColumns+` FROM accesses WHERE tenant_id = $1 AND connection_id = $2
		AND state <> 'deleted'`, t.ID, connection)
}

// UpsertConnectionAccess creates or refreshes the access of a connection, identified by kind, host and
// account. A new connection to the account of a deleted connection takes over its access. If the connection
// had an access to another account, that access ends. The function reads only Kind, Connection, Host,
// AccountID and AccountLogin. It returns [errs.Conflict] if another connection of the tenant has the
// account.
func (s *Store) UpsertConnectionAccess(ctx context.Context, t domain.Tenant, a Access) (out Access, err error) {
	if a.Connection == "" || a.Kind == "" || a.Kind == KindGitHub || a.AccountID == "" {
		return Access{}, errors.New("store: the access of a connection needs its kind, its id and an account")
	}
	err = s.Atomically(ctx, func(ctx context.Context) error {
		out, err = returning(ctx, s, scanAccess, `INSERT INTO accesses (id, tenant_id, kind, connection_id, host, account_id,
			account_login, state, created_us, updated_us)
			SELECT $1, p.tenant_id, $3, p.id, $5, $6, $7, 'active', {now}, {now} FROM provider_connections p WHERE p.tenant_id = $2 AND p.id = $4
			ON CONFLICT (tenant_id, kind, host, account_id) WHERE installation_id IS NULL DO UPDATE SET connection_id = excluded.connection_id,
				account_login = excluded.account_login, state = 'active', updated_us = excluded.updated_us
			WHERE accesses.connection_id = excluded.connection_id OR accesses.state = 'deleted'
			RETURNING `+accessColumns, domain.NewID("acc"), t.ID, a.Kind, a.Connection, HostAddress(a.Host), string(a.AccountID), a.AccountLogin)
		if isAbsent(err) {
			if _, err := s.ProviderConnection(ctx, t, a.Connection); err != nil {
				return err
			}
			return errs.New(errs.Conflict, "already_exists", "Another connection of the tenant has this owner on this host.")
		}
		if err != nil {
			return err
		}
		return s.endAccesses(ctx, t, a.Connection, out.ID)
	})
	if err != nil {
		return Access{}, err
	}
	return out, nil
}

// EndAccesses ends the accesses of a connection whose account changes or that is deleted. Their
// repositories become disconnected and keep all their data.
func (s *Store) EndAccesses(ctx context.Context, t domain.Tenant, connection string) error {
	return s.Atomically(ctx, func(ctx context.Context) error { return s.endAccesses(ctx, t, connection, "") })
}

// endAccesses ends the accesses of a connection except the access but; "" ends all. Their repositories
// become disconnected and keep all their data.
func (s *Store) endAccesses(ctx context.Context, t domain.Tenant, connection, but string) error {
	if _, err := s.exec(ctx, `UPDATE repositories SET state = 'disconnected', updated_us = {now} WHERE tenant_id = $1 AND state = 'active'
		AND access_id IN (SELECT id FROM accesses WHERE tenant_id = $1 AND connection_id = $2 AND id <> $3)`, t.ID, connection, but); err != nil {
		return err
	}
	_, err := s.exec(ctx, `UPDATE accesses SET state = 'deleted', updated_us = {now} WHERE tenant_id = $1 AND connection_id = $2
		AND id <> $3 AND state <> 'deleted'`, t.ID, connection, but)
	return err
}

// AccessRepository finds a repository of an access by the id that the host gave it.
func (s *Store) AccessRepository(ctx context.Context, t domain.Tenant, access string, external domain.HostID) (Repository, error) {
	key, id := externalKey(external)
	return one(ctx, s, scanRepository, `SELECT `+repositoryColumns+` FROM repositories WHERE tenant_id = $1 AND access_id = $2 AND `+
		key+` = $3`, t.ID, access, id)
}

// RefreshAccessRepository stores the host's current name, default branch and visibility of an active
// repository. It returns [errs.NotFound] if the access has no such active repository.
func (s *Store) RefreshAccessRepository(ctx context.Context, t domain.Tenant, access string, v Repository) (Repository, error) {
	key, id := externalKey(v.ExternalID)
	return returning(ctx, s, scanRepository, `UPDATE repositories SET owner = $4, name = $5, default_branch = CASE
		WHEN $6 = '' THEN default_branch ELSE $6 END, private = $7,
		internal = $8, visible_us = {now}, updated_us = {now} WHERE tenant_id = $1 AND access_id = $2 AND `+key+
		` = $3 AND state = 'active' RETURNING `+repositoryColumns,
		t.ID, access, id, v.Owner, v.Name, v.DefaultBranch, v.Private, v.Internal)
}

// AccessWithRepository returns the access through which a tenant already has a repository of a host. It returns
// [errs.NotFound] if the tenant does not have the repository.
func (s *Store) AccessWithRepository(ctx context.Context, t domain.Tenant, host string, external domain.HostID) (Access, error) {
	key, id := externalKey(external)
	return one(ctx, s, scanAccess, `SELECT `+accessColumns+` FROM accesses WHERE id =
		(SELECT access_id FROM repositories WHERE tenant_id = $1 AND host = $2 AND `+key+` = $3 AND state = 'active')`, t.ID,
		HostAddress(host), id)
}

// externalKey returns the column of repositories that holds a host's id, and the value of the id in it:
// external_id for a number, external_text for any other text.
func externalKey(id domain.HostID) (column string, value any) {
	if n, counts := id.Number(); counts {
		return "external_id", n
	}
	return "external_text", string(id)
}

// AccessRepositories lists the active and disconnected repositories of an access by name.
func (s *Store) AccessRepositories(ctx context.Context, t domain.Tenant, access string) ([]Repository, error) {
	return many(ctx, s, scanRepository, `SELECT `+repositoryColumns+
		` FROM repositories WHERE tenant_id = $1 AND (access_id = $2 OR access_id IS NULL AND installation_id = $2)
		ORDER BY owner, name, id`, t.ID, access)
}

// AccessChanges holds the repositories of an access that a listing changed.
type AccessChanges struct{ Added, Changed, Gone []Repository }

// SyncAccessRepositories updates the repositories of a connection's access from the host's list, in one
// transaction. It adds new repositories, with ReviewFromUS and Intake as in [Store.UpsertRepository], and
// makes the sweep for open pull requests due for them. It refreshes changed repositories and disconnects
// those that the list lacks. A repository that is disconnected under another access of the tenant moves to
// this access with its history. A repository that is active under another access stays there and is
// returned in taken. The list has at most [MaxAccessRepositories] repositories.
func (s *Store) SyncAccessRepositories(ctx context.Context, t domain.Tenant, access string,
	found []Repository) (changes AccessChanges, taken []Repository, err error) {
	if len(found) > MaxAccessRepositories {
		return AccessChanges{}, nil, fmt.Errorf("store: %d repositories of one access are more than %d", len(found), MaxAccessRepositories)
	}
	err = s.Atomically(ctx, func(ctx context.Context) error {
		changes, taken = AccessChanges{}, nil // a retry of the transaction starts empty
		a, err := first(ctx, s, s.db.Write, scanAccess, `SELECT `+accessColumns+
			` FROM accesses WHERE tenant_id = $1 AND id = $2 AND installation_id IS NULL AND state = 'active' {forupdate}`, []any{t.ID, access})
		if err != nil {
			return err
		}
		there := map[domain.HostID]Repository{}
		if err := s.rows(ctx, s.db.Write, `SELECT `+repositoryColumns+` FROM repositories WHERE tenant_id = $1 AND access_id = $2`,
			[]any{t.ID, access}, func(r scanner) error {
				var v Repository
				err := scanRepository(r, &v)
				there[v.ExternalID] = v
				return err
			}); err != nil {
			return err
		}
		listed := map[domain.HostID]bool{}
		for _, v := range found {
			if listed[v.ExternalID] {
				continue
			}
			listed[v.ExternalID] = true
			before, known := there[v.ExternalID]
			if known && before.hasFacts(v) {
				continue
			}
			now, err := s.putRepository(ctx, t, a, v)
			switch {
			case isAbsent(err):
				taken = append(taken, v)
			case err != nil:
				return err
			case known:
				changes.Changed = append(changes.Changed, now)
			default:
				changes.Added = append(changes.Added, now)
			}
		}
		var ids []string
		for id, v := range there {
			if !listed[id] && v.State == repositoryActive {
				ids, changes.Gone = append(ids, v.ID), append(changes.Gone, v)
			}
		}
		slices.SortFunc(changes.Gone, func(a, b Repository) int { return strings.Compare(a.ID, b.ID) })
		return execIn(ctx, s, ids, `UPDATE repositories SET state = 'disconnected', updated_us = {now} WHERE tenant_id = $1
			AND access_id = $2 AND id IN ({list})`, t.ID, access)
	})
	if err != nil {
		return AccessChanges{}, nil, err
	}
	return changes, taken, nil
}

// repositoryActive is the state of a repository that assay can reach.
const repositoryActive = "active"

// hasFacts reports whether v is active and already has the facts in o; an empty default branch in o matches
// any.
func (v Repository) hasFacts(o Repository) bool {
	return v.State == repositoryActive && v.Owner == o.Owner && v.Name == o.Name && v.Private == o.Private &&
		v.Internal == o.Internal && (o.DefaultBranch == "" || v.DefaultBranch == o.DefaultBranch)
}

// putRepository creates or refreshes a repository of a connection's access. It returns [errs.NotFound] if
// the repository is active under another access of the tenant.
func (s *Store) putRepository(ctx context.Context, t domain.Tenant, a Access, v Repository) (Repository, error) {
	if v.ExternalID == "" {
		return Repository{}, errors.New("store: a repository needs the host's id")
	}
	key, _ := externalKey(v.ExternalID)
	return returning(ctx, s, scanRepository, `INSERT INTO repositories (id, tenant_id, access_id, host, external_id, external_text,
		owner, name, default_branch, private, internal, visible_us, state, intake, review_from_us, created_us, updated_us, swept_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $13, {now}, 'active', CASE WHEN $11 = '' THEN 'on' ELSE $11 END, $12, {now}, {now}, 0)
		ON CONFLICT (tenant_id, host, `+key+
		`) DO UPDATE SET access_id = excluded.access_id, installation_id = NULL, owner = excluded.owner, name = excluded.name,
			default_branch = CASE WHEN excluded.default_branch = '' THEN repositories.default_branch ELSE excluded.default_branch END,
			private = excluded.private, internal = excluded.internal, visible_us = excluded.visible_us, state = 'active',
				updated_us = excluded.updated_us
		WHERE repositories.access_id = excluded.access_id OR repositories.state = 'disconnected'
		RETURNING `+repositoryColumns, domain.NewID("rep"), t.ID, a.ID, a.Host, numberOf(v.ExternalID), textOf(v.ExternalID), v.Owner,
		v.Name, v.DefaultBranch, v.Private, v.Intake, v.ReviewFromUS,
		v.Internal)
}
