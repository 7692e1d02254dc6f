-- +goose Up
CREATE TABLE schema_info (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    min_version TEXT   NOT NULL -- the lowest version of the binary that may use this schema
) STRICT;
INSERT INTO schema_info (id, min_version) VALUES (1, '0.1.0');

-- People and tenants -------------------------------------------------------

CREATE TABLE tenants (
    id         TEXT PRIMARY KEY,
    name       TEXT   NOT NULL,
    created_us INTEGER NOT NULL,
    updated_us INTEGER NOT NULL
) STRICT;

CREATE TABLE keysets ( -- data keys, wrapped by the instance key; owner is a tenant or 'instance'
    owner      TEXT PRIMARY KEY,
    wrapped    BLOB  NOT NULL,
    created_us INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
    id             TEXT PRIMARY KEY,
    display_name   TEXT    NOT NULL,
    instance_admin INTEGER NOT NULL DEFAULT 0,
    created_us     INTEGER  NOT NULL
) STRICT;

CREATE TABLE memberships (
    tenant_id    TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id      TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role         TEXT   NOT NULL CHECK (role IN ('member', 'admin')),
    source       TEXT   NOT NULL CHECK (source IN ('host', 'mapping', 'hand', 'setup')),
    created_us   INTEGER NOT NULL,
    confirmed_us INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, user_id)
) STRICT;
CREATE INDEX memberships_user ON memberships (user_id);

CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    token_hash TEXT   NOT NULL UNIQUE,
    csrf_token TEXT   NOT NULL,
    user_id    TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    method     TEXT   NOT NULL, -- how the person signed in
    created_us INTEGER NOT NULL,
    used_us    INTEGER NOT NULL,
    expires_us INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE sign_in_links (
    id          TEXT PRIMARY KEY,
    token_hash  TEXT   NOT NULL UNIQUE,
    user_id     TEXT   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    purpose     TEXT   NOT NULL,
    created_us  INTEGER NOT NULL,
    expires_us  INTEGER NOT NULL,
    redeemed_us INTEGER
) STRICT;

-- A row below a tenant refers to its parent by (tenant_id, id): the database itself
-- refuses a child of one tenant under a parent of another.

-- Hosts --------------------------------------------------------------------

CREATE TABLE apps (
    id                  TEXT PRIMARY KEY,
    kind                TEXT   NOT NULL,
    web_url             TEXT   NOT NULL,
    api_url             TEXT   NOT NULL,
    external_id         INTEGER NOT NULL,
    slug                TEXT   NOT NULL,
    client_id           TEXT   NOT NULL DEFAULT '',
    private_key         BLOB  NOT NULL,
    webhook_secret      BLOB  NOT NULL,
    next_webhook_secret BLOB,
    created_us          INTEGER NOT NULL,
    updated_us          INTEGER NOT NULL,
    swept_us            INTEGER NOT NULL DEFAULT 0, -- watermark of the delivery sweeper
    UNIQUE (api_url, external_id)
) STRICT;

CREATE TABLE installations (
    id            TEXT PRIMARY KEY,
    app_id        TEXT   NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    external_id   INTEGER NOT NULL,
    account_id    INTEGER NOT NULL,
    account_login TEXT   NOT NULL,
    account_type  TEXT   NOT NULL,
    tenant_id     TEXT REFERENCES tenants (id),
    state         TEXT   NOT NULL CHECK (state IN ('unplaced', 'active', 'suspended', 'deleted')),
    created_us    INTEGER NOT NULL,
    updated_us    INTEGER NOT NULL,
    UNIQUE (app_id, external_id),
    UNIQUE (tenant_id, id)
) STRICT;

CREATE TABLE repositories (
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT    NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    installation_id TEXT    NOT NULL,
    external_id     INTEGER  NOT NULL,
    owner           TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    default_branch  TEXT    NOT NULL,
    private         INTEGER NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN ('active', 'disconnected')),
    created_us      INTEGER  NOT NULL,
    updated_us      INTEGER  NOT NULL,
    swept_us        INTEGER NOT NULL, -- when lost heads were last looked for
    UNIQUE (installation_id, external_id),
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, installation_id) REFERENCES installations (tenant_id, id)
) STRICT;
CREATE INDEX repositories_tenant ON repositories (tenant_id, owner, name);

CREATE TABLE settings ( -- whole documents: policy, repository defaults, model routing; repository_id is '' at tenant level
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT   NOT NULL,
    kind          TEXT   NOT NULL,
    body          TEXT   NOT NULL,
    version       INTEGER NOT NULL,
    updated_us    INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, repository_id, kind)
) STRICT;

CREATE TABLE llm_credentials (
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    name            TEXT   NOT NULL,
    kind            TEXT   NOT NULL,
    base_url        TEXT   NOT NULL,
    api_key         BLOB,
    max_concurrency INTEGER NOT NULL DEFAULT 0,
    version         INTEGER NOT NULL,
    created_us      INTEGER NOT NULL,
    updated_us      INTEGER NOT NULL,
    UNIQUE (tenant_id, name)
) STRICT;

-- Deliveries and jobs ------------------------------------------------------

CREATE TABLE webhook_deliveries (
    id            TEXT PRIMARY KEY,
    source_id     TEXT   NOT NULL, -- the app or connection that received it
    tenant_id     TEXT,
    delivery_guid TEXT   NOT NULL,
    event         TEXT   NOT NULL,
    action        TEXT   NOT NULL,
    raw_sha256    TEXT   NOT NULL,
    payload       BLOB, -- deleted after the retention time; the row stays
    received_us   INTEGER NOT NULL,
    processed_us  INTEGER,
    disposition   TEXT CHECK (disposition IN ('run', 'coalesced', 'applied', 'ignored', 'failed')),
    reason        TEXT   NOT NULL DEFAULT '',
    run_id        TEXT,
    UNIQUE (delivery_guid, source_id) -- in this order it also finds an id of any source
) STRICT;
CREATE INDEX webhook_deliveries_payload ON webhook_deliveries (received_us) WHERE payload IS NOT NULL;

CREATE TABLE jobs (
    id             TEXT PRIMARY KEY,
    kind           TEXT   NOT NULL,
    lane           TEXT   NOT NULL,
    fair_key       TEXT   NOT NULL,
    subject        TEXT   NOT NULL, -- what the job is about: a delivery, a run, an app
    dedup_key      TEXT UNIQUE,     -- one job ever per key; NULL where that does not matter
    tenant_id      TEXT,
    state          TEXT   NOT NULL CHECK (state IN ('queued', 'running', 'done', 'dead', 'discarded')),
    run_us         INTEGER NOT NULL,
    attempts       INTEGER NOT NULL DEFAULT 0,
    crash_attempts INTEGER NOT NULL DEFAULT 0,
    claim_gen      INTEGER NOT NULL DEFAULT 0,
    claimed_by     TEXT   NOT NULL DEFAULT '',
    lease_us       INTEGER NOT NULL DEFAULT 0,
    dispatched_us  INTEGER,
    last_stage     TEXT   NOT NULL DEFAULT '',
    last_error     TEXT   NOT NULL DEFAULT '',
    created_us     INTEGER NOT NULL,
    finished_us    INTEGER
) STRICT;
CREATE INDEX jobs_due ON jobs (lane, run_us, id) WHERE state = 'queued';
CREATE INDEX jobs_turn ON jobs (lane, fair_key, run_us, id) WHERE state = 'queued' AND dispatched_us IS NULL;
CREATE INDEX jobs_sent ON jobs (lane, dispatched_us) WHERE state = 'queued' AND dispatched_us IS NOT NULL;
CREATE INDEX jobs_running ON jobs (lease_us) WHERE state = 'running';
CREATE INDEX jobs_dead ON jobs (finished_us) WHERE state = 'dead';
CREATE INDEX jobs_over ON jobs (finished_us) WHERE state IN ('done', 'discarded');
CREATE INDEX jobs_subject ON jobs (subject);

CREATE TABLE worker_lanes ( -- heartbeats of workers, with their slots
    worker_id TEXT   NOT NULL,
    lane      TEXT   NOT NULL,
    slots     INTEGER NOT NULL,
    version   TEXT   NOT NULL,
    seen_us   INTEGER NOT NULL,
    PRIMARY KEY (worker_id, lane)
) STRICT;

-- Runs ---------------------------------------------------------------------

CREATE TABLE pull_requests (
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT    NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id   TEXT    NOT NULL,
    number          INTEGER  NOT NULL,
    title           TEXT    NOT NULL,
    author          TEXT    NOT NULL,
    head_sha        TEXT    NOT NULL,
    base_ref        TEXT    NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN ('open', 'closed', 'merged')),
    draft           INTEGER NOT NULL,
    paused          INTEGER NOT NULL DEFAULT 0,
    active_run      TEXT,             -- the one run that may work on this pull request now
    summary_review  INTEGER  NOT NULL DEFAULT 0, -- the host's id of the review whose body is the summary
    reviewed_head   TEXT    NOT NULL DEFAULT '',
    host_updated_us INTEGER  NOT NULL,
    created_us      INTEGER  NOT NULL,
    updated_us      INTEGER  NOT NULL,
    UNIQUE (repository_id, number),
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE review_runs (
    id                TEXT PRIMARY KEY,
    tenant_id         TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id     TEXT   NOT NULL,
    pull_request_id   TEXT   NOT NULL,
    number            INTEGER NOT NULL,
    head_sha          TEXT   NOT NULL,
    base_sha          TEXT   NOT NULL DEFAULT '',
    merge_base        TEXT   NOT NULL DEFAULT '',
    trigger_key       TEXT   NOT NULL,
    trigger_event     TEXT   NOT NULL,
    delivery_id       TEXT   NOT NULL,
    state             TEXT   NOT NULL CHECK (state IN ('queued', 'running', 'awaiting_approval', 'publishing', 'completed', 'failed', 'cancelled', 'superseded', 'skipped')),
    reason            TEXT   NOT NULL DEFAULT '',
    superseded_by     TEXT,
    tier              TEXT   NOT NULL DEFAULT '',
    model_state       TEXT   NOT NULL DEFAULT '',
    progress          TEXT   NOT NULL DEFAULT '{}',
    summary           TEXT   NOT NULL DEFAULT '{}', -- coverage and statistics of the engine, as JSON
    engine_version    TEXT   NOT NULL DEFAULT '',
    model_deadline_us INTEGER,
    created_us        INTEGER NOT NULL,
    started_us        INTEGER,
    finished_us       INTEGER,
    UNIQUE (tenant_id, repository_id, number, head_sha, trigger_key),
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX review_runs_repository ON review_runs (tenant_id, repository_id, created_us, id);
CREATE INDEX review_runs_created ON review_runs (created_us, id);
CREATE INDEX review_runs_pull_request ON review_runs (pull_request_id, created_us);

CREATE TABLE run_transitions (
    run_id     TEXT   NOT NULL,
    seq        INTEGER NOT NULL,
    tenant_id  TEXT   NOT NULL,
    from_state TEXT   NOT NULL,
    to_state   TEXT   NOT NULL,
    cause      TEXT   NOT NULL,
    at_us      INTEGER NOT NULL,
    PRIMARY KEY (run_id, seq),
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE run_stages ( -- results of finished stages, so that a killed run does not pay twice
    run_id     TEXT   NOT NULL,
    stage      TEXT   NOT NULL,
    input_hash TEXT   NOT NULL,
    tenant_id  TEXT   NOT NULL,
    output     BLOB  NOT NULL,
    created_us INTEGER NOT NULL,
    PRIMARY KEY (run_id, stage, input_hash),
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE findings ( -- one row per finding and pull request
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id   TEXT   NOT NULL,
    pull_request_id TEXT   NOT NULL,
    exact           TEXT   NOT NULL,
    state           TEXT   NOT NULL CHECK (state IN ('open', 'resolved', 'dismissed', 'suppressed', 'outdated')),
    body            TEXT   NOT NULL,
    posted_run      TEXT,            -- the run whose published review shows it
    comment_id      INTEGER NOT NULL DEFAULT 0,
    first_run       TEXT   NOT NULL,
    last_run        TEXT   NOT NULL,
    created_us      INTEGER NOT NULL,
    updated_us      INTEGER NOT NULL,
    UNIQUE (pull_request_id, exact),
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE run_findings ( -- what one run saw
    run_id     TEXT   NOT NULL,
    finding_id TEXT   NOT NULL,
    tenant_id  TEXT   NOT NULL,
    rank       INTEGER NOT NULL,
    body       TEXT   NOT NULL,
    PRIMARY KEY (run_id, finding_id),
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, finding_id) REFERENCES findings (tenant_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE reviewed_hunks (
    pull_request_id TEXT NOT NULL,
    hunk_id         TEXT NOT NULL,
    tenant_id       TEXT NOT NULL,
    run_id          TEXT NOT NULL,
    PRIMARY KEY (pull_request_id, hunk_id),
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
) STRICT;

-- Publishing ---------------------------------------------------------------

CREATE TABLE outputs ( -- immutable: the exact text to publish
    id         TEXT PRIMARY KEY,
    tenant_id  TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    run_id     TEXT   NOT NULL,
    parent_id  TEXT,
    body       TEXT   NOT NULL,
    digest     TEXT   NOT NULL,
    created_us INTEGER NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX outputs_run ON outputs (run_id);

CREATE TABLE publications (
    id             TEXT PRIMARY KEY,
    tenant_id      TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    run_id         TEXT   NOT NULL UNIQUE,
    output_id      TEXT   NOT NULL,
    kind           TEXT   NOT NULL CHECK (kind IN ('review', 'edit', 'none')),
    payload        TEXT   NOT NULL, -- frozen before the first external byte
    payload_sha256 TEXT   NOT NULL,
    phase          TEXT   NOT NULL CHECK (phase IN ('PREPARED', 'CREATING', 'CHOSEN', 'SUBMITTING', 'PUBLISHED', 'ABANDONED')),
    gen            INTEGER NOT NULL,
    ext_review_id  INTEGER,
    ext_url        TEXT   NOT NULL DEFAULT '',
    reason         TEXT   NOT NULL DEFAULT '',
    created_us     INTEGER NOT NULL,
    updated_us     INTEGER NOT NULL,
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, output_id) REFERENCES outputs (tenant_id, id)
) STRICT;

CREATE TABLE write_attempts ( -- intent log: committed before the request is sent
    id           TEXT PRIMARY KEY,
    tenant_id    TEXT   NOT NULL,
    subject_kind TEXT   NOT NULL,
    subject_id   TEXT   NOT NULL,
    verb         TEXT   NOT NULL,
    target       TEXT   NOT NULL,
    gen          INTEGER NOT NULL,
    started_us   INTEGER NOT NULL,
    finished_us  INTEGER,
    outcome      TEXT   NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX write_attempts_subject ON write_attempts (subject_kind, subject_id, started_us);

CREATE TABLE rate_gates (
    budget_key    TEXT PRIMARY KEY,
    block_key     TEXT    NOT NULL DEFAULT '', -- the key that a read slot belongs to
    blocked_until INTEGER NOT NULL DEFAULT 0,
    next_write_at INTEGER NOT NULL DEFAULT 0,
    lease_gen     INTEGER NOT NULL DEFAULT 0,
    lease_owner   TEXT,
    lease_until   INTEGER NOT NULL DEFAULT 0,
    min_start     INTEGER NOT NULL DEFAULT 0,
    used_min      INTEGER NOT NULL DEFAULT 0,
    hour_start    INTEGER NOT NULL DEFAULT 0,
    used_hour     INTEGER NOT NULL DEFAULT 0,
    backoff_n     INTEGER NOT NULL DEFAULT 0,
    block_version INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Usage and events ---------------------------------------------------------

CREATE TABLE llm_calls (
    id               TEXT PRIMARY KEY,
    tenant_id        TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id    TEXT   NOT NULL,
    run_id           TEXT   NOT NULL,
    stage            TEXT   NOT NULL,
    tier             TEXT   NOT NULL,
    credential_id    TEXT   NOT NULL,
    model            TEXT   NOT NULL,
    effort           TEXT   NOT NULL,
    input_tokens     INTEGER NOT NULL DEFAULT 0,
    cached_tokens    INTEGER NOT NULL DEFAULT 0,
    output_tokens    INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    cost_micros      INTEGER, -- NULL: the price is unknown
    outcome          TEXT   NOT NULL DEFAULT 'started',
    started_us       INTEGER NOT NULL,
    finished_us      INTEGER,
    FOREIGN KEY (tenant_id, run_id) REFERENCES review_runs (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX llm_calls_run ON llm_calls (run_id);

CREATE TABLE events ( -- what happened, for channels, push and inbox
    id         TEXT PRIMARY KEY,
    tenant_id  TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    kind       TEXT   NOT NULL,
    subject_id TEXT   NOT NULL,
    body       TEXT   NOT NULL,
    created_us INTEGER NOT NULL
) STRICT;
CREATE INDEX events_tenant ON events (tenant_id, created_us);

-- +goose Down
SELECT 1;
