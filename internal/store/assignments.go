package store

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// Members returns the given people who are members of the tenant, ordered by id.
func (s *Store) Members(ctx context.Context, t domain.Tenant, users []string) ([]string, error) {
	members, err := manyIn(ctx, s, value[string], users, `SELECT DISTINCT user_id FROM memberships WHERE tenant_id = $1
		AND user_id IN ({list})`, t.ID)
	slices.Sort(members)
	return members, err
}

// Exclusions lists the people who must never be suggested as reviewers.
func (s *Store) Exclusions(ctx context.Context, t domain.Tenant) ([]string, error) {
	return many(ctx, s, value[string], `SELECT user_id FROM assignment_exclusions WHERE tenant_id = $1 ORDER BY user_id`, t.ID)
}

// ReplaceExclusions replaces the exclusions in one transaction. It returns [errs.NotFound] if one of the
// users is not a member.
func (s *Store) ReplaceExclusions(ctx context.Context, t domain.Tenant, users []string) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.exec(ctx, `DELETE FROM assignment_exclusions WHERE tenant_id = $1`, t.ID); err != nil {
			return err
		}
		for _, u := range slices.Sorted(slices.Values(users)) {
			if err := must1(s.exec1(ctx, `INSERT INTO assignment_exclusions (tenant_id, user_id) SELECT $1, $2
				WHERE EXISTS (SELECT 1 FROM memberships WHERE tenant_id = $1 AND user_id = $2)`, t.ID, u)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Assignment is a suggestion of reviewers for a pull request.
type Assignment struct {
	Record
	PullRequest string
	Number      int
	Mode        string // shadow, suggest or apply
	Suggestions string // JSON array
	Agreed      *bool  // whether people chose a suggested reviewer; nil before they chose
}

func (v *Assignment) table() (string, string, []string, []any) {
	return "assignments", "asg", []string{"pull_request_id", "number", "mode", "suggestions", "agreed"},
		[]any{&v.PullRequest, &v.Number, &v.Mode, &v.Suggestions, &v.Agreed}
}

// Assignments lists the suggestions of a repository, newest first.
func (s *Store) Assignments(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]Assignment, error) {
	return records[Assignment](ctx, s, t, repository, before, limit)
}

// ShadowResults counts a repository's suggestions of mode shadow whose outcome is known, and those in which
// people chose a suggested reviewer.
func (s *Store) ShadowResults(ctx context.Context, t domain.Tenant, repository string) (known, agreed int64, err error) {
	type pair struct{ known, agreed int64 }
	v, err := one(ctx, s, func(r scanner, v *pair) error { return r.Scan(&v.known, &v.agreed) },
		`SELECT COUNT(*), COUNT(*) FILTER (WHERE agreed) FROM assignments WHERE tenant_id = $1 AND repository_id = $2 AND mode = 'shadow'
			AND agreed IS NOT NULL`, t.ID, repository)
	return v.known, v.agreed, err
}

// OpenReviews sums the review requests that wait for a person in a repository.
type OpenReviews struct {
	User, Name   string
	Requests     int64
	ChangedLines int64
}

// Workload sums the open review requests of a repository's open pull requests by person. It orders them by
// name, because people are never ranked.
func (s *Store) Workload(ctx context.Context, t domain.Tenant, repository string) ([]OpenReviews, error) {
	return many(ctx, s, func(r scanner, v *OpenReviews) error { return r.Scan(&v.User, &v.Name, &v.Requests, &v.ChangedLines) },
		`SELECT u.id, u.display_name, COUNT(*), CAST(SUM(q.changed_lines) AS BIGINT) FROM review_requests q
		JOIN users u ON u.id = q.user_id JOIN pull_requests p ON p.tenant_id = q.tenant_id AND p.id = q.pull_request_id
		WHERE q.tenant_id = $1 AND q.repository_id = $2 AND p.state = 'open' GROUP BY u.id, u.display_name ORDER BY u.display_name, u.id`,
		t.ID, repository)
}
