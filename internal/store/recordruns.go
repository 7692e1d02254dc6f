package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// CIAnalysis explains a failed check or pipeline.
type CIAnalysis struct {
	Record
	PullRequest string // "" for a branch
	Number      int    // 0 for a branch
	HeadSHA     string
	Job         string
	URL         string
	State       string // queued, running, completed or failed
	Cause       string
	Evidence    string // JSON array of lines of the log
	Suggestion  string
	Flaky       bool  // the same job failed and passed on this commit
	FinishedUS  int64 // 0 before the end
}

func (v *CIAnalysis) table() (string, string, []string, []any) {
	return "ci_analyses", "cia", []string{"pull_request_id", "number", "head_sha", "job", "url", "state", "cause", "evidence",
			"suggestion", "flaky", "finished_us"},
		[]any{text(&v.PullRequest), &v.Number, &v.HeadSHA, &v.Job, &v.URL, &v.State, &v.Cause, &v.Evidence, &v.Suggestion, &v.Flaky,
			number(&v.FinishedUS)}
}

// CIAnalyses lists the analyses of a repository, newest first.
func (s *Store) CIAnalyses(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]CIAnalysis, error) {
	return records[CIAnalysis](ctx, s, t, repository, before, limit)
}

// CIAnalysis reads an analysis of a repository.
func (s *Store) CIAnalysis(ctx context.Context, t domain.Tenant, repository, id string) (CIAnalysis, error) {
	return oneRecord[CIAnalysis](ctx, s, t, repository, id)
}

// FixRun proposes edits for findings of a run.
type FixRun struct {
	Record
	Run        string
	FindingIDs string // JSON array
	Delivery   string // suggestions, branch or commit
	State      string // queued, running, publishing, completed or failed
	Reason     string
	URL        string // of the published edits
	CreatedBy  string // id of a person
	StartedUS  int64  // 0 before the start
	FinishedUS int64  // 0 before the end
}

func (v *FixRun) table() (string, string, []string, []any) {
	return "fix_runs", "fix", []string{"run_id", "finding_ids", "delivery", "state", "reason", "url", "created_by", "started_us",
			"finished_us"},
		[]any{&v.Run, &v.FindingIDs, &v.Delivery, &v.State, &v.Reason, &v.URL, &v.CreatedBy, number(&v.StartedUS), number(&v.FinishedUS)}
}

// FixRuns lists the fix runs of a repository, newest first.
func (s *Store) FixRuns(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]FixRun, error) {
	return records[FixRun](ctx, s, t, repository, before, limit)
}

// FixRun reads a fix run of a repository.
func (s *Store) FixRun(ctx context.Context, t domain.Tenant, repository, id string) (FixRun, error) {
	return oneRecord[FixRun](ctx, s, t, repository, id)
}
