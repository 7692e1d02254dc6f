-- +goose Up
-- What a running process says of itself, so that an instance key is used only once every process has it.
ALTER TABLE worker_lanes ADD COLUMN process TEXT NOT NULL DEFAULT ''; -- what it does and where, for people
ALTER TABLE worker_lanes ADD COLUMN instance_keys TEXT NOT NULL DEFAULT ''; -- names of its instance keys, the newest first, separated by spaces; '': its version does not say

-- +goose Down
ALTER TABLE worker_lanes DROP COLUMN instance_keys;
ALTER TABLE worker_lanes DROP COLUMN process;
