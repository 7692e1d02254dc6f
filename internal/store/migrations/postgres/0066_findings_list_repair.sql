-- +goose Up
-- The first form of 0064 had a trigger that did not lock the pull request of a new finding. If the pull request closed meanwhile, the
-- finding stayed in the list of open ones.

-- No finding is added and no state changes between the new function and the update. The migration waits for both tables as in 0064.
-- +goose StatementBegin
DO $$
DECLARE
    before TEXT := current_setting('lock_timeout');
BEGIN
    PERFORM set_config('lock_timeout', '500ms', TRUE);
    FOR attempt IN 1..600 LOOP
        BEGIN
            LOCK TABLE pull_requests IN SHARE ROW EXCLUSIVE MODE;
            LOCK TABLE findings IN SHARE ROW EXCLUSIVE MODE;
            PERFORM set_config('lock_timeout', before, TRUE);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.05);
        END;
    END LOOP;
    RAISE EXCEPTION 'The tables pull_requests and findings were in use for up to ten minutes. Stop the processes of the version before, and migrate again.';
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION finding_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM pull_requests p WHERE p.tenant_id = NEW.tenant_id AND p.id = NEW.pull_request_id FOR NO KEY UPDATE; -- its state stays
    UPDATE findings SET pull_open = FALSE WHERE id = NEW.id AND EXISTS (SELECT 1 FROM pull_requests p
        WHERE p.tenant_id = NEW.tenant_id AND p.id = NEW.pull_request_id AND p.state <> 'open');
    RETURN NULL;
END $$;
-- +goose StatementEnd
UPDATE findings SET pull_open = NOT pull_open WHERE pull_open <> EXISTS (SELECT 1 FROM pull_requests p
    WHERE p.tenant_id = findings.tenant_id AND p.id = findings.pull_request_id AND p.state = 'open');

-- +goose Down
SELECT 1;
