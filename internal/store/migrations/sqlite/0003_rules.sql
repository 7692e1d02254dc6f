-- +goose Up
CREATE TABLE rules ( -- what a review must look for, in plain language; repository_id is NULL for a rule of the tenant
    id            TEXT PRIMARY KEY,
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT,
    title         TEXT   NOT NULL,
    instruction   TEXT   NOT NULL,
    paths         TEXT   NOT NULL, -- JSON array of globs
    languages     TEXT   NOT NULL, -- JSON array
    severity      TEXT   NOT NULL,
    enabled       INTEGER NOT NULL,
    mandatory     INTEGER NOT NULL,
    matcher       TEXT   NOT NULL, -- JSON object; '' for none
    version       INTEGER NOT NULL,
    created_us    INTEGER NOT NULL,
    updated_us    INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX rules_place ON rules (tenant_id, repository_id, created_us, id);

-- +goose Down
DROP TABLE rules;
