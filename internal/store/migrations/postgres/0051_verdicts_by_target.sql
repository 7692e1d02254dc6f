-- +goose Up
-- A verdict is about a pull request, its target branch, the merge base and the head.

ALTER TABLE pull_requests ADD COLUMN head_ref TEXT NOT NULL DEFAULT ''; -- the branch that the change is on
ALTER TABLE pull_requests ADD COLUMN target_tip TEXT NOT NULL DEFAULT ''; -- the newest commit of the target for which the merge base was found to be that of the last review
CREATE INDEX pull_requests_head ON pull_requests (repository_id, head_sha);

ALTER TABLE review_runs ADD COLUMN base_ref TEXT NOT NULL DEFAULT ''; -- the target branch of the pull request when the run was made
ALTER TABLE review_runs ADD COLUMN verdict TEXT NOT NULL DEFAULT ''; -- the conclusion that a published review gives to the check; empty where it shows none
UPDATE review_runs SET base_ref = COALESCE((SELECT p.base_ref FROM pull_requests p WHERE p.tenant_id = review_runs.tenant_id AND p.id = review_runs.pull_request_id), '');
UPDATE review_runs SET verdict = COALESCE((SELECT CASE WHEN p.payload LIKE '%"conclusion":"failure"%' THEN 'failure' WHEN p.payload LIKE '%"conclusion":"neutral"%' THEN 'neutral'
        WHEN p.payload LIKE '%"conclusion":"success"%' THEN 'success' ELSE '' END
    FROM publications p WHERE p.tenant_id = review_runs.tenant_id AND p.run_id = review_runs.id AND p.phase = 'PUBLISHED' AND p.kind <> 'none'), '') WHERE state = 'completed';

CREATE TABLE target_hunks ( -- takes the place of reviewed_hunks: what was reviewed against which target branch
    pull_request_id TEXT NOT NULL,
    base_ref        TEXT NOT NULL,
    hunk_id         TEXT NOT NULL,
    tenant_id       TEXT NOT NULL,
    run_id          TEXT NOT NULL,
    PRIMARY KEY (pull_request_id, base_ref, hunk_id),
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
);
INSERT INTO target_hunks (pull_request_id, base_ref, hunk_id, tenant_id, run_id)
    SELECT h.pull_request_id, p.base_ref, h.hunk_id, h.tenant_id, h.run_id FROM reviewed_hunks h JOIN pull_requests p ON p.tenant_id = h.tenant_id AND p.id = h.pull_request_id;

CREATE TABLE head_checks ( -- the newest check of a commit, which is the one that a host shows, and what it was told to say last
    tenant_id     TEXT   NOT NULL,
    repository_id TEXT   NOT NULL,
    head_sha      TEXT   NOT NULL,
    place         TEXT   NOT NULL, -- the branch, where the host keeps a status by branch; else empty
    run_id        TEXT   NOT NULL, -- whose check it is
    check_id      TEXT   NOT NULL,
    said          TEXT   NOT NULL, -- its conclusion and a digest; empty where it is not known
    gen           BIGINT NOT NULL DEFAULT 0, -- raised by each write of it that begins
    updated_us    BIGINT NOT NULL,
    PRIMARY KEY (repository_id, head_sha, place),
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX head_checks_run ON head_checks (run_id);

-- +goose Down
DROP TABLE head_checks;
DROP TABLE target_hunks;
ALTER TABLE review_runs DROP COLUMN verdict;
ALTER TABLE review_runs DROP COLUMN base_ref;
DROP INDEX pull_requests_head;
ALTER TABLE pull_requests DROP COLUMN target_tip;
ALTER TABLE pull_requests DROP COLUMN head_ref;
