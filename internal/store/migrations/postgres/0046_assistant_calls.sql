-- +goose Up
CREATE TABLE assistant_calls ( -- what assistants asked for at /mcp; never what was said
    id             TEXT PRIMARY KEY,
    tenant_id      TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    token_id       TEXT   NOT NULL, -- of a token that may be gone
    token_name     TEXT   NOT NULL, -- as it was then
    user_id        TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    repository_id  TEXT, -- NULL where it is about none
    kind           TEXT   NOT NULL, -- tool, resource, prompt
    name           TEXT   NOT NULL,
    outcome        TEXT   NOT NULL, -- started, ok, or the kind of the refusal
    request_bytes  BIGINT NOT NULL,
    response_bytes BIGINT NOT NULL,
    started_us     BIGINT NOT NULL,
    finished_us    BIGINT, -- NULL while it goes on, and where its process died
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX assistant_calls_order ON assistant_calls (tenant_id, started_us, id);
CREATE INDEX assistant_calls_age ON assistant_calls (started_us);
CREATE INDEX assistant_calls_user ON assistant_calls (user_id);
CREATE INDEX assistant_calls_repository ON assistant_calls (tenant_id, repository_id);

-- +goose Down
DELETE FROM llm_calls WHERE run_kind = 'diff';
DROP TABLE assistant_calls;
