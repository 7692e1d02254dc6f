-- +goose Up
ALTER TABLE sast_runs ALTER COLUMN run_id DROP NOT NULL; -- a document of an analyser can be there before a review uses it
ALTER TABLE sast_runs ADD COLUMN source TEXT NOT NULL DEFAULT 'review'; -- review or upload
ALTER TABLE sast_runs ADD COLUMN digest TEXT NOT NULL DEFAULT ''; -- SHA-256 of an uploaded document in hexadecimal digits
ALTER TABLE sast_runs ADD COLUMN left_out TEXT NOT NULL DEFAULT '[]'; -- JSON array of notes about results that were not used
ALTER TABLE sast_runs ADD COLUMN uploaded_by TEXT NOT NULL DEFAULT ''; -- id of a person
CREATE INDEX sast_runs_run ON sast_runs (tenant_id, run_id);
CREATE UNIQUE INDEX sast_runs_upload ON sast_runs (tenant_id, repository_id, head_sha, digest) WHERE source = 'upload';

CREATE TABLE sast_documents ( -- SARIF of static-analysis runs; deleted after the retention time
    tenant_id TEXT NOT NULL,
    sast_run_id TEXT NOT NULL,
    body BYTEA NOT NULL, -- packed with gzip
    created_us BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, sast_run_id),
    FOREIGN KEY (tenant_id, sast_run_id) REFERENCES sast_runs (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX sast_documents_created ON sast_documents (created_us);

-- +goose Down
DROP TABLE sast_documents;
DROP INDEX sast_runs_upload;
DROP INDEX sast_runs_run;
ALTER TABLE sast_runs DROP COLUMN uploaded_by;
ALTER TABLE sast_runs DROP COLUMN left_out;
ALTER TABLE sast_runs DROP COLUMN digest;
ALTER TABLE sast_runs DROP COLUMN source;
