package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/sim/model"
)

// priced routes the world's tiers to a simulated model whose usage differs by stage, and enters prices for
// all tiers but fast. Standard costs 2 dollars per million input tokens, 20 for output, and a tenth of the
// input price for cached tokens. Strong costs 4 and 40 dollars, and 5 for tokens written to the cache.
func priced(w *world, usage map[string]*model.Usage) func(store.Run) (*ask.Models, ask.Recorder) {
	w.t.Helper()
	var rules []model.Rule
	for name, u := range usage {
		rules = append(rules, model.Rule{Match: model.Match{Model: name}, Reply: model.Reply{Text: "ok", Usage: u}})
	}
	sim, err := model.New(model.Options{Rules: rules})
	must(w.t, err)
	server := httptest.NewServer(sim.Handler())
	w.t.Cleanup(server.Close)
	w.t.Cleanup(sim.Close)
	at, err := url.Parse(server.URL)
	must(w.t, err)
	port, err := strconv.Atoi(at.Port())
	must(w.t, err)
	key := store.Credential{ID: domain.NewID("crd"), Name: "sim", Kind: catalog.Compatible, BaseURL: "https://sim.example.com/v1"}
	storetest.Credential(w.t, w.store, w.Tenant, key)
	policy := domain.ModelPolicy{Tiers: map[string]domain.TierRoute{}}
	for _, tier := range domain.RequiredTiers() {
		policy.Tiers[tier] = domain.TierRoute{CredentialID: key.ID, Model: "sim-" + tier}
	}
	body, err := json.Marshal(policy)
	must(w.t, err)
	must(w.t, w.store.PutSetting(bg, w.Tenant, "", store.SettingModelPolicy, string(body)))
	must(w.t, w.store.PutSetting(bg, w.Tenant, "", store.SettingPrices, `{"items":[
		{"model":"sim-standard","inputMicros":2000000,"outputMicros":20000000,"cacheReadMicros":200000},
		{"model":"sim-strong","inputMicros":4000000,"outputMicros":40000000,"cacheReadMicros":400000,"cacheWriteMicros":5000000}]}`))
	models := &connect.Models{Store: w.store, Factory: outbound.New(outbound.Policy{LoopbackPorts: []int{port}}), Attempt: time.Second, Idle: time.Second, MaxResponse: 1 << 20,
		Concurrency: 8, Logger: telemetry.Discard(), Endpoint: func(catalog.Key) string { return server.URL + "/v1" }}
	return func(run store.Run) (*ask.Models, ask.Recorder) {
		m, r, err := models.Open(bg, run, nil)
		must(w.t, err)
		return m, r
	}
}

// Every answer has the cost of a run with three models and cached tokens, by calls over HTTP, as computed by
// hand:
//
//	standard  1000 in, 600 read, 100 out, 80 of them reasoning: 400*2 + 600*0.2 + 100*20         = 2920, twice
//	strong    1000 in, 500 read, 300 written, 10 out:           200*4 + 500*0.4 + 300*5 + 10*40 = 2900
//	fast      7 in, 3 out, and the price is unknown
//
// While a call is under way, the sums are those of the other calls, and its maximum cost is listed separately:
// 3750 tokens in at 5, 100 out at 40, so 22750.
func TestCostsOfARunInEveryAnswer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.role(member, w.Repository, "manage")
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		open := priced(w, map[string]*model.Usage{"sim-standard": {Input: 1000, Cached: 600, Output: 100, Reasoning: 80}, "sim-strong": {Input: 1000, Cached: 500, Written: 300, Output: 10}, "sim-fast": {Input: 7, Output: 3}})
		m, r := open(w.Run)
		named := map[string]string{"strong": "-2026-03-05"} // its answers name it with a date
		call := func(r ask.Recorder, route ask.Route) func() {
			id, err := r.Before(bg, ask.Call{Stage: "generate", Tier: route.Tier, Model: route.Model, EstimatedInput: 500, MaxOutput: 100})
			must(t, err)
			return func() {
				resp, err := route.Client.Complete(bg, llm.Request{Model: route.Model, MaxOutputTokens: 100, Messages: []llm.Message{{Role: llm.User, Text: "go"}}})
				must(t, err)
				r.After(bg, id, ask.Outcome{Usage: resp.Usage, Model: route.Model + named[route.Tier]})
			}
		}
		detail := func() httpapi.ReviewRunDetail {
			var d httpapi.ReviewRunDetail
			w.into(&d, w.call(member, http.MethodGet, w.repo()+"/review-runs/"+w.Run.ID, ""))
			return d
		}
		total := func(calls, open, in, cached, written, out, reasoning, unpriced, reserved int64, cost *int64) httpapi.UsageTotal {
			return httpapi.UsageTotal{Calls: calls, OpenCalls: open, InputTokens: in, CachedInputTokens: cached, CacheWriteTokens: written, OutputTokens: out, ReasoningTokens: reasoning, CostMicros: cost,
				UnpricedCalls: unpriced, ReservedMicros: reserved, Currency: "USD"}
		}
		wantJSON(t, "before", detail().UsageTotal, total(0, 0, 0, 0, 0, 0, 0, 0, 0, new(int64(0))))
		end := call(r, m.Strong)
		wantJSON(t, "the first call under way", detail().UsageTotal, total(1, 1, 0, 0, 0, 0, 0, 0, 22750, nil))
		call(r, m.Standard)()
		d := detail()
		wantJSON(t, "one of two ended", d.UsageTotal, total(2, 1, 1000, 600, 0, 100, 80, 0, 22750, new(int64(2920))))
		wantJSON(t, "by model", d.Usage, []httpapi.ModelUsage{{Tier: "standard", Model: "sim-standard", AnsweredModels: []string{"sim-standard"}, UsageTotal: total(1, 0, 1000, 600, 0, 100, 80, 0, 0, new(int64(2920)))},
			{Tier: "strong", Model: "sim-strong", AnsweredModels: []string{}, UsageTotal: total(1, 1, 0, 0, 0, 0, 0, 0, 22750, nil)}})
		end()
		wantJSON(t, "models that answered", detail().Usage[1].AnsweredModels, []string{"sim-strong-2026-03-05"})
		wantJSON(t, "both ended", detail().UsageTotal, total(2, 0, 2000, 1100, 300, 110, 80, 0, 0, new(int64(5820))))
		call(r, m.Fast)()
		wantJSON(t, "one without a price", detail().UsageTotal, total(3, 0, 2007, 1100, 300, 113, 80, 1, 0, nil))
		theirs, recorder := open(storetest.Run(t, s, storetest.PullRequest(t, s, second, 1), "a"))
		call(recorder, theirs.Standard)()

		standard := analytics.CostFigures{Calls: 1, InputTokens: 1000, CachedTokens: 600, OutputTokens: 100, ReasoningTokens: 80, CostMicros: 2920}
		strong := analytics.CostFigures{Calls: 1, InputTokens: 1000, CachedTokens: 500, CacheWriteTokens: 300, OutputTokens: 10, CostMicros: 2900}
		fast := analytics.CostFigures{Calls: 1, InputTokens: 7, OutputTokens: 3, CostMicros: analytics.Unknown, UnpricedCalls: 1}
		twice := analytics.CostFigures{Calls: 2, InputTokens: 2000, CachedTokens: 1200, OutputTokens: 200, ReasoningTokens: 160, CostMicros: 5840}
		mine := analytics.CostFigures{Calls: 3, InputTokens: 2007, CachedTokens: 1100, CacheWriteTokens: 300, OutputTokens: 113, ReasoningTokens: 80, CostMicros: 5820, UnpricedCalls: 1}
		all := analytics.CostFigures{Calls: 4, InputTokens: 3007, CachedTokens: 1700, CacheWriteTokens: 300, OutputTokens: 213, ReasoningTokens: 160, CostMicros: 8740, UnpricedCalls: 1}
		row := func(key string, f analytics.CostFigures) analytics.CostRow {
			return analytics.CostRow{Key: key, Name: key, CostFigures: f}
		}
		for name, tc := range map[string]struct {
			who, path string
			rows      []analytics.CostRow
			total     analytics.CostFigures
		}{
			"costs of the tenant":     {admin, w.tenantPath() + "/analytics/costs?groupBy=model", []analytics.CostRow{row("sim-fast", fast), row("sim-standard", twice), row("sim-strong", strong)}, all},
			"costs of the repository": {member, w.repo() + "/analytics/costs?groupBy=model", []analytics.CostRow{row("sim-fast", fast), row("sim-standard", standard), row("sim-strong", strong)}, mine},
		} {
			t.Run(name, func(t *testing.T) {
				var got analytics.Costs
				w.into(&got, w.call(tc.who, http.MethodGet, tc.path, ""))
				wantJSON(t, "by model", got.Items, tc.rows)
				wantJSON(t, "in all", got.Total, tc.total)
			})
		}
		// The month of the budgets has the same sums.
		now, err := s.Now(bg)
		must(t, err)
		for repository, want := range map[string]int64{"": 8740, w.Repository.ID: 5820, second.ID: 2920} {
			month, err := s.BudgetMonth(bg, w.Tenant, repository, store.Period(now))
			must(t, err)
			wantJSON(t, "month of "+repository, month, store.Month{Spent: want})
		}
	})
}

func wantJSON(t *testing.T, what string, got, want any) {
	t.Helper()
	a, err := json.Marshal(got)
	must(t, err)
	b, err := json.Marshal(want)
	must(t, err)
	if string(a) != string(b) {
		t.Errorf("%s:\n got %s\nwant %s", what, a, b)
	}
}
