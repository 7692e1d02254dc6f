-- +goose Up
ALTER TABLE mcp_tools ADD COLUMN shown_schema TEXT NOT NULL DEFAULT ''; -- JSON, as models and administrators see it; '' where it cannot be used, or is not known yet
ALTER TABLE mcp_tools ADD COLUMN blocked BOOLEAN NOT NULL DEFAULT FALSE; -- it has changed since it was allowed, also where it is now as it was
UPDATE mcp_tools SET blocked = TRUE WHERE allowed_digest <> '' AND allowed_digest <> digest;

-- +goose Down
ALTER TABLE mcp_tools DROP COLUMN blocked;
ALTER TABLE mcp_tools DROP COLUMN shown_schema;
