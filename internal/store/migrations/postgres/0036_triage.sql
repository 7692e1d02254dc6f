-- +goose Up
-- The first, cheap look at each head of a pull request, with its life and what it wanted on the host. Rows from before were complete.
ALTER TABLE triage_runs ADD COLUMN state TEXT NOT NULL DEFAULT 'completed' CHECK (state IN ('queued', 'running', 'completed', 'failed', 'cancelled'));
ALTER TABLE triage_runs ADD COLUMN reason TEXT NOT NULL DEFAULT ''; -- why it failed, was cancelled, or is less than was wished, for people
ALTER TABLE triage_runs ADD COLUMN cause TEXT NOT NULL DEFAULT ''; -- the event that made it; '' for rows from before
ALTER TABLE triage_runs ADD COLUMN depth_why TEXT NOT NULL DEFAULT '';
ALTER TABLE triage_runs ADD COLUMN run_id TEXT NOT NULL DEFAULT ''; -- the review run whose engine chose the depth; '' where none has yet
ALTER TABLE triage_runs ADD COLUMN files BIGINT NOT NULL DEFAULT 0;
ALTER TABLE triage_runs ADD COLUMN lines BIGINT NOT NULL DEFAULT 0; -- added and removed, of files that are neither generated nor vendored nor binary
ALTER TABLE triage_runs ADD COLUMN model TEXT NOT NULL DEFAULT ''; -- that was asked; '' for none
ALTER TABLE triage_runs ADD COLUMN cost_micros BIGINT; -- NULL: no model was asked, or a price is unknown
ALTER TABLE triage_runs ADD COLUMN started_us BIGINT;
ALTER TABLE triage_runs ADD COLUMN finished_us BIGINT;
CREATE UNIQUE INDEX triage_runs_head ON triage_runs (tenant_id, pull_request_id, head_sha) WHERE cause <> '';

CREATE TABLE triage_transitions ( -- the steps in the life of a triage run
    triage_id  TEXT   NOT NULL,
    seq        BIGINT NOT NULL,
    tenant_id  TEXT   NOT NULL,
    from_state TEXT   NOT NULL,
    to_state   TEXT   NOT NULL,
    cause      TEXT   NOT NULL,
    at_us      BIGINT NOT NULL,
    PRIMARY KEY (triage_id, seq),
    FOREIGN KEY (tenant_id, triage_id) REFERENCES triage_runs (tenant_id, id) ON DELETE CASCADE
);

CREATE TABLE triage_labels ( -- labels that triage wanted on a pull request, each once for ever, so that a person who takes one away keeps the last word
    tenant_id       TEXT   NOT NULL,
    pull_request_id TEXT   NOT NULL,
    label_key       TEXT   NOT NULL, -- in lower case, as hosts compare
    label           TEXT   NOT NULL,
    triage_id       TEXT   NOT NULL, -- that wanted it
    state           TEXT   NOT NULL CHECK (state IN ('waiting', 'set', 'there', 'dropped')),
    reason          TEXT   NOT NULL, -- why it was dropped
    created_us      BIGINT NOT NULL,
    updated_us      BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, pull_request_id, label_key),
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, triage_id) REFERENCES triage_runs (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX triage_labels_run ON triage_labels (tenant_id, triage_id);

-- +goose Down
DROP TABLE triage_labels;
DROP TABLE triage_transitions;
DROP INDEX triage_runs_head;
DELETE FROM triage_runs WHERE state <> 'completed';
ALTER TABLE triage_runs DROP COLUMN finished_us;
ALTER TABLE triage_runs DROP COLUMN started_us;
ALTER TABLE triage_runs DROP COLUMN cost_micros;
ALTER TABLE triage_runs DROP COLUMN model;
ALTER TABLE triage_runs DROP COLUMN lines;
ALTER TABLE triage_runs DROP COLUMN files;
ALTER TABLE triage_runs DROP COLUMN run_id;
ALTER TABLE triage_runs DROP COLUMN depth_why;
ALTER TABLE triage_runs DROP COLUMN cause;
ALTER TABLE triage_runs DROP COLUMN reason;
ALTER TABLE triage_runs DROP COLUMN state;
