-- +goose Up
-- The sentences that a model has picked of the text of a guideline file, by a hash over that text and the prompt.
CREATE TABLE guideline_sentences (
    tenant_id TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    hash      TEXT   NOT NULL,
    sentences TEXT   NOT NULL, -- JSON array
    used_us   BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, hash)
);
CREATE INDEX guideline_sentences_used ON guideline_sentences (tenant_id, used_us, hash);

-- The guideline files of the default branch, as the last review that looked has read them.
CREATE TABLE guideline_files (
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    repository_id TEXT   NOT NULL,
    path          TEXT   NOT NULL,
    commit_sha    TEXT   NOT NULL,
    paths         TEXT   NOT NULL, -- JSON array of globs of the files that it is about; empty for all
    except_paths  TEXT   NOT NULL, -- JSON array of globs of those that it is not about
    sentences     TEXT   NOT NULL, -- JSON array of objects with id and text
    read_us       BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, repository_id, path),
    FOREIGN KEY (tenant_id, repository_id) REFERENCES repositories (tenant_id, id) ON DELETE CASCADE
);

-- Which findings other pull requests of a repository have shown is asked by their names alone.
CREATE INDEX finding_prints_exact ON finding_prints (tenant_id, exact);

-- +goose Down
DROP INDEX finding_prints_exact;
DROP TABLE guideline_files;
DROP TABLE guideline_sentences;
