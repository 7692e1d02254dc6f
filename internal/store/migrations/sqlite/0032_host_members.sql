-- +goose Up
-- Who has rights on the repositories of connections, as the host's token said it last: the whole list of a repository at a time. People are ids of the host;
-- they are nobody here until an identity provider says that its subject is such an id.
CREATE TABLE host_members (
    tenant_id     TEXT   NOT NULL,
    repository_id TEXT   NOT NULL,
    host_user     TEXT   NOT NULL, -- the host's id of the person
    login         TEXT   NOT NULL, -- the name there, of people who have signed in here only: some hosts are asked by it. '' for others
    permission    TEXT   NOT NULL CHECK (permission IN ('admin', 'maintain', 'write', 'triage', 'read')),
    account       TEXT   NOT NULL CHECK (account IN ('owner', 'member', '')), -- what the person is in the account that has the repository
    kept_us       INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, repository_id, host_user),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX host_members_user ON host_members (host_user, tenant_id);

-- +goose Down
DROP TABLE host_members;
