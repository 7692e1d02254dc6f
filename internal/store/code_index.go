package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// The states of a [CodeIndex].
const (
	IndexAbsent   = "absent"   // Reason may say why
	IndexBuilding = "building" // the first build is under way
	IndexReady    = "ready"
	IndexStale    = "stale"  // searches see an older commit than the newest known one
	IndexFailed   = "failed" // the last build failed and there is no earlier one
)

// CodeIndexOf reads the index of a repository's branch, or returns [errs.NotFound].
func (s *Store) CodeIndexOf(ctx context.Context, t domain.Tenant, repository, branch string) (CodeIndex, error) {
	return one(ctx, s, scanRecord[CodeIndex], selectRecord[CodeIndex]()+` AND branch = $3`, t.ID, repository, branch)
}

// OpenCodeIndex returns the index of a repository's branch and creates it if it is missing. It deletes the indexes of other
// branches, because only the default branch is indexed. It returns [errs.NotFound] if the repository is not the tenant's.
func (s *Store) OpenCodeIndex(ctx context.Context, t domain.Tenant, repository, branch string) (out CodeIndex, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.lockRepository(ctx, t, repository); err != nil {
			return err
		}
		if _, err := s.exec(ctx, `DELETE FROM code_indexes WHERE tenant_id = $1 AND repository_id = $2 AND branch <> $3`, t.ID, repository,
			branch); err != nil {
			return err
		}
		out, err = s.CodeIndexOf(ctx, t, repository, branch)
		if isAbsent(err) {
			if _, err = s.exec(ctx, `INSERT INTO code_indexes (id, tenant_id, repository_id, branch, state, commit_sha, mode, files, chunks,
				files_done, vector_model, vector_size, reason, created_us, next_generation)
				VALUES ($1, $2, $3, $4, 'building', '', 'lexical', 0, 0, 0, '', 0, '', {now}, 1)`, domain.NewID("idx"), t.ID, repository,
				branch); err == nil {
				out, err = s.CodeIndexOf(ctx, t, repository, branch)
			}
		}
		return err
	})
	return out, err
}

// SaveCodeIndex stores the state of an index: all columns except the generations and the branch. If v.BuiltUS is negative, it
// becomes the present time. It returns false if the index was deleted.
func (s *Store) SaveCodeIndex(ctx context.Context, t domain.Tenant, v CodeIndex) (bool, error) {
	return s.exec1(ctx, `UPDATE code_indexes SET state = $3, commit_sha = $4, files = $5, chunks = $6, files_done = $7, reason = $8,
		built_us = CASE WHEN CAST($9 AS BIGINT) < 0 THEN {now} WHEN CAST($9 AS BIGINT) = 0 THEN NULL ELSE CAST($9 AS BIGINT) END,
		bytes = $10, left_out = $11, checked_us = {now}
		WHERE tenant_id = $1 AND id = $2`, t.ID, v.ID, v.State, v.CommitSHA, v.Files, v.Chunks, v.FilesDone, v.Reason, v.BuiltUS, v.Bytes,
		v.LeftOut)
}

// BeginCodeRebuild makes the next build of an index start from nothing, beside the rows that answer searches. A rebuild that has
// already begun continues.
func (s *Store) BeginCodeRebuild(ctx context.Context, t domain.Tenant, index string) error {
	return must1(s.exec1(ctx, `UPDATE code_indexes SET next_generation = CASE WHEN next_generation = 0 THEN generation + 1
			ELSE next_generation END WHERE tenant_id = $1 AND id = $2`, t.ID, index))
}

// SwitchCodeIndex makes the generation that was built answer searches, and deletes the rows of others. It does nothing if no
// generation is being built.
func (s *Store) SwitchCodeIndex(ctx context.Context, t domain.Tenant, index string) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		now, err := returning(ctx, s, value[int64], `UPDATE code_indexes SET generation = next_generation, next_generation = 0
			WHERE tenant_id = $1 AND id = $2 AND next_generation > 0 RETURNING generation`, t.ID, index)
		if isAbsent(err) {
			return nil
		}
		for _, table := range []string{"code_words", "code_segments", "code_files"} {
			if err == nil {
				_, err = s.exec(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND index_id = $2 AND generation <> $3`, t.ID, index, now)
			}
		}
		return err
	})
}

// ClearCodeIndex deletes everything that an index holds, and stores why it is absent.
func (s *Store) ClearCodeIndex(ctx context.Context, t domain.Tenant, index, reason string) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		for _, table := range []string{"code_words", "code_segments", "code_files"} {
			if _, err := s.exec(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND index_id = $2`, t.ID, index); err != nil {
				return err
			}
		}
		return must1(s.exec1(ctx, `UPDATE code_indexes SET state = 'absent', commit_sha = '', files = 0, chunks = 0, files_done = 0, bytes = 0,
			built_us = NULL, left_out = '[]', reason = $3, generation = 0, next_generation = 1, checked_us = {now}
			WHERE tenant_id = $1 AND id = $2`, t.ID, index, reason))
	})
}

// CodeIndexBytes returns the size of the rows of a generation of an index. Contents of files that several
// repositories share count for each.
func (s *Store) CodeIndexBytes(ctx context.Context, t domain.Tenant, index string, generation int64) (int64, error) {
	return one(ctx, s, value[int64], `SELECT COALESCE((SELECT SUM(size) FROM code_segments WHERE tenant_id = $1 AND index_id = $2
			AND generation = $3), 0) + COALESCE((SELECT SUM(b.size) FROM code_blobs b WHERE b.tenant_id = $1 AND b.blob IN
			(SELECT f.blob FROM code_files f WHERE f.tenant_id = $1 AND f.index_id = $2 AND f.generation = $3 AND f.place >= 0)), 0)`,
		t.ID, index, generation)
}

// EnqueueIndex adds an indexing job for a repository. If one is open, that job runs once more.
func (s *Store) EnqueueIndex(ctx context.Context, t domain.Tenant, repository string) (job Job, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.lockRepository(ctx, t, repository); err != nil {
			return err
		}
		job, err = s.EnqueueAwaited(ctx, t, domain.KindIndex, repository)
		return err
	})
	return job, err
}

// EnqueueDueIndexes adds an indexing job for at most limit repositories, in any tenant, that have no index or whose branch was
// read longer than every ago, and that have no open job. It returns the number of jobs.
func (s *Store) EnqueueDueIndexes(ctx context.Context, every time.Duration, limit int) (made int, err error) {
	due, err := many(ctx, s, func(r scanner, v *[2]string) error { return r.Scan(&v[0], &v[1]) },
		`SELECT r.tenant_id, r.id FROM repositories r WHERE `+repositoryReachable+`
			AND NOT EXISTS (SELECT 1 FROM code_indexes i WHERE i.tenant_id = r.tenant_id AND i.repository_id = r.id
				AND i.branch = r.default_branch AND i.checked_us > {now} - $1)
			AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.subject = r.id AND j.tenant_id = r.tenant_id AND j.kind = $2
				AND (j.state IN ('queued', 'running') OR j.created_us > {now} - $1))
			ORDER BY r.id LIMIT $3`, every.Microseconds(), string(domain.KindIndex), limit)
	for _, of := range due {
		if _, err = s.EnqueueIndex(ctx, domain.Tenant{ID: of[0]}, of[1]); err != nil && !isAbsent(err) {
			return made, err
		}
		made++
	}
	return made, err
}

// DropUnusedCode deletes the indexes of repositories that are not connected any more, and at most 1,000 contents of files that no
// index uses. A content counts as used for ten minutes after a build read it, because the build names it later.
func (s *Store) DropUnusedCode(ctx context.Context) error {
	if _, err := s.exec(ctx, `DELETE FROM code_indexes WHERE EXISTS (SELECT 1 FROM repositories r WHERE r.tenant_id = code_indexes.tenant_id
		AND r.id = code_indexes.repository_id AND r.state <> 'active')`); err != nil {
		return err
	}
	unused := `used_us < {now} - 600000000
		AND NOT EXISTS (SELECT 1 FROM code_files f WHERE f.tenant_id = code_blobs.tenant_id AND f.blob = code_blobs.blob)`
	_, err := s.exec(ctx, `DELETE FROM code_blobs WHERE `+unused+` AND (tenant_id, blob) IN (SELECT tenant_id, blob FROM code_blobs WHERE `+
		unused+` LIMIT 1000)`)
	return err
}
