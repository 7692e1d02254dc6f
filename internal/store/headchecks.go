package store

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// HeadVerdict is what holds for a pull request that is open with a head: the newest run
// of the head onto its target branch, and what that says.
type HeadVerdict struct {
	Number  int
	Run     string
	Verdict string // failure, pending, neutral, success, skipped, or "" where nothing is shown
}

// HeadVerdicts lists what holds for the open pull requests of a repository that have a
// head, the worst first, two at most: the second says that there are more. place narrows
// it to those from one branch, unless it is "". Of equal ones that of prefer, a run,
// comes first, then the lowest number.
//
// A run that ended without a review does not take back a failure of an earlier review of
// the same head and target.
func (s *Store) HeadVerdicts(ctx context.Context, t domain.Tenant, repository, head, place, prefer string) ([]HeadVerdict, error) {
	scan := func(r scanner, v *HeadVerdict) error { return r.Scan(&v.Number, &v.Run, &v.Verdict) }
	return many(ctx, s, scan, `SELECT number, id, verdict FROM (
			SELECT p.number, r.id, CASE WHEN r.state IN ('queued', 'running', 'awaiting_approval', 'publishing') THEN 'pending'
				WHEN r.state = 'completed' THEN r.verdict
				WHEN (SELECT b.verdict FROM review_runs b WHERE b.tenant_id = $1 AND b.pull_request_id = p.id AND b.head_sha = $3
					AND b.base_ref = p.base_ref AND b.state = 'completed' ORDER BY b.finished_us DESC, b.id DESC LIMIT 1) = 'failure' THEN 'failure'
				WHEN r.state = 'skipped' THEN 'skipped' ELSE 'neutral' END AS verdict
			FROM pull_requests p JOIN review_runs r ON r.id = (SELECT n.id FROM review_runs n WHERE n.tenant_id = $1 AND n.pull_request_id = p.id AND n.head_sha = $3
				AND n.base_ref = p.base_ref ORDER BY n.created_us DESC, n.id DESC LIMIT 1)
			WHERE p.tenant_id = $1 AND p.repository_id = $2 AND p.head_sha = $3 AND p.state = 'open' AND ($4 = '' OR p.head_ref = $4)) AS v
		ORDER BY CASE verdict WHEN 'failure' THEN 0 WHEN 'pending' THEN 1 WHEN 'neutral' THEN 2 WHEN 'success' THEN 3 ELSE 4 END,
			CASE WHEN id = $5 THEN 0 ELSE 1 END, number LIMIT 2`,
		t.ID, repository, head, place, prefer)
}

// HeadCheck is the newest check of a head, which is the one that a host shows.
type HeadCheck struct {
	Repository, Head string
	Place            string // the branch, where the host keeps a status by branch; "" elsewhere
	Run              string // whose check it is
	CheckID          string
	Said             string // what it was told to say last: a conclusion, a colon and a digest; "" where that is not known
}

// Says reports whether the check was told last what a verdict is; one that is not known says
// nothing.
func (c HeadCheck) Says(verdict string) bool {
	said, _, known := strings.Cut(c.Said, ":")
	return known && said == strings.TrimPrefix(verdict, "pending")
}

func scanHeadCheck(r scanner, v *HeadCheck) error {
	return r.Scan(&v.Repository, &v.Head, &v.Place, &v.Run, &v.CheckID, &v.Said)
}

const headCheckColumns = `repository_id, head_sha, place, run_id, check_id, said`

// HeadCheck reads the newest check of a head at a place.
func (s *Store) HeadCheck(ctx context.Context, t domain.Tenant, repository, head, place string) (HeadCheck, error) {
	return first(ctx, s, s.db.Write, scanHeadCheck, `SELECT `+headCheckColumns+` FROM head_checks
		WHERE tenant_id = $1 AND repository_id = $2 AND head_sha = $3 AND place = $4`,
		[]any{t.ID, repository, head, place})
}

// maxPlaces bounds the branches of one head that [Store.HeadChecks] lists.
const maxPlaces = 20

// HeadChecks lists the newest checks of a head, one for each place, at most 20.
func (s *Store) HeadChecks(ctx context.Context, t domain.Tenant, repository, head string) ([]HeadCheck, error) {
	return many(ctx, s, scanHeadCheck, `SELECT `+headCheckColumns+` FROM head_checks
		WHERE tenant_id = $1 AND repository_id = $2 AND head_sha = $3 ORDER BY place LIMIT $4`,
		t.ID, repository, head, maxPlaces)
}

// TakeHeadCheck makes a check the newest one of its head, unless one with a later id is:
// ids that are numbers grow. It returns the one before, the zero value for none. Where the
// host has one check for all runs, which shared says, or another worker has made it the newest
// for the same run, another write may have met this one, so that it is not known what the check says.
func (s *Store) TakeHeadCheck(ctx context.Context, t domain.Tenant, c HeadCheck, shared bool) (before HeadCheck, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		before, err = s.HeadCheck(ctx, t, c.Repository, c.Head, c.Place)
		if err != nil && !isAbsent(err) {
			return err
		}
		_, err = s.exec(ctx, `INSERT INTO head_checks (tenant_id, repository_id, head_sha, place, run_id, check_id, said, updated_us)
			VALUES ($1, $2, $3, $4, $5, $6, $7, {now})
			ON CONFLICT (repository_id, head_sha, place) DO UPDATE SET run_id = excluded.run_id, check_id = excluded.check_id,
				said = CASE WHEN $8 OR head_checks.run_id = excluded.run_id THEN '' ELSE excluded.said END,
				gen = head_checks.gen + 1, updated_us = excluded.updated_us
			WHERE head_checks.tenant_id = excluded.tenant_id
				AND (length(head_checks.check_id), head_checks.check_id) <= (length(excluded.check_id), excluded.check_id)`,
			t.ID, c.Repository, c.Head, c.Place, c.Run, c.CheckID, c.Said, shared)
		return err
	})
	return before, err
}

// BeginSaying forgets what the newest check of a head says, before a write to the check of
// a run: to that one, or to any where the host has one for all runs, which shared says. It
// returns what [Store.EndSaying] wants; 0 for another run's check.
func (s *Store) BeginSaying(ctx context.Context, t domain.Tenant, c HeadCheck, shared bool) (gen int64, err error) {
	gen, err = returning(ctx, s, value[int64], `UPDATE head_checks SET said = '', gen = gen + 1, updated_us = {now}
		WHERE tenant_id = $1 AND repository_id = $2 AND head_sha = $3 AND place = $4 AND (run_id = $5 OR $6) RETURNING gen`,
		t.ID, c.Repository, c.Head, c.Place, c.Run, shared)
	if isAbsent(err) {
		return 0, nil
	}
	return gen, err
}

// EndSaying records what was written to the newest check of a head, as far as no other write
// has begun since: of two that met it is not known which the host has taken last.
func (s *Store) EndSaying(ctx context.Context, t domain.Tenant, c HeadCheck, gen int64) error {
	_, err := s.exec(ctx, `UPDATE head_checks SET said = CASE WHEN gen = $6 AND run_id = $5 THEN $7 ELSE '' END, updated_us = {now}
		WHERE tenant_id = $1 AND repository_id = $2 AND head_sha = $3 AND place = $4`, t.ID, c.Repository, c.Head, c.Place, c.Run, gen, c.Said)
	return err
}
