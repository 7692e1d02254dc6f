-- +goose Up
ALTER TABLE sign_in_links ADD COLUMN networks TEXT NOT NULL DEFAULT ''; -- from which it can be used, as CIDRs with commas; '': from everywhere

-- +goose Down
ALTER TABLE sign_in_links DROP COLUMN networks;
