-- +goose Up
ALTER TABLE findings ADD COLUMN category TEXT NOT NULL DEFAULT ''; -- of the body, for figures
ALTER TABLE findings ADD COLUMN severity TEXT NOT NULL DEFAULT '';
UPDATE findings SET category = COALESCE(body::json ->> 'category', ''), severity = COALESCE(body::json ->> 'severity', '');
CREATE INDEX findings_repository ON findings (tenant_id, repository_id, created_us);
CREATE INDEX llm_calls_started ON llm_calls (tenant_id, started_us);

CREATE TABLE personal_settings ( -- whole documents that a person keeps in a tenant; they go with the last membership
    tenant_id  TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    body       TEXT NOT NULL,
    version    BIGINT NOT NULL,
    updated_us BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, kind),
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE TABLE availability ( -- when somebody reviews less or not at all
    id         TEXT PRIMARY KEY,
    tenant_id  TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL,
    from_us    BIGINT NOT NULL,
    to_us      BIGINT NOT NULL,
    kind       TEXT NOT NULL,
    note       TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    CHECK (from_us < to_us),
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX availability_person ON availability (tenant_id, user_id, created_us, id);
CREATE INDEX availability_over ON availability (to_us);

CREATE TABLE assignment_exclusions ( -- who is never suggested
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id   TEXT NOT NULL,
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE TABLE assignments ( -- suggestions of reviewers, one row per computation
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id   TEXT NOT NULL,
    pull_request_id TEXT NOT NULL,
    number          BIGINT NOT NULL,
    mode            TEXT NOT NULL,
    suggestions     TEXT NOT NULL, -- JSON array: person, score, reasons
    agreed          BOOLEAN,          -- whether people chose one of them; NULL until they did
    created_us      BIGINT NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX assignments_repository ON assignments (tenant_id, repository_id, created_us, id);

CREATE TABLE review_requests ( -- open requests to review, as the host has them
    tenant_id       TEXT NOT NULL,
    repository_id   TEXT NOT NULL,
    pull_request_id TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    changed_lines   BIGINT NOT NULL,
    requested_us    BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, pull_request_id, user_id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, pull_request_id) REFERENCES pull_requests (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX review_requests_repository ON review_requests (tenant_id, repository_id, user_id);

CREATE TABLE push_keys ( -- the instance's key pair towards push services (RFC 8292); one row, vapid
    id          TEXT PRIMARY KEY,
    public_key  TEXT NOT NULL,
    private_key BYTEA NOT NULL,
    created_us  BIGINT NOT NULL
);

CREATE TABLE push_subscriptions ( -- a browser that gets notifications; endpoint and auth are sealed
    id            TEXT PRIMARY KEY,
    tenant_id     TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id       TEXT NOT NULL,
    endpoint_hash TEXT NOT NULL,
    host          TEXT NOT NULL,
    endpoint      BYTEA NOT NULL,
    p256dh        TEXT NOT NULL,
    auth          BYTEA NOT NULL,
    auth_us       BIGINT NOT NULL,
    label         TEXT NOT NULL,
    topics        TEXT NOT NULL, -- JSON array
    quiet_hours   TEXT NOT NULL, -- JSON object; '' for none
    enabled       BOOLEAN NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('active', 'gone')),
    sent_us       BIGINT,
    version       BIGINT NOT NULL,
    created_us    BIGINT NOT NULL,
    updated_us    BIGINT NOT NULL,
    UNIQUE (tenant_id, user_id, endpoint_hash),
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE TABLE analytics_teams (
    id         TEXT PRIMARY KEY,
    tenant_id  TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    version    BIGINT NOT NULL,
    created_us BIGINT NOT NULL,
    updated_us BIGINT NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, name)
);

CREATE TABLE analytics_team_members (
    tenant_id TEXT NOT NULL,
    team_id   TEXT NOT NULL,
    user_id   TEXT NOT NULL,
    PRIMARY KEY (tenant_id, team_id, user_id),
    FOREIGN KEY (tenant_id, team_id) REFERENCES analytics_teams (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX analytics_team_members_user ON analytics_team_members (tenant_id, user_id);

CREATE TABLE analytics_team_repositories (
    tenant_id     TEXT NOT NULL,
    team_id       TEXT NOT NULL,
    repository_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, team_id, repository_id),
    FOREIGN KEY (tenant_id, team_id) REFERENCES analytics_teams (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX analytics_team_repositories_repository ON analytics_team_repositories (tenant_id, repository_id);

CREATE TABLE budget_alerts ( -- one per budget, threshold and month
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id   TEXT, -- NULL: the tenant's budget
    period          TEXT NOT NULL, -- YYYY-MM, UTC
    threshold       BIGINT NOT NULL,  -- percent
    budget_micros   BIGINT NOT NULL,
    spent_micros    BIGINT NOT NULL,
    currency        TEXT NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('open', 'acknowledged')),
    acknowledged_by TEXT NOT NULL,
    acknowledged_us BIGINT,
    created_us      BIGINT NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX budget_alerts_repository ON budget_alerts (tenant_id, repository_id, period, threshold);
CREATE UNIQUE INDEX budget_alerts_tenant ON budget_alerts (tenant_id, period, threshold) WHERE repository_id IS NULL;
CREATE INDEX budget_alerts_newest ON budget_alerts (tenant_id, created_us, id);

-- +goose Down
DROP TABLE budget_alerts;
DROP TABLE analytics_team_repositories;
DROP TABLE analytics_team_members;
DROP TABLE analytics_teams;
DROP TABLE push_subscriptions;
DROP TABLE push_keys;
DROP TABLE review_requests;
DROP TABLE assignments;
DROP TABLE assignment_exclusions;
DROP TABLE availability;
DROP TABLE personal_settings;
DROP INDEX llm_calls_started;
DROP INDEX findings_repository;
ALTER TABLE findings DROP COLUMN severity;
ALTER TABLE findings DROP COLUMN category;
