package store

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// RepositoryFilter narrows a tenant's repositories.
type RepositoryFilter struct {
	State string // active, disconnected; "" for any
	Name  string // part of owner/name; case is ignored, for letters beyond ASCII only if the database does so; "" for any
	// User selects repositories on which the host gave this person a role within the last hour; "" for all.
	User string
	// Through selects repositories of an installation or provider connection, by its id; "" for all.
	Through string
	// After is the last repository of the former page; only owner, name and id are read. The zero value
	// starts at the first page.
	After Repository
	Limit int
}

// containing returns the pattern of LIKE, with the escape character \, for texts that contain a part; "" for "". The database lowers the
// pattern as it lowers the texts, because engines differ in which letters they lower.
func containing(part string) string {
	if part == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(part) + "%"
}

// RepositoriesPage lists repositories of a tenant by owner, name and id.
func (s *Store) RepositoriesPage(ctx context.Context, t domain.Tenant, f RepositoryFilter) ([]Repository, error) {
	return many(ctx, s, scanRepository, `SELECT `+repositoryColumns+` FROM repositories WHERE tenant_id = $1 AND ($2 = '' OR state = $2)
		AND ($3 = '' OR LOWER(owner || '/' || name) LIKE LOWER($3) ESCAPE '\')
		AND ($4 = '' OR EXISTS (SELECT 1 FROM repository_roles x WHERE x.tenant_id = $1 AND x.repository_id = repositories.id AND x.user_id = $4
			AND x.role <> 'none' AND x.checked_us > {now} - 3600000000))
		AND ($5 = '' OR installation_id = $5 OR access_id IN (SELECT c.id FROM accesses c WHERE c.tenant_id = $1 AND c.connection_id = $5))
		AND (owner, name, id) > ($6, $7, $8) ORDER BY owner, name, id LIMIT $9`,
		t.ID, f.State, containing(f.Name), f.User, f.Through, f.After.Owner, f.After.Name, f.After.ID, f.Limit)
}

// Member is a member of a tenant.
type Member struct {
	User   User
	UsedUS int64 // last request of an existing session; 0 for none
}

// MembersPage lists at most limit members of a tenant, newest person first, starting after the id before;
// "" starts at the first.
func (s *Store) MembersPage(ctx context.Context, t domain.Tenant, before string, limit int) ([]Member, error) {
	return many(ctx, s, func(r scanner, v *Member) error { return r.Scan(&v.User.ID, &v.User.Name, &v.UsedUS) },
		`SELECT u.id, u.display_name, COALESCE((SELECT MAX(used_us) FROM sessions WHERE user_id = u.id), 0) FROM users u
		WHERE u.id IN (SELECT m.user_id FROM memberships m WHERE m.tenant_id = $1 AND `+membershipLives+
			`) AND ($2 = '' OR u.id < $2) ORDER BY u.id DESC LIMIT $3`, t.ID, before, limit)
}
