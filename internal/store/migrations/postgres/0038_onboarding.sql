-- +goose Up
-- New repositories that are tried out before somebody decides whether they are reviewed. Which these are says repositories.intake = 'onboarding'; a row here is made for each of them.
CREATE TABLE onboardings (
    id            TEXT   PRIMARY KEY,
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT   NOT NULL,
    state         TEXT   NOT NULL CHECK (state IN ('waiting', 'trying', 'proposed', 'accepted', 'declined', 'failed')),
    reason        TEXT   NOT NULL DEFAULT '', -- why it failed, for people
    failure       TEXT   NOT NULL DEFAULT '' CHECK (failure IN ('', 'left', 'broken')), -- the same for what follows by itself; '' unless it failed
    dry_run_id    TEXT   NOT NULL DEFAULT '', -- that tries it out; '' where there is none. A dry run may be deleted before this row
    basis         TEXT   NOT NULL DEFAULT '', -- JSON: what it is tried out with, and how often pull requests are merged; '' before that is known
    proposal      TEXT   NOT NULL DEFAULT '', -- JSON: what came of the trial; '' before
    created_us    BIGINT NOT NULL,
    started_us    BIGINT, -- of the trial
    proposed_us   BIGINT,
    decided_us    BIGINT,
    decided_by    TEXT   NOT NULL DEFAULT '', -- id of a person of ours, '' where there is none
    decided_name  TEXT   NOT NULL DEFAULT '', -- as it was then
    how           TEXT   NOT NULL DEFAULT '', -- interface or policy
    note          TEXT   NOT NULL DEFAULT '',
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX onboardings_open ON onboardings (repository_id) WHERE state IN ('waiting', 'trying', 'proposed');
CREATE INDEX onboardings_list ON onboardings (tenant_id, created_us, id);
CREATE INDEX onboardings_repository ON onboardings (tenant_id, repository_id, created_us, id);
CREATE INDEX onboardings_tries ON onboardings (tenant_id, created_us, id) WHERE state IN ('waiting', 'trying');
CREATE INDEX onboardings_dry_run ON onboardings (tenant_id, dry_run_id) WHERE dry_run_id <> '';
CREATE INDEX repositories_onboarding ON repositories (id) WHERE intake = 'onboarding';

CREATE TABLE onboarding_transitions ( -- the steps in the life of an onboarding
    onboarding_id TEXT   NOT NULL,
    seq           BIGINT NOT NULL,
    tenant_id     TEXT   NOT NULL,
    from_state    TEXT   NOT NULL,
    to_state      TEXT   NOT NULL,
    cause         TEXT   NOT NULL,
    at_us         BIGINT NOT NULL,
    PRIMARY KEY (onboarding_id, seq),
    FOREIGN KEY (tenant_id, onboarding_id) REFERENCES onboardings (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
UPDATE repositories SET intake = 'off' WHERE intake = 'onboarding';
DROP TABLE onboarding_transitions;
DROP TABLE onboardings;
DROP INDEX repositories_onboarding;
