package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// ContextItem is code beside a change that a prompt of a run showed, without its text.
type ContextItem struct {
	Ordinal            int64 // from 1
	Path               string
	StartLine, EndLine int64 // of the head, both included
	Symbol             string
	Why                string
	About              string // names of the change that it was chosen for; "" if the reason says it
}

// MaxRunContext is the maximum number of stored items of context of a run.
const MaxRunContext = 400

// maxContextText is the maximum length of a text of an item, in bytes.
const maxContextText = 1 << 10

// SaveRunContext replaces the stored context of a run, up to [MaxRunContext] items. It returns [errs.NotFound] if the tenant has no
// such run.
func (s *Store) SaveRunContext(ctx context.Context, t domain.Tenant, run string, list []ContextItem) error {
	rows := [][]any{}
	for i, c := range list[:min(len(list), MaxRunContext)] {
		rows = append(rows, []any{run, t.ID, i + 1, clip.Bytes(c.Path, maxContextText), c.StartLine, c.EndLine,
			clip.Bytes(c.Symbol, maxContextText), c.Why, clip.Bytes(c.About, maxContextText)})
	}
	return s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.holdRun(ctx, t, run); err != nil {
			return err
		}
		if _, err := s.exec(ctx, `DELETE FROM run_context WHERE tenant_id = $1 AND run_id = $2`, t.ID, run); err != nil {
			return err
		}
		return insertRows(ctx, s, rows, `INSERT INTO run_context (run_id, tenant_id, ordinal, path, start_line, end_line, symbol, why, about)
			VALUES {list}`)
	})
}

// RunContext lists at most limit items of the context of a run in their order, starting after the ordinal after. why "" selects all
// reasons.
func (s *Store) RunContext(ctx context.Context, t domain.Tenant, run, why string, after int64, limit int) ([]ContextItem, error) {
	return many(ctx, s, func(r scanner, c *ContextItem) error {
		return r.Scan(&c.Ordinal, &c.Path, &c.StartLine, &c.EndLine, &c.Symbol, &c.Why, &c.About)
	}, `SELECT ordinal, path, start_line, end_line, symbol, why, about FROM run_context WHERE tenant_id = $1 AND run_id = $2
		AND ordinal > $3 AND ($4 = '' OR why = $4) ORDER BY ordinal LIMIT $5`, t.ID, run, after, why, limit)
}
