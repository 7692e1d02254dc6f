-- +goose Up
-- What a job tells the people who wait for it: where it stands, what came of it, and what hindered its last attempt,
-- in words for them. last_error stays for operators.
ALTER TABLE jobs ADD COLUMN progress TEXT NOT NULL DEFAULT ''; -- JSON object, '' before it has said anything
ALTER TABLE jobs ADD COLUMN outcome TEXT NOT NULL DEFAULT ''; -- JSON object, '' before there is one
ALTER TABLE jobs ADD COLUMN problem TEXT NOT NULL DEFAULT ''; -- '' where nothing hindered it

-- +goose Down
ALTER TABLE jobs DROP COLUMN problem;
ALTER TABLE jobs DROP COLUMN outcome;
ALTER TABLE jobs DROP COLUMN progress;
