-- +goose Up
CREATE TABLE instance_setup ( -- one row: how far the first run has come
    id                 TEXT PRIMARY KEY CHECK (id = 'instance'),
    token_hash         TEXT   NOT NULL DEFAULT '', -- of the token that opens setup; '' once it was used
    token_expires_us   INTEGER NOT NULL DEFAULT 0,
    session_hash       TEXT   NOT NULL DEFAULT '', -- of the one browser that goes through setup
    session_expires_us INTEGER NOT NULL DEFAULT 0,
    app_id             TEXT   NOT NULL DEFAULT '', -- the app that setup registered
    completed_us       INTEGER
) STRICT;
INSERT INTO instance_setup (id, completed_us)
    SELECT 'instance', (SELECT MIN(created_us) FROM users WHERE instance_admin = 1); -- an instance that has an admin is set up

CREATE TABLE setup_states ( -- what leaves for a code host and must come back to the same browser, once
    state_hash TEXT PRIMARY KEY,
    purpose    TEXT   NOT NULL, -- manifest, install
    binding    TEXT   NOT NULL, -- the setup session, or the person, that it belongs to
    body       TEXT   NOT NULL,
    created_us INTEGER NOT NULL,
    expires_us INTEGER NOT NULL
) STRICT;
CREATE INDEX setup_states_expiry ON setup_states (expires_us);

CREATE TABLE instance_documents ( -- whole documents of the instance: settings, telemetry, legal sign-off
    kind       TEXT PRIMARY KEY,
    body       TEXT   NOT NULL,
    version    INTEGER NOT NULL,
    updated_us INTEGER NOT NULL
) STRICT;

CREATE TABLE account_tenants ( -- tenants that were made for an account of a host
    api_url    TEXT   NOT NULL,
    account_id INTEGER NOT NULL,
    tenant_id  TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    created_us INTEGER NOT NULL,
    PRIMARY KEY (api_url, account_id)
) STRICT;

ALTER TABLE apps ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE apps ADD COLUMN html_url TEXT NOT NULL DEFAULT '';
ALTER TABLE apps ADD COLUMN owner_login TEXT NOT NULL DEFAULT '';
ALTER TABLE apps ADD COLUMN owner_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE apps ADD COLUMN private_key_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN webhook_secret_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN next_webhook_secret_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN client_secret_us INTEGER NOT NULL DEFAULT 0;
UPDATE apps SET private_key_us = updated_us, webhook_secret_us = updated_us;

-- +goose Down
SELECT 1;
