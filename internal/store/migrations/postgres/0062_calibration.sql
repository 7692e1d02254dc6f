-- +goose Up
-- Calibrations say which threshold their counts imply, and since when one is in effect.
ALTER TABLE calibrations ADD COLUMN ignored BIGINT NOT NULL DEFAULT 0; -- findings whose only outcome is that they were ignored at merge
ALTER TABLE calibrations ADD COLUMN implied_ppm BIGINT; -- millionths; NULL until there is enough data
ALTER TABLE calibrations ADD COLUMN moved_us BIGINT; -- when the threshold moved last; NULL until then
ALTER TABLE calibrations ADD COLUMN held TEXT NOT NULL DEFAULT ''; -- why the threshold is not the implied one: outcomes, people or week
ALTER TABLE calibrations ADD COLUMN updated_us BIGINT NOT NULL DEFAULT 0;
CREATE TABLE calibration_checks ( -- when the outcomes of a repository were counted last
    tenant_id     TEXT NOT NULL,
    repository_id TEXT NOT NULL,
    outcomes      BIGINT NOT NULL, -- how many there were
    newest_us     BIGINT NOT NULL, -- when the newest one was stored; 0 if there was none
    checked_us    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, repository_id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
);
ALTER TABLE review_runs ADD COLUMN thresholds TEXT; -- JSON object: the moved thresholds, by category, that the run uses; NULL until it starts

-- +goose Down
ALTER TABLE review_runs DROP COLUMN thresholds;
DROP TABLE calibration_checks;
ALTER TABLE calibrations DROP COLUMN updated_us;
ALTER TABLE calibrations DROP COLUMN held;
ALTER TABLE calibrations DROP COLUMN moved_us;
ALTER TABLE calibrations DROP COLUMN implied_ppm;
ALTER TABLE calibrations DROP COLUMN ignored;
