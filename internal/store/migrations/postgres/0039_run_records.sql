-- +goose Up
CREATE TABLE run_diff_files ( -- the change as a run looked at it, without the secrets that were found in it
    run_id    TEXT   NOT NULL,
    ordinal   BIGINT NOT NULL, -- from 1, in the order of the diff
    tenant_id TEXT   NOT NULL,
    path      TEXT   NOT NULL,
    old_path  TEXT   NOT NULL, -- of a renamed or copied file, else ''
    status    TEXT   NOT NULL, -- added, modified, deleted, renamed, copied
    class     TEXT   NOT NULL,
    language  TEXT   NOT NULL,
    is_binary BOOLEAN NOT NULL,
    additions BIGINT NOT NULL,
    deletions BIGINT NOT NULL,
    omitted   TEXT   NOT NULL, -- why no line was looked at, '' where they were
    is_cut    BOOLEAN NOT NULL, -- not every line is kept
    hunks     BYTEA  NOT NULL, -- packed
    PRIMARY KEY (run_id, ordinal),
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
);
CREATE TABLE run_dropped ( -- candidates of a run that came to nothing
    run_id     TEXT   NOT NULL,
    ordinal    BIGINT NOT NULL, -- from 1, in the order in which they were dropped
    tenant_id  TEXT   NOT NULL,
    stage      TEXT   NOT NULL,
    why        TEXT   NOT NULL,
    finding_id TEXT   NOT NULL, -- the finding that stands for it, '' for none
    body       TEXT   NOT NULL, -- JSON of a finding, without secrets of the change
    PRIMARY KEY (run_id, ordinal),
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
);
ALTER TABLE write_attempts ADD COLUMN status BIGINT NOT NULL DEFAULT 0; -- HTTP status of the host's answer, 0 if there was none, or nobody kept it
ALTER TABLE write_attempts ADD COLUMN request_id TEXT NOT NULL DEFAULT ''; -- the host's id of the request, '' if it gave none
-- Of the body, for lists; '' in rows of older versions, whose body is looked into.
ALTER TABLE findings ADD COLUMN rule_id TEXT NOT NULL DEFAULT '';
ALTER TABLE findings ADD COLUMN path TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE findings DROP COLUMN path;
ALTER TABLE findings DROP COLUMN rule_id;
ALTER TABLE write_attempts DROP COLUMN request_id;
ALTER TABLE write_attempts DROP COLUMN status;
DROP TABLE run_dropped;
DROP TABLE run_diff_files;
