package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// MaxToolCalls is the maximum number of stored tool calls of a run, over all its attempts. A review makes
// at most 60.
const MaxToolCalls = 200

// ToolCall is a model's call of a tool that reads the repository.
type ToolCall struct {
	Ordinal                         int64 // from 1
	Stage, Tool, Arguments, Outcome string
	Hits, Bytes, DurationUS, AtUS   int64
}

const toolCallColumns = `ordinal, stage, tool, arguments, outcome, hits, bytes, duration_us, at_us`

func scanToolCall(r scanner, c *ToolCall) error {
	return r.Scan(&c.Ordinal, &c.Stage, &c.Tool, &c.Arguments, &c.Outcome, &c.Hits, &c.Bytes, &c.DurationUS, &c.AtUS)
}

// AddToolCall appends a tool call to those of its run; the database sets the ordinal and the time. It
// returns kept false and stores nothing beyond [MaxToolCalls]. It returns [errs.NotFound] if the tenant has
// no such run.
func (s *Store) AddToolCall(ctx context.Context, t domain.Tenant, run string, c ToolCall) (kept bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		// The lock on the run's row orders the calls of concurrent conversations.
		if err := s.holdRun(ctx, t, run); err != nil {
			return err
		}
		n, err := s.exec(ctx, `INSERT INTO run_tool_calls (run_id, tenant_id, `+toolCallColumns+`)
			SELECT $2, $1, COALESCE(MAX(ordinal), 0) + 1, $3, $4, $5, $6, CAST($7 AS BIGINT), CAST($8 AS BIGINT), CAST($9 AS BIGINT), {now}
			FROM run_tool_calls WHERE tenant_id = $1 AND run_id = $2 HAVING COUNT(*) < $10`,
			t.ID, run, clip.Bytes(c.Stage, 40), clip.Bytes(c.Tool, 64), clip.Bytes(c.Arguments, 1<<10), c.Outcome, c.Hits, c.Bytes,
			c.DurationUS, MaxToolCalls)
		kept = n > 0
		return err
	})
	return kept, err
}

// ToolCalls lists the tool calls of a run in their order.
func (s *Store) ToolCalls(ctx context.Context, t domain.Tenant, run string) ([]ToolCall, error) {
	return many(ctx, s, scanToolCall, `SELECT `+toolCallColumns+
		` FROM run_tool_calls WHERE tenant_id = $1 AND run_id = $2 ORDER BY ordinal`, t.ID, run)
}
