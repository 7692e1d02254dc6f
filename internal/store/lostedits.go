package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// maxEditDuration is how long an edit without an outcome counts as running in another job. It is shorter than the
// lease of a job, which expires before a killed worker's job is claimed again (design choice).
const maxEditDuration = 15 * time.Second

// LostEdit returns the newest edit of a subject whose outcome is unknown and whose target had no successful
// write at least within later. The host can apply such an edit after the next one. age is the time since
// its end, or since its start if the end is unknown. id is "" if there is no such edit.
func (s *Store) LostEdit(ctx context.Context, t domain.Tenant, kind, subject string,
	within time.Duration) (id string, age time.Duration, err error) {
	type lost struct {
		id string
		us int64
	}
	v, err := first(ctx, s, s.db.Write, func(r scanner, v *lost) error { return r.Scan(&v.id, &v.us) },
		`SELECT w.id, {now} - COALESCE(w.finished_us, w.started_us) FROM write_attempts w
			WHERE w.tenant_id = $1 AND w.subject_kind = $2 AND w.subject_id = $3
				AND (w.outcome IN ('ambiguous', 'unavailable') OR w.outcome = '' AND w.started_us <= {now} - CAST($5 AS BIGINT))
				AND (w.verb LIKE 'edit %' OR w.verb LIKE 'update %' OR w.verb LIKE '% thread')
				AND NOT EXISTS (SELECT 1 FROM write_attempts o WHERE o.tenant_id = $1 AND o.subject_kind = $2 AND o.subject_id = $3
					AND o.target = w.target AND o.outcome = 'ok'
					AND o.started_us >= COALESCE(w.finished_us, w.started_us) + CAST($4 AS BIGINT))
			ORDER BY w.started_us DESC, w.id DESC LIMIT 1`, []any{t.ID, kind, subject, within.Microseconds(), maxEditDuration.Microseconds()})
	if isAbsent(err) {
		return "", 0, nil
	}
	return v.id, time.Duration(v.us) * time.Microsecond, err
}

// ReviewsAfter lists at most limit completed runs of a pull request created after the run r, newest first.
func (s *Store) ReviewsAfter(ctx context.Context, t domain.Tenant, r Run, limit int) ([]Run, error) {
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND state = 'completed'
		AND (created_us > $3 OR created_us = $3 AND id > $4) ORDER BY created_us DESC, id DESC LIMIT $5`, t.ID, r.PullRequest,
		r.CreatedUS, r.ID, limit)
}
