-- +goose Up
-- Criteria that are edited are judged again, and what may be known no more is found.
ALTER TABLE tracker_links ADD COLUMN wanted TEXT NOT NULL DEFAULT ''; -- digest of the criteria as an edit left them last; '' where none was seen
ALTER TABLE tracker_links ADD COLUMN wanted_seq BIGINT NOT NULL DEFAULT 0; -- rises with each edit: the job of the last one is the one that counts
ALTER TABLE tracker_links ADD COLUMN recheck TEXT NOT NULL DEFAULT ''; -- why the last edit was not judged, one sentence; '' where it was, or there was none
ALTER TABLE tracker_links ADD COLUMN stranger BOOLEAN NOT NULL DEFAULT FALSE; -- a fork by somebody who is no member names the issue
ALTER TABLE ac_checks ADD COLUMN ordinal BIGINT NOT NULL DEFAULT 0; -- place of the criterion in its issue, from 1; 0 for rows from before

-- +goose Down
ALTER TABLE ac_checks DROP COLUMN ordinal;
ALTER TABLE tracker_links DROP COLUMN stranger;
ALTER TABLE tracker_links DROP COLUMN recheck;
ALTER TABLE tracker_links DROP COLUMN wanted_seq;
ALTER TABLE tracker_links DROP COLUMN wanted;
