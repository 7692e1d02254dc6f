-- +goose Up
CREATE TABLE audit_logs ( -- log_id is a tenant's id, or 'instance'; a tenant's log outlives the tenant
    log_id  TEXT PRIMARY KEY,
    size    BIGINT NOT NULL, -- entries
    head    TEXT   NOT NULL, -- signed note over log, size and root; '' while empty
    last_us BIGINT NOT NULL  -- time of the newest entry
);
CREATE TABLE audit_entries (
    log_id      TEXT   NOT NULL REFERENCES audit_logs (log_id),
    seq         BIGINT NOT NULL, -- from 0, without gaps
    at_us       BIGINT NOT NULL,
    action      TEXT   NOT NULL,
    result      TEXT   NOT NULL,
    body_hash   BYTEA  NOT NULL, -- SHA-256 of salt and body
    salt        BYTEA,           -- NULL once erased
    body        TEXT,            -- canonical JSON; NULL once erased
    leaf_hash   BYTEA  NOT NULL,
    actor_kind  TEXT   NOT NULL, -- copies of what the body says, to search by; '' once erased
    actor_id    TEXT   NOT NULL,
    target_kind TEXT   NOT NULL,
    target_id   TEXT   NOT NULL,
    PRIMARY KEY (log_id, seq)
);
CREATE INDEX audit_entries_time ON audit_entries (log_id, at_us, seq);
CREATE INDEX audit_entries_actor ON audit_entries (log_id, actor_id, seq);
CREATE INDEX audit_entries_action ON audit_entries (log_id, action, seq);
CREATE INDEX audit_entries_target ON audit_entries (log_id, target_kind, target_id, seq);
CREATE TABLE audit_hashes ( -- of the Merkle tree, in the order of tlog.StoredHashIndex
    log_id TEXT   NOT NULL REFERENCES audit_logs (log_id),
    idx    BIGINT NOT NULL,
    hash   BYTEA  NOT NULL,
    PRIMARY KEY (log_id, idx)
);
CREATE TABLE audit_keys ( -- one row: the key that signs heads, sealed
    name       TEXT PRIMARY KEY,
    sealed     BYTEA  NOT NULL,
    created_us BIGINT NOT NULL
);

-- +goose Down
DROP TABLE audit_keys;
DROP TABLE audit_hashes;
DROP TABLE audit_entries;
DROP TABLE audit_logs;
