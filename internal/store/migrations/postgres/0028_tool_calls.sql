-- +goose Up
CREATE TABLE run_tool_calls ( -- what models looked at during a run
    run_id      TEXT   NOT NULL,
    ordinal     BIGINT NOT NULL, -- from 1, in the order in which they were answered
    tenant_id   TEXT   NOT NULL,
    stage       TEXT   NOT NULL,
    tool        TEXT   NOT NULL, -- as the model has named it
    arguments   TEXT   NOT NULL, -- as the model has given them, without secrets of the change, cut at 1 KiB
    outcome     TEXT   NOT NULL CHECK (outcome IN ('ok', 'refused', 'failed')),
    hits        BIGINT NOT NULL, -- lines or places that it showed
    bytes       BIGINT NOT NULL, -- of the result
    duration_us BIGINT NOT NULL,
    at_us       BIGINT NOT NULL,
    PRIMARY KEY (run_id, ordinal),
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE run_tool_calls;
