-- +goose Up
-- What a repository got when it appeared: 'on' is reviewed, 'onboarding' and 'off' wait until the repository's policy says that it is.
ALTER TABLE repositories ADD COLUMN intake TEXT NOT NULL DEFAULT 'on' CHECK (intake IN ('on', 'onboarding', 'off'));

DROP INDEX repositories_tenant;
CREATE INDEX repositories_tenant ON repositories (tenant_id, owner, name, id);

CREATE TABLE repository_links ( -- other repositories that a review of this one may look at
    id            TEXT PRIMARY KEY,
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT   NOT NULL,
    linked_id     TEXT   NOT NULL,
    kind          TEXT   NOT NULL,
    note          TEXT   NOT NULL,
    confirmed     INTEGER NOT NULL, -- an admin knows that private code may be quoted in a public review
    created_us    INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, repository_id, linked_id, kind),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, linked_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX repository_links_place ON repository_links (tenant_id, repository_id, created_us, id);

CREATE TABLE pattern_repositories ( -- repositories whose code shows how things are done here
    id            TEXT PRIMARY KEY,
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT   NOT NULL,
    paths         TEXT   NOT NULL, -- JSON array of globs
    note          TEXT   NOT NULL,
    confirmed     INTEGER NOT NULL, -- an admin knows that private code may be quoted in a public review
    created_us    INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, repository_id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX pattern_repositories_place ON pattern_repositories (tenant_id, created_us, id);

-- +goose Down
DROP TABLE pattern_repositories;
DROP TABLE repository_links;
DROP INDEX repositories_tenant;
CREATE INDEX repositories_tenant ON repositories (tenant_id, owner, name);
ALTER TABLE repositories DROP COLUMN intake;
