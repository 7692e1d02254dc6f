package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// PolicySources holds the policy documents that apply to a repository, and the repository's facts that a
// policy depends on.
type PolicySources struct {
	Tenant     string // document of the tenant's repository defaults; "" for none
	Repository string // the repository's own document; "" for none
	Intake     string
	Public     bool
	File       string // the repository's file as last read on the default branch; "" if no review has read it
	// MandatoryPaths are the paths of the enabled mandatory rules of the tenant and the repository: one JSON array of patterns
	// for each rule, joined by commas; "" without such rules. An empty array means every file.
	MandatoryPaths string
	Tried          string // document of settings that are tried out, above all others; "" for none; never stored
}

func scanPolicySources(r scanner, v *PolicySources) error {
	return r.Scan(&v.Tenant, &v.Repository, &v.Intake, &v.Public, &v.File, &v.MandatoryPaths)
}

// PolicySources reads the policy sources of a repository.
func (s *Store) PolicySources(ctx context.Context, t domain.Tenant, repository string) (PolicySources, error) {
	return one(ctx, s, scanPolicySources, `SELECT COALESCE(d.body, ''), COALESCE(p.body, ''), r.intake, NOT r.private,
		COALESCE(f.body, ''),
		COALESCE((SELECT string_agg(m.paths, ',') FROM rules m WHERE m.tenant_id = r.tenant_id AND m.enabled AND m.mandatory
			AND COALESCE(m.repository_id, r.id) = r.id), '')
		FROM repositories r
		LEFT JOIN settings d ON d.tenant_id = r.tenant_id AND d.repository_id = '' AND d.kind = $3
		LEFT JOIN settings p ON p.tenant_id = r.tenant_id AND p.repository_id = r.id AND p.kind = $3
		LEFT JOIN settings f ON f.tenant_id = r.tenant_id AND f.repository_id = r.id AND f.kind = $4
		WHERE r.tenant_id = $1 AND r.id = $2`, t.ID, repository, SettingPolicy, SettingFile)
}

// SetIntake stores the decision on a new repository.
func (s *Store) SetIntake(ctx context.Context, t domain.Tenant, repository, intake string) error {
	return must1(s.exec1(ctx, `UPDATE repositories SET intake = $3, updated_us = {now} WHERE tenant_id = $1 AND id = $2`, t.ID,
		repository, intake))
}
