-- +goose Up
ALTER TABLE llm_calls ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0; -- some of its tokens were not counted by the provider

-- Connections that do not work, so that people are told once when one stops working. No row: it works, as far as is known.
CREATE TABLE connection_faults (
    tenant_id       TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    connection_kind TEXT   NOT NULL, -- domain.ConnectionApp and the like
    connection_id   TEXT   NOT NULL,
    reason          TEXT   NOT NULL, -- by name; another one is another change
    since_us        INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, connection_kind, connection_id)
) STRICT;

-- What the measures of loss and duplicates look at: that few rows are in.
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (received_us) WHERE disposition IS NULL;
CREATE INDEX webhook_deliveries_made ON webhook_deliveries (received_us) WHERE disposition = 'run';
CREATE INDEX review_runs_open ON review_runs (created_us) WHERE state IN ('queued', 'running', 'publishing');

-- +goose Down
DROP INDEX review_runs_open;
DROP INDEX webhook_deliveries_made;
DROP INDEX webhook_deliveries_open;
DROP TABLE connection_faults;
ALTER TABLE llm_calls DROP COLUMN estimated;
