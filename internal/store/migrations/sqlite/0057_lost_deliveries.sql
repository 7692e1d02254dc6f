-- +goose Up
-- How many lost deliveries of an app wait to be asked for, and until when one process asks for them.
ALTER TABLE apps ADD COLUMN lost_waiting INTEGER NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN lost_until_us INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE apps DROP COLUMN lost_until_us;
ALTER TABLE apps DROP COLUMN lost_waiting;
