-- +goose Up
CREATE TABLE host_refusals ( -- what a code host last refused the account of a connection, by kind of request
    tenant_id          TEXT NOT NULL,
    connection_id      TEXT NOT NULL,
    op                 TEXT NOT NULL, -- our name of the request
    connection_version BIGINT NOT NULL, -- a changed connection is asked afresh
    path               TEXT NOT NULL, -- what was asked for, with numbers left out
    words              TEXT NOT NULL, -- of the host
    at_us              BIGINT NOT NULL,
    PRIMARY KEY (connection_id, op),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES provider_connections (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE host_refusals;
