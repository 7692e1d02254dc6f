-- +goose Up
-- Where a membership comes from: one row per source, so that what one source withdraws the others keep.
ALTER TABLE memberships ADD COLUMN source_id TEXT NOT NULL DEFAULT ''; -- the installation or the role mapping; '' for hand and setup
ALTER TABLE memberships DROP CONSTRAINT memberships_pkey;
ALTER TABLE memberships ADD PRIMARY KEY (tenant_id, user_id, source, source_id);

ALTER TABLE apps ADD COLUMN client_secret BYTEA; -- sealed; NULL: people cannot sign in through this app

ALTER TABLE sessions ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';

CREATE TABLE identities ( -- by what a person is known elsewhere: never a login name or an email
    id         TEXT PRIMARY KEY,
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    issuer     TEXT   NOT NULL, -- the host's web address, or the issuer of an identity provider
    subject    TEXT   NOT NULL, -- the host's numeric user id, or the subject
    kind       TEXT   NOT NULL, -- codehost or oidc
    login      TEXT   NOT NULL, -- for display only
    created_us BIGINT NOT NULL,
    used_us    BIGINT NOT NULL,
    UNIQUE (issuer, subject)
);
CREATE INDEX identities_user ON identities (user_id);

CREATE TABLE identity_tokens ( -- a person's own access to a host through one app, and when it was last used to ask for memberships and roles
    identity_id        TEXT   NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    app_id             TEXT   NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    access_token       BYTEA  NOT NULL, -- sealed
    access_expires_us  BIGINT NOT NULL, -- 0: does not expire
    refresh_token      BYTEA,           -- sealed; NULL where the host gives none
    refresh_expires_us BIGINT NOT NULL,
    gen                BIGINT NOT NULL, -- raised with every new token
    members_us         BIGINT NOT NULL, -- the last time that memberships were asked and answered
    roles_us           BIGINT NOT NULL, -- the same for roles on repositories
    stale_us           BIGINT NOT NULL, -- the last time that the host said that something has changed
    busy_us            BIGINT NOT NULL, -- until when one process is asking
    created_us         BIGINT NOT NULL,
    updated_us         BIGINT NOT NULL,
    PRIMARY KEY (identity_id, app_id)
);
CREATE INDEX identity_tokens_app ON identity_tokens (app_id);

CREATE TABLE sign_in_states ( -- a sign-in under way; used once, by the browser that began it
    state_hash   TEXT PRIMARY KEY,
    browser_hash TEXT   NOT NULL, -- of the cookie that binds it to one browser
    kind         TEXT   NOT NULL, -- codehost, oidc
    provider_id  TEXT   NOT NULL, -- the app or the identity provider
    sealed       BYTEA  NOT NULL, -- PKCE verifier, nonce
    return_path  TEXT   NOT NULL,
    session_id   TEXT   NOT NULL, -- of the person who links one more identity; '' for a sign-in
    created_us   BIGINT NOT NULL,
    expires_us   BIGINT NOT NULL
);
CREATE INDEX sign_in_states_expires ON sign_in_states (expires_us);

CREATE TABLE repository_roles ( -- what the host says that a person may do on a repository
    tenant_id     TEXT   NOT NULL,
    repository_id TEXT   NOT NULL,
    user_id       TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role          TEXT   NOT NULL CHECK (role IN ('none', 'view', 'review', 'manage')),
    checked_us    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, repository_id, user_id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX repository_roles_user ON repository_roles (user_id, tenant_id);

-- +goose Down
DROP TABLE repository_roles;
DROP TABLE sign_in_states;
DROP TABLE identity_tokens;
DROP TABLE identities;
ALTER TABLE sessions DROP COLUMN agent;
ALTER TABLE sessions DROP COLUMN address;
ALTER TABLE apps DROP COLUMN client_secret;
DELETE FROM memberships AS m WHERE EXISTS (SELECT 1 FROM memberships o WHERE o.tenant_id = m.tenant_id AND o.user_id = m.user_id
    AND (o.role, o.source, o.source_id) < (m.role, m.source, m.source_id));
ALTER TABLE memberships DROP CONSTRAINT memberships_pkey;
ALTER TABLE memberships ADD PRIMARY KEY (tenant_id, user_id);
ALTER TABLE memberships DROP COLUMN source_id;
