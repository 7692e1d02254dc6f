-- +goose Up
CREATE TABLE command_answers ( -- what is said to a command in a comment
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT   NOT NULL,
    pull_request_id TEXT   NOT NULL,
    comment_id      INTEGER NOT NULL, -- the host's id of the comment that has the command
    thread_id       INTEGER NOT NULL, -- the first comment of the thread it stands in; 0: the conversation, whose comments are numbered apart
    body            TEXT   NOT NULL, -- what is said, in words of ours
    state           TEXT   NOT NULL CHECK (state IN ('waiting', 'said', 'dropped')),
    reason          TEXT   NOT NULL, -- why it was dropped
    answer_id       INTEGER NOT NULL, -- the host's id of the comment that says it; 0: not known
    created_us      INTEGER NOT NULL,
    updated_us      INTEGER NOT NULL,
    UNIQUE (tenant_id, pull_request_id, thread_id, comment_id),
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
) STRICT;

-- +goose Down
DROP TABLE command_answers;
