package store

import "context"

// Names of invariants: conditions on the database rows that hold if no work is lost or done twice. They are
// labels of a metric and never change their meaning.
const (
	InvariantUndisposed  = "delivery_without_disposition"
	InvariantRunGone     = "delivery_without_run"
	InvariantRunStuck    = "run_without_end"
	InvariantTwice       = "head_reviewed_twice"
	InvariantContradicts = "end_contradicts_publication"
	InvariantUnsettled   = "publication_unsettled"
)

// Invariants returns the names in the order of [Store.Violations].
func Invariants() []string {
	return []string{InvariantUndisposed, InvariantRunGone, InvariantRunStuck, InvariantTwice, InvariantContradicts, InvariantUnsettled}
}

// Violation is an invariant with the rows that violate it.
type Violation struct {
	Invariant string
	Count     int      // at most [maxViolations]
	Examples  []string // ids of deliveries, runs or publications, at most three
}

// maxViolations is the maximum number of rows counted for one invariant.
const maxViolations = 1000

// Time limits of the invariants, in microseconds (design choice). Rows that a process can still be working
// on are not counted, and completed work counts only if it is from the last day.
const (
	unstartedAge = 10 * 60 * 1_000_000      // younger work can still be unstarted
	jobRetryAge  = 3 * 60 * 60 * 1_000_000  // by default, retries of a job last two and a half hours
	dayAge       = 24 * 60 * 60 * 1_000_000 // runs never wait for models, limits or their turn this long
	unsettledAge = 60 * 60 * 1_000_000      // maximum age of a publication that is not settled
	postponedAge = 2 * 60 * 1_000_000       // a publication whose host cannot be asked is postponed again within this time
)

// jobOpen is the condition that the job j is queued or running.
const jobOpen = ` AND j.state IN ('queued', 'running'))`

// reviewVisible is the condition that the publication p is a review that people can see.
const reviewVisible = ` AND p.kind = 'review' AND p.phase = 'PUBLISHED')`

// violations are the queries: ids of the rows for which an invariant does not hold.
var violations = map[string]struct {
	text string
	args []any
}{
	// The delivery was acknowledged, but no open job will process it, or processing takes too long.
	InvariantUndisposed: {`SELECT d.id FROM webhook_deliveries d WHERE d.disposition IS NULL AND d.received_us < {now} - CAST($1 AS BIGINT)
		AND (d.received_us < {now} - CAST($2 AS BIGINT) OR NOT EXISTS (SELECT 1 FROM jobs j WHERE j.subject = d.id` + jobOpen +
		`) ORDER BY d.received_us LIMIT $3`, []any{unstartedAge, jobRetryAge}},
	// The delivery names a run that does not exist. Deleted tenants do not count, because their runs are
	// deleted.
	InvariantRunGone: {`SELECT d.id FROM webhook_deliveries d WHERE d.disposition = 'run' AND d.received_us > {now} - CAST($1 AS BIGINT)
		AND EXISTS (SELECT 1 FROM tenants t WHERE t.id = d.tenant_id)
		AND NOT EXISTS (SELECT 1 FROM review_runs r WHERE r.id = d.run_id) ORDER BY d.received_us LIMIT $2`, []any{dayAge}},
	// The run is open without an open job, or takes too long. A run that waits for a person is not open;
	// its time starts with the decision.
	InvariantRunStuck: {`SELECT r.id FROM review_runs r WHERE r.state IN ('queued', 'running', 'publishing')
		AND r.created_us < {now} - CAST($1 AS BIGINT)
		AND NOT EXISTS (SELECT 1 FROM publications p WHERE p.run_id = r.id AND p.settle_us IS NOT NULL)
		AND (COALESCE((SELECT a.decided_us FROM approvals a WHERE a.run_id = r.id), r.created_us) < {now} - CAST($2 AS BIGINT)
			OR NOT EXISTS (SELECT 1 FROM jobs j WHERE j.subject = r.id` + jobOpen + `) ORDER BY r.created_us LIMIT $3`, []any{unstartedAge, dayAge}},
	// Two visible reviews of a head against the same merge base, if no person requested the second one and
	// the target branch did not change in between.
	InvariantTwice: {`SELECT r.id FROM review_runs r WHERE r.created_us > {now} - CAST($1 AS BIGINT)
		AND r.trigger_event NOT LIKE 'command.%' AND r.trigger_event <> 'rerun'
		AND EXISTS (SELECT 1 FROM publications p WHERE p.run_id = r.id` + reviewVisible + `
		AND EXISTS (SELECT 1 FROM review_runs o WHERE o.pull_request_id = r.pull_request_id AND o.created_us <= r.created_us
			AND o.head_sha = r.head_sha AND o.base_ref = r.base_ref AND o.merge_base = r.merge_base AND o.id <> r.id
			AND NOT EXISTS (SELECT 1 FROM review_runs b WHERE b.pull_request_id = r.pull_request_id AND b.head_sha = r.head_sha
				AND b.base_ref <> r.base_ref AND b.created_us BETWEEN o.created_us AND r.created_us)
			AND EXISTS (SELECT 1 FROM publications p WHERE p.run_id = o.id` + reviewVisible + `) ORDER BY r.created_us LIMIT $2`, []any{dayAge}},
	// The run ended without a review, but a review is published; or the reverse.
	InvariantContradicts: {`SELECT r.id FROM review_runs r JOIN publications p ON p.run_id = r.id
		WHERE r.created_us > {now} - CAST($1 AS BIGINT) AND p.kind <> 'none'
		AND (p.phase = 'PUBLISHED' AND r.state IN ('failed', 'cancelled', 'superseded', 'skipped') OR p.phase <> 'PUBLISHED'
			AND r.state = 'completed')
		ORDER BY r.created_us LIMIT $2`, []any{dayAge}},
	// The host's answer does not settle the publication. Publications of disconnected repositories are
	// postponed repeatedly and do not count.
	InvariantUnsettled: {`SELECT p.id FROM publications p WHERE p.settle_us IS NOT NULL AND p.created_us < {now} - CAST($1 AS BIGINT)
		AND NOT (p.settle_tries = 0 AND p.settle_us > {now} - CAST($2 AS BIGINT)) ORDER BY p.settle_us LIMIT $3`,
		[]any{unsettledAge, postponedAge}},
}

// Violations counts the violating rows of all tenants for each of [Invariants]. All counts are 0 in a
// correct system. Each query uses an index.
func (s *Store) Violations(ctx context.Context) ([]Violation, error) {
	var out []Violation
	for _, name := range Invariants() {
		q := violations[name]
		ids, err := many(ctx, s, value[string], q.text, append(q.args[:len(q.args):len(q.args)], maxViolations)...)
		if err != nil {
			return nil, err
		}
		out = append(out, Violation{name, len(ids), ids[:min(len(ids), 3)]})
	}
	return out, nil
}
