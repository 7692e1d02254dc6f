package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// ClaimInTurn takes a job of the lane of reviews for a worker that has a free
// slot and a hint of the job. Where it is another fair key's turn, the worker
// gets the oldest due job of that one instead, and the hinted one is due for a
// hint again. The turn is that of the key with the fewest running jobs, of those
// the one that was served the longest ago: nobody holds more than a share of the
// slots while somebody else waits, and whoever is alone may hold all of them but those
// that workers keep for others ([Store.ClaimOfIdle]), however many workers there are.
//
// Claims of the lane take turns under a lock, so that two of one key cannot both
// count before the other has begun. The error is [errs.NotFound] where the
// hinted job is not there to be taken: done, taken, not due.
func (s *Store) ClaimInTurn(ctx context.Context, id, worker string, lease time.Duration) (job Job, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.served(ctx, ""); err != nil {
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
		return s.served(ctx, job.FairKey)
	})
	return job, err
}

// served notes that a key is being served, and holds its row until the end of
// the transaction.
func (s *Store) served(ctx context.Context, key string) error {
	_, err := s.exec(ctx, `INSERT INTO lane_turns (lane, fair_key, served_us) VALUES ($1, $2, {now})
		ON CONFLICT (lane, fair_key) DO UPDATE SET served_us = excluded.served_us`, string(domain.LaneReview), key)
	return err
}

// ClaimOfIdle takes the oldest due job of the lane of reviews whose fair key has
// no running one, of the key that was served the longest ago. It is for the slot
// that a worker keeps free of those who have work under way, and needs no hint:
// one that comes later finds the job taken. The error is [errs.NotFound] where
// nobody who waits has nothing running.
func (s *Store) ClaimOfIdle(ctx context.Context, worker string, lease time.Duration) (job Job, err error) {
	if _, err := s.nextIdle(ctx, s.db.Read); err != nil { // mostly: and nothing has been written
		return Job{}, err
	}
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.served(ctx, ""); err != nil {
			return err
		}
		next, err := s.nextIdle(ctx, s.db.Write)
		if err != nil {
			return err
		}
		if job, err = s.Claim(ctx, next, worker, lease); err != nil {
			return err
		}
		return s.served(ctx, job.FairKey)
	})
	return job, err
}

// waitingKeys are the fair keys with queued jobs of the lane. They are found by
// jumping from one to the next in the index jobs_waiting, whose condition the text
// repeats. dueOf is the oldest due job of one.
const (
	waitingKeys = `WITH RECURSIVE waiting (k) AS (
			SELECT (SELECT MIN(fair_key) FROM jobs WHERE lane = 'review' AND state = 'queued')
			UNION ALL
			SELECT (SELECT MIN(fair_key) FROM jobs WHERE lane = 'review' AND state = 'queued' AND fair_key > waiting.k) FROM waiting WHERE waiting.k IS NOT NULL
		), running (k, n) AS (SELECT fair_key, COUNT(*) FROM jobs WHERE lane = 'review' AND state = 'running' GROUP BY fair_key) `
	dueOf = `(SELECT id FROM jobs WHERE lane = 'review' AND state = 'queued' AND fair_key = w.k AND run_us <= {now} ORDER BY run_us, id LIMIT 1)`
)

// nextInTurn returns the hinted job, or the oldest due one of the key whose turn
// it is. [errs.NotFound]: the hinted job is not due.
func (s *Store) nextInTurn(ctx context.Context, hinted string) (string, error) {
	return first(ctx, s, s.db.Write, value[string], waitingKeys+`SELECT CASE WHEN w.k = h.fair_key THEN h.id ELSE d.id END
		FROM waiting w JOIN jobs h ON h.id = $1 AND h.lane = 'review' AND h.state = 'queued' AND h.run_us <= {now}
		JOIN jobs d ON d.id = `+dueOf+`
		LEFT JOIN running r ON r.k = w.k LEFT JOIN lane_turns t ON t.lane = 'review' AND t.fair_key = w.k
		WHERE w.k IS NOT NULL ORDER BY COALESCE(r.n, 0), COALESCE(t.served_us, 0), CASE WHEN w.k = h.fair_key THEN 0 ELSE 1 END, w.k LIMIT 1`, []any{hinted})
}

// nextIdle returns the oldest due job of a key that has none running.
func (s *Store) nextIdle(ctx context.Context, from *sql.DB) (string, error) {
	return first(ctx, s, from, value[string], waitingKeys+`SELECT d.id FROM waiting w JOIN jobs d ON d.id = `+dueOf+`
		LEFT JOIN running r ON r.k = w.k LEFT JOIN lane_turns t ON t.lane = 'review' AND t.fair_key = w.k
		WHERE w.k IS NOT NULL AND r.n IS NULL ORDER BY COALESCE(t.served_us, 0), w.k LIMIT 1`, nil)
}
