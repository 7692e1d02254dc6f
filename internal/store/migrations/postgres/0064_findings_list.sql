-- +goose Up
-- The list of findings over all repositories, worst first. It begins with the open findings of open pull requests, so the
-- state of the pull request stands in the index, too.

-- No state changes between the update below and the trigger. A process of the version before this one may hold either table and want
-- the other: the migration waits for the second one for less than the deadlock_timeout, and then begins again without locks.
-- +goose StatementBegin
DO $$
DECLARE
    before TEXT := current_setting('lock_timeout');
BEGIN
    PERFORM set_config('lock_timeout', '500ms', TRUE);
    FOR attempt IN 1..600 LOOP
        BEGIN
            LOCK TABLE pull_requests IN SHARE ROW EXCLUSIVE MODE;
            LOCK TABLE findings IN ACCESS EXCLUSIVE MODE;
            PERFORM set_config('lock_timeout', before, TRUE);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.05);
        END;
    END LOOP;
    RAISE EXCEPTION 'The tables pull_requests and findings were in use for up to ten minutes. Stop the processes of the earlier version, then migrate again.';
END $$;
-- +goose StatementEnd
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
    PERFORM 1 FROM pull_requests p WHERE p.tenant_id = NEW.tenant_id AND p.id = NEW.pull_request_id FOR NO KEY UPDATE; -- its state stays
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
