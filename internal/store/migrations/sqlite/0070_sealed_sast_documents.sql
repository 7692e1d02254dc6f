-- +goose Up
-- Documents are sealed from here on. Earlier ones are plain, so that they and the uploads that wait with them are deleted.
DELETE FROM sast_runs WHERE source = 'upload' AND run_id IS NULL;
DELETE FROM sast_documents;

-- +goose Down
DELETE FROM sast_documents;
