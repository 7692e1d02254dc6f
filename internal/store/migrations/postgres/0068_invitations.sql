-- +goose Up
CREATE TABLE invitations ( -- links that give one person a role in a tenant, once
    id         TEXT PRIMARY KEY,
    tenant_id  TEXT    NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    token_hash TEXT    NOT NULL UNIQUE, -- SHA-256; the token itself is not stored
    role       TEXT    NOT NULL CHECK (role IN ('member', 'admin')),
    created_by TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the link works while this person is an admin
    created_us BIGINT  NOT NULL,
    expires_us BIGINT  NOT NULL,
    UNIQUE (tenant_id, id)
);
CREATE INDEX invitations_maker ON invitations (created_by);
CREATE INDEX invitations_order ON invitations (tenant_id, created_us, id);

-- +goose Down
DROP TABLE invitations;
