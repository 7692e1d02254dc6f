-- +goose Up
ALTER TABLE jobs ADD COLUMN asked_gen INTEGER NOT NULL DEFAULT 0; -- the claim during which it was asked for again; 0: none
ALTER TABLE jobs ADD COLUMN asked_us INTEGER NOT NULL DEFAULT 0; -- when it was asked for last after it was made; 0: it was not

-- +goose Down
ALTER TABLE jobs DROP COLUMN asked_us;
ALTER TABLE jobs DROP COLUMN asked_gen;
