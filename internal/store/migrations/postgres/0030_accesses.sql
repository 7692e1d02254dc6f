-- +goose Up
-- Through what repositories are reached: an installation of an app, or a connection of a tenant. Each installation has one, with its own id.
CREATE TABLE accesses (
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT   REFERENCES tenants (id), -- NULL while an installation is not placed
    kind            TEXT   NOT NULL,                -- github, gitea, forgejo, …
    installation_id TEXT   UNIQUE REFERENCES installations (id) ON DELETE CASCADE,
    connection_id   TEXT,                           -- the connection; the row outlives it, with the history of its repositories
    host            TEXT   NOT NULL,                -- web address in lower case without a slash at its end; with a repository's id there, what a repository is
    account_id      TEXT   NOT NULL,                -- the host's id of the account whose repositories these are
    account_login   TEXT   NOT NULL,
    state           TEXT   NOT NULL CHECK (state IN ('unplaced', 'active', 'suspended', 'deleted')),
    created_us      BIGINT NOT NULL,
    updated_us      BIGINT NOT NULL,
    CHECK ((installation_id IS NULL) <> (connection_id IS NULL)),
    UNIQUE (tenant_id, id)
);
CREATE UNIQUE INDEX accesses_account ON accesses (tenant_id, kind, host, account_id) WHERE installation_id IS NULL;
CREATE INDEX accesses_connection ON accesses (tenant_id, connection_id) WHERE connection_id IS NOT NULL;

INSERT INTO accesses (id, tenant_id, kind, installation_id, host, account_id, account_login, state, created_us, updated_us)
    SELECT i.id, i.tenant_id, a.kind, i.id, lower(rtrim(a.web_url, '/')), CAST(i.account_id AS TEXT), i.account_login, i.state, i.created_us, i.updated_us
    FROM installations i JOIN apps a ON a.id = i.app_id;

-- Rows of installations are kept in step by the database: a process of the version before this one knows nothing of accesses.
-- +goose StatementBegin
CREATE FUNCTION installation_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO accesses (id, tenant_id, kind, installation_id, host, account_id, account_login, state, created_us, updated_us)
        SELECT NEW.id, NEW.tenant_id, a.kind, NEW.id, lower(rtrim(a.web_url, '/')), CAST(NEW.account_id AS TEXT), NEW.account_login, NEW.state, NEW.created_us, NEW.updated_us
        FROM apps a WHERE a.id = NEW.app_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER installation_made AFTER INSERT ON installations FOR EACH ROW EXECUTE FUNCTION installation_made();
-- +goose StatementBegin
CREATE FUNCTION installation_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE accesses SET tenant_id = NEW.tenant_id, account_login = NEW.account_login, state = NEW.state, updated_us = NEW.updated_us WHERE id = NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER installation_changed AFTER UPDATE ON installations FOR EACH ROW EXECUTE FUNCTION installation_changed();

-- An id of a host is a number, which stands in the column of numbers that there was, or other text, which stands in the column beside it; never in both.
-- So a process of the version before this one reads and writes what it knows, and nothing has to be copied.
ALTER TABLE repositories ADD COLUMN access_id TEXT; -- NULL in a row of the version before this one: the installation's
ALTER TABLE repositories ADD COLUMN host TEXT;      -- of the access, for the unique keys; NULL where another row is the repository by now
ALTER TABLE repositories ADD COLUMN external_text TEXT;
ALTER TABLE repositories ALTER COLUMN installation_id DROP NOT NULL;
ALTER TABLE repositories ALTER COLUMN external_id DROP NOT NULL;
UPDATE repositories SET access_id = installation_id;
UPDATE repositories SET host = (SELECT c.host FROM accesses c WHERE c.id = repositories.access_id) WHERE id IN (
    SELECT x.id FROM (SELECT r.id, row_number() OVER (PARTITION BY r.tenant_id, c.host, r.external_id ORDER BY CASE r.state WHEN 'active' THEN 0 ELSE 1 END, r.created_us DESC, r.id DESC) AS place
        FROM repositories r JOIN accesses c ON c.id = r.access_id) x WHERE x.place = 1);
CREATE UNIQUE INDEX repositories_number ON repositories (tenant_id, host, external_id);
CREATE UNIQUE INDEX repositories_text ON repositories (tenant_id, host, external_text);
CREATE INDEX repositories_access ON repositories (tenant_id, access_id);

-- +goose Down
DROP INDEX repositories_access;
DROP INDEX repositories_text;
DROP INDEX repositories_number;
ALTER TABLE repositories DROP COLUMN external_text;
ALTER TABLE repositories DROP COLUMN host;
ALTER TABLE repositories DROP COLUMN access_id;
DROP TRIGGER installation_made ON installations;
DROP FUNCTION installation_made;
DROP TRIGGER installation_changed ON installations;
DROP FUNCTION installation_changed;
DROP TABLE accesses;
