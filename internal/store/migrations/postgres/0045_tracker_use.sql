-- +goose Up
CREATE TABLE tracker_grants ( -- what a tracker gave by OAuth; one for a connection
    tenant_id     TEXT NOT NULL,
    connection_id TEXT NOT NULL,
    generation    BIGINT NOT NULL, -- of the tokens, which are sealed for it
    access        BYTEA NOT NULL, -- sealed
    refresh       BYTEA, -- sealed; NULL: the tracker gave none
    expires_us    BIGINT NOT NULL, -- the end of access; 0: it has none
    holder        TEXT NOT NULL, -- who trades refresh for the next generation now; '': nobody
    lease_us      BIGINT NOT NULL, -- until when the holder may; afterwards refresh may be used up and its successor lost
    ended         TEXT NOT NULL CHECK (ended IN ('', 'refused', 'lost')), -- why refresh must not be used any more
    updated_us    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, connection_id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES tracker_connections (tenant_id, id) ON DELETE CASCADE
);

CREATE TABLE tracker_backfills ( -- how far the newest backfill of a connection is
    tenant_id     TEXT NOT NULL,
    connection_id TEXT NOT NULL,
    job_id        TEXT NOT NULL,
    after_id      TEXT NOT NULL, -- the last pull request that was looked at; '': none
    looked        BIGINT NOT NULL, -- pull requests that were looked at
    linked        BIGINT NOT NULL, -- of these those that belong to an issue
    issues        BIGINT NOT NULL, -- of all of them together
    skipped       BIGINT NOT NULL, -- pull requests that could not be looked at
    PRIMARY KEY (tenant_id, connection_id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES tracker_connections (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE tracker_backfills;
DROP TABLE tracker_grants;
