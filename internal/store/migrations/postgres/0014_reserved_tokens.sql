-- +goose Up
ALTER TABLE llm_calls ADD COLUMN reserved_tokens BIGINT NOT NULL DEFAULT 0; -- what it may use at most; counts on the limit of one review until the call is settled
CREATE INDEX llm_calls_open ON llm_calls (started_us) WHERE finished_us IS NULL; -- calls whose worker may have died

-- +goose Down
DROP INDEX llm_calls_open;
ALTER TABLE llm_calls DROP COLUMN reserved_tokens;
