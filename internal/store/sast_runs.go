package store

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// SastRun records the static analysers that ran on a head, and what a review found in their results.
type SastRun struct {
	Record
	Run         string // the review that used it last; "" before the first one
	HeadSHA     string
	State       string // waiting, running, completed or failed
	Analysers   string // JSON array of analyses
	NewFindings int64  // in the change's diff
	OldFindings int64  // present before the change
	Reason      string
	FinishedUS  int64  // 0 before the end
	Source      string // [SastReview] or [SastUpload]
	Digest      string // of an uploaded document; "" for others
	LeftOut     string // JSON array of notes
	UploadedBy  string // id of a person; "" for others
}

// The sources of static-analysis runs.
const (
	SastReview = "review" // the checks and analysers of a review
	SastUpload = "upload" // a document from outside
)

func (v *SastRun) table() (string, string, []string, []any) {
	return "sast_runs", "sas", []string{"run_id", "head_sha", "state", "analysers", "new_findings", "old_findings", "reason", "finished_us",
			"source", "digest", "left_out", "uploaded_by"},
		[]any{text(&v.Run), &v.HeadSHA, &v.State, &v.Analysers, &v.NewFindings, &v.OldFindings, &v.Reason, number(&v.FinishedUS),
			&v.Source, &v.Digest, &v.LeftOut, &v.UploadedBy}
}

// SastFilter selects static-analysis runs. An empty field selects all.
type SastFilter struct{ Source, State string }

// SastRuns lists the static-analysis runs of a repository that a filter selects, newest first.
func (s *Store) SastRuns(ctx context.Context, t domain.Tenant, repository string, f SastFilter, before Cursor,
	limit int,
) ([]SastRun, error) {
	text, args := f.statement(t, repository, before, limit)
	return many(ctx, s, scanRecord[SastRun], text, args...)
}

func (f SastFilter) statement(t domain.Tenant, repository string, before Cursor, limit int) (string, []any) {
	text, args := selectRecord[SastRun]()+` AND (created_us, id) < ($3, $4)`, []any{t.ID, repository, before.from(), before.ID, limit}
	if f.Source != "" {
		args = append(args, f.Source)
		text += fmt.Sprintf(" AND source = $%d", len(args))
	}
	if f.State != "" {
		args = append(args, f.State)
		text += fmt.Sprintf(" AND state = $%d", len(args))
	}
	return text + ` ORDER BY created_us DESC, id DESC LIMIT $5`, args
}

// SastRun reads a static-analysis run of a repository.
func (s *Store) SastRun(ctx context.Context, t domain.Tenant, repository, id string) (SastRun, error) {
	return oneRecord[SastRun](ctx, s, t, repository, id)
}

// SastRunsOf lists the static-analysis runs that a review used last, oldest first, at most 100.
func (s *Store) SastRunsOf(ctx context.Context, t domain.Tenant, repository, run string) ([]SastRun, error) {
	return many(ctx, s, scanRecord[SastRun], selectRecord[SastRun]()+` AND run_id = $3 ORDER BY created_us, id LIMIT 100`,
		t.ID, repository, run)
}

// SastDocument returns the sealed SARIF of a static-analysis run. It returns [errs.NotFound] if it has been deleted.
func (s *Store) SastDocument(ctx context.Context, t domain.Tenant, repository, id string) ([]byte, error) {
	return one(ctx, s, value[[]byte], `SELECT body FROM sast_documents d WHERE tenant_id = $1 AND sast_run_id = $3
		AND EXISTS (SELECT 1 FROM sast_runs r WHERE r.tenant_id = $1 AND r.repository_id = $2 AND r.id = $3)`, t.ID, repository, id)
}

// MaxSastUploads is the maximum number of uploaded documents of one head (design choice).
const MaxSastUploads = 20

// SealDocument returns the sealed document of a static-analysis run with an id.
type SealDocument func(ctx context.Context, id string) ([]byte, error)

// AddSastUpload stores an uploaded document. If the head has a document with the digest, it returns that one and made false. It
// returns [errs.Conflict] beyond [MaxSastUploads], and [errs.NotFound] if the repository does not belong to the tenant.
func (s *Store) AddSastUpload(ctx context.Context, t domain.Tenant, v SastRun, seal SealDocument) (out SastRun, made bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		_, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM repositories WHERE tenant_id = $1 AND id = $2{forupdate}`,
			[]any{t.ID, v.Repository})
		if err != nil {
			return err
		}
		there, err := s.SastUploads(ctx, t, v.Repository, v.HeadSHA)
		if err != nil {
			return err
		}
		for _, r := range there {
			if r.Digest == v.Digest {
				out = r
				return nil
			}
		}
		if len(there) >= MaxSastUploads {
			return errs.New(errs.Conflict, "limit_reached", "The commit already has %d uploaded documents, and more are not possible. "+
				"Put the results of all tools into fewer documents.", MaxSastUploads)
		}
		v.Source, v.State = SastUpload, "waiting"
		if out, err = AddRecord(ctx, s, t, v); err != nil {
			return err
		}
		made = true
		return s.putSastDocument(ctx, t, out.ID, seal)
	})
	return out, made, err
}

// putSastDocument stores the document of a row that the same transaction has made.
func (s *Store) putSastDocument(ctx context.Context, t domain.Tenant, id string, seal SealDocument) error {
	body, err := seal(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, `INSERT INTO sast_documents (tenant_id, sast_run_id, body, created_us) VALUES ($1, $2, $3, {now})`, t.ID, id, body)
	return err
}

// SastUploads lists the uploaded documents of a head, oldest first.
func (s *Store) SastUploads(ctx context.Context, t domain.Tenant, repository, head string) ([]SastRun, error) {
	return many(ctx, s, scanRecord[SastRun], selectRecord[SastRun]()+` AND head_sha = $3 AND source = 'upload'
		ORDER BY created_us, id LIMIT $4`, t.ID, repository, head, MaxSastUploads)
}

// UseSastUpload records what a review found in an uploaded document. Only the result counts of v.
func (s *Store) UseSastUpload(ctx context.Context, t domain.Tenant, v SastRun) error {
	found, err := s.exec1(ctx, `UPDATE sast_runs SET run_id = $3, state = $4, analysers = $5, new_findings = $6, old_findings = $7,
		reason = $8, left_out = $9, finished_us = {now} WHERE tenant_id = $1 AND id = $2 AND source = 'upload'`,
		t.ID, v.ID, v.Run, v.State, v.Analysers, v.NewFindings, v.OldFindings, v.Reason, v.LeftOut)
	if err == nil && !found {
		err = errs.Absent()
	}
	return err
}

// AddSastReview stores the static-analysis run of a review with its document, in place of an earlier one of the same review.
func (s *Store) AddSastReview(ctx context.Context, t domain.Tenant, v SastRun, seal SealDocument) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.holdRun(ctx, t, v.Run); err != nil {
			return err
		}
		if _, err := s.exec(ctx, `DELETE FROM sast_runs WHERE tenant_id = $1 AND run_id = $2 AND source = 'review'`, t.ID, v.Run); err != nil {
			return err
		}
		v.Source = SastReview
		made, err := AddRecord(ctx, s, t, v)
		if err != nil {
			return err
		}
		if _, err := s.exec(ctx, `UPDATE sast_runs SET finished_us = {now} WHERE tenant_id = $1 AND id = $2`, t.ID, made.ID); err != nil {
			return err
		}
		return s.putSastDocument(ctx, t, made.ID, seal)
	})
}

// DropSastDocuments deletes at most 100 documents older than olderUS microseconds, and the uploads among them that no review has
// used.
func (s *Store) DropSastDocuments(ctx context.Context, olderUS int64) error {
	_, err := s.exec(ctx, `DELETE FROM sast_runs WHERE source = 'upload' AND run_id IS NULL AND created_us < {now} - $1`, olderUS)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, `DELETE FROM sast_documents WHERE (tenant_id, sast_run_id) IN (
		SELECT tenant_id, sast_run_id FROM sast_documents WHERE created_us < {now} - $1 ORDER BY created_us LIMIT 100)`, olderUS)
	return err
}
