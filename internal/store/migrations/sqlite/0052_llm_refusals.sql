-- +goose Up
CREATE TABLE llm_refusals (
    tenant_id          TEXT    NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    credential_id      TEXT    NOT NULL REFERENCES llm_credentials (id) ON DELETE CASCADE,
    model              TEXT    NOT NULL,
    credential_version INTEGER NOT NULL, -- a changed key is asked afresh
    parts              TEXT    NOT NULL, -- JSON list of what the endpoint refuses for the model
    until_us           INTEGER NOT NULL, -- from then on it is asked afresh
    PRIMARY KEY (credential_id, model)
) STRICT;

-- +goose Down
DROP TABLE llm_refusals;
