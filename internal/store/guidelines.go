package store

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// Maximum numbers of stored texts of a tenant and guideline files of a repository. The least recently used
// texts and the least recently read files are deleted first.
const (
	maxGuidelineSentences = 500
	maxGuidelineFiles     = 200
)

// useAgainUS is the minimum time between two updates of a text's last use, one day in microseconds.
const useAgainUS = 86_400_000_000

// GuidelineSentences reads the sentences that a model selected from a text, a JSON array. hash identifies
// the text. It returns ok false if none are stored.
func (s *Store) GuidelineSentences(ctx context.Context, t domain.Tenant, hash string) (sentences string, ok bool, err error) {
	type row struct {
		sentences string
		old       bool
	}
	got, err := one(ctx, s, func(r scanner, v *row) error { return r.Scan(&v.sentences, &v.old) },
		`SELECT sentences, used_us < {now} - $3 FROM guideline_sentences WHERE tenant_id = $1 AND hash = $2`, t.ID, hash, int64(useAgainUS))
	if isAbsent(err) {
		return "", false, nil
	}
	if err == nil && got.old {
		_, err = s.exec(ctx, `UPDATE guideline_sentences SET used_us = {now} WHERE tenant_id = $1 AND hash = $2`, t.ID, hash)
	}
	return got.sentences, err == nil, err
}

// SaveGuidelineSentences stores the sentences that a model selected from a text, unless some are stored. It
// deletes the least recently used texts beyond the maximum.
func (s *Store) SaveGuidelineSentences(ctx context.Context, t domain.Tenant, hash, sentences string) error {
	_, err := s.exec(ctx, `INSERT INTO guideline_sentences (tenant_id, hash, sentences, used_us) VALUES ($1, $2, $3, {now})
		ON CONFLICT (tenant_id, hash) DO NOTHING`, t.ID, hash, sentences)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, `DELETE FROM guideline_sentences WHERE tenant_id = $1 AND hash NOT IN (
		SELECT hash FROM guideline_sentences WHERE tenant_id = $1 ORDER BY used_us DESC, hash LIMIT $2)`, t.ID, maxGuidelineSentences)
	return err
}

// GuidelineFile is a guideline file of a default branch. Paths and Except are JSON arrays of strings,
// Sentences is a JSON array of objects.
type GuidelineFile struct {
	Path, CommitSHA string
	Paths, Except   string
	Sentences       string
	ReadUS          int64
}

// GuidelineFiles lists the guideline files of a repository by path, as last read.
func (s *Store) GuidelineFiles(ctx context.Context, t domain.Tenant, repository string) ([]GuidelineFile, error) {
	return many(ctx, s, func(r scanner, v *GuidelineFile) error {
		return r.Scan(&v.Path, &v.CommitSHA, &v.Paths, &v.Except, &v.Sentences, &v.ReadUS)
	}, `SELECT path, commit_sha, paths, except_paths, sentences, read_us FROM guideline_files WHERE tenant_id = $1
		AND repository_id = $2 ORDER BY path`, t.ID, repository)
}

// SaveGuidelineFiles stores files as read at a commit. It deletes the files in gone and the least recently
// read files beyond the maximum. It returns [errs.NotFound] if the repository does not belong to the
// tenant.
func (s *Store) SaveGuidelineFiles(ctx context.Context, t domain.Tenant, repository string, files []GuidelineFile, gone []string) error {
	files = slices.Clone(files)
	// A fixed order prevents deadlocks between runs.
	slices.SortFunc(files, func(a, b GuidelineFile) int { return strings.Compare(a.Path, b.Path) })
	return s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.Repository(ctx, t, repository); err != nil {
			return err
		}
		for _, f := range files {
			if _, err := s.exec(ctx, `INSERT INTO guideline_files (tenant_id, repository_id, path, commit_sha, paths, except_paths,
				sentences, read_us)
				VALUES ($1, $2, $3, $4, $5, $6, $7, {now})
				ON CONFLICT (tenant_id, repository_id, path) DO UPDATE SET commit_sha = excluded.commit_sha, paths = excluded.paths,
					except_paths = excluded.except_paths, sentences = excluded.sentences, read_us = excluded.read_us`,
				t.ID, repository, f.Path, f.CommitSHA, f.Paths, f.Except, f.Sentences); err != nil {
				return err
			}
		}
		for _, path := range slices.Sorted(slices.Values(gone)) {
			if _, err := s.exec(ctx, `DELETE FROM guideline_files WHERE tenant_id = $1 AND repository_id = $2 AND path = $3`, t.ID,
				repository, path); err != nil {
				return err
			}
		}
		_, err := s.exec(ctx, `DELETE FROM guideline_files WHERE tenant_id = $1 AND repository_id = $2 AND path NOT IN (
			SELECT path FROM guideline_files WHERE tenant_id = $1 AND repository_id = $2 ORDER BY read_us DESC, path LIMIT $3)`, t.ID,
			repository, maxGuidelineFiles)
		return err
	})
}
