-- +goose Up
-- Suppressions say what they are about by themselves, so that they outlive the finding that led to them.
ALTER TABLE suppressions ADD COLUMN rule_id TEXT NOT NULL DEFAULT ''; -- of that finding
ALTER TABLE suppressions ADD COLUMN category TEXT NOT NULL DEFAULT ''; -- of that finding
ALTER TABLE suppressions ADD COLUMN severity TEXT NOT NULL DEFAULT ''; -- of that finding
ALTER TABLE suppressions ADD COLUMN path TEXT NOT NULL DEFAULT ''; -- of that finding
ALTER TABLE suppressions ADD COLUMN prints TEXT NOT NULL DEFAULT '[]'; -- JSON array: all exact fingerprints of that finding
ALTER TABLE suppressions ADD COLUMN proposed_by TEXT NOT NULL DEFAULT ''; -- id of a person, '' where none is known
ALTER TABLE suppressions ADD COLUMN proposed_name TEXT NOT NULL DEFAULT '';
ALTER TABLE suppressions ADD COLUMN decided_name TEXT NOT NULL DEFAULT '';
ALTER TABLE suppressions ADD COLUMN withdrawn_by TEXT NOT NULL DEFAULT ''; -- id of a person, '' until then
ALTER TABLE suppressions ADD COLUMN withdrawn_name TEXT NOT NULL DEFAULT '';
ALTER TABLE suppressions ADD COLUMN withdrawn_note TEXT NOT NULL DEFAULT '';
ALTER TABLE suppressions ADD COLUMN withdrawn_us BIGINT; -- NULL until then
CREATE INDEX suppressions_state ON suppressions (tenant_id, repository_id, state, created_us, id);
-- Who decided, for people without a user here, too: a user's id, or a code host's id of a person.
ALTER TABLE finding_decisions ADD COLUMN person TEXT NOT NULL DEFAULT ''; -- '' in rows of older versions
CREATE INDEX findings_rule ON findings (tenant_id, repository_id, rule_id, state);

-- +goose Down
DROP INDEX findings_rule;
ALTER TABLE finding_decisions DROP COLUMN person;
DROP INDEX suppressions_state;
ALTER TABLE suppressions DROP COLUMN withdrawn_us;
ALTER TABLE suppressions DROP COLUMN withdrawn_note;
ALTER TABLE suppressions DROP COLUMN withdrawn_name;
ALTER TABLE suppressions DROP COLUMN withdrawn_by;
ALTER TABLE suppressions DROP COLUMN decided_name;
ALTER TABLE suppressions DROP COLUMN proposed_name;
ALTER TABLE suppressions DROP COLUMN proposed_by;
ALTER TABLE suppressions DROP COLUMN prints;
ALTER TABLE suppressions DROP COLUMN path;
ALTER TABLE suppressions DROP COLUMN severity;
ALTER TABLE suppressions DROP COLUMN category;
ALTER TABLE suppressions DROP COLUMN rule_id;
