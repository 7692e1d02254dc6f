-- +goose Up
-- New repositories of connections are seen within a minute: a webhook of the owner tells of them, else the host is asked.

ALTER TABLE accesses ADD COLUMN told BOOLEAN NOT NULL DEFAULT FALSE; -- a webhook of the owner tells of new repositories
ALTER TABLE accesses ADD COLUMN looked_us BIGINT NOT NULL DEFAULT 0; -- when the host was last asked for the newest repositories
ALTER TABLE accesses ADD COLUMN newest TEXT NOT NULL DEFAULT ''; -- a digest of what it listed
ALTER TABLE repositories ADD COLUMN review_from_us BIGINT NOT NULL DEFAULT 0; -- pull requests that were opened since are reviewed, although the repository was connected later; 0 for none

-- +goose Down
ALTER TABLE repositories DROP COLUMN review_from_us;
ALTER TABLE accesses DROP COLUMN newest;
ALTER TABLE accesses DROP COLUMN looked_us;
ALTER TABLE accesses DROP COLUMN told;
