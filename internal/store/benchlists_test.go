package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// BenchmarkLists asks for pages of 50 of lists with a million rows each: the
// newest page, one from the middle, and filters that match few.
func BenchmarkLists(b *testing.B) {
	storetest.EachBench(b, func(b *testing.B, s *store.Store) {
		const rows = 1_000_000
		w := storetest.Seed(b, s)
		testkit.OK(b, bulk(s, rows, `INSERT INTO review_runs (id, tenant_id, repository_id, pull_request_id, number, head_sha, trigger_key, trigger_event, delivery_id, state, created_us)
			VALUES ($1, $2, $3, $4, CAST($5 AS BIGINT), $1, 'auto', '', '', $6, {now} + CAST($5 AS BIGINT))`, func(i int) []any {
			state := domain.RunCompleted
			if i%100_000 == 7 {
				state = domain.RunFailed
			}
			return []any{domain.NewID("run"), w.Tenant.ID, w.Repository.ID, w.Pull.ID, i, string(state)}
		}))
		raw(b, s, `ANALYZE`)
		middle := must2(s.Runs(bg, w.Tenant, w.Repository.ID, store.RunFilter{Number: rows / 2, Limit: 1}))(b)[0]
		at := store.Cursor{US: middle.CreatedUS, ID: middle.ID}
		for name, f := range map[string]store.RunFilter{
			"newest":                   {},
			"middle":                   {Before: at},
			"few failed":               {State: domain.RunFailed},
			"few failed, middle":       {State: domain.RunFailed, Before: at},
			"none queued":              {State: domain.RunQueued},
			"one pull request":         {Number: rows / 3},
			"one pull request, middle": {Number: rows / 3, Before: at},
		} {
			b.Run("runs/"+name, func(b *testing.B) {
				quantiles(b, func() {
					if got := must2(s.Runs(bg, w.Tenant, w.Repository.ID, f))(b); len(got) == 0 && f.State != domain.RunQueued {
						b.Fatal("an empty page")
					}
				})
			})
		}
	})
}

// quantiles reports the 99th percentile of the times of a call.
func quantiles(b *testing.B, call func()) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		call()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkFindings asks for pages of 50 of the findings of a tenant with a million of them, of which 10,000 are open and of
// open pull requests, and counts them.
func BenchmarkFindings(b *testing.B) {
	storetest.EachBench(b, func(b *testing.B, s *store.Store) {
		w := storetest.Seed(b, s)
		testkit.OK(b, bulkFindings(s, w, 1_000_000))
		raw(b, s, `ANALYZE`)
		if s.Engine() != "sqlite" {
			raw(b, s, `VACUUM findings`)
		}
		open := store.TenantFindingsFilter{State: domain.FindingOpen, OpenPulls: store.OnlyYes, Published: store.OnlyYes}
		ruled, resolved, seen := open, open, open
		ruled.Rule = "llm/rule-7"
		resolved.State, resolved.OpenPulls = domain.FindingResolved, store.All
		seen.User = "usr_nobody"
		worst := store.FindingsPage{Order: store.WorstFirst, Limit: 51}
		last, oldest := worst, worst
		last.Skip, oldest.Order = 9_900, store.OldestFirst
		for _, c := range []struct {
			name string
			f    store.TenantFindingsFilter
			p    store.FindingsPage
		}{{"first page", open, worst}, {"last page", open, last}, {"oldest first", open, oldest}, {"a rule", ruled, worst}, {"no visible repository", seen, worst}, {"resolved", resolved, worst}} {
			b.Run(c.name, func(b *testing.B) {
				quantiles(b, func() { must2(s.TenantFindings(bg, w.Tenant, c.f, c.p))(b) })
			})
			b.Run("count of "+c.name, func(b *testing.B) {
				quantiles(b, func() { must2(s.CountFindings(bg, w.Tenant, c.f))(b) })
			})
		}
	})
}
