package dialect

// IngestStatement is the one statement that stores a delivery and, only if it is
// new, its job. It is PostgreSQL's way: one round trip and one commit per
// delivery. SQLite has no data-modifying CTE and uses group commit instead, so
// it has two statements in one transaction.
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

// SingleWriter reports whether commits are worth grouping: there is one writer,
// and each commit waits for the disk alone.
func (db *DB) SingleWriter() bool { return db.Name == SQLite }
