-- +goose Up
-- Webhooks of deleted connections that are still to be removed at their hosts. A row holds a copy of the connection's token, and goes with its work, at the latest at its end.
CREATE TABLE hook_removals (
    id        TEXT   PRIMARY KEY,
    tenant_id TEXT   NOT NULL REFERENCES tenants (id),
    access_id TEXT   NOT NULL REFERENCES accesses (id), -- whose repositories may have our webhook
    kind      TEXT   NOT NULL,
    base_url  TEXT   NOT NULL,
    owner     TEXT   NOT NULL,
    username  TEXT   NOT NULL,
    token     BLOB   NOT NULL,                          -- sealed
    hook_url  TEXT   NOT NULL,                          -- by which our webhook is known
    until_us  INTEGER NOT NULL,                          -- after which the row must not be there
    UNIQUE (tenant_id, id)
) STRICT;
CREATE INDEX hook_removals_until ON hook_removals (until_us);

-- +goose Down
DROP TABLE hook_removals;
