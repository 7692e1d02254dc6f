package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// What follows is for hosts whose drafts may be there in part, or take in parts of
// another draft of the account.

// ClearReview takes back the choice of a draft that was deleted: the publication
// begins again with its create. It does so only under the caller's generation, for
// that draft, before its submit was intended, and where the intent of verb to target,
// its deletion by us, is recorded and was not refused. False: one of these does not
// hold.
func (s *Store) ClearReview(ctx context.Context, t domain.Tenant, id string, gen int64, review domain.HostID, verb, target string) (bool, error) {
	return s.exec1(ctx, `UPDATE publications SET phase = 'CREATING', ext_review_id = NULL, ext_review_text = '', updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND gen = $3 AND phase = 'CHOSEN' AND ext_review_id = $4
			AND EXISTS (SELECT 1 FROM write_attempts w WHERE w.tenant_id = $1 AND w.subject_kind = 'publication' AND w.subject_id = $2 AND w.verb = $5 AND w.target = $6
				AND w.outcome IN ('', 'ok', 'ambiguous'))`, t.ID, id, gen, standIn(review), verb, target)
}

// UnansweredCreates returns how long it takes until the newest create for a pull
// request whose outcome nobody knows is older than within; 0 where there is none, or
// where all are. Those of every publication of the pull request count.
func (s *Store) UnansweredCreates(ctx context.Context, t domain.Tenant, pull string, within time.Duration) (time.Duration, error) {
	us, err := first(ctx, s, s.db.Write, value[int64], `SELECT COALESCE(MAX(w.started_us) + $3 - {now}, 0) FROM write_attempts w
		WHERE w.tenant_id = $1 AND w.subject_kind = 'publication' AND w.verb = 'create' AND w.outcome IN ('', 'ambiguous', 'error') AND w.subject_id IN (
			SELECT p.id FROM publications p JOIN review_runs r ON r.id = p.run_id WHERE r.tenant_id = $1 AND r.pull_request_id = $2)`,
		[]any{t.ID, pull, within.Microseconds()})
	return max(time.Duration(us)*time.Microsecond, 0), err
}

// PublicationsOfPull lists the publications of a pull request, the newest first, at
// most limit: their ids, phases and chosen reviews.
func (s *Store) PublicationsOfPull(ctx context.Context, t domain.Tenant, pull string, limit int) ([]Publication, error) {
	return many(ctx, s, func(r scanner, p *Publication) error { return r.Scan(&p.ID, &p.Phase, hostID(&p.ReviewID)) },
		`SELECT p.id, p.phase, COALESCE(NULLIF(p.ext_review_text, ''), CAST(p.ext_review_id AS TEXT)) FROM publications p JOIN review_runs r ON r.id = p.run_id
			WHERE p.tenant_id = $1 AND r.tenant_id = $1 AND r.pull_request_id = $2 ORDER BY p.created_us DESC, p.id DESC LIMIT $3`, t.ID, pull, limit)
}
