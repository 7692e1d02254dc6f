-- +goose Up
CREATE TABLE publication_notes ( -- the comments of a publication on a host where each is prepared and made visible by itself
    publication_id TEXT   NOT NULL REFERENCES publications (id) ON DELETE CASCADE,
    seq            BIGINT NOT NULL, -- the order in which they are made visible, from 1; the last is the summary
    tenant_id      TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    finding_id     TEXT   NOT NULL, -- '' for the summary
    phase          TEXT   NOT NULL CHECK (phase IN ('PLANNED', 'DRAFTING', 'CHOSEN', 'PUBLISHING', 'VISIBLE', 'DROPPED')),
    draft_id       TEXT   NOT NULL DEFAULT '', -- the one draft that may ever be made visible; written once
    reason         TEXT   NOT NULL DEFAULT '', -- why it was dropped
    updated_us     BIGINT NOT NULL,
    PRIMARY KEY (publication_id, seq)
);

-- +goose Down
DROP TABLE publication_notes;
