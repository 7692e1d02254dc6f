package analytics_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// billed is a model call in a table whose sums were computed by hand.
type billed struct {
	second                                    bool // of the second repository
	day                                       int64
	model, tier                               string
	input, cached, written, output, reasoning int64
	cost                                      int64 // -1: the price is unknown
}

// bill makes the calls of the table. Their days are 20,000 and 20,001 days after 1970-01-01: 2024-10-04 and
// 2024-10-05.
func bill(t *testing.T, w *featuretest.World, raw storetest.Raw, second store.Repository) {
	t.Helper()
	s := w.Store
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
		testkit.OK(t, err)
		c := store.ModelCall{Input: b.input, Cached: b.cached, CacheWrite: b.written, Output: b.output, Reasoning: b.reasoning, Outcome: "ok"}
		if b.cost >= 0 {
			c.CostMicros = &b.cost
		}
		_, err = s.EndCall(bg, w.Tenant, id, c)
		testkit.OK(t, err)
		// The first call is in the first microsecond of its day, the third in the last.
		us := map[int]int64{0: 0, 2: store.DayUS - 1}[i]
		raw(`UPDATE llm_calls SET started_us = $2 WHERE id = $1`, id, b.day*store.DayUS+us)
	}
}

// The expected answers were computed by hand from the calls that bill makes.
func TestCosts(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := featuretest.NewWorld(t, s)
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		bill(t, w, raw, second)
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
		byDay := []analytics.CostRow{
			row("2024-10-04", analytics.CostFigures{Calls: 3, InputTokens: 1510, CachedTokens: 405, CacheWriteTokens: 100, OutputTokens: 71, ReasoningTokens: 11, CostMicros: 7_000_305}),
			row("2024-10-05", analytics.CostFigures{Calls: 3, InputTokens: 2901, CachedTokens: 1500, CacheWriteTokens: 1, OutputTokens: 161, ReasoningTokens: 30, CostMicros: 2_999_999, UnpricedCalls: 1}),
		}
		const first, last = "2024-10-04", "2024-10-05"
		for what, tc := range map[string]struct {
			tenant                      domain.Tenant
			repository, group, from, to string
			rows                        []analytics.CostRow
			total                       analytics.CostFigures
		}{
			"by day":              {w.Tenant, "", "day", first, last, byDay, total},
			"by day, the default": {w.Tenant, "", "", first, last, byDay, total},
			"by model": {w.Tenant, "", "model", first, last, []analytics.CostRow{
				row("ant-1", analytics.CostFigures{Calls: 3, InputTokens: 3001, CachedTokens: 1900, CacheWriteTokens: 101, OutputTokens: 121, ReasoningTokens: 40, CostMicros: 10_000_000}),
				row("gpt-1", analytics.CostFigures{Calls: 2, InputTokens: 510, CachedTokens: 5, OutputTokens: 21, ReasoningTokens: 1, CostMicros: 304}),
				row("own-1", analytics.CostFigures{Calls: 1, InputTokens: 900, OutputTokens: 90, CostMicros: analytics.Unknown, UnpricedCalls: 1}),
			}, total},
			"by tier": {w.Tenant, "", "tier", first, last, []analytics.CostRow{
				row("fast", analytics.CostFigures{Calls: 2, InputTokens: 1400, OutputTokens: 110, CostMicros: 300, UnpricedCalls: 1}),
				row("standard", analytics.CostFigures{Calls: 1, InputTokens: 10, CachedTokens: 5, OutputTokens: 1, ReasoningTokens: 1, CostMicros: 4}),
				row("strong", analytics.CostFigures{Calls: 3, InputTokens: 3001, CachedTokens: 1900, CacheWriteTokens: 101, OutputTokens: 121, ReasoningTokens: 40, CostMicros: 10_000_000}),
			}, total},
			"by repository":         {w.Tenant, "", "repository", first, last, both, total},
			"by kind":               {w.Tenant, "", "kind", first, last, []analytics.CostRow{row("review", total)}, total},
			"the first repository":  {w.Tenant, w.Repository.ID, "kind", first, last, []analytics.CostRow{row("review", mine)}, mine},
			"the second repository": {w.Tenant, second.ID, "kind", first, last, []analytics.CostRow{row("review", theirs)}, theirs},
			"a single day":          {w.Tenant, "", "day", first, first, byDay[:1], byDay[0].CostFigures},
			"the day after":         {w.Tenant, "", "", "2024-10-06", "2024-10-06", nil, analytics.CostFigures{}},
			"the day before":        {w.Tenant, "", "", "2024-10-03", "2024-10-03", nil, analytics.CostFigures{}},
			"the last 30 days":      {w.Tenant, "", "", "", "", nil, analytics.CostFigures{}},
			"another tenant":        {w.Other.Tenant, "", "day", first, last, nil, analytics.CostFigures{}},
		} {
			t.Run(what, func(t *testing.T) {
				got, err := w.Features.Analytics.Costs(bg, tc.tenant, tc.repository, tc.group, tc.from, tc.to)
				testkit.OK(t, err)
				testkit.Equal(t, "currency", got.Currency, "USD")
				testkit.Equal(t, "total", got.Total, tc.total)
				if tc.from != "" {
					testkit.Equal(t, "span", got.Span, analytics.Span{From: tc.from, To: tc.to})
				}
				testkit.Require(t, "rows", len(got.Items), len(tc.rows))
				for i, want := range tc.rows {
					testkit.Equal(t, "row", got.Items[i], want)
				}
			})
		}
	})
}

// Each day is split by the most expensive groups. The rest of its cost belongs to the other groups.
func TestCostsOfDays(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := featuretest.NewWorld(t, s)
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		bill(t, w, raw, second)
		ask := func(tenant domain.Tenant, repository, group string) []analytics.CostDay {
			t.Helper()
			got, err := w.Features.Analytics.Costs(bg, tenant, repository, group, "2024-10-03", "2024-10-06")
			testkit.OK(t, err)
			return got.ByDay
		}
		part := func(key string, calls int64, cost analytics.Cost) analytics.CostPart {
			return analytics.CostPart{Key: key, Calls: calls, CostMicros: cost}
		}
		for what, tc := range map[string]struct {
			got, want []analytics.CostDay
		}{
			"by model": {ask(w.Tenant, "", "model"), []analytics.CostDay{
				{Day: "2024-10-04", Calls: 3, CostMicros: 7_000_305, Parts: []analytics.CostPart{part("ant-1", 1, 7_000_001), part("gpt-1", 2, 304)}},
				{Day: "2024-10-05", Calls: 3, CostMicros: 2_999_999, Parts: []analytics.CostPart{part("ant-1", 2, 2_999_999), part("own-1", 1, analytics.Unknown)}}}},
			"the second repository": {ask(w.Tenant, second.ID, "tier"), []analytics.CostDay{
				{Day: "2024-10-04", Calls: 1, CostMicros: 4, Parts: []analytics.CostPart{part("standard", 1, 4)}},
				{Day: "2024-10-05", Calls: 2, CostMicros: 0, Parts: []analytics.CostPart{part("strong", 1, 0), part("fast", 1, analytics.Unknown)}}}},
			"by day":         {ask(w.Tenant, "", "day"), nil},
			"another tenant": {ask(w.Other.Tenant, "", "model"), nil},
		} {
			testkit.Require(t, what+": days", len(tc.got), len(tc.want))
			for i, want := range tc.want {
				testkit.Equal(t, what, fmt.Sprint(tc.got[i]), fmt.Sprint(want))
			}
		}
	})
}

// Every report over days refuses the wrong spans that TestSpan lists.
func TestWrongDaysAreRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		a := w.Features.Analytics
		for what, ask := range map[string]func(from, to string) (analytics.Span, error){
			"costs of a tenant": func(from, to string) (analytics.Span, error) {
				v, err := a.Costs(bg, w.Tenant, "", "", from, to)
				return v.Span, err
			},
			"costs of a repository": func(from, to string) (analytics.Span, error) {
				v, err := a.Costs(bg, w.Tenant, w.Repository.ID, "", from, to)
				return v.Span, err
			},
			"figures of a tenant": func(from, to string) (analytics.Span, error) {
				v, err := a.Tenant(bg, w.Tenant, "", from, to)
				return v.Span, err
			},
			"figures of a repository": func(from, to string) (analytics.Span, error) {
				v, err := a.Repository(bg, w.Tenant, w.Repository.ID, from, to)
				return v.Span, err
			},
			"figures of a person": func(from, to string) (analytics.Span, error) {
				v, err := a.Mine(bg, w.Tenant, store.Viewer{}, from, to)
				return v.Span, err
			},
		} {
			t.Run(what, func(t *testing.T) {
				for _, tc := range []struct{ from, to, wrong string }{
					{"yesterday", "", "query/from"}, {"", "2026-02-30", "query/to"}, {"2026-02-02", "2026-02-01", "query/from"}, {"2024-01-01", "2025-02-04", "query/from"},
				} {
					_, err := ask(tc.from, tc.to)
					testkit.Equal(t, tc.from+" to "+tc.to, featuretest.Pointers(t, err), tc.wrong)
				}
				_, err := ask("2024-01-01", "2025-02-03") // 400 days
				testkit.OK(t, err)
			})
		}
	})
}

// The report shows the budget of the settings if the model policy has no budget, together with the cost of
// the month.
func TestTheEffectiveBudget(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		for repository, cost := range map[string]int64{w.Repository.ID: 30, second.ID: 4} {
			id, err := s.BeginCall(bg, w.Tenant, store.ModelCall{Repository: repository, Run: w.Run.ID, Model: "m"})
			testkit.OK(t, err)
			_, err = s.EndCall(bg, w.Tenant, id, store.ModelCall{CostMicros: &cost, Outcome: "ok"})
			testkit.OK(t, err)
		}
		now, err := s.Now(bg)
		testkit.OK(t, err)
		month := func(micros, spent int64, mode string) analytics.MonthBudget {
			return analytics.MonthBudget{Period: store.Period(now), MonthlyMicros: micros, SpentMicros: spent, Mode: mode}
		}
		put := func(repository, kind, body string) {
			t.Helper()
			testkit.OK(t, s.PutSetting(bg, w.Tenant, repository, kind, body))
		}
		check := func(what string, tenant, repository analytics.MonthBudget) {
			t.Helper()
			told := func(place string, got *analytics.MonthBudget, want analytics.MonthBudget) {
				t.Helper()
				if got == nil {
					got = &analytics.MonthBudget{}
				}
				testkit.Equal(t, what+", "+place, *got, want)
			}
			overview, err := w.Features.Analytics.Dashboard(bg, w.Tenant, store.Viewer{Admin: true, Least: "manage"})
			testkit.OK(t, err)
			told("overview", overview.Spend.Budget, tenant)
			whole, err := w.Features.Analytics.Costs(bg, w.Tenant, "", "", "", "")
			testkit.OK(t, err)
			told("costs", whole.Budget, tenant)
			own, err := w.Features.Analytics.Costs(bg, w.Tenant, w.Repository.ID, "", "", "")
			testkit.OK(t, err)
			told("costs of the repository", own.Budget, repository)
		}
		none := analytics.MonthBudget{}
		check("nothing said", none, none)
		put("", store.SettingTenant, `{"monthlyBudgetMicros":0}`)
		check("none said", none, none)
		put("", store.SettingTenant, `{"monthlyBudgetMicros":90}`)
		check("budget of the settings", month(90, 34, "soft"), none)
		put("", store.SettingModelPolicy, `{"budget":{"monthlyMicros":70,"currency":"USD","mode":"hard"}}`)
		check("budget of the model policy", month(70, 34, "hard"), none)
		put(w.Repository.ID, store.SettingModelPolicy, `{"budget":{"monthlyMicros":5,"currency":"USD","mode":"hard"}}`)
		check("budget of a repository", month(70, 34, "hard"), month(5, 30, "hard"))
	})
}
