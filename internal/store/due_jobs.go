package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// maxDueKeys is the maximum number of fair keys in one statement.
const maxDueKeys = 50

// Due is a due job with its claim generation at the time of the query.
type Due struct {
	ID  string
	Gen int64
}

// queued is a due job with its turn among the jobs of its fair key.
type queued struct {
	Due
	key   string
	runUS int64
	turn  int
}

// DueJobs returns due jobs of a lane that are not dispatched yet. It takes turns over the fair keys, so
// that a flood of one key cannot starve another: first the oldest job of each key, then the second of each,
// and so on.
//
// slots is the number of slots of all workers in the lane. A key gets at most half of the slots that the
// jobs of other keys leave free, but at least one, so that jobs that wait for slow servers leave slots for
// other tenants. 0 disables this limit.
//
// The cost grows with the number of keys and the limit, not with the backlog, because the query jumps from
// key to key in the index jobs_turn.
func (s *Store) DueJobs(ctx context.Context, lane domain.Lane, limit, slots int) ([]Due, error) {
	if limit <= 0 {
		return []Due{}, nil
	}
	due, err := s.dueHeads(ctx, lane)
	if err != nil {
		return nil, err
	}
	// A key contributes at most as many jobs as the first turns of the other keys leave.
	if depth := limit - len(due) + 1; len(due) > 0 && depth > 1 {
		keys := make([]string, len(due))
		for i, q := range due {
			keys[i] = q.key
		}
		due = due[:0]
		for part := range slices.Chunk(keys, maxDueKeys) {
			more, err := s.dueOf(ctx, lane, part, depth)
			if err != nil {
				return nil, err
			}
			due = append(due, more...)
		}
	}
	slices.SortFunc(due, func(a, b queued) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.runUS, b.runUS), cmp.Compare(a.ID, b.ID))
	})
	if due, err = s.withinShares(ctx, lane, due, slots); err != nil {
		return nil, err
	}
	out := make([]Due, 0, min(limit, len(due)))
	for _, q := range due[:min(limit, len(due))] {
		out = append(out, q.Due)
	}
	return out, nil
}

// withinShares removes jobs beyond the share of their fair key. due is in the order of turns.
func (s *Store) withinShares(ctx context.Context, lane domain.Lane, due []queued, slots int) ([]queued, error) {
	if slots <= 0 || len(due) == 0 {
		return due, nil
	}
	type share struct {
		key string
		n   int
	}
	taken, err := many(ctx, s, func(r scanner, b *share) error { return r.Scan(&b.key, &b.n) },
		`SELECT fair_key, COUNT(*) FROM jobs WHERE lane = CAST($1 AS TEXT) AND state = 'running' GROUP BY fair_key
		UNION ALL SELECT fair_key, COUNT(*) FROM jobs WHERE lane = CAST($1 AS TEXT) AND state = 'queued' AND dispatched_us IS NOT NULL
			GROUP BY fair_key`, string(lane))
	if err != nil {
		return nil, err
	}
	busy, all := map[string]int{}, 0
	for _, b := range taken {
		busy[b.key] += b.n
		all += b.n
	}
	return slices.DeleteFunc(due, func(q queued) bool {
		if n := busy[q.key]; n >= max(1, (slots-(all-n))/2) {
			return true
		}
		busy[q.key]++
		all++
		return false
	}), nil
}

// dueHeads returns the oldest due job of every fair key. The casts of the lane here and in
// [Store.ForgetDispatched] are for SQLite. Without them it prepares the statement again for each other
// lane, because the partial index jobs_waiting is for one lane (exprCompareVariable in expr.c).
func (s *Store) dueHeads(ctx context.Context, lane domain.Lane) ([]queued, error) {
	return many(ctx, s, func(r scanner, q *queued) error { return r.Scan(&q.key, &q.ID, &q.Gen, &q.runUS) },
		`WITH RECURSIVE keys (k) AS (
			SELECT (SELECT MIN(fair_key) FROM jobs WHERE lane = CAST($1 AS TEXT) AND state = 'queued' AND dispatched_us IS NULL)
			UNION ALL
			SELECT (SELECT MIN(fair_key) FROM jobs WHERE lane = CAST($1 AS TEXT) AND state = 'queued' AND dispatched_us IS NULL
				AND fair_key > keys.k) FROM keys WHERE keys.k IS NOT NULL
		)
		SELECT j.fair_key, j.id, j.claim_gen, j.run_us FROM keys JOIN jobs j ON j.id = (
			SELECT id FROM jobs WHERE lane = CAST($1 AS TEXT) AND state = 'queued' AND dispatched_us IS NULL AND fair_key = keys.k
				AND run_us <= {now} ORDER BY run_us, id LIMIT 1)
		WHERE keys.k IS NOT NULL`, string(lane))
}

// dueOf returns the first depth due jobs of each of the given fair keys.
func (s *Store) dueOf(ctx context.Context, lane domain.Lane, keys []string, depth int) ([]queued, error) {
	var text strings.Builder
	for i := range keys {
		if i > 0 {
			text.WriteString(" UNION ALL ")
		}
		n := strconv.Itoa(i + 3)
		text.WriteString(`SELECT fair_key, id, claim_gen, run_us FROM (SELECT fair_key, id, claim_gen, run_us FROM jobs
			WHERE lane = CAST($1 AS TEXT) AND state = 'queued' AND dispatched_us IS NULL
			AND fair_key = $` + n + ` AND run_us <= {now} ORDER BY run_us, id LIMIT $2) AS q` + n)
	}
	turns := map[string]int{}
	due, err := many(ctx, s, func(r scanner, q *queued) error { return r.Scan(&q.key, &q.ID, &q.Gen, &q.runUS) },
		text.String(), append([]any{string(lane), depth}, anys(keys)...)...)
	slices.SortFunc(due, func(a, b queued) int { return cmp.Or(cmp.Compare(a.runUS, b.runUS), cmp.Compare(a.ID, b.ID)) })
	for i := range due {
		due[i].turn = turns[due[i].key]
		turns[due[i].key]++
	}
	return due, err
}
