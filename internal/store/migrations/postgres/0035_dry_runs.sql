-- +goose Up
-- Calls of models are made by runs of several kinds, so that run_id is no longer that of a review run alone; who writes a call looks for its run.
ALTER TABLE llm_calls DROP CONSTRAINT llm_calls_tenant_id_run_id_fkey;

ALTER TABLE dry_runs ADD COLUMN newest BIGINT NOT NULL DEFAULT 0; -- how many of the newest pull requests are looked at, where none are named; 0: those that numbers names
CREATE INDEX dry_runs_open ON dry_runs (tenant_id, repository_id) WHERE state IN ('queued', 'running');

CREATE TABLE dry_run_transitions ( -- the steps in the life of a dry run
    dry_run_id TEXT   NOT NULL,
    seq        BIGINT NOT NULL,
    tenant_id  TEXT   NOT NULL,
    from_state TEXT   NOT NULL,
    to_state   TEXT   NOT NULL,
    cause      TEXT   NOT NULL,
    at_us      BIGINT NOT NULL,
    PRIMARY KEY (dry_run_id, seq),
    FOREIGN KEY (tenant_id, dry_run_id) REFERENCES dry_runs (tenant_id, id) ON DELETE CASCADE
);

CREATE TABLE dry_run_pulls ( -- what a dry run makes of each of its pull requests
    id                TEXT PRIMARY KEY,
    tenant_id         TEXT   NOT NULL,
    repository_id     TEXT   NOT NULL,
    dry_run_id        TEXT   NOT NULL,
    ordinal           BIGINT NOT NULL, -- from 1, in the order in which they are looked at
    number            BIGINT NOT NULL,
    state             TEXT   NOT NULL, -- queued, running, completed or failed
    reason            TEXT   NOT NULL DEFAULT '', -- why it failed
    head_sha          TEXT   NOT NULL DEFAULT '', -- with base_sha and merge_base the same for all attempts
    base_sha          TEXT   NOT NULL DEFAULT '',
    merge_base        TEXT   NOT NULL DEFAULT '',
    model_deadline_us BIGINT, -- until when a model that is down is waited for; NULL before it was asked
    result            TEXT   NOT NULL DEFAULT '', -- JSON object; '' until it is completed
    created_us        BIGINT NOT NULL,
    started_us        BIGINT,
    finished_us       BIGINT,
    UNIQUE (tenant_id, id),
    UNIQUE (dry_run_id, number),
    FOREIGN KEY (tenant_id, dry_run_id) REFERENCES dry_runs (tenant_id, id) ON DELETE CASCADE
);

CREATE TABLE dry_run_stages ( -- results of finished stages, so that a killed dry run does not pay twice; they go when their pull request is done
    pull_id    TEXT   NOT NULL,
    stage      TEXT   NOT NULL,
    input_hash TEXT   NOT NULL,
    tenant_id  TEXT   NOT NULL,
    output     BYTEA  NOT NULL,
    created_us BIGINT NOT NULL,
    PRIMARY KEY (pull_id, stage, input_hash),
    FOREIGN KEY (tenant_id, pull_id) REFERENCES dry_run_pulls (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
DELETE FROM llm_calls WHERE run_kind = 'dry_run';
DROP TABLE dry_run_stages;
DROP TABLE dry_run_pulls;
DROP TABLE dry_run_transitions;
DROP INDEX dry_runs_open;
ALTER TABLE dry_runs DROP COLUMN newest;
ALTER TABLE llm_calls ADD CONSTRAINT llm_calls_tenant_id_run_id_fkey FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE;
