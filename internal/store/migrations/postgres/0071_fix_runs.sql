-- +goose Up
ALTER TABLE fix_runs ADD COLUMN pull_request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE fix_runs ADD COLUMN number BIGINT NOT NULL DEFAULT 0; -- of the pull request
ALTER TABLE fix_runs ADD COLUMN head_sha TEXT NOT NULL DEFAULT ''; -- the edits are made against this commit
ALTER TABLE fix_runs ADD COLUMN asked_name TEXT NOT NULL DEFAULT ''; -- of the person who asked
ALTER TABLE fix_runs ADD COLUMN asked_key TEXT NOT NULL DEFAULT ''; -- name of the comment that asked; empty for the interface
ALTER TABLE fix_runs ADD COLUMN result TEXT NOT NULL DEFAULT '{}'; -- JSON object: edits, checks and refusals
ALTER TABLE fix_runs ADD COLUMN proposed BIGINT NOT NULL DEFAULT 0; -- findings with proposed edits
ALTER TABLE fix_runs ADD COLUMN passed BIGINT NOT NULL DEFAULT 0; -- findings whose edits passed all checks
ALTER TABLE fix_runs ADD COLUMN commit_sha TEXT NOT NULL DEFAULT '';
ALTER TABLE fix_runs ADD COLUMN instead TEXT NOT NULL DEFAULT ''; -- why the edits are suggested and not delivered as asked; empty if they are
ALTER TABLE fix_runs ADD COLUMN branch TEXT NOT NULL DEFAULT ''; -- that has the commit
ALTER TABLE fix_runs ADD COLUMN model_deadline_us BIGINT; -- NULL while no model was unavailable
UPDATE fix_runs SET pull_request_id = (SELECT r.pull_request_id FROM review_runs r WHERE r.tenant_id = fix_runs.tenant_id AND r.id = fix_runs.run_id),
    head_sha = (SELECT r.head_sha FROM review_runs r WHERE r.tenant_id = fix_runs.tenant_id AND r.id = fix_runs.run_id),
    number = (SELECT p.number FROM review_runs r JOIN pull_requests p ON p.tenant_id = r.tenant_id AND p.id = r.pull_request_id
        WHERE r.tenant_id = fix_runs.tenant_id AND r.id = fix_runs.run_id);
UPDATE fix_runs SET state = 'failed', reason = 'An earlier version did not work on fix runs.', finished_us = COALESCE(finished_us, created_us) WHERE state IN ('queued', 'running', 'publishing');
CREATE INDEX fix_runs_of_pull ON fix_runs (tenant_id, pull_request_id, head_sha);

CREATE TABLE fix_run_stages ( -- results of finished stages, so that a killed fix run does not pay twice; they go at its end
    fix_run_id TEXT   NOT NULL,
    stage      TEXT   NOT NULL,
    input_hash TEXT   NOT NULL,
    tenant_id  TEXT   NOT NULL,
    output     BYTEA   NOT NULL,
    created_us BIGINT NOT NULL,
    PRIMARY KEY (fix_run_id, stage, input_hash),
    FOREIGN KEY (tenant_id, fix_run_id) REFERENCES fix_runs (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
DELETE FROM llm_calls WHERE run_kind = 'fix';
DROP TABLE fix_run_stages;
DROP INDEX fix_runs_of_pull;
ALTER TABLE fix_runs DROP COLUMN model_deadline_us;
ALTER TABLE fix_runs DROP COLUMN branch;
ALTER TABLE fix_runs DROP COLUMN instead;
ALTER TABLE fix_runs DROP COLUMN commit_sha;
ALTER TABLE fix_runs DROP COLUMN passed;
ALTER TABLE fix_runs DROP COLUMN proposed;
ALTER TABLE fix_runs DROP COLUMN result;
ALTER TABLE fix_runs DROP COLUMN asked_key;
ALTER TABLE fix_runs DROP COLUMN asked_name;
ALTER TABLE fix_runs DROP COLUMN head_sha;
ALTER TABLE fix_runs DROP COLUMN number;
ALTER TABLE fix_runs DROP COLUMN pull_request_id;
