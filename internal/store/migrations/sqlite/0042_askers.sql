-- +goose Up
ALTER TABLE review_runs ADD COLUMN asked_how TEXT CHECK (asked_how IN ('event', 'command', 'rerun', 'request', 'sweep')); -- NULL: not known, because the run was made before this was kept
ALTER TABLE review_runs ADD COLUMN asked_by TEXT NOT NULL DEFAULT ''; -- id of a person of ours, '' where there is none
ALTER TABLE review_runs ADD COLUMN asked_name TEXT NOT NULL DEFAULT ''; -- the name as it was then, or the login on the host

-- +goose Down
ALTER TABLE review_runs DROP COLUMN asked_name;
ALTER TABLE review_runs DROP COLUMN asked_by;
ALTER TABLE review_runs DROP COLUMN asked_how;
