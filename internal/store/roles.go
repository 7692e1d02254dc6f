package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// RepositoryRole is a person's role on a repository, from the host's answers.
type RepositoryRole struct {
	Repository, User string
	Role             string // none, view, review, manage
	CheckedUS        int64
	AgeUS            int64 // by the database's clock
}

func scanRepositoryRole(r scanner, v *RepositoryRole) error {
	return r.Scan(&v.Repository, &v.User, &v.Role, &v.CheckedUS, &v.AgeUS)
}

// SetRepositoryRole stores the host's answer on a person's role. It returns [errs.NotFound] if the tenant
// has no such repository or the person does not exist.
func (s *Store) SetRepositoryRole(ctx context.Context, t domain.Tenant, repository, user, role string) error {
	_, err := s.exec(ctx, `INSERT INTO repository_roles (tenant_id, repository_id, user_id, role, checked_us) VALUES ($1, $2, $3, $4, {now})
		ON CONFLICT (tenant_id, repository_id, user_id) DO UPDATE SET role = excluded.role, checked_us = excluded.checked_us`, t.ID,
		repository, user, role)
	return err
}

// LowerRepositoryRole reduces a person's role on a repository to view if it is greater. The time of the
// check stays.
func (s *Store) LowerRepositoryRole(ctx context.Context, t domain.Tenant, repository, user string) error {
	_, err := s.exec(ctx, `UPDATE repository_roles SET role = 'view' WHERE tenant_id = $1 AND repository_id = $2 AND user_id = $3
		AND role IN ('review', 'manage')`, t.ID, repository, user)
	return err
}

// RepositoryRole reads a person's role on a repository. It returns [errs.NotFound] if no answer of the host
// is stored.
func (s *Store) RepositoryRole(ctx context.Context, t domain.Tenant, repository, user string) (RepositoryRole, error) {
	return one(ctx, s, scanRepositoryRole, `SELECT repository_id, user_id, role, checked_us, {now} - checked_us FROM repository_roles
		WHERE tenant_id = $1 AND repository_id = $2 AND user_id = $3`, t.ID, repository, user)
}

// RepositoryRoles lists a person's roles in a tenant that are at most age old.
func (s *Store) RepositoryRoles(ctx context.Context, t domain.Tenant, user string, age time.Duration) ([]RepositoryRole, error) {
	return many(ctx, s, scanRepositoryRole, `SELECT repository_id, user_id, role, checked_us, {now} - checked_us FROM repository_roles
		WHERE tenant_id = $1 AND user_id = $2 AND checked_us > {now} - $3 ORDER BY repository_id`, t.ID, user, age.Microseconds())
}

// ForgetRepositoryRoles deletes a person's roles on the repositories of an installation.
func (s *Store) ForgetRepositoryRoles(ctx context.Context, t domain.Tenant, installation, user string) error {
	_, err := s.exec(ctx, `DELETE FROM repository_roles WHERE tenant_id = $1 AND user_id = $3
		AND repository_id IN (SELECT id FROM repositories WHERE tenant_id = $1 AND installation_id = $2)`, t.ID, installation, user)
	return err
}
