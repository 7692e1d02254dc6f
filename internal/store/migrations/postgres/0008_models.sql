-- +goose Up
ALTER TABLE llm_credentials ADD COLUMN preset TEXT NOT NULL DEFAULT '';      -- service of a compatible endpoint; '' for none
ALTER TABLE llm_credentials ADD COLUMN resource TEXT NOT NULL DEFAULT '';    -- of Azure
ALTER TABLE llm_credentials ADD COLUMN region TEXT NOT NULL DEFAULT '';      -- of Bedrock
ALTER TABLE llm_credentials ADD COLUMN data_region TEXT NOT NULL DEFAULT ''; -- official or declared; '' is unknown
ALTER TABLE llm_credentials ADD COLUMN api_key_us BIGINT NOT NULL DEFAULT 0;     -- when the key was last set; 0: there is none
ALTER TABLE llm_credentials ADD COLUMN blocked_until_us BIGINT NOT NULL DEFAULT 0;
UPDATE llm_credentials SET api_key_us = updated_us WHERE api_key IS NOT NULL;
CREATE INDEX llm_credentials_listed ON llm_credentials (tenant_id, created_us, id);

-- +goose Down
DROP INDEX llm_credentials_listed;
ALTER TABLE llm_credentials DROP COLUMN blocked_until_us;
ALTER TABLE llm_credentials DROP COLUMN api_key_us;
ALTER TABLE llm_credentials DROP COLUMN data_region;
ALTER TABLE llm_credentials DROP COLUMN region;
ALTER TABLE llm_credentials DROP COLUMN resource;
ALTER TABLE llm_credentials DROP COLUMN preset;
