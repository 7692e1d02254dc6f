package connect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

func budgetOf(micros int64, mode string) *domain.Budget {
	return &domain.Budget{MonthlyMicros: micros, Currency: "USD", Mode: mode}
}

// call announces a call with an estimated input and an answer of one token. It
// reserves 3.5 times that input, which is as many tokens as it has bytes, 2000
// for what the provider adds, and the answer: 3751 tokens for an input of 500.
func call(tier string, input int64) ask.Call {
	return ask.Call{Stage: "generate", Tier: tier, Model: "sim-" + tier, EstimatedInput: input, MaxOutput: 1}
}

func codeOf(err error) string {
	if e, ok := errors.AsType[*errs.Error](err); ok {
		return e.Code
	}
	return ""
}

// A run with three models and cached tokens has the cost that was computed by hand:
//
//	fast      1000 in, 600 of them cached, 100 out:  400*1 + 600*0.1 + 100*10         = 1460
//	standard  2000 in, 100 out, 80 of them reasoning: 2000*2 + 100*20                 = 6000
//	standard  10 in, 9 cached, 1 out:                 1*2 + 9*0.2 + 1*20 = 23.8, so     24
//	strong    1000 in, 500 read, 300 written, 10 out: 200*4 + 500*0.4 + 300*5 + 10*40 = 2900
func TestCostOfARun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{})
		w.prices()
		w.route("", domain.ModelPolicy{Budget: budgetOf(1_000_000, "hard")})
		_, r := w.open()
		for _, c := range []struct {
			tier  string
			usage llm.Usage
		}{
			{"fast", llm.Usage{InputTokens: 1000, CachedInputTokens: 600, OutputTokens: 100}},
			{"standard", llm.Usage{InputTokens: 2000, OutputTokens: 100, ReasoningTokens: 80}},
			{"standard", llm.Usage{InputTokens: 10, CachedInputTokens: 9, OutputTokens: 1}},
			{"strong", llm.Usage{InputTokens: 1000, CachedInputTokens: 500, CacheWriteTokens: 300, OutputTokens: 10}},
		} {
			id, err := r.Before(bg, call(c.tier, c.usage.InputTokens))
			testkit.OK(t, err)
			r.After(bg, id, ask.Outcome{Usage: c.usage, Model: "sim-" + c.tier})
		}
		rows, err := s.RunUsage(bg, w.Tenant, w.Run.ID)
		testkit.OK(t, err)
		want := []store.ModelUsage{
			{Tier: "fast", Model: "sim-fast", Calls: 1, Input: 1000, Cached: 600, Output: 100, CostMicros: 1460},
			{Tier: "standard", Model: "sim-standard", Calls: 2, Input: 2010, Cached: 9, Output: 101, Reasoning: 80, CostMicros: 6024},
			{Tier: "strong", Model: "sim-strong", Calls: 1, Input: 1000, Cached: 500, CacheWrite: 300, Output: 10, CostMicros: 2900},
		}
		sum := int64(0)
		for i, u := range rows {
			want[i].Answered = []string{want[i].Model}
			wantUsage(t, "usage", u, want[i])
			sum += u.CostMicros
		}
		// The month has the same sum. A free call returns the amount spent.
		id, err := s.BeginCall(bg, w.Tenant, store.ModelCall{Repository: w.Repository.ID, Run: w.Run.ID})
		testkit.OK(t, err)
		got, err := s.EndCall(bg, w.Tenant, id, store.ModelCall{CostMicros: new(int64(0)), Outcome: "ok"})
		testkit.OK(t, err)
		if len(rows) != 3 || sum != 10384 || got.TenantSpent != sum || got.RepositorySpent != sum {
			t.Errorf("rows %d, sum %d, month %+v", len(rows), sum, got)
		}
	})
}

// An unknown price stays unknown and does not count as 0. Under a hard budget such a model is not called.
func TestUnknownPrices(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{})
		w.route("", domain.ModelPolicy{Budget: budgetOf(10, "soft")})
		_, r := w.open()
		id, err := r.Before(bg, call("strong", 1000))
		testkit.OK(t, err)
		r.After(bg, id, ask.Outcome{Usage: llm.Usage{InputTokens: 1000}, Model: "sim-strong"})
		rows, err := s.RunUsage(bg, w.Tenant, w.Run.ID)
		testkit.OK(t, err)
		if len(rows) != 1 || rows[0].Unpriced != 1 || rows[0].CostMicros != 0 || rows[0].Input != 1000 {
			t.Errorf("usage: %+v", rows)
		}
		policy, _, _, err := s.Setting(bg, w.Tenant, "", store.SettingModelPolicy)
		testkit.OK(t, err)
		w.put("", store.SettingModelPolicy, json.RawMessage(strings.Replace(policy, `"soft"`, `"hard"`, 1)))
		_, r = w.open()
		_, err = r.Before(bg, call("strong", 1000))
		testkit.Equal(t, "under a hard budget", codeOf(err), "price_unknown")
	})
}

// A soft budget never refuses a call. Each threshold raises one alert and one event, however many calls cross
// it at the same time.
func TestSoftBudgetsAlertOnce(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{})
		w.prices()
		w.route("", domain.ModelPolicy{Budget: budgetOf(20_000, "soft")})
		w.put(w.Repository.ID, store.SettingModelPolicy, domain.ModelPolicy{Budget: budgetOf(10_000, "soft")})
		_, r := w.open()
		run := func(n int) {
			var group sync.WaitGroup
			for range n { // each costs 1000
				group.Go(func() {
					id, err := r.Before(bg, call("standard", 500))
					if err != nil {
						t.Errorf("a soft budget refuses: %v", err)
						return
					}
					r.After(bg, id, ask.Outcome{Usage: llm.Usage{InputTokens: 500}, Model: "sim-standard"})
				})
			}
			group.Wait()
		}
		alerts := func() (tenant, repository []int) {
			all, err := s.BudgetAlerts(bg, w.Tenant, "", store.Cursor{}, 100)
			testkit.OK(t, err)
			for _, a := range all {
				if a.Repository == "" {
					tenant = append(tenant, a.Threshold)
				} else {
					repository = append(repository, a.Threshold)
				}
			}
			return tenant, repository
		}
		run(12) // 12 of 20, 12 of 10
		tenant, repository := alerts()
		if len(tenant) != 1 || tenant[0] != 50 || len(repository) != 3 {
			t.Errorf("after 12000: %v of the tenant, %v of the repository", tenant, repository)
		}
		run(18) // far over both
		tenant, repository = alerts()
		if len(tenant) != 3 || len(repository) != 3 {
			t.Errorf("after 30000: %v of the tenant, %v of the repository", tenant, repository)
		}
	})
}

// Under a hard budget without room no call is made. The review has the results of the deterministic checks
// and says so.
func TestHardBudgetsEndModelWork(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for name, tc := range map[string]struct {
			tenant, repository *domain.Budget
			want               string
			requests           int
		}{
			"no room":                   {budgetOf(10, "hard"), nil, "unavailable, none, budget", 0},
			"no room of the repository": {nil, budgetOf(10, "hard"), "unavailable, none, budget", 0},
			"room for everything":       {budgetOf(100_000_000, "hard"), nil, "complete, confirmed", 2},
			"soft":                      {budgetOf(10, "soft"), nil, "complete, confirmed", 2},
		} {
			w := newWorld(t, s, model.Options{Rules: finds()})
			w.prices()
			w.route("", domain.ModelPolicy{Budget: tc.tenant})
			if tc.repository != nil {
				w.put(w.Repository.ID, store.SettingModelPolicy, domain.ModelPolicy{Budget: tc.repository})
			}
			res, err := w.review()
			testkit.Equal(t, name, outcome(res, err), tc.want)
			page := fmt.Sprintf("%+v", render.Render(render.Input{Result: res}))
			testkit.Equal(t, name+": the summary says that the budget is used up", strings.Contains(page, "the budget for models is used up"), tc.requests == 0)
			testkit.Require(t, name+": requests", len(w.sim.Requests(false)), tc.requests)
		}
	})
}

// The limits of one review include the usage of its earlier attempts, and the possible usage of calls under
// way.
func TestLimitsOfOneReview(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for name, limits := range map[string]domain.ModelLimits{"tokens": {MaxTokensPerReview: new(int64(11_760))}, "cost": {MaxCostMicrosPerReview: new(int64(23_600))}} {
			w := newWorld(t, s, model.Options{})
			w.prices()
			w.route("", domain.ModelPolicy{Limits: &limits})
			_, r := w.open()
			begin := func(want string) string {
				t.Helper()
				id, err := r.Before(bg, call("standard", 500)) // 3751 tokens, 7520 at most
				testkit.Equal(t, name, codeOf(err), want)
				return id
			}
			first := begin("")
			begin("")
			begin("")
			begin("review_limit")
			r.After(bg, first, ask.Outcome{Usage: llm.Usage{}, Err: "retryable"}) // it used nothing
			last := begin("")
			begin("review_limit")
			r.After(bg, last, ask.Outcome{Usage: llm.Usage{InputTokens: 501, OutputTokens: 1}, Model: "sim-standard"})
			// A second process attempts the run after the first one died with two calls under way. Those
			// count with their possible usage, 7502 tokens or 15040, so that there is room for one more call.
			w.models = w.process(s)
			_, r = w.open()
			second := begin("")
			begin("review_limit")
			r.After(bg, second, ask.Outcome{Usage: llm.Usage{InputTokens: 2500, OutputTokens: 1000}, Model: "sim-standard"})
			begin("review_limit")
			rows, err := s.RunUsage(bg, w.Tenant, w.Run.ID)
			testkit.OK(t, err)
			if rows[0].Calls != 5 || rows[0].Open != 2 || !strings.HasPrefix(rows[0].Model, "sim-") {
				t.Errorf("%s: usage %+v", name, rows)
			}
		}
	})
}
