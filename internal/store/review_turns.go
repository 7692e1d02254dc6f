package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// ClaimInTurn claims a job of the review lane for a worker with a free slot and a hint of a job. If it is
// the turn of another fair key, the worker gets that key's oldest due job, and the hinted job becomes due
// for another hint. The turn belongs to the key with the fewest running jobs, and among these to the one
// served longest ago. Keys thus share the slots evenly, with any number of workers. A key that is alone can
// use all slots except those that workers reserve for others ([Store.ClaimOfIdle]).
//
// A lock orders the claims of the lane, so that two claims of one key cannot both count before the other
// has started. It returns [errs.NotFound] if the hinted job is not queued or not due.
func (s *Store) ClaimInTurn(ctx context.Context, id, worker string, lease time.Duration) (job Job, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.recordTurn(ctx, ""); err != nil {
			return err
		}
		next, err := s.nextInTurn(ctx, id)
		if err != nil {
			return err
		}
		if job, err = s.Claim(ctx, next, worker, lease); err != nil {
			return err
		}
		if next != id {
			if _, err := s.exec(ctx, `UPDATE jobs SET dispatched_us = NULL WHERE id = $1 AND state = 'queued'`, id); err != nil {
				return err
			}
		}
		return s.recordTurn(ctx, job.FairKey)
	})
	return job, err
}

// recordTurn records that a key is served now, and locks its row until the transaction ends.
func (s *Store) recordTurn(ctx context.Context, key string) error {
	_, err := s.exec(ctx, `INSERT INTO lane_turns (lane, fair_key, served_us) VALUES ($1, $2, {now})
		ON CONFLICT (lane, fair_key) DO UPDATE SET served_us = excluded.served_us`, string(domain.LaneReview), key)
	return err
}

// ClaimOfIdle claims the oldest due job of the review lane from the fair keys without a running job,
// preferring the key served longest ago. It is for the slot that a worker reserves for such keys, and needs
// no hint; a later hint finds the job taken. It returns [errs.NotFound] if there is no such job.
func (s *Store) ClaimOfIdle(ctx context.Context, worker string, lease time.Duration) (job Job, err error) {
	if _, err := s.nextIdle(ctx, s.db.Read); err != nil { // the usual end, before any write
		return Job{}, err
	}
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.recordTurn(ctx, ""); err != nil {
			return err
		}
		next, err := s.nextIdle(ctx, s.db.Write)
		if err != nil {
			return err
		}
		if job, err = s.Claim(ctx, next, worker, lease); err != nil {
			return err
		}
		return s.recordTurn(ctx, job.FairKey)
	})
	return job, err
}

// waitingKeys selects the fair keys with queued jobs of the lane. It jumps from key to key in the index
// jobs_waiting, whose condition the text repeats. dueOf selects the oldest due job of a key.
const (
	waitingKeys = `WITH RECURSIVE waiting (k) AS (
			SELECT (SELECT MIN(fair_key) FROM jobs WHERE lane = 'review' AND state = 'queued')
			UNION ALL
			SELECT (SELECT MIN(fair_key) FROM jobs WHERE lane = 'review' AND state = 'queued' AND fair_key > waiting.k) FROM waiting
				WHERE waiting.k IS NOT NULL
		), running (k, n) AS (SELECT fair_key, COUNT(*) FROM jobs WHERE lane = 'review' AND state = 'running' GROUP BY fair_key) `
	dueOf = `(SELECT id FROM jobs WHERE lane = 'review' AND state = 'queued' AND fair_key = w.k AND run_us <= {now} ORDER BY run_us, id
		LIMIT 1)`
)

// nextInTurn returns the hinted job, or the oldest due job of the key whose turn it is. It returns
// [errs.NotFound] if the hinted job is not due.
func (s *Store) nextInTurn(ctx context.Context, hinted string) (string, error) {
	return first(ctx, s, s.db.Write, value[string], waitingKeys+`SELECT CASE WHEN w.k = h.fair_key THEN h.id ELSE d.id END
		FROM waiting w JOIN jobs h ON h.id = $1 AND h.lane = 'review' AND h.state = 'queued' AND h.run_us <= {now}
		JOIN jobs d ON d.id = `+dueOf+`
		LEFT JOIN running r ON r.k = w.k LEFT JOIN lane_turns t ON t.lane = 'review' AND t.fair_key = w.k
		WHERE w.k IS NOT NULL ORDER BY COALESCE(r.n, 0), COALESCE(t.served_us, 0), CASE WHEN w.k = h.fair_key THEN 0 ELSE 1 END, w.k
			LIMIT 1`, []any{hinted})
}

// nextIdle returns the oldest due job of a key without running jobs.
func (s *Store) nextIdle(ctx context.Context, from *sql.DB) (string, error) {
	return first(ctx, s, from, value[string], waitingKeys+`SELECT d.id FROM waiting w JOIN jobs d ON d.id = `+dueOf+`
		LEFT JOIN running r ON r.k = w.k LEFT JOIN lane_turns t ON t.lane = 'review' AND t.fair_key = w.k
		WHERE w.k IS NOT NULL AND r.n IS NULL ORDER BY COALESCE(t.served_us, 0), w.k LIMIT 1`, nil)
}
