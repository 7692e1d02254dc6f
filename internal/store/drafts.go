package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// The methods below serve hosts on which a single write makes a review visible.

// ReplaceReview replaces the host's review of a published publication by another one, which also takes over
// the summary of the pull request if the former review carried it. It returns [errs.NotFound] if the
// publication is not published or has another review.
func (s *Store) ReplaceReview(ctx context.Context, t domain.Tenant, id string, from, to domain.HostID, url string) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if err := must1(s.exec1(ctx, `UPDATE publications SET ext_review_id = $4, ext_review_text = $5, ext_url = $6, updated_us = {now}
			WHERE tenant_id = $1 AND id = $2 AND phase = 'PUBLISHED' AND ext_review_id = $3`,
			t.ID, id, numericKey(from), numericKey(to), idText(to), url)); err != nil {
			return err
		}
		_, err := s.exec(ctx, `UPDATE pull_requests SET summary_review = $4, summary_text = $5, updated_us = {now}
			WHERE tenant_id = $1 AND summary_review = $3 AND id = (
				SELECT r.pull_request_id FROM publications p JOIN review_runs r ON r.id = p.run_id WHERE p.tenant_id = $1 AND p.id = $2)`,
			t.ID, id, numericKey(from), numericKey(to), idText(to))
		return err
	})
}

// UnansweredCreates returns the time until every create for a pull request with an unknown outcome is older
// than within, or 0 if none is newer. It covers all publications of the pull request. For the publication
// own it also counts answered creates, because the host's lists can lag behind them.
func (s *Store) UnansweredCreates(ctx context.Context, t domain.Tenant, pull, own string, within time.Duration) (time.Duration, error) {
	us, err := first(ctx, s, s.db.Write, value[int64], `SELECT COALESCE(MAX(w.started_us) + $3 - {now}, 0) FROM write_attempts w
		WHERE w.tenant_id = $1 AND w.subject_kind = 'publication' AND w.verb = 'create'
			AND (w.outcome IN ('', 'ambiguous', 'error') OR w.outcome = 'ok' AND w.subject_id = $4) AND w.subject_id IN (
			SELECT p.id FROM publications p JOIN review_runs r ON r.id = p.run_id WHERE r.tenant_id = $1 AND r.pull_request_id = $2)`,
		[]any{t.ID, pull, within.Microseconds(), own})
	return max(time.Duration(us)*time.Microsecond, 0), err
}

// PublicationsOfPull lists at most limit publications of a pull request, newest first. It fills only ID,
// Phase, PayloadSHA256 and ReviewID.
func (s *Store) PublicationsOfPull(ctx context.Context, t domain.Tenant, pull string, limit int) ([]Publication, error) {
	return many(ctx, s, func(r scanner, p *Publication) error {
		return r.Scan(&p.ID, &p.Phase, &p.PayloadSHA256, hostID(&p.ReviewID))
	},
		`SELECT p.id, p.phase, p.payload_sha256, COALESCE(NULLIF(p.ext_review_text, ''), CAST(p.ext_review_id AS TEXT))
			FROM publications p JOIN review_runs r ON r.id = p.run_id
			WHERE p.tenant_id = $1 AND r.tenant_id = $1 AND r.pull_request_id = $2 ORDER BY p.created_us DESC, p.id DESC LIMIT $3`, t.ID,
		pull, limit)
}
