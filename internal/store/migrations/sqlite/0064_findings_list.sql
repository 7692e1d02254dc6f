-- +goose Up
-- The list of findings over all repositories, worst first. It begins with the open findings of open pull requests, so the
-- state of the pull request stands in the index, too.
ALTER TABLE findings ADD COLUMN pull_open INTEGER NOT NULL DEFAULT 1; -- whether the pull request is open

-- The database keeps the column in step: a process of the version before this one does not know it.
-- +goose StatementBegin
CREATE TRIGGER pull_request_state AFTER UPDATE OF state ON pull_requests WHEN OLD.state <> NEW.state BEGIN
    UPDATE findings SET pull_open = (NEW.state = 'open') WHERE tenant_id = NEW.tenant_id AND pull_request_id = NEW.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER finding_added AFTER INSERT ON findings WHEN NEW.pull_open = 1 BEGIN
    UPDATE findings SET pull_open = 0 WHERE id = NEW.id AND EXISTS (SELECT 1 FROM pull_requests p
        WHERE p.tenant_id = NEW.tenant_id AND p.id = NEW.pull_request_id AND p.state <> 'open');
END;
-- +goose StatementEnd

UPDATE findings SET pull_open = 0 WHERE EXISTS (SELECT 1 FROM pull_requests p WHERE p.tenant_id = findings.tenant_id
    AND p.id = findings.pull_request_id AND p.state <> 'open');
CREATE INDEX findings_list ON findings (tenant_id, state, pull_open, severity, created_us, id, repository_id, posted_run);
CREATE INDEX pull_requests_author ON pull_requests (tenant_id, author);

-- +goose Down
DROP TRIGGER finding_added;
DROP TRIGGER pull_request_state;
DROP INDEX pull_requests_author;
DROP INDEX findings_list;
ALTER TABLE findings DROP COLUMN pull_open;
