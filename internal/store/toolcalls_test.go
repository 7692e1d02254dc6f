package store_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// Tool calls are numbered in their order, also concurrently, are bounded, and are deleted with their
// run.
func TestToolCalls(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedPublishing(t, s)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 60 {
					_, err := s.AddToolCall(bg, w.Tenant, w.Run.ID, store.ToolCall{Stage: "verify", Tool: "read_file", Arguments: strings.Repeat("é", 600), Outcome: "ok", Hits: 3, Bytes: 40, DurationUS: 5})
					testkit.OK(t, err)
				}
			})
		}
		all.Wait()
		rows := must2(s.ToolCalls(bg, w.Tenant, w.Run.ID))(t)
		testkit.Equal(t, "rows", len(rows), store.MaxToolCalls)
		for i, r := range rows {
			if r.Ordinal != int64(i+1) || r.AtUS == 0 || len(r.Arguments) > 1<<10 || r.Hits != 3 || r.Bytes != 40 || r.DurationUS != 5 {
				t.Fatalf("row %d: %+v", i, r)
			}
		}
		kept, err := s.AddToolCall(bg, w.Tenant, w.Run.ID, store.ToolCall{Outcome: "ok"})
		testkit.OK(t, err)
		testkit.Equal(t, "one too many is kept", kept, false)
		if _, err := s.AddToolCall(bg, w.Tenant, domain.NewID("run"), store.ToolCall{Outcome: "ok"}); err == nil {
			t.Error("a call of a run that is not there is kept")
		}
		raw(t, s, `DELETE FROM review_runs WHERE id = $1`, w.Run.ID)
		testkit.Equal(t, "rows of a run that is gone", len(must2(s.ToolCalls(bg, w.Tenant, w.Run.ID))(t)), 0)
	})
}
