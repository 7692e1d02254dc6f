package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// fill makes a ledger in which most jobs are done, and a repository with many runs, and updates the
// engine's statistics.
func fill(t testing.TB, s *store.Store, n int) storetest.World {
	t.Helper()
	w := storetest.Seed(t, s)
	testkit.OK(t, bulk(s, n, `INSERT INTO jobs (id, kind, lane, fair_key, subject, state, run_us, lease_us, dispatched_us, claim_gen, created_us, finished_us)
		VALUES ($1, 'review.run', 'review', $2, $1, $3, {now}, {now} + 60000000 - CAST($4 AS BIGINT), CAST($5 AS BIGINT), 1, {now}, {now})`, func(i int) []any {
		state, dispatched := "done", any(nil)
		switch {
		case i%10 == 1:
			state = "queued"
		case i%100 == 2:
			state, dispatched = "queued", int64(1)
		case i%100 == 3:
			state = "running"
		case i%100 == 4:
			state = "dead"
		}
		return []any{domain.NewID("job"), fmt.Sprint("k", i/10%7), state, i, dispatched}
	}))
	testkit.OK(t, bulk(s, n, `INSERT INTO review_runs (id, tenant_id, repository_id, pull_request_id, number, head_sha, trigger_key, trigger_event, delivery_id, state, created_us)
		VALUES ($1, $2, $3, $4, CAST($5 AS BIGINT), $1, 'auto', '', '', 'completed', {now} + CAST($5 AS BIGINT))`, func(i int) []any {
		return []any{domain.NewID("run"), w.Tenant.ID, w.Repository.ID, w.Pull.ID, i}
	}))
	testkit.OK(t, bulk(s, n, `INSERT INTO webhook_deliveries (id, source_id, delivery_guid, event, action, raw_sha256, received_us, disposition) VALUES ($1, $2, $1, '', '', '', {now}, 'run')`,
		func(i int) []any { return []any{domain.NewID("dlv"), fmt.Sprint("app_", i%3)} }))
	testkit.OK(t, bulk(s, n/4, `INSERT INTO ci_analyses (id, tenant_id, repository_id, pull_request_id, number, head_sha, job, url, state, cause, evidence,
			suggestion, flaky, created_us, job_key)
		VALUES ($1, $2, $3, $4, 1, $1, 'unit', '', 'completed', '', '[]', '', FALSE, {now} - 60000000 * CAST($5 AS BIGINT), $6)`, func(i int) []any {
		return []any{domain.NewID("cia"), w.Tenant.ID, w.Repository.ID, w.Pull.ID, i, fmt.Sprint("job/build/", i%500)}
	}))
	raw(t, s, `ANALYZE`)
	return w
}

// plan asks the engine how it would run the statement.
func plan(t testing.TB, s *store.Store, text string, args ...any) string {
	t.Helper()
	if s.Engine() == "sqlite" {
		rows, err := s.DB().Write.QueryContext(bg, "EXPLAIN QUERY PLAN "+s.DB().SQL(text), args...)
		testkit.OK(t, err)
		defer rows.Close()
		var out []string
		for rows.Next() {
			var id, parent, unused int
			var detail string
			testkit.OK(t, rows.Scan(&id, &parent, &unused, &detail))
			out = append(out, detail)
		}
		testkit.OK(t, rows.Err())
		return strings.Join(out, "\n")
	}
	return strings.Join(column(t, s, "EXPLAIN "+text, args...), "\n")
}

// scans lists the lines of a plan that read a whole table.
func scans(plan string) (out []string) {
	for l := range strings.Lines(plan) {
		for _, table := range []string{"jobs", "j", "review_runs", "webhook_deliveries", "ci_analyses"} {
			whole := strings.HasPrefix(l, "SCAN "+table) && !strings.Contains(l, "INDEX")
			if l = strings.TrimSpace(l); whole || strings.Contains(l, "Seq Scan on "+table) {
				out = append(out, l)
				break
			}
		}
	}
	return out
}

// Frequent statements read an index at 20,000 rows.
func TestStatementsUseIndexes(t *testing.T) {
	args := map[string]func(w storetest.World) []any{
		"dueHeads":         func(storetest.World) []any { return []any{"review"} },
		"dueOf":            func(storetest.World) []any { return []any{"review", 32, "k1"} },
		"withinShares":     func(storetest.World) []any { return []any{"review"} },
		"NextDue":          func(storetest.World) []any { return []any{"review"} },
		"Claim":            func(storetest.World) []any { return []any{"job_1", "w", 1} },
		"SweepJobs":        func(storetest.World) []any { return []any{3} },
		"ForgetDispatched": func(storetest.World) []any { return []any{"review", 1} },
		"LaneStates":       func(storetest.World) []any { return nil },
		"DeadJobs":         func(storetest.World) []any { return []any{int64(1) << 60, "z", 0, "", "", "", 10} },
		"DropJobs":         func(storetest.World) []any { return []any{int64(1) << 50} },
		"JobsOf":           func(storetest.World) []any { return []any{"s"} },
		"OpenRuns":         func(w storetest.World) []any { return []any{w.Tenant.ID, "pr_1", ""} },
		"RecentRuns":       func(storetest.World) []any { return []any{50} },
		"RecentActivity":   func(w storetest.World) []any { return []any{w.Tenant.ID} },
		"DeliveriesByGUID": func(storetest.World) []any { return []any{"g"} },
		"AddCIAnalysis": func(w storetest.World) []any { // ci_analyses_job, ci_analyses_hour and ci_analyses_history
			return []any{w.Tenant.ID, w.Repository.ID, w.Pull.ID, "sha", "job/build/7"}
		},
		"DropPayloads": func(storetest.World) []any { return []any{1} },
	}
	each(t, func(t *testing.T, s *store.Store) {
		w := fill(t, s, 20_000)
		seen := map[string]bool{}
		for _, st := range statements(t) {
			name := st.where[strings.LastIndex(st.where, " ")+1:]
			if args[name] == nil {
				continue
			}
			seen[name] = true
			text := strings.NewReplacer("{list}", "(CAST($1 AS TEXT))", "$?", "$3", "q?", "q3", "?", "id").Replace(st.text)
			p := plan(t, s, s.DB().SQL(text), args[name](w)...)
			if bad := scans(p); len(bad) > 0 {
				t.Errorf("%s reads a whole table:\n%s", name, p)
			}
			if testing.Verbose() {
				t.Logf("%s\n%s", name, p)
			}
		}
		for name := range args {
			if !seen[name] {
				t.Errorf("no statement of %s was found", name)
			}
		}
		for name, f := range map[string]store.RunFilter{
			"review_runs_":       {Before: store.Cursor{US: 1 << 55, ID: "run_z"}},
			"review_runs_state":  {State: domain.RunFailed},
			"review_runs_number": {Number: 7},
		} {
			text, args := f.Statement(w.Tenant, w.Repository.ID)
			p := plan(t, s, text, args...)
			if !strings.Contains(p, name) || strings.Contains(strings.ToUpper(p), "SORT") || strings.Contains(p, "TEMP B-TREE") {
				t.Errorf("the list of runs does not walk the index %s:\n%s", name, p)
			}
		}
		for name, f := range map[string]store.DeliveryFilter{
			"the newest":           {Limit: 50},
			"a page of a filter":   {Before: "dlv_z", State: "failed", Kind: "gitlab", Source: "app_1", Tenant: "ten_x", SinceUS: 1, Limit: 50},
			"those of a host's id": {GUID: "g", Limit: 50},
		} {
			text, args := store.DeliveriesStatement(f)
			if p := plan(t, s, s.DB().SQL(text), args...); len(scans(p)) > 0 {
				t.Errorf("%s reads all deliveries:\n%s", name, p)
			}
		}
		if p := plan(t, s, `SELECT id FROM jobs WHERE last_error = 'x'`); len(scans(p)) == 0 {
			t.Errorf("the check does not see a scan:\n%s", p)
		}
	})
}
