package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store/dialect"
)

// Facts reads facts about the database for operators.
func (s *Store) Facts(ctx context.Context) (dialect.Facts, error) {
	f, err := s.db.Facts(ctx)
	return f, s.wrap(err)
}

// OperatorFilter narrows the runs of the instance.
type OperatorFilter struct {
	Repository string // "owner/name" in any letter case, "" for all
	State      domain.RunState
	Number     int // 0 for all
	Limit      int
}

// SearchRuns lists the newest runs of the instance that match, for operators.
func (s *Store) SearchRuns(ctx context.Context, f OperatorFilter) ([]Run, error) {
	if f == (OperatorFilter{Limit: f.Limit}) {
		return s.RecentRuns(ctx, f.Limit)
	}
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE ($1 = '' OR state = $1) AND ($2 = 0 OR number = $2)
		AND ($3 = '' OR repository_id IN (SELECT id FROM repositories WHERE lower(owner || '/' || name) = lower($3)))
		ORDER BY created_us DESC, id DESC LIMIT $4`, string(f.State), f.Number, f.Repository, f.Limit)
}
