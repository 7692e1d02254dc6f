-- +goose Up
-- A finding is a row; its exact fingerprints are names of that row, many to one. findings.exact stays
-- for workers of older versions, with its unique constraint: it holds the first name of a row, which no
-- other row can get, or the row's id. Nothing is looked up by it any more, so that it cannot fail a save.
CREATE TABLE finding_prints (
    tenant_id       TEXT    NOT NULL,
    pull_request_id TEXT    NOT NULL,
    exact           TEXT    NOT NULL,
    finding_id      TEXT    NOT NULL,
    created_us      INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, pull_request_id, exact),
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, finding_id) REFERENCES findings (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX finding_prints_finding ON finding_prints (tenant_id, finding_id);
INSERT INTO finding_prints (tenant_id, pull_request_id, exact, finding_id, created_us)
    SELECT tenant_id, pull_request_id, exact, id, created_us FROM findings WHERE exact <> '';
ALTER TABLE findings ADD COLUMN resolved_run TEXT; -- the run whose published review said that it is gone; NULL once a review shows it again
ALTER TABLE findings ADD COLUMN comment_url TEXT NOT NULL DEFAULT ''; -- of the comment comment_id on the host

-- +goose Down
ALTER TABLE findings DROP COLUMN comment_url;
ALTER TABLE findings DROP COLUMN resolved_run;
DROP TABLE finding_prints;
