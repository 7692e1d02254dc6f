-- +goose Up
ALTER TABLE sessions ADD COLUMN provider_id TEXT NOT NULL DEFAULT ''; -- the app or the identity provider that it came from; '' for a one-time link
-- Of sessions that are there already, the method has the slug of the identity provider. It is certain whose that was only where the provider
-- has not changed since; the other ones are of no provider, and are over. Those of apps came from the only ones there could be.
UPDATE sessions SET provider_id = (SELECT p.id FROM identity_providers p WHERE 'oidc:' || p.slug = sessions.method AND p.updated_us < sessions.created_us)
    WHERE EXISTS (SELECT 1 FROM identity_providers p WHERE 'oidc:' || p.slug = sessions.method AND p.updated_us < sessions.created_us);
CREATE INDEX sessions_provider ON sessions (provider_id);

CREATE TABLE member_sign_outs ( -- sessions of a person that began until then give nothing in the tenant
    tenant_id TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id   TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    until_us  BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, user_id)
);
CREATE INDEX member_sign_outs_user ON member_sign_outs (user_id);

-- +goose Down
DROP TABLE member_sign_outs;
DROP INDEX sessions_provider;
ALTER TABLE sessions DROP COLUMN provider_id;
