-- +goose Up
-- Lists of runs by state and by pull request; most runs of a repository are in one state.
CREATE INDEX review_runs_state ON review_runs (tenant_id, repository_id, state, created_us, id);
CREATE INDEX review_runs_number ON review_runs (tenant_id, repository_id, number, created_us, id);

-- +goose Down
DROP INDEX review_runs_number;
DROP INDEX review_runs_state;
