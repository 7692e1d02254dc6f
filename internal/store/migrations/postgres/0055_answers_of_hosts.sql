-- +goose Up
-- Who reads a repository is what its host answers, a command acts once, and a webhook speaks of its own repository.

ALTER TABLE repositories ADD COLUMN internal BOOLEAN NOT NULL DEFAULT FALSE; -- private, but everyone with an account on the host reads it
ALTER TABLE repositories ADD COLUMN visible_us BIGINT NOT NULL DEFAULT 0; -- when the host last answered who reads it; 0: it was never asked
CREATE TABLE obeyed_commands ( -- comments whose command was carried out
    tenant_id       TEXT NOT NULL,
    pull_request_id TEXT NOT NULL,
    comment         TEXT NOT NULL, -- the host's ids of its thread and of itself
    at_us           BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, pull_request_id, comment),
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
);

ALTER TABLE webhook_deliveries ADD COLUMN repository TEXT NOT NULL DEFAULT ''; -- the host's id of the repository in the address of the webhook; '' for that of a connection or app
CREATE TABLE signed_hooks ( -- repositories whose webhooks have signed, so that a secret in a header alone proves nothing of them any more
    tenant_id     TEXT NOT NULL,
    connection_id TEXT NOT NULL,
    repository    TEXT NOT NULL, -- the host's id
    since_us      BIGINT NOT NULL,
    PRIMARY KEY (connection_id, repository),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES provider_connections (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE signed_hooks;
ALTER TABLE webhook_deliveries DROP COLUMN repository;
DROP TABLE obeyed_commands;
ALTER TABLE repositories DROP COLUMN visible_us;
ALTER TABLE repositories DROP COLUMN internal;
