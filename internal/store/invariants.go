package store

import "context"

// Names of invariants: what nothing lost and nothing done twice means for the
// rows of the database. They are labels of a metric and never change their
// meaning.
const (
	InvariantUndisposed  = "delivery_without_disposition"
	InvariantRunGone     = "delivery_without_run"
	InvariantRunStuck    = "run_without_end"
	InvariantTwice       = "head_reviewed_twice"
	InvariantContradicts = "end_contradicts_publication"
	InvariantUnsettled   = "publication_unsettled"
)

// Invariants are their names, in the order of [Store.Violations].
func Invariants() []string {
	return []string{InvariantUndisposed, InvariantRunGone, InvariantRunStuck, InvariantTwice, InvariantContradicts, InvariantUnsettled}
}

// Violation is an invariant and the rows that it does not hold for.
type Violation struct {
	Invariant string
	Count     int      // at most [mostViolations]
	Examples  []string // ids of deliveries, runs or publications, at most three
}

// mostViolations is how many rows are counted of one invariant.
const mostViolations = 1000

// Times of the invariants, in microseconds (design choice). Nothing is counted
// that younger processes may still be at, and of what is over only the last day.
const (
	fresh   = 10 * 60 * 1_000_000      // work of this age may not have begun
	slow    = 3 * 60 * 60 * 1_000_000  // a job is tried over two and a half hours by default
	aDay    = 24 * 60 * 60 * 1_000_000 // a run waits for models, limits and its turn, never for so long
	unclear = 60 * 60 * 1_000_000      // of a publication that is to be settled
	putOff  = 2 * 60 * 1_000_000       // within it one that cannot be asked about is put off again
)

// living is the condition that a worker will do, or does, the job j.
const living = ` AND j.state IN ('queued', 'running'))`

// visible is the condition that the publication p is a review that people see.
const visible = ` AND p.kind = 'review' AND p.phase = 'PUBLISHED')`

// violations are the queries: ids of the rows for which an invariant does not hold.
var violations = map[string]struct {
	text string
	args []any
}{
	// Acknowledged, and nobody will say what became of it; or it takes too long.
	InvariantUndisposed: {`SELECT d.id FROM webhook_deliveries d WHERE d.disposition IS NULL AND d.received_us < {now} - CAST($1 AS BIGINT)
		AND (d.received_us < {now} - CAST($2 AS BIGINT) OR NOT EXISTS (SELECT 1 FROM jobs j WHERE j.subject = d.id` + living + `) ORDER BY d.received_us LIMIT $3`, []any{fresh, slow}},
	// It made a run, and there is none. Tenants that were deleted took theirs along.
	InvariantRunGone: {`SELECT d.id FROM webhook_deliveries d WHERE d.disposition = 'run' AND d.received_us > {now} - CAST($1 AS BIGINT)
		AND EXISTS (SELECT 1 FROM tenants t WHERE t.id = d.tenant_id)
		AND NOT EXISTS (SELECT 1 FROM review_runs r WHERE r.id = d.run_id) ORDER BY d.received_us LIMIT $2`, []any{aDay}},
	// Nobody works on it any more; or it takes too long. What waits for a person is not open here, and its time begins with the decision.
	InvariantRunStuck: {`SELECT r.id FROM review_runs r WHERE r.state IN ('queued', 'running', 'publishing') AND r.created_us < {now} - CAST($1 AS BIGINT)
		AND NOT EXISTS (SELECT 1 FROM publications p WHERE p.run_id = r.id AND p.settle_us IS NOT NULL)
		AND (COALESCE((SELECT a.decided_us FROM approvals a WHERE a.run_id = r.id), r.created_us) < {now} - CAST($2 AS BIGINT) OR NOT EXISTS (SELECT 1 FROM jobs j WHERE j.subject = r.id` + living + `) ORDER BY r.created_us LIMIT $3`, []any{fresh, aDay}},
	// Two visible reviews of a head against the same commit, no person has asked for the second, and the target was no other one in between.
	InvariantTwice: {`SELECT r.id FROM review_runs r WHERE r.created_us > {now} - CAST($1 AS BIGINT) AND r.trigger_event NOT LIKE 'command.%' AND r.trigger_event <> 'rerun'
		AND EXISTS (SELECT 1 FROM publications p WHERE p.run_id = r.id` + visible + `
		AND EXISTS (SELECT 1 FROM review_runs o WHERE o.pull_request_id = r.pull_request_id AND o.created_us <= r.created_us AND o.head_sha = r.head_sha AND o.base_ref = r.base_ref AND o.merge_base = r.merge_base AND o.id <> r.id
			AND NOT EXISTS (SELECT 1 FROM review_runs b WHERE b.pull_request_id = r.pull_request_id AND b.head_sha = r.head_sha AND b.base_ref <> r.base_ref AND b.created_us BETWEEN o.created_us AND r.created_us)
			AND EXISTS (SELECT 1 FROM publications p WHERE p.run_id = o.id` + visible + `) ORDER BY r.created_us LIMIT $2`, []any{aDay}},
	// The run says that there is no review, and there is one; or the reverse.
	InvariantContradicts: {`SELECT r.id FROM review_runs r JOIN publications p ON p.run_id = r.id WHERE r.created_us > {now} - CAST($1 AS BIGINT) AND p.kind <> 'none'
		AND (p.phase = 'PUBLISHED' AND r.state IN ('failed', 'cancelled', 'superseded', 'skipped') OR p.phase <> 'PUBLISHED' AND r.state = 'completed')
		ORDER BY r.created_us LIMIT $2`, []any{aDay}},
	// The host was asked, and does not say. Where the repository is disconnected there is nobody to ask: that is put off again and again.
	InvariantUnsettled: {`SELECT p.id FROM publications p WHERE p.settle_us IS NOT NULL AND p.created_us < {now} - CAST($1 AS BIGINT)
		AND NOT (p.settle_tries = 0 AND p.settle_us > {now} - CAST($2 AS BIGINT)) ORDER BY p.settle_us LIMIT $3`, []any{unclear, putOff}},
}

// Violations counts, for each of [Invariants], the rows of all tenants for which
// it does not hold; 0 everywhere is what is promised. Each query reads an index.
func (s *Store) Violations(ctx context.Context) ([]Violation, error) {
	var out []Violation
	for _, name := range Invariants() {
		q := violations[name]
		ids, err := many(ctx, s, value[string], q.text, append(q.args[:len(q.args):len(q.args)], mostViolations)...)
		if err != nil {
			return nil, err
		}
		out = append(out, Violation{name, len(ids), ids[:min(len(ids), 3)]})
	}
	return out, nil
}
