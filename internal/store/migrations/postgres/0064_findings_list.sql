-- +goose Up
-- The list of findings over all repositories, worst first. It begins with the open findings of open pull requests, so the
-- state of the pull request stands in the index, too.
LOCK TABLE pull_requests IN SHARE ROW EXCLUSIVE MODE; -- no state changes between the update below and the trigger
ALTER TABLE findings ADD COLUMN pull_open BOOLEAN NOT NULL DEFAULT TRUE; -- whether the pull request is open

-- The database keeps the column in step: a process of the version before this one does not know it.
-- +goose StatementBegin
CREATE FUNCTION pull_request_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE findings SET pull_open = (NEW.state = 'open') WHERE tenant_id = NEW.tenant_id AND pull_request_id = NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER pull_request_state AFTER UPDATE OF state ON pull_requests FOR EACH ROW WHEN (OLD.state <> NEW.state)
    EXECUTE FUNCTION pull_request_state();
-- +goose StatementBegin
CREATE FUNCTION finding_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE findings SET pull_open = FALSE WHERE id = NEW.id AND EXISTS (SELECT 1 FROM pull_requests p
        WHERE p.tenant_id = NEW.tenant_id AND p.id = NEW.pull_request_id AND p.state <> 'open');
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER finding_added AFTER INSERT ON findings FOR EACH ROW WHEN (NEW.pull_open) EXECUTE FUNCTION finding_added();

UPDATE findings SET pull_open = FALSE WHERE EXISTS (SELECT 1 FROM pull_requests p WHERE p.tenant_id = findings.tenant_id
    AND p.id = findings.pull_request_id AND p.state <> 'open');
CREATE INDEX findings_list ON findings (tenant_id, state, pull_open, severity, created_us, id, repository_id, posted_run);
CREATE INDEX pull_requests_author ON pull_requests (tenant_id, author);

-- +goose Down
DROP TRIGGER finding_added ON findings;
DROP FUNCTION finding_added();
DROP TRIGGER pull_request_state ON pull_requests;
DROP FUNCTION pull_request_state();
DROP INDEX pull_requests_author;
DROP INDEX findings_list;
ALTER TABLE findings DROP COLUMN pull_open;
