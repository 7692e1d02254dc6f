package connect_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

func wantUsage(t *testing.T, what string, got, want store.ModelUsage) {
	t.Helper()
	testkit.Equal(t, what, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
}

// Calls count for the model that they were routed to, whatever the answer calls
// it and whether there was one; the names of answers stand beside.
func TestReportsAreByTheRoutedModel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{})
		w.prices()
		w.route("", domain.ModelPolicy{})
		_, r := w.open()
		for _, o := range []engine.Outcome{
			{Usage: llm.Usage{InputTokens: 100}, Model: "sim-standard-2026-03-05"},
			{Usage: llm.Usage{InputTokens: 10}, Model: "sim-standard", Err: "retryable"}, // the engine names what it asked for
			{Usage: llm.Usage{InputTokens: 1000}, Model: "sim-standard-2026-01-05"},
			{Usage: llm.Usage{InputTokens: 10000}, Model: "sim-standard-2026-03-05"},
		} {
			id, err := r.Before(bg, call("standard", 500))
			testkit.OK(t, err)
			r.After(bg, id, o)
		}
		rows, err := s.RunUsage(bg, w.Tenant, w.Run.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "rows of the run", len(rows), 1)
		u := rows[0]
		if u.Model != "sim-standard" || u.Calls != 4 || u.Input != 11110 || u.CostMicros != 22220 {
			t.Errorf("usage %+v", u)
		}
		if !slices.Equal(u.Answered, []string{"sim-standard-2026-01-05", "sim-standard-2026-03-05"}) {
			t.Errorf("answered by %q", u.Answered)
		}
		costs, err := s.Costs(bg, w.Tenant, "", store.CostsByModel, 0, time.Now().Add(time.Hour).UnixMicro())
		testkit.OK(t, err)
		if len(costs) != 1 || costs[0].Key != "sim-standard" || costs[0].Calls != 4 || costs[0].CostMicros != 22220 {
			t.Errorf("costs %+v", costs)
		}
	})
}
