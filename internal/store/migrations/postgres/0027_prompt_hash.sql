-- +goose Up
-- What the models of a run were told beside its data: a hash over the texts and schemas of the prompts; '' for runs before it was kept.
ALTER TABLE review_runs ADD COLUMN prompt_hash TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE review_runs DROP COLUMN prompt_hash;
