package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// Rule is a row of rules. Lists and the matcher are JSON.
type Rule struct {
	ID, Tenant, Repository string // Repository is "" for a rule of the tenant
	Title, Instruction     string
	Paths, Languages       string
	Severity               string
	Enabled, Mandatory     bool
	Matcher                string // "" for none
	Version                int64
	CreatedUS, UpdatedUS   int64
}

const ruleColumns = `id, tenant_id, repository_id, title, instruction, paths, languages, severity, enabled, mandatory, matcher, ` +
	`version, created_us, updated_us`

func scanRule(r scanner, v *Rule) error {
	return r.Scan(&v.ID, &v.Tenant, text(&v.Repository), &v.Title, &v.Instruction, &v.Paths, &v.Languages, &v.Severity, &v.Enabled,
		&v.Mandatory, &v.Matcher,
		&v.Version, &v.CreatedUS, &v.UpdatedUS)
}

// CreateRule creates a rule of the tenant or of one of its repositories. It ignores the times, version and
// tenant of v.
func (s *Store) CreateRule(ctx context.Context, t domain.Tenant, v Rule) (Rule, error) {
	return returning(ctx, s, scanRule, `INSERT INTO rules (id, tenant_id, repository_id, title, instruction, paths, languages, severity,
		enabled, mandatory, matcher, version, created_us, updated_us)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, {now}, {now}) RETURNING `+ruleColumns,
		domain.NewID("rul"), t.ID, null(v.Repository), v.Title, v.Instruction, v.Paths, v.Languages, v.Severity, v.Enabled, v.Mandatory,
		v.Matcher)
}

// Rule reads a rule of a repository, or of the tenant if repository is "".
func (s *Store) Rule(ctx context.Context, t domain.Tenant, repository, id string) (Rule, error) {
	return one(ctx, s, scanRule, `SELECT `+ruleColumns+` FROM rules WHERE tenant_id = $1 AND COALESCE(repository_id, '') = $2
		AND id = $3`, t.ID, repository, id)
}

// Rules lists the rules of a repository, or of the tenant if repository is "", newest first, at most limit
// of them.
func (s *Store) Rules(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]Rule, error) {
	return many(ctx, s, scanRule, `SELECT `+ruleColumns+` FROM rules WHERE tenant_id = $1 AND COALESCE(repository_id, '') = $2
		AND (created_us, id) < ($3, $4) ORDER BY created_us DESC, id DESC LIMIT $5`,
		t.ID, repository, before.from(), before.ID, limit)
}

// UpdateRule replaces the editable fields of the rule with version v.Version, and returns it with the next
// version. It returns [errs.NotFound] if the rule was deleted or changed in the meantime.
func (s *Store) UpdateRule(ctx context.Context, t domain.Tenant, v Rule) (Rule, error) {
	return returning(ctx, s, scanRule, `UPDATE rules SET title = $5, instruction = $6, paths = $7, languages = $8, severity = $9,
		enabled = $10, mandatory = $11, matcher = $12,
		version = version + 1, updated_us = {now} WHERE tenant_id = $1 AND COALESCE(repository_id, '') = $2 AND id = $3 AND version = $4
			RETURNING `+ruleColumns,
		t.ID, v.Repository, v.ID, v.Version, v.Title, v.Instruction, v.Paths, v.Languages, v.Severity, v.Enabled, v.Mandatory, v.Matcher)
}

// DeleteRule deletes a rule of a repository, or of the tenant if repository is "".
func (s *Store) DeleteRule(ctx context.Context, t domain.Tenant, repository, id string) error {
	return must1(s.exec1(ctx, `DELETE FROM rules WHERE tenant_id = $1 AND COALESCE(repository_id, '') = $2 AND id = $3`, t.ID, repository, id))
}
