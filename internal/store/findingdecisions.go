package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// FindingDecision is a row of finding_decisions.
type FindingDecision struct {
	ID, Finding  string
	State        domain.FindingState // the new state: dismissed, or open again
	Reason, User string
	Person       string // our id, or the code host's of a person without a user here; "" in rows of older versions
	CreatedUS    int64
}

// DecideFinding moves a finding of a repository from the state from to v.State and records the person and
// reason. It chooses the id and time of v. It returns [errs.NotFound] if the repository has no such finding
// in state from.
func (s *Store) DecideFinding(ctx context.Context, t domain.Tenant, repository string, from domain.FindingState, v FindingDecision) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if err := must1(s.exec1(ctx, `UPDATE findings SET state = $5, updated_us = {now} WHERE tenant_id = $1 AND repository_id = $2
			AND id = $3 AND state = $4`,
			t.ID, repository, v.Finding, string(from), string(v.State))); err != nil {
			return err
		}
		_, err := s.exec(ctx, `INSERT INTO finding_decisions (id, tenant_id, finding_id, state, reason, user_id, person, created_us)
			VALUES ($1, $2, $3, $4, $5, $6, $7, {now})`,
			domain.NewID("fdc"), t.ID, v.Finding, string(v.State), v.Reason, v.User, v.Person)
		return err
	})
}

// FindingDecisions lists the decisions on a finding, newest first, at most 50.
func (s *Store) FindingDecisions(ctx context.Context, t domain.Tenant, finding string) ([]FindingDecision, error) {
	return many(ctx, s, func(r scanner, v *FindingDecision) error {
		return r.Scan(&v.ID, &v.Finding, &v.State, &v.Reason, &v.User, &v.Person, &v.CreatedUS)
	}, `SELECT id, finding_id, state, reason, user_id, person, created_us FROM finding_decisions WHERE tenant_id = $1 AND finding_id = $2
		ORDER BY created_us DESC, id DESC LIMIT $3`, t.ID, finding, maxDecisions)
}

// FindingPlace says in which repository a finding is.
type FindingPlace struct{ ID, Repository string }

// FindingPlaces returns the repositories of findings of the tenant, in no particular order. Other ids are left out.
func (s *Store) FindingPlaces(ctx context.Context, t domain.Tenant, ids []string) ([]FindingPlace, error) {
	return manyIn(ctx, s, func(r scanner, v *FindingPlace) error { return r.Scan(&v.ID, &v.Repository) }, ids,
		`SELECT id, repository_id FROM findings WHERE tenant_id = $1 AND id IN ({list})`, t.ID)
}
