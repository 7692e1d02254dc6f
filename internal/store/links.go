package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// RepositoryLink is a row of repository_links with the linked repository. Exposes reports whether the
// linked repository is private and the reviewed one is not.
type RepositoryLink struct {
	ID, Repository, Linked, Kind, Note string
	LinkedOwner, LinkedName            string
	LinkedState                        string
	Confirmed, Exposes                 bool
	CreatedUS                          int64
}

const linkColumns = `l.id, l.repository_id, l.linked_id, l.kind, l.note, l.confirmed, l.created_us, o.owner, o.name, o.state, ` +
	`o.private AND NOT r.private`

const linkTables = ` FROM repository_links l
	JOIN repositories r ON r.tenant_id = l.tenant_id AND r.id = l.repository_id
	JOIN repositories o ON o.tenant_id = l.tenant_id AND o.id = l.linked_id`

func scanLink(r scanner, v *RepositoryLink) error {
	return r.Scan(&v.ID, &v.Repository, &v.Linked, &v.Kind, &v.Note, &v.Confirmed, &v.CreatedUS, &v.LinkedOwner, &v.LinkedName,
		&v.LinkedState, &v.Exposes)
}

// CreateLink links a repository to another one and returns the id of the link. It returns [errs.NotFound]
// if a repository does not belong to the tenant, and [errs.Conflict] if the link exists.
func (s *Store) CreateLink(ctx context.Context, t domain.Tenant, v RepositoryLink) (string, error) {
	return returning(ctx, s, value[string], `INSERT INTO repository_links (id, tenant_id, repository_id, linked_id, kind, note,
		confirmed, created_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, {now}) RETURNING id`, domain.NewID("rlk"), t.ID, v.Repository, v.Linked, v.Kind, v.Note, v.Confirmed)
}

// Link reads a link of a repository.
func (s *Store) Link(ctx context.Context, t domain.Tenant, repository, id string) (RepositoryLink, error) {
	return one(ctx, s, scanLink, `SELECT `+linkColumns+linkTables+` WHERE l.tenant_id = $1 AND l.repository_id = $2 AND l.id = $3`,
		t.ID, repository, id)
}

// Links lists the links of a repository, newest first, at most limit of them.
func (s *Store) Links(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]RepositoryLink, error) {
	return many(ctx, s, scanLink, `SELECT `+linkColumns+linkTables+` WHERE l.tenant_id = $1 AND l.repository_id = $2
		AND (l.created_us, l.id) < ($3, $4)
		ORDER BY l.created_us DESC, l.id DESC LIMIT $5`, t.ID, repository, before.from(), before.ID, limit)
}

// DeleteLink deletes a link of a repository.
func (s *Store) DeleteLink(ctx context.Context, t domain.Tenant, repository, id string) error {
	return must1(s.exec1(ctx, `DELETE FROM repository_links WHERE tenant_id = $1 AND repository_id = $2 AND id = $3`, t.ID, repository, id))
}

// PatternRepository is a row of pattern_repositories with its repository. Exposes reports whether the
// repository is private and the tenant has one that is not.
type PatternRepository struct {
	ID, Repository, Paths, Note string // Paths is JSON
	Owner, Name, State          string
	Confirmed, Exposes          bool
	CreatedUS                   int64
}

const patternColumns = `p.id, p.repository_id, p.paths, p.note, p.confirmed, p.created_us, r.owner, r.name, r.state,
	r.private AND EXISTS (SELECT 1 FROM repositories o WHERE o.tenant_id = p.tenant_id AND NOT o.private AND o.state = 'active')`

const patternTables = ` FROM pattern_repositories p JOIN repositories r ON r.tenant_id = p.tenant_id AND r.id = p.repository_id`

func scanPattern(r scanner, v *PatternRepository) error {
	return r.Scan(&v.ID, &v.Repository, &v.Paths, &v.Note, &v.Confirmed, &v.CreatedUS, &v.Owner, &v.Name, &v.State, &v.Exposes)
}

// CreatePattern makes a repository an example for the tenant's other repositories, and returns the id of
// the row. Errors are as in [Store.CreateLink].
func (s *Store) CreatePattern(ctx context.Context, t domain.Tenant, v PatternRepository) (string, error) {
	return returning(ctx, s, value[string], `INSERT INTO pattern_repositories (id, tenant_id, repository_id, paths, note, confirmed,
		created_us)
		VALUES ($1, $2, $3, $4, $5, $6, {now}) RETURNING id`, domain.NewID("pat"), t.ID, v.Repository, v.Paths, v.Note, v.Confirmed)
}

// Pattern reads a pattern repository.
func (s *Store) Pattern(ctx context.Context, t domain.Tenant, id string) (PatternRepository, error) {
	return one(ctx, s, scanPattern, `SELECT `+patternColumns+patternTables+` WHERE p.tenant_id = $1 AND p.id = $2`, t.ID, id)
}

// Patterns lists the pattern repositories, newest first, at most limit of them.
func (s *Store) Patterns(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]PatternRepository, error) {
	return many(ctx, s, scanPattern, `SELECT `+patternColumns+patternTables+` WHERE p.tenant_id = $1
		AND (p.created_us, p.id) < ($2, $3)
		ORDER BY p.created_us DESC, p.id DESC LIMIT $4`, t.ID, before.from(), before.ID, limit)
}

// DeletePattern deletes a pattern repository; the repository itself stays.
func (s *Store) DeletePattern(ctx context.Context, t domain.Tenant, id string) error {
	return must1(s.exec1(ctx, `DELETE FROM pattern_repositories WHERE tenant_id = $1 AND id = $2`, t.ID, id))
}
