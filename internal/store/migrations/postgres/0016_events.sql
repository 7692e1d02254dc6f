-- +goose Up
ALTER TABLE notification_deliveries ADD COLUMN event_id TEXT NOT NULL DEFAULT ''; -- '': a test
CREATE UNIQUE INDEX notification_deliveries_event ON notification_deliveries (tenant_id, channel_id, event_id) WHERE event_id <> '';
CREATE INDEX notification_deliveries_over ON notification_deliveries (updated_us) WHERE state <> 'pending';
ALTER TABLE notification_channels ADD COLUMN failing_us BIGINT NOT NULL DEFAULT 0; -- since when every attempt has failed; 0: the last one did not
CREATE INDEX events_age ON events (created_us);
CREATE UNIQUE INDEX push_subscriptions_scope ON push_subscriptions (tenant_id, id);

CREATE TABLE push_deliveries ( -- one event to one browser
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT   NOT NULL,
    subscription_id TEXT   NOT NULL,
    event_id        TEXT   NOT NULL,
    event           TEXT   NOT NULL, -- its kind
    repository_id   TEXT   NOT NULL, -- who may see it may see the message; '': it is about none
    state           TEXT   NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'dropped')),
    payload         TEXT   NOT NULL, -- the message, so that each attempt sends the same
    attempts        BIGINT NOT NULL,
    error           TEXT   NOT NULL, -- why the last attempt failed, in words of ours
    created_us      BIGINT NOT NULL,
    updated_us      BIGINT NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, subscription_id, event_id),
    FOREIGN KEY (tenant_id, subscription_id) REFERENCES push_subscriptions (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX push_deliveries_age ON push_deliveries (created_us);

-- +goose Down
DROP TABLE push_deliveries;
DROP INDEX push_subscriptions_scope;
DROP INDEX events_age;
ALTER TABLE notification_channels DROP COLUMN failing_us;
DROP INDEX notification_deliveries_over;
DROP INDEX notification_deliveries_event;
ALTER TABLE notification_deliveries DROP COLUMN event_id;
