-- +goose Up
-- Calls of models are made by runs of several kinds, so that run_id is no longer that of a review run alone; who writes a call looks for its run.
CREATE TABLE llm_calls_0035 (
    id               TEXT PRIMARY KEY,
    tenant_id        TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id    TEXT   NOT NULL,
    run_id           TEXT   NOT NULL, -- of the kind run_kind: a row of review_runs or dry_run_pulls
    stage            TEXT   NOT NULL,
    tier             TEXT   NOT NULL,
    credential_id    TEXT   NOT NULL,
    model            TEXT   NOT NULL,
    effort           TEXT   NOT NULL,
    input_tokens     INTEGER NOT NULL DEFAULT 0,
    cached_tokens    INTEGER NOT NULL DEFAULT 0,
    output_tokens    INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    cost_micros      INTEGER, -- NULL: the price is unknown
    outcome          TEXT   NOT NULL DEFAULT 'started',
    started_us       INTEGER NOT NULL,
    finished_us      INTEGER,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    period           TEXT   NOT NULL DEFAULT '', -- month of the budget that it counts on, UTC: 2026-11
    reserved_micros  INTEGER NOT NULL DEFAULT 0, -- what it may cost at most; counts until the call is settled
    run_kind         TEXT   NOT NULL DEFAULT 'review', -- of the run that made the call
    reserved_tokens  INTEGER NOT NULL DEFAULT 0, -- what it may use at most; counts on the limit of one review until the call is settled
    answered_model   TEXT   NOT NULL DEFAULT '', -- what the answer calls the model; model is the one that was asked for
    estimated        INTEGER NOT NULL DEFAULT 0 -- some of its tokens were not counted by the provider
) STRICT;
INSERT INTO llm_calls_0035 (id, tenant_id, repository_id, run_id, stage, tier, credential_id, model, effort, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros, outcome, started_us, finished_us, cache_write_tokens, period, reserved_micros, run_kind, reserved_tokens, answered_model, estimated) SELECT id, tenant_id, repository_id, run_id, stage, tier, credential_id, model, effort, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros, outcome, started_us, finished_us, cache_write_tokens, period, reserved_micros, run_kind, reserved_tokens, answered_model, estimated FROM llm_calls;
DROP TABLE llm_calls;
ALTER TABLE llm_calls_0035 RENAME TO llm_calls;
CREATE INDEX llm_calls_run ON llm_calls (run_id);
CREATE INDEX llm_calls_started ON llm_calls (tenant_id, started_us);
CREATE INDEX llm_calls_open ON llm_calls (started_us) WHERE finished_us IS NULL; -- calls whose worker may have died

ALTER TABLE dry_runs ADD COLUMN newest INTEGER NOT NULL DEFAULT 0; -- how many of the newest pull requests are looked at, where none are named; 0: those that numbers names
CREATE INDEX dry_runs_open ON dry_runs (tenant_id, repository_id) WHERE state IN ('queued', 'running');

CREATE TABLE dry_run_transitions ( -- the steps in the life of a dry run
    dry_run_id TEXT   NOT NULL,
    seq        INTEGER NOT NULL,
    tenant_id  TEXT   NOT NULL,
    from_state TEXT   NOT NULL,
    to_state   TEXT   NOT NULL,
    cause      TEXT   NOT NULL,
    at_us      INTEGER NOT NULL,
    PRIMARY KEY (dry_run_id, seq),
    FOREIGN KEY (tenant_id, dry_run_id) REFERENCES dry_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE dry_run_pulls ( -- what a dry run makes of each of its pull requests
    id                TEXT PRIMARY KEY,
    tenant_id         TEXT   NOT NULL,
    repository_id     TEXT   NOT NULL,
    dry_run_id        TEXT   NOT NULL,
    ordinal           INTEGER NOT NULL, -- from 1, in the order in which they are looked at
    number            INTEGER NOT NULL,
    state             TEXT   NOT NULL, -- queued, running, completed or failed
    reason            TEXT   NOT NULL DEFAULT '', -- why it failed
    head_sha          TEXT   NOT NULL DEFAULT '', -- with base_sha and merge_base the same for all attempts
    base_sha          TEXT   NOT NULL DEFAULT '',
    merge_base        TEXT   NOT NULL DEFAULT '',
    model_deadline_us INTEGER, -- until when a model that is down is waited for; NULL before it was asked
    result            TEXT   NOT NULL DEFAULT '', -- JSON object; '' until it is completed
    created_us        INTEGER NOT NULL,
    started_us        INTEGER,
    finished_us       INTEGER,
    UNIQUE (tenant_id, id),
    UNIQUE (dry_run_id, number),
    FOREIGN KEY (tenant_id, dry_run_id) REFERENCES dry_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE dry_run_stages ( -- results of finished stages, so that a killed dry run does not pay twice; they go when their pull request is done
    pull_id    TEXT   NOT NULL,
    stage      TEXT   NOT NULL,
    input_hash TEXT   NOT NULL,
    tenant_id  TEXT   NOT NULL,
    output     BLOB  NOT NULL,
    created_us INTEGER NOT NULL,
    PRIMARY KEY (pull_id, stage, input_hash),
    FOREIGN KEY (tenant_id, pull_id) REFERENCES dry_run_pulls (tenant_id, id) ON DELETE CASCADE
) STRICT;

-- +goose Down
DELETE FROM llm_calls WHERE run_kind = 'dry_run';
DROP TABLE dry_run_stages;
DROP TABLE dry_run_pulls;
DROP TABLE dry_run_transitions;
DROP INDEX dry_runs_open;
ALTER TABLE dry_runs DROP COLUMN newest;
CREATE TABLE llm_calls_0034 (
    id               TEXT PRIMARY KEY,
    tenant_id        TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id    TEXT   NOT NULL,
    run_id           TEXT   NOT NULL,
    stage            TEXT   NOT NULL,
    tier             TEXT   NOT NULL,
    credential_id    TEXT   NOT NULL,
    model            TEXT   NOT NULL,
    effort           TEXT   NOT NULL,
    input_tokens     INTEGER NOT NULL DEFAULT 0,
    cached_tokens    INTEGER NOT NULL DEFAULT 0,
    output_tokens    INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    cost_micros      INTEGER, -- NULL: the price is unknown
    outcome          TEXT   NOT NULL DEFAULT 'started',
    started_us       INTEGER NOT NULL,
    finished_us      INTEGER,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    period           TEXT   NOT NULL DEFAULT '', -- month of the budget that it counts on, UTC: 2026-11
    reserved_micros  INTEGER NOT NULL DEFAULT 0, -- what it may cost at most; counts until the call is settled
    run_kind         TEXT   NOT NULL DEFAULT 'review', -- of the run that made the call
    reserved_tokens  INTEGER NOT NULL DEFAULT 0, -- what it may use at most; counts on the limit of one review until the call is settled
    answered_model   TEXT   NOT NULL DEFAULT '', -- what the answer calls the model; model is the one that was asked for
    estimated        INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;
INSERT INTO llm_calls_0034 (id, tenant_id, repository_id, run_id, stage, tier, credential_id, model, effort, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros, outcome, started_us, finished_us, cache_write_tokens, period, reserved_micros, run_kind, reserved_tokens, answered_model, estimated) SELECT id, tenant_id, repository_id, run_id, stage, tier, credential_id, model, effort, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros, outcome, started_us, finished_us, cache_write_tokens, period, reserved_micros, run_kind, reserved_tokens, answered_model, estimated FROM llm_calls;
DROP TABLE llm_calls;
ALTER TABLE llm_calls_0034 RENAME TO llm_calls;
CREATE INDEX llm_calls_run ON llm_calls (run_id);
CREATE INDEX llm_calls_started ON llm_calls (tenant_id, started_us);
CREATE INDEX llm_calls_open ON llm_calls (started_us) WHERE finished_us IS NULL; -- calls whose worker may have died
