-- +goose Up
CREATE TABLE finding_decisions ( -- what people decided about single findings, outside of approvals
    id         TEXT PRIMARY KEY,
    tenant_id  TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    finding_id TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('dismissed', 'open')), -- what the finding became
    reason     TEXT NOT NULL, -- in the words of the person; '' where it became open again without one
    user_id    TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, finding_id) REFERENCES findings (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX finding_decisions_newest ON finding_decisions (tenant_id, finding_id, created_us, id);

-- +goose Down
DROP TABLE finding_decisions;
