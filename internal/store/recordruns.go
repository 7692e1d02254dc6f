package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

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
