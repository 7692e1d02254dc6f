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
