-- +goose Up
CREATE TABLE rule_proposals ( -- rules that were written from replies to findings; no review reads them
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    pull_request_id TEXT NOT NULL,
    number INTEGER NOT NULL, -- of the pull request on the host
    finding_id TEXT, -- that the thread is about; NULL if it is not stored any more
    thread TEXT NOT NULL, -- the host's id of the first comment of the thread
    thread_url TEXT NOT NULL, -- '' if unknown
    title TEXT NOT NULL,
    instruction TEXT NOT NULL,
    languages TEXT NOT NULL, -- JSON array
    proposed_name TEXT NOT NULL, -- the author of the reply on the host
    state TEXT NOT NULL, -- proposed, accepted or declined
    note TEXT NOT NULL, -- of the decision
    decided_by TEXT NOT NULL, -- id of a person, '' until then
    decided_name TEXT NOT NULL, -- '' until then
    decided_us INTEGER, -- NULL until then
    rule_id TEXT NOT NULL, -- the rule that the acceptance created, '' without one
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, pull_request_id, thread),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX rule_proposals_state ON rule_proposals (tenant_id, repository_id, state, created_us, id);
-- The head that a reply was judged by.
ALTER TABLE finding_replies ADD COLUMN head TEXT NOT NULL DEFAULT ''; -- '' before the outcome and in rows of older versions

-- +goose Down
ALTER TABLE finding_replies DROP COLUMN head;
DROP TABLE rule_proposals;
