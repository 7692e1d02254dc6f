-- +goose Up
-- Outputs that wait, or waited, for a person's decision: at most one of a run.
CREATE TABLE approvals (
    output_id     TEXT   PRIMARY KEY,            -- what was shown to people
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT   NOT NULL,
    run_id        TEXT   NOT NULL UNIQUE,
    state         TEXT   NOT NULL CHECK (state IN ('pending', 'approved', 'published', 'rejected', 'expired')),
    digest        TEXT   NOT NULL,               -- of the output that was shown
    draft         TEXT   NOT NULL,               -- JSON: what is needed to render it again with other findings, without secrets; '' once it is decided
    expires_us    BIGINT NOT NULL,
    created_us    BIGINT NOT NULL,
    decided_us    BIGINT,
    decided_by    TEXT   NOT NULL DEFAULT '',    -- id of a person of ours, '' where there is none
    decided_name  TEXT   NOT NULL DEFAULT '',    -- as it was then; text from outside
    how           TEXT   NOT NULL DEFAULT '',    -- interface, page, comment or service
    comment       TEXT   NOT NULL DEFAULT '',    -- the host's id of the comment that decided
    note          TEXT   NOT NULL DEFAULT '',
    changes       TEXT   NOT NULL DEFAULT '{}',  -- JSON: findings that were left out, and words that were replaced
    child_id      TEXT,                          -- the output that was made of the changes; NULL: it is published as it was shown
    UNIQUE (tenant_id, output_id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, output_id) REFERENCES outputs (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, child_id) REFERENCES outputs (tenant_id, id)
);
CREATE INDEX approvals_list ON approvals (tenant_id, created_us, output_id);
CREATE INDEX approvals_repository ON approvals (tenant_id, repository_id, created_us, output_id);
CREATE INDEX approvals_due ON approvals (expires_us) WHERE state = 'pending';

CREATE TABLE approval_transitions (
    output_id  TEXT   NOT NULL,
    seq        BIGINT NOT NULL,
    tenant_id  TEXT   NOT NULL,
    from_state TEXT   NOT NULL,
    to_state   TEXT   NOT NULL,
    cause      TEXT   NOT NULL,
    at_us      BIGINT NOT NULL,
    PRIMARY KEY (output_id, seq),
    FOREIGN KEY (tenant_id, output_id) REFERENCES approvals (tenant_id, output_id) ON DELETE CASCADE
);

-- Runs that an older version left waiting, when nobody could decide: their newest output can be decided from now on, for as long as a new one.
INSERT INTO approvals (output_id, tenant_id, repository_id, run_id, state, digest, draft, expires_us, created_us)
SELECT o.id, o.tenant_id, r.repository_id, o.run_id, 'pending', o.digest, '', CAST(extract(epoch FROM statement_timestamp())*1000000 AS BIGINT) + 259200000000, o.created_us
FROM outputs o JOIN review_runs r ON r.tenant_id = o.tenant_id AND r.id = o.run_id
WHERE r.state = 'awaiting_approval'
  AND NOT EXISTS (SELECT 1 FROM outputs n WHERE n.run_id = o.run_id AND (n.created_us > o.created_us OR n.created_us = o.created_us AND n.id > o.id));
INSERT INTO approval_transitions (output_id, seq, tenant_id, from_state, to_state, cause, at_us)
SELECT output_id, 1, tenant_id, '', 'pending', 'it waited when approvals were built', created_us FROM approvals;

-- +goose Down
DROP TABLE approval_transitions;
DROP TABLE approvals;
