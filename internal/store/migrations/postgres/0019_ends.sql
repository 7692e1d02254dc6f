-- +goose Up
-- Why a run ended, by name: domain.EndCause. No CHECK: the set grows, and not every engine can change one in place.
ALTER TABLE review_runs ADD COLUMN end_cause TEXT NOT NULL DEFAULT '';
UPDATE review_runs SET end_cause = CASE
    WHEN state = 'completed' THEN 'published'
    WHEN state = 'skipped' THEN 'policy'
    WHEN state = 'superseded' THEN 'superseded'
    WHEN state = 'cancelled' AND reason = 'the repository is disconnected' THEN 'disconnected'
    WHEN state = 'cancelled' AND (reason = 'gone' OR reason LIKE '%cannot be reached%') THEN 'gone'
    WHEN state = 'cancelled' THEN 'closed'
    WHEN reason LIKE 'crashed%' OR reason LIKE 'publishing failed: crashed%' THEN 'crashed'
    WHEN reason LIKE 'the model provider rejected%' THEN 'model_rejected'
    WHEN reason LIKE 'the model was unavailable%' THEN 'model_unavailable'
    WHEN reason IN ('slot_busy', 'deleted', 'refused') THEN reason
    ELSE 'error' END
WHERE state IN ('completed', 'skipped', 'superseded', 'cancelled', 'failed');
ALTER TABLE review_runs ADD COLUMN check_id TEXT NOT NULL DEFAULT ''; -- the host's id of the run's check run, '' until it is known

-- What a job waits for that was given back uncounted, by name, and the last word of it.
ALTER TABLE jobs ADD COLUMN wait_kind TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN wait_detail TEXT NOT NULL DEFAULT '';

-- A publication whose job died after a draft was chosen is open until the host says what became of the draft.
ALTER TABLE publications ADD COLUMN settle_us BIGINT; -- when the host is asked next; NULL where nothing is open
ALTER TABLE publications ADD COLUMN settle_tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE publications ADD COLUMN settle_cause TEXT NOT NULL DEFAULT ''; -- why the job died: the end_cause of the run if nothing was published
CREATE INDEX publications_unsettled ON publications (settle_us) WHERE settle_us IS NOT NULL;

-- A draft may appear after its publication has ended: when the janitor looks for it next, NULL for never.
ALTER TABLE publications ADD COLUMN clean_us BIGINT;
ALTER TABLE publications ADD COLUMN clean_tries INTEGER NOT NULL DEFAULT 0;
CREATE INDEX publications_unclean ON publications (clean_us) WHERE clean_us IS NOT NULL;

-- +goose Down
DROP INDEX publications_unclean;
ALTER TABLE publications DROP COLUMN clean_tries;
ALTER TABLE publications DROP COLUMN clean_us;
DROP INDEX publications_unsettled;
ALTER TABLE publications DROP COLUMN settle_cause;
ALTER TABLE publications DROP COLUMN settle_tries;
ALTER TABLE publications DROP COLUMN settle_us;
ALTER TABLE jobs DROP COLUMN wait_detail;
ALTER TABLE jobs DROP COLUMN wait_kind;
ALTER TABLE review_runs DROP COLUMN check_id;
ALTER TABLE review_runs DROP COLUMN end_cause;
