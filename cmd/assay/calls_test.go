package main

import (
	"context"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/dialect"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// An operator settles a call whose worker died: its cost replaces the reservation once and is written
// to the audit log. A call that may be under way is left alone.
func TestCalls(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, w storetest.World) {
		ctx := context.Background()
		id, err := s.BeginCall(ctx, w.Tenant, store.ModelCall{Repository: w.Repository.ID, Run: w.Run.ID, Tier: "fast", Model: "m", Reserve: 500})
		testkit.OK(t, err)
		list := func(args ...string) []callInfo {
			return decode[[]callInfo](t, good(t, command(t, vars, append([]string{"calls", "open", "--json"}, args...)...)))
		}
		settle := func(cost string) result {
			return command(t, vars, "calls", "settle", id, "--cost-micros", cost, "--reason", "the bill")
		}
		if got := list("--all"); len(got) != 1 || got[0].ID != id || got[0].ReservedMicros != 500 || len(list()) != 0 {
			t.Errorf("under way: %+v and %+v", got, list())
		}
		if r := settle("70"); r.code != exitFailed || !strings.Contains(r.stderr, "under way") {
			t.Errorf("under way: %+v", r)
		}
		db, err := dialect.OpenBeside(ctx, vars["ASSAY_DATABASE_URL"])
		testkit.OK(t, err)
		defer db.Close() //nolint:errcheck // a test
		_, err = db.Write.ExecContext(ctx, `UPDATE llm_calls SET started_us = started_us - 3700000000`)
		testkit.OK(t, err)
		if got := list(); len(got) != 1 {
			t.Errorf("an hour later: %+v", got)
		}
		for _, cost := range []string{"=-1", "1000000000001", "many"} {
			if r := settle(cost); r.code != exitUsage {
				t.Errorf("%s: %+v", cost, r)
			}
		}
		if out := good(t, settle("70")); !strings.Contains(out, "has cost 70 micros; 500 were reserved") {
			t.Errorf("settled: %s", out)
		}
		if r := settle("70"); r.code != exitFailed || !strings.Contains(r.stderr, "never ended") {
			t.Errorf("again: %+v", r)
		}
		now, err := s.Now(ctx)
		testkit.OK(t, err)
		month, err := s.BudgetMonth(ctx, w.Tenant, w.Repository.ID, store.Period(now))
		testkit.OK(t, err)
		testkit.Equal(t, "the month", month, store.Month{Spent: 70})
		testkit.Equal(t, "audited", rows(t, vars, `SELECT COUNT(*) FROM audit_entries WHERE action = 'model-call.settle'`), 1)
	})
}
