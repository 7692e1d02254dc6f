-- +goose Up
-- Finds a body that was delivered before under another id.
CREATE INDEX webhook_deliveries_body ON webhook_deliveries (raw_sha256, source_id);
