-- +goose Up
ALTER TABLE code_indexes ADD COLUMN generation INTEGER NOT NULL DEFAULT 0; -- rows of this generation answer searches; 0 before the first build
ALTER TABLE code_indexes ADD COLUMN next_generation INTEGER NOT NULL DEFAULT 0; -- is being built beside it; 0 without one
ALTER TABLE code_indexes ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE code_indexes ADD COLUMN left_out TEXT NOT NULL DEFAULT '[]'; -- JSON array: reason, count, some paths
ALTER TABLE code_indexes ADD COLUMN checked_us INTEGER NOT NULL DEFAULT 0; -- when the head was read last

CREATE TABLE code_blobs ( -- contents of indexed files, each once per tenant
    tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    blob TEXT NOT NULL, -- version of the reader, language and git's hash
    content BLOB NOT NULL, -- chunks, symbols and text, packed with gzip
    size INTEGER NOT NULL, -- bytes of content
    used_us INTEGER NOT NULL, -- when a build used it last; later than the rows of code_files that name it
    PRIMARY KEY (tenant_id, blob)
) STRICT;
CREATE INDEX code_blobs_used ON code_blobs (used_us);

CREATE TABLE code_files ( -- files of a branch
    tenant_id TEXT NOT NULL,
    index_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    path TEXT NOT NULL,
    blob TEXT NOT NULL, -- as in code_blobs
    place INTEGER NOT NULL, -- number of its segment times 1048576, plus its number in that; negative if it was left out
    reason TEXT NOT NULL, -- why its content was left out; '' if it is indexed
    PRIMARY KEY (index_id, generation, path),
    FOREIGN KEY (tenant_id, index_id) REFERENCES code_indexes (tenant_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX code_files_place ON code_files (index_id, generation, place);
CREATE INDEX code_files_blob ON code_files (tenant_id, blob);

CREATE TABLE code_segments ( -- groups of files that were indexed together; only stale_files changes
    tenant_id TEXT NOT NULL,
    index_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    bits INTEGER NOT NULL, -- of the number of its lists of words
    chunks BLOB NOT NULL, -- lines and number of words of each chunk, by file
    stale_files BLOB NOT NULL, -- numbers of files that are gone or were indexed again
    size INTEGER NOT NULL, -- bytes of it and its lists of words
    PRIMARY KEY (index_id, generation, segment),
    FOREIGN KEY (tenant_id, index_id) REFERENCES code_indexes (tenant_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE code_words ( -- chunks that contain a word
    tenant_id TEXT NOT NULL,
    index_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    bucket INTEGER NOT NULL, -- number of the segment times 65536, plus the first bits of the hash of each word
    content BLOB NOT NULL, -- hashes of words, each with its chunks
    PRIMARY KEY (index_id, generation, bucket),
    FOREIGN KEY (tenant_id, index_id) REFERENCES code_indexes (tenant_id, id) ON DELETE CASCADE
) STRICT;

-- +goose Down
DROP TABLE code_words;
DROP TABLE code_segments;
DROP TABLE code_files;
DROP TABLE code_blobs;
ALTER TABLE code_indexes DROP COLUMN checked_us;
ALTER TABLE code_indexes DROP COLUMN left_out;
ALTER TABLE code_indexes DROP COLUMN bytes;
ALTER TABLE code_indexes DROP COLUMN next_generation;
ALTER TABLE code_indexes DROP COLUMN generation;
