-- +goose Up
ALTER TABLE provider_connections ADD COLUMN token_ends_us BIGINT NOT NULL DEFAULT 0; -- when the host ends the token; 0: it tells of no end, or was not asked
ALTER TABLE provider_connections ADD COLUMN token_told_us BIGINT NOT NULL DEFAULT 0; -- the end of which the administrators were told; 0: of none

-- +goose Down
ALTER TABLE provider_connections DROP COLUMN token_told_us;
ALTER TABLE provider_connections DROP COLUMN token_ends_us;
