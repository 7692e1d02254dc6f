-- +goose Up
-- Which issues a pull request belongs to, as far as it may be known, and what was said of their criteria.
ALTER TABLE tracker_links ADD COLUMN connection_id TEXT NOT NULL DEFAULT ''; -- the connection through which it is read; '' for rows from before. It may be gone
ALTER TABLE tracker_links ADD COLUMN key_only INTEGER NOT NULL DEFAULT 0; -- nothing but the key may be known
ALTER TABLE tracker_links ADD COLUMN issue_type TEXT NOT NULL DEFAULT ''; -- as the tracker names it
ALTER TABLE tracker_links ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tracker_links ADD COLUMN unread TEXT NOT NULL DEFAULT ''; -- why the last reading failed, one sentence
ALTER TABLE tracker_links ADD COLUMN read_us INTEGER NOT NULL DEFAULT 0; -- when title and state were read last; 0: never
ALTER TABLE tracker_links ADD COLUMN added_by TEXT NOT NULL DEFAULT ''; -- the person who said so; '' where it was found
ALTER TABLE tracker_links ADD COLUMN removed_by TEXT NOT NULL DEFAULT ''; -- the person who said that it is none; it is not found again
ALTER TABLE tracker_links ADD COLUMN removed_us INTEGER NOT NULL DEFAULT 0; -- 0: it holds
ALTER TABLE tracker_links ADD COLUMN judged TEXT NOT NULL DEFAULT ''; -- digest of the criteria that were judged last
ALTER TABLE tracker_links ADD COLUMN comment_id TEXT NOT NULL DEFAULT ''; -- of our comment at the issue; '' where there is none
ALTER TABLE tracker_links ADD COLUMN written TEXT NOT NULL DEFAULT ''; -- digest of what was written at the issue last; '' where nothing was
CREATE INDEX tracker_links_issue ON tracker_links (tenant_id, connection_id, issue_key);
ALTER TABLE ac_checks ADD COLUMN connection_id TEXT NOT NULL DEFAULT ''; -- of the issue; '' for rows from before
ALTER TABLE ac_checks ADD COLUMN criterion_id TEXT NOT NULL DEFAULT ''; -- digest of key and text; '' for rows from before
ALTER TABLE ac_checks ADD COLUMN reason TEXT NOT NULL DEFAULT ''; -- one sentence
ALTER TABLE ac_checks ADD COLUMN kept INTEGER NOT NULL DEFAULT 0; -- the verdict is the one of an earlier review
ALTER TABLE ac_checks ADD COLUMN basis TEXT NOT NULL DEFAULT ''; -- what the verdict rests on, in the words of the engine; '' for nothing
CREATE INDEX ac_checks_pull ON ac_checks (tenant_id, pull_request_id, created_us, id);

-- +goose Down
DROP INDEX ac_checks_pull;
ALTER TABLE ac_checks DROP COLUMN basis;
ALTER TABLE ac_checks DROP COLUMN kept;
ALTER TABLE ac_checks DROP COLUMN reason;
ALTER TABLE ac_checks DROP COLUMN criterion_id;
ALTER TABLE ac_checks DROP COLUMN connection_id;
DROP INDEX tracker_links_issue;
DELETE FROM tracker_links WHERE removed_us <> 0;
ALTER TABLE tracker_links DROP COLUMN written;
ALTER TABLE tracker_links DROP COLUMN comment_id;
ALTER TABLE tracker_links DROP COLUMN judged;
ALTER TABLE tracker_links DROP COLUMN removed_us;
ALTER TABLE tracker_links DROP COLUMN removed_by;
ALTER TABLE tracker_links DROP COLUMN added_by;
ALTER TABLE tracker_links DROP COLUMN read_us;
ALTER TABLE tracker_links DROP COLUMN unread;
ALTER TABLE tracker_links DROP COLUMN done;
ALTER TABLE tracker_links DROP COLUMN issue_type;
ALTER TABLE tracker_links DROP COLUMN key_only;
ALTER TABLE tracker_links DROP COLUMN connection_id;
