-- +goose Up
ALTER TABLE llm_calls ADD COLUMN answered_model TEXT NOT NULL DEFAULT ''; -- what the answer calls the model; model is the one that was asked for

-- +goose Down
ALTER TABLE llm_calls DROP COLUMN answered_model;
