-- +goose Up
-- The state of the pull request on each finding is corrected, as for PostgreSQL, whose first form of 0064 could leave a wrong one.
UPDATE findings SET pull_open = NOT pull_open WHERE pull_open <> EXISTS (SELECT 1 FROM pull_requests p
    WHERE p.tenant_id = findings.tenant_id AND p.id = findings.pull_request_id AND p.state = 'open');

-- +goose Down
SELECT 1;
