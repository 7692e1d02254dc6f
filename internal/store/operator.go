package store

import (
	"context"
	"strings"

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

// recentRecords lists rows of all tenants that match, newest first, for operators. f.State is ignored.
func recentRecords[T any, P record[T]](ctx context.Context, s *Store, f OperatorFilter, state string) ([]T, error) {
	name, _, columns, _ := P(new(T)).table()
	return many(ctx, s, scanRecord[T, P], `SELECT `+recordColumns+`, `+strings.Join(columns, ", ")+` FROM `+name+
		` WHERE ($1 = '' OR state = $1) AND ($2 = 0 OR number = $2)
		AND ($3 = '' OR EXISTS (SELECT 1 FROM repositories r WHERE r.tenant_id = `+name+`.tenant_id
			AND r.id = `+name+`.repository_id AND lower(r.owner || '/' || r.name) = lower($3)))
		ORDER BY created_us DESC, id DESC LIMIT $4`, state, f.Number, f.Repository, f.Limit)
}

// RecentFixRuns lists fix runs of all tenants that match, newest first, for operators. f.State is ignored; state "" means all.
func (s *Store) RecentFixRuns(ctx context.Context, f OperatorFilter, state domain.FixState) ([]FixRun, error) {
	return recentRecords[FixRun](ctx, s, f, string(state))
}

// RecentCIAnalyses is [Store.RecentFixRuns] for analyses of failed jobs.
func (s *Store) RecentCIAnalyses(ctx context.Context, f OperatorFilter, state domain.CIState) ([]CIAnalysis, error) {
	return recentRecords[CIAnalysis](ctx, s, f, string(state))
}
