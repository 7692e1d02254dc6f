-- +goose Up
CREATE TABLE ac_checks ( -- judges one acceptance criterion of a linked issue
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    pull_request_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    run_id TEXT, -- NULL where no run made it
    issue_key TEXT NOT NULL,
    criterion TEXT NOT NULL,
    verdict TEXT NOT NULL, -- met, partly, not_met or unclear
    evidence TEXT NOT NULL, -- JSON array of places
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX ac_checks_newest ON ac_checks (tenant_id, repository_id, created_us, id);

CREATE TABLE calibrations ( -- says how often findings of a category were taken or refused
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    category TEXT NOT NULL,
    buckets TEXT NOT NULL, -- JSON array by confidence
    taken INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    threshold_ppm INTEGER, -- millionths; 0 until there is enough data
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, repository_id, category),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX calibrations_newest ON calibrations (tenant_id, repository_id, created_us, id);

CREATE TABLE ci_analyses ( -- explains a failed check or pipeline
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    pull_request_id TEXT, -- NULL for a branch
    number INTEGER NOT NULL, -- 0 for a branch
    head_sha TEXT NOT NULL,
    job TEXT NOT NULL,
    url TEXT NOT NULL,
    state TEXT NOT NULL, -- queued, running, completed or failed
    cause TEXT NOT NULL,
    evidence TEXT NOT NULL, -- JSON array of lines of the log
    suggestion TEXT NOT NULL,
    flaky INTEGER NOT NULL, -- the same job failed and passed on this commit
    finished_us INTEGER, -- NULL until then
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX ci_analyses_newest ON ci_analyses (tenant_id, repository_id, created_us, id);

CREATE TABLE code_indexes ( -- is the state of the index of a branch
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    branch TEXT NOT NULL,
    state TEXT NOT NULL, -- building, ready or failed
    commit_sha TEXT NOT NULL,
    mode TEXT NOT NULL, -- lexical or hybrid
    files INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    files_done INTEGER NOT NULL, -- while it is built
    vector_model TEXT NOT NULL,
    vector_size INTEGER NOT NULL,
    reason TEXT NOT NULL, -- why it failed
    built_us INTEGER, -- NULL before the first time
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, repository_id, branch),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX code_indexes_newest ON code_indexes (tenant_id, repository_id, created_us, id);

CREATE TABLE dry_runs ( -- reviews pull requests without writing to the host
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    label TEXT NOT NULL,
    numbers TEXT NOT NULL, -- JSON array of pull requests
    overrides TEXT NOT NULL, -- JSON object
    state TEXT NOT NULL, -- queued, running, completed, failed or cancelled
    reason TEXT NOT NULL,
    result TEXT NOT NULL, -- JSON object
    created_by TEXT NOT NULL, -- id of a person
    started_us INTEGER, -- NULL until then
    finished_us INTEGER, -- NULL until then
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX dry_runs_newest ON dry_runs (tenant_id, repository_id, created_us, id);

CREATE TABLE fix_runs ( -- proposes edits for findings of a run
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    finding_ids TEXT NOT NULL, -- JSON array
    delivery TEXT NOT NULL, -- suggestions, branch or commit
    state TEXT NOT NULL, -- queued, running, publishing, completed or failed
    reason TEXT NOT NULL,
    url TEXT NOT NULL, -- of what was published
    created_by TEXT NOT NULL, -- id of a person
    started_us INTEGER, -- NULL until then
    finished_us INTEGER, -- NULL until then
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX fix_runs_newest ON fix_runs (tenant_id, repository_id, created_us, id);

CREATE TABLE sast_runs ( -- says which analysers ran on a change and what they found
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    head_sha TEXT NOT NULL,
    state TEXT NOT NULL, -- running, completed or failed
    analysers TEXT NOT NULL, -- JSON array: name, version, duration
    new_findings INTEGER NOT NULL, -- in this diff
    old_findings INTEGER NOT NULL, -- there before
    reason TEXT NOT NULL,
    finished_us INTEGER, -- NULL until then
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX sast_runs_newest ON sast_runs (tenant_id, repository_id, created_us, id);

CREATE TABLE suppressions ( -- keeps findings out of later runs, once somebody has accepted it
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    finding_id TEXT, -- NULL where no single finding led to it
    scope TEXT NOT NULL, -- fingerprint, rule or category
    matches TEXT NOT NULL, -- the fingerprint, rule id or category
    paths TEXT NOT NULL, -- JSON array of globs
    state TEXT NOT NULL, -- proposed, accepted or declined
    source TEXT NOT NULL, -- dismissal, command or repetition
    reason TEXT NOT NULL,
    note TEXT NOT NULL, -- of the decision
    decided_by TEXT NOT NULL, -- id of a person, '' until then
    decided_us INTEGER, -- NULL until then
    expires_us INTEGER, -- NULL: never
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, finding_id) REFERENCES findings (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX suppressions_newest ON suppressions (tenant_id, repository_id, created_us, id);

CREATE TABLE tracker_links ( -- ties a pull request to an issue
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    pull_request_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    tracker TEXT NOT NULL, -- jira, linear or azure-boards
    issue_key TEXT NOT NULL,
    title TEXT NOT NULL,
    url TEXT NOT NULL,
    state TEXT NOT NULL, -- as the tracker names it
    found_in TEXT NOT NULL, -- branch, title, body, commit or host
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, pull_request_id, tracker, issue_key),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX tracker_links_newest ON tracker_links (tenant_id, repository_id, created_us, id);

CREATE TABLE triage_runs ( -- is the first, cheap look at a change
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT NOT NULL,
    pull_request_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    head_sha TEXT NOT NULL,
    size TEXT NOT NULL, -- xs, s, m, l or xl
    kind TEXT NOT NULL, -- of change
    risk TEXT NOT NULL, -- low, medium or high
    areas TEXT NOT NULL, -- JSON array
    depth TEXT NOT NULL, -- of review to use
    labels TEXT NOT NULL, -- JSON array
    method TEXT NOT NULL, -- heuristic or model
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX triage_runs_newest ON triage_runs (tenant_id, repository_id, created_us, id);

CREATE TABLE eval_runs ( -- runs of the evaluation harness; they are the instance's
    id TEXT PRIMARY KEY,
    suite TEXT NOT NULL,
    routing TEXT NOT NULL,
    cases INTEGER NOT NULL,
    recall_ppm INTEGER NOT NULL, -- millionths
    precision_ppm INTEGER NOT NULL,
    noise_ppm INTEGER NOT NULL, -- millionths of findings per pull request that should not be there
    cost_micros INTEGER, -- NULL: a price is unknown
    latency_ms INTEGER NOT NULL,
    created_us INTEGER NOT NULL
) STRICT;
CREATE INDEX eval_runs_newest ON eval_runs (created_us, id);

-- +goose Down
DROP TABLE eval_runs;
DROP TABLE triage_runs;
DROP TABLE tracker_links;
DROP TABLE suppressions;
DROP TABLE sast_runs;
DROP TABLE fix_runs;
DROP TABLE dry_runs;
DROP TABLE code_indexes;
DROP TABLE ci_analyses;
DROP TABLE calibrations;
DROP TABLE ac_checks;
