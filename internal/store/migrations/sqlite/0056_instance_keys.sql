-- +goose Up
CREATE TABLE instance_keys ( -- instance keys that have wrapped or marked something here, by name; never the key
    id         TEXT PRIMARY KEY, -- eight hexadecimal digits, derived from the key one way
    first_us   INTEGER NOT NULL,
    retired_us INTEGER -- when it was taken out of use; NULL: it may be used
) STRICT;
ALTER TABLE keysets ADD COLUMN born_key TEXT NOT NULL DEFAULT ''; -- the instance key that first wrapped the data key that seals; '': the one that wraps it
ALTER TABLE keysets ADD COLUMN replaced_us INTEGER; -- when the data key that seals was replaced; NULL: nothing is sealed with an earlier one
ALTER TABLE publications ADD COLUMN mark_key TEXT NOT NULL DEFAULT ''; -- the instance key that makes its marks; '': the oldest one configured, from before this column
ALTER TABLE command_answers ADD COLUMN mark_key TEXT NOT NULL DEFAULT ''; -- the same

-- +goose Down
ALTER TABLE command_answers DROP COLUMN mark_key;
ALTER TABLE publications DROP COLUMN mark_key;
ALTER TABLE keysets DROP COLUMN replaced_us;
ALTER TABLE keysets DROP COLUMN born_key;
DROP TABLE instance_keys;
