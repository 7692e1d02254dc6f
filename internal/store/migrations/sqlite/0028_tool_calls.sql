-- +goose Up
CREATE TABLE run_tool_calls ( -- what models looked at during a run
    run_id      TEXT   NOT NULL,
    ordinal     INTEGER NOT NULL, -- from 1, in the order in which they were answered
    tenant_id   TEXT   NOT NULL,
    stage       TEXT   NOT NULL,
    tool        TEXT   NOT NULL, -- as the model has named it
    arguments   TEXT   NOT NULL, -- as the model has given them, without secrets of the change, cut at 1 KiB
    outcome     TEXT   NOT NULL CHECK (outcome IN ('ok', 'refused', 'failed')),
    hits        INTEGER NOT NULL, -- lines or places that it showed
    bytes       INTEGER NOT NULL, -- of the result
    duration_us INTEGER NOT NULL,
    at_us       INTEGER NOT NULL,
    PRIMARY KEY (run_id, ordinal),
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;

-- +goose Down
DROP TABLE run_tool_calls;
