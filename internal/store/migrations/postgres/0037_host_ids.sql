-- +goose Up
-- Ids of hosts that are no numbers. The columns of numbers stay for what is compared and for processes of the version before this one: a number stands there,
-- or for other text a negative stand-in, which no host has. The text itself stands beside it, and '' where the number is the id.
ALTER TABLE pull_requests ADD COLUMN author_text TEXT NOT NULL DEFAULT '';
ALTER TABLE pull_requests ADD COLUMN summary_text TEXT NOT NULL DEFAULT '';
ALTER TABLE findings ADD COLUMN comment_text TEXT NOT NULL DEFAULT '';
ALTER TABLE publications ADD COLUMN ext_review_text TEXT NOT NULL DEFAULT '';
ALTER TABLE command_answers ADD COLUMN comment_text TEXT NOT NULL DEFAULT '';
ALTER TABLE command_answers ADD COLUMN thread_text TEXT NOT NULL DEFAULT '';
ALTER TABLE command_answers ADD COLUMN answer_text TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE command_answers DROP COLUMN answer_text;
ALTER TABLE command_answers DROP COLUMN thread_text;
ALTER TABLE command_answers DROP COLUMN comment_text;
ALTER TABLE publications DROP COLUMN ext_review_text;
ALTER TABLE findings DROP COLUMN comment_text;
ALTER TABLE pull_requests DROP COLUMN summary_text;
ALTER TABLE pull_requests DROP COLUMN author_text;
