-- +goose Up
CREATE TABLE notification_channels (
    id                TEXT PRIMARY KEY,
    tenant_id         TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    name              TEXT   NOT NULL,
    kind              TEXT   NOT NULL,
    target            BLOB,            -- sealed URL; NULL for email
    target_hint       TEXT   NOT NULL, -- what may be shown of it; for email the addresses
    target_us         INTEGER NOT NULL,
    events            TEXT   NOT NULL, -- JSON array
    every_repository  INTEGER NOT NULL, -- otherwise those of notification_channel_repositories, even if none is left
    enabled           INTEGER NOT NULL,
    paused_us         INTEGER NOT NULL, -- when it was paused because it kept failing; 0: it is not
    paused_reason     TEXT   NOT NULL,
    failures          INTEGER NOT NULL, -- in a row
    secret            BLOB,            -- sealed; signs messages of kind webhook
    secret_us         INTEGER NOT NULL,
    previous_secret   BLOB,            -- signs as well until previous_until_us
    previous_until_us INTEGER NOT NULL,
    version           INTEGER NOT NULL,
    created_us        INTEGER NOT NULL,
    updated_us        INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, name)
) STRICT;
CREATE INDEX notification_channels_listed ON notification_channels (tenant_id, created_us, id);

CREATE TABLE notification_channel_repositories (
    tenant_id     TEXT NOT NULL,
    channel_id    TEXT NOT NULL,
    repository_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, channel_id, repository_id),
    FOREIGN KEY (tenant_id, channel_id) REFERENCES notification_channels (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE notification_deliveries (
    id              TEXT PRIMARY KEY, -- also the id of the message
    tenant_id       TEXT   NOT NULL,
    channel_id      TEXT   NOT NULL,
    event           TEXT   NOT NULL,
    state           TEXT   NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    payload         TEXT   NOT NULL, -- the message, so that each attempt sends the same
    attempts        INTEGER NOT NULL,
    response_code   INTEGER NOT NULL, -- 0: there was no answer
    error           TEXT   NOT NULL, -- why the last attempt failed, in words of ours
    next_attempt_us INTEGER NOT NULL, -- 0: there is none
    created_us      INTEGER NOT NULL,
    updated_us      INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, channel_id) REFERENCES notification_channels (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX notification_deliveries_listed ON notification_deliveries (tenant_id, channel_id, created_us, id);
CREATE INDEX notification_deliveries_due ON notification_deliveries (next_attempt_us) WHERE state = 'pending';

-- +goose Down
DROP TABLE notification_deliveries;
DROP TABLE notification_channel_repositories;
DROP TABLE notification_channels;
