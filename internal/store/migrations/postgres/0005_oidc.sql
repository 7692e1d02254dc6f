-- +goose Up
CREATE TABLE identity_providers ( -- of the instance
    id               TEXT PRIMARY KEY,
    slug             TEXT   NOT NULL UNIQUE, -- part of the sign-in paths
    display_name     TEXT   NOT NULL,
    issuer           TEXT   NOT NULL, -- never changes
    client_id        TEXT   NOT NULL,
    client_secret    BYTEA NOT NULL, -- sealed
    secret_us        BIGINT NOT NULL, -- when the secret was last set
    scopes           TEXT   NOT NULL, -- JSON array
    all_tenants      BOOLEAN NOT NULL, -- every tenant may map its claims
    listed           BOOLEAN NOT NULL, -- shown where people sign in
    enabled          BOOLEAN NOT NULL,
    host_user_id     TEXT   NOT NULL, -- web address of the host whose user ids its subjects are; '' for none
    version          BIGINT NOT NULL,
    created_us       BIGINT NOT NULL,
    updated_us       BIGINT NOT NULL
);

CREATE TABLE identity_provider_tenants ( -- who may map its claims, where not everybody may
    tenant_id   TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    provider_id TEXT NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
    PRIMARY KEY (tenant_id, provider_id)
);
CREATE INDEX identity_provider_tenants_provider ON identity_provider_tenants (provider_id);

CREATE TABLE oidc_role_mappings ( -- a claim's value gives a role; what it gave are memberships with source 'mapping' and its id
    id           TEXT PRIMARY KEY,
    tenant_id    TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    provider_id  TEXT   NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
    claim        TEXT   NOT NULL, -- JSON array: the path
    value        TEXT   NOT NULL,
    role         TEXT   NOT NULL CHECK (role IN ('member', 'admin')),
    fingerprint  TEXT   NOT NULL, -- SHA-256 of claim and value, because an index has no room for them
    created_us   BIGINT NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, provider_id, role, fingerprint)
);
CREATE INDEX oidc_role_mappings_provider ON oidc_role_mappings (provider_id);

-- +goose Down
DROP TABLE oidc_role_mappings;
DROP TABLE identity_provider_tenants;
DROP TABLE identity_providers;
