package store

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// HeadVerdict is the current verdict on an open pull request with a given head, from the newest run of that
// head onto its target branch.
type HeadVerdict struct {
	Number  int
	Run     string
	Verdict string // failure, pending, neutral, success, skipped, or "" to show nothing
}

// HeadVerdicts lists the verdicts on a repository's open pull requests with a head, the worst first, at
// most two; the second shows that there are more. A place other than "" selects the pull requests from that
// branch. Among equal verdicts, the run prefer comes first, then the lowest number.
//
// A run that ended without a review, or whose review a silent policy kept off the host, does not replace a failure
// from an earlier review of the same head and target. u gives the verdict of such an end.
func (s *Store) HeadVerdicts(ctx context.Context, t domain.Tenant, repository, head, place, prefer string,
	u domain.Unreviewed) ([]HeadVerdict, error) {
	scan := func(r scanner, v *HeadVerdict) error { return r.Scan(&v.Number, &v.Run, &v.Verdict) }
	return many(ctx, s, scan, `SELECT number, id, verdict FROM (
			SELECT p.number, r.id, CASE WHEN r.state IN ('queued', 'running', 'awaiting_approval', 'publishing') THEN 'pending'
				WHEN r.state = 'completed' AND (r.verdict <> '' OR NOT EXISTS (SELECT 1 FROM publications q WHERE q.tenant_id = $1
					AND q.run_id = r.id AND q.kind = 'none')) THEN r.verdict
				WHEN (SELECT b.verdict FROM review_runs b WHERE b.tenant_id = $1 AND b.pull_request_id = p.id AND b.head_sha = $3
					AND b.base_ref = p.base_ref AND b.state = 'completed' AND b.verdict <> ''
					ORDER BY b.finished_us DESC, b.id DESC LIMIT 1) = 'failure' THEN 'failure'
				WHEN r.state = 'completed' THEN $10
				WHEN r.state = 'failed' THEN $6 WHEN r.state = 'skipped' AND r.depth = 'reduced' THEN $7
				WHEN r.state = 'skipped' THEN $8 ELSE $9 END AS verdict
			FROM pull_requests p JOIN review_runs r ON r.id = (SELECT n.id FROM review_runs n WHERE n.tenant_id = $1
				AND n.pull_request_id = p.id AND n.head_sha = $3
				AND n.base_ref = p.base_ref ORDER BY n.created_us DESC, n.id DESC LIMIT 1)
			WHERE p.tenant_id = $1 AND p.repository_id = $2 AND p.head_sha = $3 AND p.state = 'open' AND ($4 = '' OR p.head_ref = $4)) AS v
		ORDER BY CASE verdict WHEN 'failure' THEN 0 WHEN 'pending' THEN 1 WHEN 'neutral' THEN 2 WHEN 'success' THEN 3 ELSE 4 END,
			CASE WHEN id = $5 THEN 0 ELSE 1 END, number LIMIT 2`,
		t.ID, repository, head, place, prefer, unreviewed(u, domain.RunFailed, ""), unreviewed(u, domain.RunSkipped, domain.DepthReduced),
		unreviewed(u, domain.RunSkipped, ""), unreviewed(u, domain.RunCancelled, ""), u.Conclusion(domain.UnreviewedHidden()))
}

// unreviewed returns the verdict of a run that ended without a publication.
func unreviewed(u domain.Unreviewed, state domain.RunState, depth domain.Depth) string {
	return u.Conclusion(domain.UnreviewedEndOf(state, depth))
}

// HeadCheck is the newest check of a head, the one that the host displays.
type HeadCheck struct {
	Repository, Head string
	Place            string // the branch, on hosts that keep a status by branch; "" on others
	Run              string // the run of the check
	CheckID          string
	Shown            string // conclusion, colon and digest last sent to the host; "" if unknown
}

// ShowsVerdict reports whether the check is known to show a verdict.
func (c HeadCheck) ShowsVerdict(verdict string) bool {
	said, _, known := strings.Cut(c.Shown, ":")
	return known && said == strings.TrimPrefix(verdict, "pending")
}

func scanHeadCheck(r scanner, v *HeadCheck) error {
	return r.Scan(&v.Repository, &v.Head, &v.Place, &v.Run, &v.CheckID, &v.Shown)
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

// TakeHeadCheck makes c the newest check of its head, unless a check with a higher id is stored; numeric
// ids grow. It returns the former check, or the zero value. It leaves Shown empty if the host has one check
// for all runs (shared) or another worker stored a check of the same run, because a concurrent write could
// have changed the check.
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
			t.ID, c.Repository, c.Head, c.Place, c.Run, c.CheckID, c.Shown, shared)
		return err
	})
	return before, err
}

// BeginCheckWrite clears the known content of the newest check of a head before a write to the check of c.Run,
// or to any run's check if shared is true. It returns the generation for [Store.EndCheckWrite], or 0 if the
// newest check belongs to another run.
func (s *Store) BeginCheckWrite(ctx context.Context, t domain.Tenant, c HeadCheck, shared bool) (gen int64, err error) {
	gen, err = returning(ctx, s, value[int64], `UPDATE head_checks SET said = '', gen = gen + 1, updated_us = {now}
		WHERE tenant_id = $1 AND repository_id = $2 AND head_sha = $3 AND place = $4 AND (run_id = $5 OR $6) RETURNING gen`,
		t.ID, c.Repository, c.Head, c.Place, c.Run, shared)
	if isAbsent(err) {
		return 0, nil
	}
	return gen, err
}

// EndCheckWrite records the content that was written to the newest check of a head. If another write began
// since generation gen, it clears the content, because the order in which the host took the writes is
// unknown.
func (s *Store) EndCheckWrite(ctx context.Context, t domain.Tenant, c HeadCheck, gen int64) error {
	_, err := s.exec(ctx, `UPDATE head_checks SET said = CASE WHEN gen = $6 AND run_id = $5 THEN $7 ELSE '' END, updated_us = {now}
		WHERE tenant_id = $1 AND repository_id = $2 AND head_sha = $3 AND place = $4`, t.ID, c.Repository, c.Head, c.Place, c.Run, gen, c.Shown)
	return err
}
