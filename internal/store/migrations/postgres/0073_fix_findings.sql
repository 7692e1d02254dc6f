-- +goose Up
CREATE TABLE fix_run_findings ( -- what became of each finding of a fix run, for figures
    fix_run_id TEXT NOT NULL,
    finding_id TEXT NOT NULL,
    tenant_id  TEXT NOT NULL,
    reason     TEXT NOT NULL, -- name of the reason why it has no fix; '' if its fix passed
    edits      TEXT NOT NULL, -- JSON array of suggestions, to find the fix in later heads; '[]' without a fix
    in_code    BOOLEAN NOT NULL, -- a later review found every edit in the code
    PRIMARY KEY (fix_run_id, finding_id),
    FOREIGN KEY (tenant_id, fix_run_id) REFERENCES fix_runs (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX fix_run_findings_finding ON fix_run_findings (tenant_id, finding_id);

-- +goose Down
DROP TABLE fix_run_findings;
