-- +goose Up
-- Lists of words have another content now: reviews would miss words in earlier ones. Sweeps build the indexes again, as a generation
-- beyond all that rows have.
UPDATE code_indexes SET next_generation = CASE WHEN next_generation > generation THEN next_generation ELSE generation END + 1;
UPDATE code_indexes SET state = 'absent', commit_sha = '', generation = 0, built_us = NULL, checked_us = 0;

CREATE TABLE run_context ( -- code beside the change that prompts of a run showed
    run_id     TEXT    NOT NULL,
    ordinal    INTEGER NOT NULL, -- from 1, in the order in which prompts show it
    tenant_id  TEXT    NOT NULL,
    path       TEXT    NOT NULL,
    start_line INTEGER NOT NULL, -- at the head
    end_line   INTEGER NOT NULL, -- inclusive
    symbol     TEXT    NOT NULL, -- the definition that it belongs to; '' for none
    why        TEXT    NOT NULL, -- why it was chosen: definition, caller, …
    about      TEXT    NOT NULL, -- names of the change that it was chosen for; '' for none
    PRIMARY KEY (run_id, ordinal),
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;

-- +goose Down
DROP TABLE run_context;
