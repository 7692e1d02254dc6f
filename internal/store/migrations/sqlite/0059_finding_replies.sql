-- +goose Up
CREATE TABLE finding_replies ( -- comments of people in the threads of findings, and what became of them
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT NOT NULL,
    pull_request_id TEXT NOT NULL,
    finding_id      TEXT NOT NULL,
    kind            TEXT NOT NULL, -- reply, explain
    comment         TEXT NOT NULL, -- the host's id of the comment
    thread          TEXT NOT NULL, -- the host's id of the first comment of its thread
    words           TEXT NOT NULL, -- identifies its text, so that a repetition gets no answer
    outcome         TEXT NOT NULL, -- waiting until its job has read and answered it
    reason          TEXT NOT NULL, -- why it got no answer
    created_us      INTEGER NOT NULL,
    updated_us      INTEGER NOT NULL,
    UNIQUE (tenant_id, pull_request_id, thread, comment),
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX finding_replies_of ON finding_replies (tenant_id, finding_id, created_us, id);

-- +goose Down
DROP TABLE finding_replies;
