-- +goose Up
CREATE TABLE finding_outcomes ( -- what became of findings, and what people thought of them
    tenant_id       TEXT NOT NULL,
    repository_id   TEXT NOT NULL,
    pull_request_id TEXT NOT NULL,
    finding_id      TEXT NOT NULL,
    kind            TEXT NOT NULL CHECK (kind IN ('fixed', 'applied', 'thumbs_up', 'thumbs_down', 'dismissed', 'ignored')),
    person          TEXT NOT NULL, -- a user's id, or a code host's id of a person; '' for fixed, applied and ignored
    person_name     TEXT NOT NULL,
    rule_id         TEXT NOT NULL, -- of the finding, when the outcome was stored
    category        TEXT NOT NULL,
    confidence_ppm  INTEGER NOT NULL,
    created_us      INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, finding_id, kind, person),
    FOREIGN KEY (tenant_id, finding_id) REFERENCES findings (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX finding_outcomes_newest ON finding_outcomes (tenant_id, repository_id, created_us);

-- +goose Down
DROP TABLE finding_outcomes;
