package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// billed is one call of a model in the table that was computed by hand.
type billed struct {
	second                                    bool // of the second repository
	day                                       int64
	model, tier                               string
	input, cached, written, output, reasoning int64
	cost                                      int64 // -1: the price is unknown
}

// bill makes the calls of the table, on the days 20 000 and 20 001 since
// 1970-01-01: 2024-10-04 and 2024-10-05.
func bill(t *testing.T, s *store.Store, raw storetest.Raw, w *world, second store.Repository) {
	t.Helper()
	run := map[bool]store.Run{false: w.Run, true: storetest.Run(t, s, storetest.PullRequest(t, s, second, 1), "a")}
	for i, b := range []billed{
		{false, 20000, "ant-1", "strong", 1000, 400, 100, 50, 10, 7_000_001},
		{false, 20000, "gpt-1", "fast", 500, 0, 0, 20, 0, 300},
		{false, 20001, "ant-1", "strong", 2000, 1500, 0, 70, 30, 2_999_999},
		{true, 20000, "gpt-1", "standard", 10, 5, 0, 1, 1, 4},
		{true, 20001, "own-1", "fast", 900, 0, 0, 90, 0, -1},
		{true, 20001, "ant-1", "strong", 1, 0, 1, 1, 0, 0},
	} {
		r := run[b.second]
		id, err := s.BeginCall(bg, w.Tenant, store.ModelCall{Repository: r.Repository, Run: r.ID, Stage: "generate", Tier: b.tier, Model: b.model})
		must(t, err)
		c := store.ModelCall{Input: b.input, Cached: b.cached, CacheWrite: b.written, Output: b.output, Reasoning: b.reasoning, Outcome: "ok"}
		if b.cost >= 0 {
			c.CostMicros = &b.cost
		}
		_, err = s.EndCall(bg, w.Tenant, id, c)
		must(t, err)
		// The first call is in the first microsecond of its day, the third in the last.
		us := map[int]int64{0: 0, 2: store.DayUS - 1}[i]
		raw(`UPDATE llm_calls SET started_us = $2 WHERE id = $1`, id, b.day*store.DayUS+us)
	}
}

// The answers are what a person computes from the table of bill.
func TestCosts(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		w.role(member, w.Repository, "manage")
		bill(t, s, raw, w, second)
		name := func(r store.Repository) string { return r.Owner + "/" + r.Name }
		row := func(key string, f analytics.CostFigures) analytics.CostRow {
			return analytics.CostRow{Key: key, Name: key, CostFigures: f}
		}
		total := analytics.CostFigures{Calls: 6, InputTokens: 4411, CachedTokens: 1905, CacheWriteTokens: 101, OutputTokens: 232, ReasoningTokens: 41, CostMicros: 10_000_304, UnpricedCalls: 1}
		mine := analytics.CostFigures{Calls: 3, InputTokens: 3500, CachedTokens: 1900, CacheWriteTokens: 100, OutputTokens: 140, ReasoningTokens: 40, CostMicros: 10_000_300}
		theirs := analytics.CostFigures{Calls: 3, InputTokens: 911, CachedTokens: 5, CacheWriteTokens: 1, OutputTokens: 92, ReasoningTokens: 1, CostMicros: 4, UnpricedCalls: 1}
		both := []analytics.CostRow{{Key: w.Repository.ID, Name: name(w.Repository), CostFigures: mine}, {Key: second.ID, Name: name(second), CostFigures: theirs}}
		if second.ID < w.Repository.ID {
			both[0], both[1] = both[1], both[0]
		}
		const days = "&from=2024-10-04&to=2024-10-05"
		for _, tc := range []struct {
			who, path string
			rows      []analytics.CostRow
			total     analytics.CostFigures
		}{
			{admin, w.tenantPath() + "/analytics/costs?groupBy=day" + days, []analytics.CostRow{
				row("2024-10-04", analytics.CostFigures{Calls: 3, InputTokens: 1510, CachedTokens: 405, CacheWriteTokens: 100, OutputTokens: 71, ReasoningTokens: 11, CostMicros: 7_000_305}),
				row("2024-10-05", analytics.CostFigures{Calls: 3, InputTokens: 2901, CachedTokens: 1500, CacheWriteTokens: 1, OutputTokens: 161, ReasoningTokens: 30, CostMicros: 2_999_999, UnpricedCalls: 1}),
			}, total},
			{admin, w.tenantPath() + "/analytics/costs?groupBy=model" + days, []analytics.CostRow{
				row("ant-1", analytics.CostFigures{Calls: 3, InputTokens: 3001, CachedTokens: 1900, CacheWriteTokens: 101, OutputTokens: 121, ReasoningTokens: 40, CostMicros: 10_000_000}),
				row("gpt-1", analytics.CostFigures{Calls: 2, InputTokens: 510, CachedTokens: 5, OutputTokens: 21, ReasoningTokens: 1, CostMicros: 304}),
				row("own-1", analytics.CostFigures{Calls: 1, InputTokens: 900, OutputTokens: 90, CostMicros: analytics.Unknown, UnpricedCalls: 1}),
			}, total},
			{admin, w.tenantPath() + "/analytics/costs?groupBy=tier" + days, []analytics.CostRow{
				row("fast", analytics.CostFigures{Calls: 2, InputTokens: 1400, OutputTokens: 110, CostMicros: 300, UnpricedCalls: 1}),
				row("standard", analytics.CostFigures{Calls: 1, InputTokens: 10, CachedTokens: 5, OutputTokens: 1, ReasoningTokens: 1, CostMicros: 4}),
				row("strong", analytics.CostFigures{Calls: 3, InputTokens: 3001, CachedTokens: 1900, CacheWriteTokens: 101, OutputTokens: 121, ReasoningTokens: 40, CostMicros: 10_000_000}),
			}, total},
			{admin, w.tenantPath() + "/analytics/costs?groupBy=repository" + days, both, total},
			{admin, w.tenantPath() + "/analytics/costs?groupBy=kind" + days, []analytics.CostRow{row("review", total)}, total},
			{member, w.repo() + "/analytics/costs?groupBy=kind" + days, []analytics.CostRow{row("review", mine)}, mine},
			{admin, w.tenantPath() + "/analytics/costs?from=2024-10-06&to=2024-10-06", nil, analytics.CostFigures{}},
			{admin, w.tenantPath() + "/analytics/costs?from=2024-10-03&to=2024-10-03", nil, analytics.CostFigures{}},
			{admin, w.tenantPath() + "/analytics/costs", nil, analytics.CostFigures{}}, // the last 30 days
			{stranger, "/api/tenants/" + w.other.Tenant.ID + "/analytics/costs?groupBy=day" + days, nil, analytics.CostFigures{}},
		} {
			var got analytics.Costs
			w.into(&got, w.call(tc.who, http.MethodGet, tc.path, ""))
			_, what, _ := strings.Cut(tc.path, "/analytics/")
			testkit.Equal(t, what+": currency", got.Currency, "USD")
			testkit.Equal(t, what+": total", got.Total, tc.total)
			if len(got.Items) != len(tc.rows) {
				t.Fatalf("%s: %+v, want %+v", what, got.Items, tc.rows)
			}
			for i, want := range tc.rows {
				testkit.Equal(t, what, got.Items[i], want)
			}
		}
	})
}

func TestBadDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for query, want := range map[string]string{
		"from=yesterday": "query/from", "to=2026-02-30": "query/to", "from=2026-02-02&to=2026-02-01": "query/from", "from=1969-12-31&to=1970-01-01": "query/from",
		"from=2024-01-01&to=2025-02-04": "query/from", "groupBy=person": "query/groupBy", "from=2026-01-01T00:00:00Z": "query/from",
	} {
		for _, path := range []string{w.tenantPath() + "/analytics/costs?", w.repo() + "/analytics/costs?"} {
			if got := wrongFields(t, w.call(admin, http.MethodGet, path+query, "")); len(got) != 1 || got[0] != want {
				t.Errorf("%s: %v, want %s", query, got, want)
			}
		}
	}
	var most analytics.Costs
	w.into(&most, w.call(admin, http.MethodGet, w.tenantPath()+"/analytics/costs?from=2024-01-01&to=2025-02-03", "")) // 400 days
	testkit.Equal(t, "span", most.Span, analytics.Span{From: "2024-01-01", To: "2025-02-03"})
}

func TestBudgetAlerts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := w.tenantPath() + "/budget-alerts"
		testkit.Equal(t, "empty", w.call(admin, http.MethodGet, path, "").body, `{"items":[]}`+"\n")
		var ids []string
		for _, percent := range []int{50, 80, 100} {
			v, err := s.AddBudgetAlert(bg, w.Tenant, store.BudgetAlert{Period: "2026-11", Threshold: percent, BudgetMicros: 100, SpentMicros: int64(percent), Currency: "USD"})
			must(t, err)
			ids = append(ids, v.ID)
		}
		var page, next, open httpList[analytics.BudgetAlert]
		w.into(&page, w.call(admin, http.MethodGet, path+"?limit=2", ""))
		w.into(&next, w.call(admin, http.MethodGet, path+"?limit=2&cursor="+page.NextCursor, ""))
		if len(page.Items) != 2 || page.Items[0].Threshold != 100 || len(next.Items) != 1 || next.Items[0].Threshold != 50 || next.NextCursor != "" {
			t.Errorf("pages %+v and %+v", page, next)
		}
		var v analytics.BudgetAlert
		w.into(&v, w.call(admin, http.MethodPost, path+"/"+ids[0]+"/acknowledge", ""))
		if v.State != "acknowledged" || v.AcknowledgedBy != w.people[admin].id || v.AcknowledgedAt == nil {
			t.Errorf("acknowledged: %+v", v)
		}
		again := w.call(admin, http.MethodPost, path+"/"+ids[0]+"/acknowledge", "")
		testkit.Equal(t, "again", again.status, http.StatusConflict)
		testkit.Equal(t, "again", problemOf(t, again), "already_acknowledged")
		testkit.Equal(t, "absent", w.call(admin, http.MethodPost, path+"/alr_never/acknowledge", "").status, http.StatusNotFound)
		theirs, err := s.AddBudgetAlert(bg, w.other.Tenant, store.BudgetAlert{Period: "2026-11", Threshold: 50})
		must(t, err)
		testkit.Equal(t, "another tenant's", w.call(admin, http.MethodPost, path+"/"+theirs.ID+"/acknowledge", "").status, http.StatusNotFound)
		w.into(&open, w.call(admin, http.MethodGet, path+"?state=open", ""))
		testkit.Require(t, "open", len(open.Items), 2)
		testkit.Equal(t, "state", wrongFields(t, w.call(admin, http.MethodGet, path+"?state=over", ""))[0], "query/state")
		if log := w.call(admin, http.MethodGet, w.tenantPath()+"/audit", "").body; strings.Count(log, `"budget-alert.acknowledge"`) != 1 {
			t.Errorf("the log is %s", log)
		}
	})
}
