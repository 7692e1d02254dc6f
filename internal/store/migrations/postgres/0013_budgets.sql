-- +goose Up
ALTER TABLE llm_calls ADD COLUMN cache_write_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE llm_calls ADD COLUMN period TEXT NOT NULL DEFAULT '';         -- month of the budget that it counts on, UTC: 2026-11
ALTER TABLE llm_calls ADD COLUMN reserved_micros BIGINT NOT NULL DEFAULT 0; -- what it may cost at most; counts until the call is settled

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
ALTER TABLE llm_calls DROP COLUMN reserved_micros;
ALTER TABLE llm_calls DROP COLUMN period;
ALTER TABLE llm_calls DROP COLUMN cache_write_tokens;
