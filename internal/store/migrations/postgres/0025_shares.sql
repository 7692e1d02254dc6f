-- +goose Up
-- Whose turn it is in a lane that tenants share: when each of them was last served. The row with the key '' is the lane's lock.
CREATE TABLE lane_turns (
    lane      TEXT   NOT NULL,
    fair_key  TEXT   NOT NULL,
    served_us BIGINT NOT NULL,
    PRIMARY KEY (lane, fair_key)
);
CREATE INDEX jobs_waiting ON jobs (fair_key, run_us, id) WHERE lane = 'review' AND state = 'queued';

-- How deep a run looks: domain.Depth. No CHECK: the set grows.
ALTER TABLE review_runs ADD COLUMN depth TEXT NOT NULL DEFAULT 'full';
CREATE INDEX review_runs_started ON review_runs (tenant_id, started_us) WHERE started_us IS NOT NULL;

-- +goose Down
DROP INDEX review_runs_started;
ALTER TABLE review_runs DROP COLUMN depth;
DROP INDEX jobs_waiting;
DROP TABLE lane_turns;
