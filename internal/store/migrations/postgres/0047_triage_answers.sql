-- +goose Up
ALTER TABLE triage_runs ADD COLUMN answer_hash TEXT NOT NULL DEFAULT ''; -- of what the model was asked; '' before it has answered
ALTER TABLE triage_runs ADD COLUMN answer TEXT NOT NULL DEFAULT ''; -- of the model, kept before it is used

-- +goose Down
ALTER TABLE triage_runs DROP COLUMN answer;
ALTER TABLE triage_runs DROP COLUMN answer_hash;
