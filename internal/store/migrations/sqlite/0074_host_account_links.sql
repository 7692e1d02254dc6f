-- +goose Up
CREATE TABLE host_account_links ( -- accounts of a connection's host that admins linked to members by hand
    tenant_id     TEXT NOT NULL,
    connection_id TEXT NOT NULL,
    user_id       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    host          TEXT NOT NULL, -- web address of the host at that time; subject has no meaning at another one
    subject       TEXT NOT NULL, -- the host's id of the account
    login         TEXT NOT NULL, -- as the host named the account then, for display
    name          TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('proposed', 'confirmed', 'refused')), -- the person's answer
    proposed_by   TEXT NOT NULL, -- id of the admin
    proposed_us   INTEGER NOT NULL,
    decided_us    INTEGER NOT NULL, -- when the person answered; 0 for not yet
    PRIMARY KEY (tenant_id, connection_id, user_id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES provider_connections (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX host_account_links_account ON host_account_links (tenant_id, connection_id, subject) WHERE state <> 'refused';
CREATE INDEX host_account_links_user ON host_account_links (user_id);

-- +goose Down
DROP TABLE host_account_links;
