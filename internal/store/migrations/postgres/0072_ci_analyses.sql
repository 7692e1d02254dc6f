-- +goose Up
-- Analyses of failed jobs get their life, their log and their history. No version has made rows before.
ALTER TABLE ci_analyses ADD COLUMN job_key TEXT NOT NULL DEFAULT ''; -- workflow and name of the job; '' for rows from before
ALTER TABLE ci_analyses ADD COLUMN job_id TEXT NOT NULL DEFAULT ''; -- the host's id of the job; '' if the host has no log of it
ALTER TABLE ci_analyses ADD COLUMN source TEXT NOT NULL DEFAULT 'job'; -- job, check or status
ALTER TABLE ci_analyses ADD COLUMN facts TEXT NOT NULL DEFAULT '[]'; -- JSON array: what the host says besides a log
ALTER TABLE ci_analyses ADD COLUMN trigger_event TEXT NOT NULL DEFAULT '';
ALTER TABLE ci_analyses ADD COLUMN reason TEXT NOT NULL DEFAULT ''; -- why it failed, was cancelled, or has less than was wished
ALTER TABLE ci_analyses ADD COLUMN relation TEXT NOT NULL DEFAULT ''; -- caused, unrelated or unclear; '' before the end
ALTER TABLE ci_analyses ADD COLUMN tool TEXT NOT NULL DEFAULT ''; -- that failed; '' if it is unknown
ALTER TABLE ci_analyses ADD COLUMN kept_log TEXT NOT NULL DEFAULT '[]'; -- JSON array of kept lines and gaps, without secrets
ALTER TABLE ci_analyses ADD COLUMN log_lines BIGINT NOT NULL DEFAULT 0; -- of the whole log
ALTER TABLE ci_analyses ADD COLUMN no_log TEXT NOT NULL DEFAULT ''; -- why there is no log
ALTER TABLE ci_analyses ADD COLUMN notes TEXT NOT NULL DEFAULT '[]'; -- JSON array: what was cut or dropped
ALTER TABLE ci_analyses ADD COLUMN method TEXT NOT NULL DEFAULT ''; -- pattern or model
ALTER TABLE ci_analyses ADD COLUMN model TEXT NOT NULL DEFAULT ''; -- that was asked; '' for none
ALTER TABLE ci_analyses ADD COLUMN cost_micros BIGINT; -- NULL: no model was asked, or a price is unknown
ALTER TABLE ci_analyses ADD COLUMN answer_hash TEXT NOT NULL DEFAULT ''; -- of what the model was asked; '' before it has answered
ALTER TABLE ci_analyses ADD COLUMN answer TEXT NOT NULL DEFAULT ''; -- of the model, kept before it is used
ALTER TABLE ci_analyses ADD COLUMN on_base TEXT NOT NULL DEFAULT ''; -- the job's end on the base: failed, passed, or '' if it is unknown
ALTER TABLE ci_analyses ADD COLUMN failed_before BIGINT NOT NULL DEFAULT 0; -- earlier analyses of the job in the repository
ALTER TABLE ci_analyses ADD COLUMN flaky_before BIGINT NOT NULL DEFAULT 0; -- those of them whose job also passed on their commit
ALTER TABLE ci_analyses ADD COLUMN passed_us BIGINT; -- when the job was seen to have passed on this commit; NULL if it was not
ALTER TABLE ci_analyses ADD COLUMN started_us BIGINT; -- NULL until then
CREATE UNIQUE INDEX ci_analyses_job ON ci_analyses (tenant_id, pull_request_id, head_sha, job_key) WHERE job_key <> '';
CREATE INDEX ci_analyses_history ON ci_analyses (tenant_id, repository_id, job_key, created_us);
CREATE INDEX ci_analyses_hour ON ci_analyses (tenant_id, created_us);

CREATE TABLE ci_comments ( -- the comment of a pull request about failed jobs of its head, at most one for ever
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    pull_request_id TEXT NOT NULL,
    head_sha TEXT NOT NULL, -- that it is about
    green BOOLEAN NOT NULL, -- every job of the head has passed
    state TEXT NOT NULL CHECK (state IN ('waiting', 'shown', 'gone')), -- gone: a person deleted it, or the host refuses it
    host_id TEXT NOT NULL, -- the host's id of the comment; '' before it is known
    digest TEXT NOT NULL, -- of the written text; '' before
    mark_key TEXT NOT NULL, -- name of the instance key that makes its mark
    left_out TEXT NOT NULL, -- JSON array: jobs that are not analysed, with the reason
    reason TEXT NOT NULL, -- why it is gone
    created_us BIGINT NOT NULL,
    updated_us BIGINT NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, pull_request_id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
DELETE FROM llm_calls WHERE run_kind = 'ci';
DROP TABLE ci_comments;
DROP INDEX ci_analyses_hour;
DROP INDEX ci_analyses_history;
DROP INDEX ci_analyses_job;
DELETE FROM ci_analyses;
ALTER TABLE ci_analyses DROP COLUMN started_us;
ALTER TABLE ci_analyses DROP COLUMN passed_us;
ALTER TABLE ci_analyses DROP COLUMN flaky_before;
ALTER TABLE ci_analyses DROP COLUMN failed_before;
ALTER TABLE ci_analyses DROP COLUMN on_base;
ALTER TABLE ci_analyses DROP COLUMN answer;
ALTER TABLE ci_analyses DROP COLUMN answer_hash;
ALTER TABLE ci_analyses DROP COLUMN cost_micros;
ALTER TABLE ci_analyses DROP COLUMN model;
ALTER TABLE ci_analyses DROP COLUMN method;
ALTER TABLE ci_analyses DROP COLUMN notes;
ALTER TABLE ci_analyses DROP COLUMN no_log;
ALTER TABLE ci_analyses DROP COLUMN log_lines;
ALTER TABLE ci_analyses DROP COLUMN kept_log;
ALTER TABLE ci_analyses DROP COLUMN tool;
ALTER TABLE ci_analyses DROP COLUMN relation;
ALTER TABLE ci_analyses DROP COLUMN reason;
ALTER TABLE ci_analyses DROP COLUMN trigger_event;
ALTER TABLE ci_analyses DROP COLUMN facts;
ALTER TABLE ci_analyses DROP COLUMN source;
ALTER TABLE ci_analyses DROP COLUMN job_id;
ALTER TABLE ci_analyses DROP COLUMN job_key;
