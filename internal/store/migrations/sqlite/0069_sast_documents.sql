-- +goose Up
-- A document of an analyser can be there before a review uses it, so that run_id may be NULL. SQLite has no statement for that.
CREATE TABLE sast_runs_0069 (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    run_id TEXT, -- the review that used it last; NULL before the first one
    head_sha TEXT NOT NULL,
    state TEXT NOT NULL, -- waiting, running, completed or failed
    analysers TEXT NOT NULL, -- JSON array: name, version, duration, counts
    new_findings INTEGER NOT NULL, -- in this diff
    old_findings INTEGER NOT NULL, -- there before
    reason TEXT NOT NULL,
    finished_us INTEGER, -- NULL until then
    created_us INTEGER NOT NULL,
    source TEXT NOT NULL DEFAULT 'review', -- review or upload
    digest TEXT NOT NULL DEFAULT '', -- SHA-256 of an uploaded document in hexadecimal digits
    left_out TEXT NOT NULL DEFAULT '[]', -- JSON array of notes about results that were not used
    uploaded_by TEXT NOT NULL DEFAULT '', -- id of a person
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;
INSERT INTO sast_runs_0069 (id, tenant_id, repository_id, run_id, head_sha, state, analysers, new_findings, old_findings, reason, finished_us, created_us)
    SELECT id, tenant_id, repository_id, run_id, head_sha, state, analysers, new_findings, old_findings, reason, finished_us, created_us FROM sast_runs;
DROP TABLE sast_runs;
ALTER TABLE sast_runs_0069 RENAME TO sast_runs;
CREATE INDEX sast_runs_newest ON sast_runs (tenant_id, repository_id, created_us, id);
CREATE INDEX sast_runs_run ON sast_runs (tenant_id, run_id);
CREATE UNIQUE INDEX sast_runs_upload ON sast_runs (tenant_id, repository_id, head_sha, digest) WHERE source = 'upload';

CREATE TABLE sast_documents ( -- SARIF of static-analysis runs; deleted after the retention time
    tenant_id TEXT NOT NULL,
    sast_run_id TEXT NOT NULL,
    body BLOB NOT NULL, -- packed with gzip
    created_us INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, sast_run_id),
    FOREIGN KEY (tenant_id, sast_run_id) REFERENCES sast_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX sast_documents_created ON sast_documents (created_us);

-- +goose Down
DROP TABLE sast_documents;
DROP INDEX sast_runs_upload;
DROP INDEX sast_runs_run;
ALTER TABLE sast_runs DROP COLUMN uploaded_by;
ALTER TABLE sast_runs DROP COLUMN left_out;
ALTER TABLE sast_runs DROP COLUMN digest;
ALTER TABLE sast_runs DROP COLUMN source;
