-- +goose Up
-- Whether a finding has changed or came back since its last comment. Who closes the thread of that comment decides on the finding as it was.
ALTER TABLE findings ADD COLUMN thread_outdated INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE findings DROP COLUMN thread_outdated;
