package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// FixOutcome is what the models and the checks made of a fix run.
type FixOutcome struct {
	Result           string // JSON object
	Proposed, Passed int    // findings
	Findings         []FixFinding
}

// FixFinding is what became of one finding of a fix run.
type FixFinding struct {
	Finding string
	Reason  string              // name of the reason why it has no fix; "" if its fix passed
	Edits   []domain.Suggestion // of a fix that passed, against the head of the fix run
	FixRun  string              // set by [Store.FixesToFind]
	HeadSHA string              // of the fix run; set by [Store.FixesToFind]
}

// SetFixOutcome stores the outcome of a running fix run and moves it to publishing. It returns false if the fix run is not running.
func (s *Store) SetFixOutcome(ctx context.Context, t domain.Tenant, id string, o FixOutcome) (moved bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		moved, err = s.exec1(ctx, `UPDATE fix_runs SET state = 'publishing', result = $3, proposed = $4, passed = $5
			WHERE tenant_id = $1 AND id = $2 AND state = 'running'`, t.ID, id, o.Result, o.Proposed, o.Passed)
		if err != nil || !moved {
			return err
		}
		for _, f := range o.Findings {
			if f.Edits == nil {
				f.Edits = []domain.Suggestion{}
			}
			if _, err := s.exec(ctx, `INSERT INTO fix_run_findings (fix_run_id, finding_id, tenant_id, reason, edits, in_code)
				VALUES ($1, $2, $3, $4, $5, FALSE) ON CONFLICT (fix_run_id, finding_id) DO NOTHING`,
				id, f.Finding, t.ID, f.Reason, JSON(f.Edits)); err != nil {
				return err
			}
		}
		return nil
	})
	return moved && err == nil, err
}

// FixesToFind returns the fixes of findings of a pull request that passed and that no review has found in the code, the newest first.
func (s *Store) FixesToFind(ctx context.Context, t domain.Tenant, pull string, findings []string) ([]FixFinding, error) {
	return manyIn(ctx, s, func(r scanner, v *FixFinding) error {
		var edits string
		err := r.Scan(&v.FixRun, &v.Finding, &v.HeadSHA, &edits)
		v.Edits = FromJSON[[]domain.Suggestion](edits)
		return err
	}, findings, `SELECT f.fix_run_id, f.finding_id, r.head_sha, f.edits FROM fix_run_findings f
		JOIN fix_runs r ON r.tenant_id = f.tenant_id AND r.id = f.fix_run_id
		WHERE f.tenant_id = $1 AND r.pull_request_id = $2 AND f.reason = '' AND NOT f.in_code AND f.finding_id IN ({list})
		ORDER BY r.created_us DESC, r.id DESC, f.finding_id`, t.ID, pull)
}

// SetFixInCode records that a review found every edit of a fix in the code. It returns false if the tenant has no such fix.
func (s *Store) SetFixInCode(ctx context.Context, t domain.Tenant, fixRun, finding string) (bool, error) {
	return s.exec1(ctx, `UPDATE fix_run_findings SET in_code = TRUE WHERE tenant_id = $1 AND fix_run_id = $2 AND finding_id = $3
		AND reason = ''`, t.ID, fixRun, finding)
}

// FixCounts counts the fix runs of a repository, and their findings. A finding counts once in each of its fix runs.
type FixCounts struct {
	Runs, Open, Proposed, Passed int64 // Open: runs without an outcome that have not ended
	Accepted                     int64 // of Passed: in the code of a later review, and the finding is still resolved
}

// FixRefusals counts the findings that one reason left without a fix.
type FixRefusals struct {
	Reason   string
	Findings int64
}

// FixFigures counts the fix runs of a repository that were created in [from, to). The refusals have the most frequent reason
// first.
func (s *Store) FixFigures(ctx context.Context, t domain.Tenant, repository string, from, to int64) (out FixCounts, refused []FixRefusals,
	err error) {
	args := []any{t.ID, repository, from, to}
	out, err = one(ctx, s, func(r scanner, v *FixCounts) error { return r.Scan(&v.Runs, &v.Open, &v.Proposed, &v.Passed) },
		`SELECT COUNT(*), COUNT(*) FILTER (WHERE state IN ('queued', 'running')), CAST(COALESCE(SUM(proposed), 0) AS BIGINT),
			CAST(COALESCE(SUM(passed), 0) AS BIGINT)
		FROM fix_runs WHERE tenant_id = $1 AND repository_id = $2 AND created_us >= $3 AND created_us < $4`, args...)
	if err != nil {
		return out, nil, err
	}
	const inRuns = ` FROM fix_run_findings f JOIN fix_runs r ON r.tenant_id = f.tenant_id AND r.id = f.fix_run_id
		WHERE f.tenant_id = $1 AND r.repository_id = $2 AND r.created_us >= $3 AND r.created_us < $4`
	out.Accepted, err = one(ctx, s, value[int64], `SELECT COUNT(*)`+inRuns+` AND f.in_code AND EXISTS (SELECT 1 FROM findings d
		WHERE d.tenant_id = f.tenant_id AND d.id = f.finding_id AND d.state = 'resolved')`, args...)
	if err != nil {
		return out, nil, err
	}
	refused, err = many(ctx, s, func(r scanner, v *FixRefusals) error { return r.Scan(&v.Reason, &v.Findings) },
		`SELECT f.reason, COUNT(*)`+inRuns+` AND f.reason <> '' GROUP BY f.reason ORDER BY 2 DESC, 1`, args...)
	return out, refused, err
}
