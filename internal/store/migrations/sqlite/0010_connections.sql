-- +goose Up
CREATE TABLE provider_connections ( -- code hosts other than GitHub that a tenant connects
    id               TEXT PRIMARY KEY,
    tenant_id        TEXT    NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    kind             TEXT    NOT NULL,
    name             TEXT    NOT NULL,
    base_url         TEXT    NOT NULL,
    owner            TEXT    NOT NULL,
    username         TEXT    NOT NULL, -- '' where the host needs none
    token            BLOB    NOT NULL, -- sealed
    token_us         INTEGER NOT NULL,
    all_repositories INTEGER NOT NULL,
    repositories     TEXT    NOT NULL, -- JSON array of names; empty where all are meant
    register_webhooks INTEGER NOT NULL,
    enabled          INTEGER NOT NULL,
    state            TEXT    NOT NULL CHECK (state IN ('pending', 'active', 'error')),
    message          TEXT    NOT NULL,
    secret_us        INTEGER, -- when the newest webhook secret was made
    version          INTEGER NOT NULL,
    created_us       INTEGER NOT NULL,
    updated_us       INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, name)
) STRICT;
CREATE INDEX provider_connections_order ON provider_connections (tenant_id, created_us, id);

CREATE TABLE tracker_connections ( -- issue trackers
    id               TEXT PRIMARY KEY,
    tenant_id        TEXT    NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    kind             TEXT    NOT NULL,
    name             TEXT    NOT NULL,
    base_url         TEXT    NOT NULL,
    auth_kind        TEXT    NOT NULL CHECK (auth_kind IN ('token', 'oauth')),
    email            TEXT    NOT NULL,
    client_id        TEXT    NOT NULL,
    token            BLOB, -- sealed; NULL for oauth
    token_us         INTEGER,
    client_secret    BLOB, -- sealed; NULL for token
    client_secret_us INTEGER,
    projects         TEXT    NOT NULL, -- JSON array of keys
    mapping          TEXT    NOT NULL, -- JSON object
    enabled          INTEGER NOT NULL,
    state            TEXT    NOT NULL CHECK (state IN ('pending', 'active', 'error')),
    message          TEXT    NOT NULL,
    secret_us        INTEGER, -- when the newest webhook secret was made
    version          INTEGER NOT NULL,
    created_us       INTEGER NOT NULL,
    updated_us       INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, name)
) STRICT;
CREATE INDEX tracker_connections_order ON tracker_connections (tenant_id, created_us, id);

CREATE TABLE webhook_secrets ( -- what deliveries of a connection are verified with; the newest has no end
    id                     TEXT PRIMARY KEY,
    tenant_id              TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    provider_connection_id TEXT, -- one of the two
    tracker_connection_id  TEXT,
    sealed                 BLOB NOT NULL,
    created_us             INTEGER NOT NULL,
    until_us               INTEGER, -- NULL: the newest one
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, provider_connection_id) REFERENCES provider_connections (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, tracker_connection_id) REFERENCES tracker_connections (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX webhook_secrets_provider ON webhook_secrets (tenant_id, provider_connection_id);
CREATE INDEX webhook_secrets_tracker ON webhook_secrets (tenant_id, tracker_connection_id);

CREATE TABLE mcp_servers ( -- tool servers that a review may ask
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT    NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    name            TEXT    NOT NULL,
    url             TEXT    NOT NULL,
    auth_kind       TEXT    NOT NULL CHECK (auth_kind IN ('none', 'bearer', 'header')),
    auth_header     TEXT    NOT NULL, -- '' unless the kind is header
    secret          BLOB, -- sealed
    secret_us       INTEGER,
    enabled         INTEGER NOT NULL,
    timeout_seconds INTEGER NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN ('pending', 'active', 'error')),
    message         TEXT    NOT NULL,
    discovered_us   INTEGER, -- the last time that its tools were listed
    version         INTEGER NOT NULL,
    created_us      INTEGER NOT NULL,
    updated_us      INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, name)
) STRICT;
CREATE INDEX mcp_servers_order ON mcp_servers (tenant_id, created_us, id);

CREATE TABLE mcp_tools ( -- the tools that a server listed last
    tenant_id      TEXT    NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    server_id      TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    description    TEXT    NOT NULL, -- written by somebody else
    digest         TEXT    NOT NULL,
    allowed_digest TEXT    NOT NULL, -- '' for not allowed; another one than digest: changed since, and blocked
    PRIMARY KEY (tenant_id, server_id, name),
    FOREIGN KEY (tenant_id, server_id) REFERENCES mcp_servers (tenant_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE mcp_calls ( -- every call of a tool by a review; never what was said
    id             TEXT PRIMARY KEY,
    tenant_id      TEXT    NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    server_id      TEXT    NOT NULL,
    run_id         TEXT,
    tool           TEXT    NOT NULL,
    outcome        TEXT    NOT NULL,
    duration_us    INTEGER NOT NULL,
    request_bytes  INTEGER NOT NULL,
    response_bytes INTEGER NOT NULL,
    created_us     INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, server_id) REFERENCES mcp_servers (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX mcp_calls_order ON mcp_calls (tenant_id, server_id, created_us, id);
CREATE INDEX mcp_calls_run ON mcp_calls (tenant_id, run_id);

CREATE TABLE mcp_tokens ( -- personal tokens for /mcp; they end with the membership
    id         TEXT PRIMARY KEY,
    tenant_id  TEXT    NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id    TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       TEXT    NOT NULL,
    prefix     TEXT    NOT NULL,
    token_hash TEXT    NOT NULL UNIQUE,
    scopes     TEXT    NOT NULL, -- JSON array
    created_us INTEGER NOT NULL,
    used_us    INTEGER,
    expires_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, user_id, name)
) STRICT;
CREATE INDEX mcp_tokens_user ON mcp_tokens (user_id);
CREATE INDEX mcp_tokens_order ON mcp_tokens (tenant_id, created_us, id);

-- +goose Down
DROP TABLE mcp_tokens;
DROP TABLE mcp_calls;
DROP TABLE mcp_tools;
DROP TABLE mcp_servers;
DROP TABLE webhook_secrets;
DROP TABLE tracker_connections;
DROP TABLE provider_connections;
