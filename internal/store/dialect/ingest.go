package dialect

// IngestStatement stores a delivery and, if the delivery is new, its job. PostgreSQL uses it with one round
// trip and one commit per delivery. SQLite has no data-modifying CTE; it runs two statements per delivery
// and commits deliveries in groups.
const IngestStatement = `
WITH d AS (
    INSERT INTO webhook_deliveries (id, source_id, tenant_id, delivery_guid, event, action, raw_sha256, payload, repository, received_us)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {now})
    ON CONFLICT (source_id, delivery_guid) DO NOTHING
    RETURNING id
)
INSERT INTO jobs (id, kind, lane, fair_key, subject, dedup_key, tenant_id, state, run_us, created_us)
SELECT $10, $11, $12, $13, d.id, $14, $3, 'queued', {now}, {now} FROM d
RETURNING id`

// SingleWriter reports whether grouping commits is worthwhile, because a single writer waits for the disk
// at each commit.
func (db *DB) SingleWriter() bool { return db.Name == SQLite }
