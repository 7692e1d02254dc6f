package store

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// Team is a group of people and repositories for common figures.
type Team struct {
	ID, Tenant, Name      string
	Members, Repositories []string // ids, sorted
	Version               int64
	CreatedUS, UpdatedUS  int64
}

const teamColumns = `id, tenant_id, name, version, created_us, updated_us`

func scanTeam(r scanner, v *Team) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Name, &v.Version, &v.CreatedUS, &v.UpdatedUS)
}

// CreateTeam creates a team. It returns [errs.NotFound] if a member or repository does not belong to the
// tenant, and [errs.Conflict] if the name is taken.
func (s *Store) CreateTeam(ctx context.Context, t domain.Tenant, v Team) (made Team, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if made, err = returning(ctx, s, scanTeam, `INSERT INTO analytics_teams (id, tenant_id, name, version, created_us, updated_us)
			VALUES ($1, $2, $3, 1, {now}, {now}) RETURNING `+teamColumns,
			domain.NewID("tea"), t.ID, v.Name); err != nil {
			return err
		}
		made.Members, made.Repositories = sortedIDs(v.Members), sortedIDs(v.Repositories)
		return s.fillTeam(ctx, t, made)
	})
	if err != nil {
		return Team{}, err
	}
	return made, nil
}

// UpdateTeam replaces the team with version v.Version. It returns [errs.NotFound] if the team was deleted
// or changed in the meantime, or a member or repository does not belong to the tenant.
func (s *Store) UpdateTeam(ctx context.Context, t domain.Tenant, v Team) (made Team, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if made, err = returning(ctx, s, scanTeam, `UPDATE analytics_teams SET name = $4, version = version + 1, updated_us = {now}
			WHERE tenant_id = $1 AND id = $2 AND version = $3 RETURNING `+teamColumns, t.ID, v.ID, v.Version, v.Name); err != nil {
			return err
		}
		made.Members, made.Repositories = sortedIDs(v.Members), sortedIDs(v.Repositories)
		if _, err := s.exec(ctx, `DELETE FROM analytics_team_members WHERE tenant_id = $1 AND team_id = $2`, t.ID, v.ID); err != nil {
			return err
		}
		if _, err := s.exec(ctx, `DELETE FROM analytics_team_repositories WHERE tenant_id = $1 AND team_id = $2`, t.ID, v.ID); err != nil {
			return err
		}
		return s.fillTeam(ctx, t, made)
	})
	if err != nil {
		return Team{}, err
	}
	return made, nil
}

func (s *Store) fillTeam(ctx context.Context, t domain.Tenant, v Team) error {
	for _, u := range v.Members {
		if err := must1(s.exec1(ctx, `INSERT INTO analytics_team_members (tenant_id, team_id, user_id)
			SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM memberships WHERE tenant_id = $1 AND user_id = $3)`, t.ID, v.ID, u)); err != nil {
			return err
		}
	}
	var rows [][]any
	for _, r := range v.Repositories {
		rows = append(rows, []any{t.ID, v.ID, r})
	}
	return insertRows(ctx, s, rows, `INSERT INTO analytics_team_repositories (tenant_id, team_id, repository_id) VALUES {list}`)
}

func sortedIDs(in []string) []string { return append([]string{}, slices.Sorted(slices.Values(in))...) }

// Teams lists the teams of a tenant, newest first.
func (s *Store) Teams(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]Team, error) {
	rows, err := many(ctx, s, scanTeam, `SELECT `+teamColumns+` FROM analytics_teams WHERE tenant_id = $1
		AND (created_us, id) < ($2, $3) ORDER BY created_us DESC, id DESC LIMIT $4`, t.ID, before.from(), before.ID, limit)
	for i := range rows {
		if err == nil {
			err = s.readTeam(ctx, t, &rows[i])
		}
	}
	return rows, err
}

// Team reads a team.
func (s *Store) Team(ctx context.Context, t domain.Tenant, id string) (Team, error) {
	v, err := one(ctx, s, scanTeam, `SELECT `+teamColumns+` FROM analytics_teams WHERE tenant_id = $1 AND id = $2`, t.ID, id)
	if err != nil {
		return v, err
	}
	return v, s.readTeam(ctx, t, &v)
}

func (s *Store) readTeam(ctx context.Context, t domain.Tenant, v *Team) (err error) {
	if v.Members, err = many(ctx, s, value[string], `SELECT user_id FROM analytics_team_members WHERE tenant_id = $1 AND team_id = $2
		ORDER BY user_id`, t.ID, v.ID); err != nil {
		return err
	}
	v.Repositories, err = many(ctx, s, value[string], `SELECT repository_id FROM analytics_team_repositories WHERE tenant_id = $1
		AND team_id = $2 ORDER BY repository_id`, t.ID, v.ID)
	return err
}

// DeleteTeam deletes a team.
func (s *Store) DeleteTeam(ctx context.Context, t domain.Tenant, id string) error {
	return must1(s.exec1(ctx, `DELETE FROM analytics_teams WHERE tenant_id = $1 AND id = $2`, t.ID, id))
}

// OwnRepositories returns the given repositories that belong to the tenant, ordered by id.
func (s *Store) OwnRepositories(ctx context.Context, t domain.Tenant, ids []string) ([]string, error) {
	own, err := manyIn(ctx, s, value[string], ids, `SELECT id FROM repositories WHERE tenant_id = $1 AND id IN ({list})`, t.ID)
	slices.Sort(own)
	return own, err
}
