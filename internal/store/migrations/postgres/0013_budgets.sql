-- +goose Up
ALTER TABLE llm_calls ADD COLUMN cache_write_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE llm_calls ADD COLUMN period TEXT NOT NULL DEFAULT '';         -- month of the budget that it counts on, UTC: 2026-11
ALTER TABLE llm_calls ADD COLUMN reserved_micros BIGINT NOT NULL DEFAULT 0; -- what it may cost at most; counts until the call is settled
ALTER TABLE llm_calls ADD COLUMN run_kind TEXT NOT NULL DEFAULT 'review'; -- of the run that made the call
ALTER TABLE pull_requests ADD COLUMN author_id BIGINT NOT NULL DEFAULT 0; -- the host's user id, for a person's own figures; 0: not known
CREATE INDEX review_runs_tenant ON review_runs (tenant_id, created_us);

CREATE TABLE budget_months ( -- what calls of models cost in a month; repository_id is '' for the whole tenant
    tenant_id       TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id   TEXT   NOT NULL,
    period          TEXT   NOT NULL,
    spent_micros    BIGINT NOT NULL DEFAULT 0,
    reserved_micros BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, repository_id, period)
);

-- +goose Down
DROP TABLE budget_months;
DROP INDEX review_runs_tenant;
ALTER TABLE pull_requests DROP COLUMN author_id;
ALTER TABLE llm_calls DROP COLUMN run_kind;
ALTER TABLE llm_calls DROP COLUMN reserved_micros;
ALTER TABLE llm_calls DROP COLUMN period;
ALTER TABLE llm_calls DROP COLUMN cache_write_tokens;
