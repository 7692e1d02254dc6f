package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// LastRunOfHead returns the newest run of a head that an event started, for any target branch. It ignores
// runs from commands and reruns.
func (s *Store) LastRunOfHead(ctx context.Context, t domain.Tenant, pull, head string) (Run, error) {
	return one(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND head_sha = $3
		AND trigger_key LIKE 'auto%'
		ORDER BY created_us DESC, id DESC LIMIT 1`, t.ID, pull, head)
}

// LastRunOnto is like [Store.LastRunOfHead] for a single target branch.
func (s *Store) LastRunOnto(ctx context.Context, t domain.Tenant, pull, head, base string) (Run, error) {
	return one(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND head_sha = $3
		AND base_ref = $4 AND trigger_key LIKE 'auto%'
		ORDER BY created_us DESC, id DESC LIMIT 1`, t.ID, pull, head, base)
}

// NewestRunOfHead returns the newest run of a head with any trigger.
func (s *Store) NewestRunOfHead(ctx context.Context, t domain.Tenant, pull, head string) (Run, error) {
	return first(ctx, s, s.db.Write, scanRun, `SELECT `+runColumns+
		` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND head_sha = $3
		ORDER BY created_us DESC, id DESC LIMIT 1`, []any{t.ID, pull, head})
}

// StandingRunOfHead returns the newest open or completed run of a head onto a target branch, with any
// trigger.
func (s *Store) StandingRunOfHead(ctx context.Context, t domain.Tenant, pull, head, base string) (Run, error) {
	return first(ctx, s, s.db.Write, scanRun, `SELECT `+runColumns+
		` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND head_sha = $3 AND base_ref = $4
		AND state IN ('queued', 'running', 'awaiting_approval', 'publishing', 'completed') ORDER BY created_us DESC, id DESC LIMIT 1`,
		[]any{t.ID, pull, head, base})
}

// maxHeadRuns is the maximum number of pull requests in [Store.RunsOfHead].
const maxHeadRuns = 20

// RunsOfHead lists, for each pull request of a repository that has had the head, the newest run of the
// head, newest first, at most 20.
func (s *Store) RunsOfHead(ctx context.Context, t domain.Tenant, repository, head string) ([]Run, error) {
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs r WHERE tenant_id = $1 AND repository_id = $2 AND head_sha = $3
		AND NOT EXISTS (SELECT 1 FROM review_runs n WHERE n.tenant_id = $1 AND n.pull_request_id = r.pull_request_id AND n.head_sha = $3
			AND (n.created_us, n.id) > (r.created_us, r.id))
		ORDER BY created_us DESC, id DESC LIMIT $4`, t.ID, repository, head, maxHeadRuns)
}

// NewerRun returns the newest open or completed run of the same pull request that was created after run for
// another head or target branch.
func (s *Store) NewerRun(ctx context.Context, t domain.Tenant, run Run) (Run, error) {
	return one(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND id <> $3
		AND (head_sha <> $4 OR base_ref <> $6)
		AND (created_us, id) > ($5, $3) AND state IN ('queued', 'running', 'awaiting_approval', 'publishing', 'completed')
			ORDER BY created_us DESC, id DESC LIMIT 1`,
		t.ID, run.PullRequest, run.ID, run.HeadSHA, run.CreatedUS, run.BaseRef)
}

// PublishedOnto returns the last review of the head and target branch of a run that was shown on the host, except its own.
func (s *Store) PublishedOnto(ctx context.Context, t domain.Tenant, run Run) (Run, error) {
	return one(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND id <> $3
		AND head_sha = $4 AND base_ref = $5 AND state = 'completed' AND verdict <> ''
		ORDER BY finished_us DESC, id DESC LIMIT 1`, t.ID, run.PullRequest, run.ID, run.HeadSHA, run.BaseRef)
}

// SetVerdict records the conclusion of a run's published review for the check of its head: success, neutral
// or failure.
func (s *Store) SetVerdict(ctx context.Context, t domain.Tenant, run, verdict string) error {
	return must1(s.exec1(ctx, `UPDATE review_runs SET verdict = $3 WHERE tenant_id = $1 AND id = $2`, t.ID, run, verdict))
}

// SetTargetTip records the newest commit of the target branch whose merge base with the pull request equals
// that of the last review.
func (s *Store) SetTargetTip(ctx context.Context, t domain.Tenant, pull, tip string) error {
	_, err := s.exec(ctx, `UPDATE pull_requests SET target_tip = $3 WHERE tenant_id = $1 AND id = $2`, t.ID, pull, tip)
	return err
}
