package connect_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// dearest makes the most expensive answer to a call of 500 estimated tokens: as many input tokens as it has
// bytes, all of them written to the cache, and an output that is all reasoning. On the tier strong it costs
// 3750*5 + 1*40 = 18790.
func dearest() []model.Rule {
	return []model.Rule{{Reply: model.Reply{Text: "ok", Usage: &model.Usage{Input: 3750, Written: 3750, Output: 1, Reasoning: 1}}}}
}

const dearestCost = 18_790

// putQuestion makes one announced and recorded call over HTTP, and returns the code of a refusal.
func putQuestion(t *testing.T, m *ask.Models, r ask.Recorder) string {
	c := call("strong", 500)
	id, err := r.Before(bg, c)
	if code := codeOf(err); err != nil {
		if code != "budget_exhausted" {
			t.Errorf("refused: %v", err)
		}
		return code
	}
	resp, err := m.Strong.Client.Complete(bg, llm.Request{Model: c.Model, MaxOutputTokens: 1, Messages: []llm.Message{{Role: llm.User, Text: "go"}}})
	if err != nil {
		t.Errorf("a call failed: %v", err)
	}
	r.After(bg, id, ask.Outcome{Usage: resp.Usage, Model: resp.Model})
	return "made"
}

// month returns the cost of the current month for the tenant or for one repository.
func (w *world) month(repository string) store.Month {
	w.t.Helper()
	now, err := w.store.Now(bg)
	testkit.OK(w.t, err)
	m, err := w.store.BudgetMonth(bg, w.Tenant, repository, store.Period(now))
	testkit.OK(w.t, err)
	return m
}

// thresholds returns the thresholds of a budget's alerts, lowest first. An acknowledged alert has its state
// before it.
func (w *world) thresholds(repository string) (out []int) {
	w.t.Helper()
	all, err := w.store.BudgetAlerts(bg, w.Tenant, "", store.Cursor{}, 100)
	testkit.OK(w.t, err)
	for _, a := range all {
		if a.Repository == repository {
			out = append(out, a.Threshold)
		}
	}
	slices.Sort(out)
	return out
}

func wantThresholds(t *testing.T, what string, got []int, want ...int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: alerts at %v, want %v", what, got, want)
	}
}

// Several processes and runs make 50 calls over HTTP at the same time against a budget with room for ten. Ten
// calls are made, and the month's cost is their sum, even if each costs the maximum.
func TestParallelRunsKeepToTheBudget(t *testing.T) {
	t.Parallel()
	storetest.Both.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		stores := []*store.Store{s} // only one process can use an SQLite database
		if s.Engine() == "postgres" {
			stores = append(stores, storetest.Open(t, url), storetest.Open(t, url))
		}
		for name, tc := range map[string]struct{ tenant, repository *domain.Budget }{
			"tenant":     {budgetOf(11*dearestCost-1, "hard"), nil},
			"repository": {nil, budgetOf(10*dearestCost, "hard")},
			"repository below a larger one of the tenant": {budgetOf(40*dearestCost, "hard"), budgetOf(11*dearestCost-1, "hard")},
			"tenant below a larger one of the repository": {budgetOf(10*dearestCost, "hard"), budgetOf(40*dearestCost, "hard")},
		} {
			w := newWorld(t, s, model.Options{Rules: dearest()})
			w.prices()
			w.route("", domain.ModelPolicy{Budget: tc.tenant})
			if tc.repository != nil {
				w.put(w.Repository.ID, store.SettingModelPolicy, domain.ModelPolicy{Budget: tc.repository})
			}
			var mu sync.Mutex
			got := map[string]int{}
			var group sync.WaitGroup
			for i := range 5 {
				run := storetest.Run(t, s, w.Pull, "process "+string(rune('a'+i)))
				m, r, err := w.process(stores[i%len(stores)]).Open(bg, run, nil)
				testkit.OK(t, err)
				for range 10 {
					group.Go(func() {
						said := putQuestion(t, m, r)
						mu.Lock()
						defer mu.Unlock()
						got[said]++
					})
				}
			}
			group.Wait()
			if got["made"] != 10 || got["budget_exhausted"] != 40 {
				t.Errorf("%s: %v, want 10 calls made and 40 refused", name, got)
			}
			testkit.Require(t, name+": requests", len(w.sim.Requests(false)), 10)
			testkit.Equal(t, name+": the tenant's month", w.month(""), store.Month{Spent: 10 * dearestCost})
			testkit.Equal(t, name+": the repository's month", w.month(w.Repository.ID), store.Month{Spent: 10 * dearestCost})
		}
	})
}

// A price rises while processes work, and some of them have only the old one. The cost stays within the
// budget, because each call costs the price at which it was reserved.
func TestBudgetHoldsWhilePricesChange(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{Rules: dearest()})
		w.prices()
		w.route("", domain.ModelPolicy{Budget: budgetOf(10*dearestCost, "hard")})
		oldModels, oldRecorder := w.open()
		under, err := oldRecorder.Before(bg, call("strong", 500))
		testkit.OK(t, err)
		w.put("", store.SettingPrices, json.RawMessage(`{"items":[{"model":"sim-strong","inputMicros":40000000,"outputMicros":400000000,"cacheWriteMicros":50000000}]}`))
		newModels, newRecorder := w.open()
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() { putQuestion(t, oldModels, oldRecorder) })
			group.Go(func() { putQuestion(t, newModels, newRecorder) })
		}
		group.Wait()
		oldRecorder.After(bg, under, ask.Outcome{Usage: llm.Usage{InputTokens: 3750, CacheWriteTokens: 3750, OutputTokens: 1, ReasoningTokens: 1}, Model: "sim-strong"})
		got := w.month("")
		if got.Spent > 10*dearestCost || got.Spent < 2*dearestCost || got.Reserved != 0 || got.Spent%dearestCost != 0 {
			t.Errorf("the month: %+v of %d", got, 10*dearestCost)
		}
	})
}

// If a provider reports more usage than was allowed, the report counts: the one call exceeds the budget, and
// no further call is made.
func TestProvidersThatReportMore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{Rules: []model.Rule{{Reply: model.Reply{Text: "ok", Usage: &model.Usage{Input: 10_000, Output: 10_000}}}}})
		w.prices()
		w.route("", domain.ModelPolicy{Budget: budgetOf(2*dearestCost, "hard")})
		m, r := w.open()
		testkit.Equal(t, "the first call", putQuestion(t, m, r), "made")
		testkit.Equal(t, "the month", w.month(""), store.Month{Spent: 10_000*4 + 10_000*40})
		testkit.Equal(t, "the second call", putQuestion(t, m, r), "budget_exhausted")
		wantThresholds(t, "passed at once", w.thresholds(""), 50, 80, 100)
	})
}

// Impossible usage is not counted, and possible usage is.
func TestAbsurdUsage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for name, tc := range map[string]struct {
			usage llm.Usage
			want  store.ModelUsage
		}{
			"below 0":             {llm.Usage{InputTokens: -5, CachedInputTokens: -1, CacheWriteTokens: -9, OutputTokens: -7, ReasoningTokens: -1}, store.ModelUsage{}},
			"parts above a whole": {llm.Usage{InputTokens: 10, CachedInputTokens: 8, CacheWriteTokens: 8, OutputTokens: 1, ReasoningTokens: 5}, store.ModelUsage{Input: 10, Cached: 8, CacheWrite: 2, Output: 1, Reasoning: 1, CostMicros: 53}}, // 8*0.4 + 2*5 + 40 = 53.2
			"without bounds":      {llm.Usage{InputTokens: 1 << 62, OutputTokens: 1 << 62}, store.ModelUsage{Input: 1e12, Output: 1e12, CostMicros: 44e12}},
		} {
			w := newWorld(t, s, model.Options{})
			w.prices()
			w.route("", domain.ModelPolicy{})
			_, r := w.open()
			id, err := r.Before(bg, call("strong", 10))
			testkit.OK(t, err)
			r.After(bg, id, ask.Outcome{Usage: tc.usage, Model: "sim-strong"})
			rows, err := s.RunUsage(bg, w.Tenant, w.Run.ID)
			testkit.OK(t, err)
			tc.want.Tier, tc.want.Model, tc.want.Calls, tc.want.Answered = "strong", "sim-strong", 1, []string{"sim-strong"}
			wantUsage(t, name, rows[0], tc.want)
		}
	})
}

// A changed budget applies from the next call on, even in a run under way. Its alerts are raised once a month
// whatever the budget becomes, and acknowledged alerts stay acknowledged.
func TestBudgetsThatChange(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{Rules: dearest()})
		w.prices()
		w.route("", domain.ModelPolicy{Budget: budgetOf(4*dearestCost, "soft")})
		m, r := w.open()
		body, _, _, err := s.Setting(bg, w.Tenant, "", store.SettingModelPolicy)
		testkit.OK(t, err)
		change := func(micros int64, mode string) {
			var p domain.ModelPolicy
			testkit.OK(t, json.Unmarshal([]byte(body), &p))
			p.Budget = budgetOf(micros, mode)
			w.put("", store.SettingModelPolicy, p)
		}
		putQuestion(t, m, r)
		putQuestion(t, m, r)
		wantThresholds(t, "2 of 4", w.thresholds(""), 50)
		all, err := s.BudgetAlerts(bg, w.Tenant, "open", store.Cursor{}, 10)
		testkit.OK(t, err)
		_, err = s.AcknowledgeBudgetAlert(bg, w.Tenant, all[0].ID, "usr_1")
		testkit.OK(t, err)
		change(10*dearestCost, "soft")
		putQuestion(t, m, r)
		putQuestion(t, m, r)
		putQuestion(t, m, r)
		wantThresholds(t, "raised, 5 of 10", w.thresholds(""), 50)
		change(6*dearestCost, "hard")
		testkit.Equal(t, "lowered, with room for one", putQuestion(t, m, r), "made")
		wantThresholds(t, "lowered, 6 of 6", w.thresholds(""), 50, 80, 100)
		testkit.Equal(t, "used up", putQuestion(t, m, r), "budget_exhausted")
		change(7*dearestCost, "hard")
		testkit.Equal(t, "raised again", putQuestion(t, m, r), "made")
		open, err := s.BudgetAlerts(bg, w.Tenant, "open", store.Cursor{}, 10)
		testkit.OK(t, err)
		wantThresholds(t, "in the end", w.thresholds(""), 50, 80, 100)
		testkit.Require(t, "open in the end", len(open), 2)
	})
}

// A hard budget that refuses a call raises an alert, however much of it is left, and also if it was lowered
// below the amount spent. A budget with room left does not.
func TestRefusalsAlert(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for name, tc := range map[string]struct {
			tenant, repository           *domain.Budget
			spent                        int64
			wantTenant, wantOfRepository []int
		}{
			"too small for a call":           {budgetOf(dearestCost-1, "hard"), nil, 0, []int{100}, nil},
			"the rest is too small":          {budgetOf(100, "hard"), nil, 60, []int{50, 100}, nil},
			"lowered below the amount spent": {budgetOf(100, "hard"), nil, 1000, []int{50, 80, 100}, nil},
			"repository only":                {budgetOf(1e9, "hard"), budgetOf(100, "hard"), 60, nil, []int{50, 100}},
			"together with a soft one":       {budgetOf(100, "soft"), budgetOf(100, "hard"), 10, nil, []int{100}},
		} {
			w := newWorld(t, s, model.Options{Rules: dearest()})
			w.prices()
			w.route("", domain.ModelPolicy{Budget: tc.tenant})
			if tc.repository != nil {
				w.put(w.Repository.ID, store.SettingModelPolicy, domain.ModelPolicy{Budget: tc.repository})
			}
			id, err := s.BeginCall(bg, w.Tenant, store.ModelCall{Repository: w.Repository.ID, Run: w.Run.ID})
			testkit.OK(t, err)
			_, err = s.EndCall(bg, w.Tenant, id, store.ModelCall{CostMicros: &tc.spent, Outcome: "ok"})
			testkit.OK(t, err)
			m, r := w.open()
			testkit.Equal(t, name, putQuestion(t, m, r), "budget_exhausted")
			putQuestion(t, m, r)
			wantThresholds(t, name+", tenant", w.thresholds(""), tc.wantTenant...)
			wantThresholds(t, name+", repository", w.thresholds(w.Repository.ID), tc.wantOfRepository...)
		}
	})
}

// A repository's hard budget holds even after the tenant's soft budget becomes smaller, because a budget only
// narrows.
func TestHardBudgetUnderASmallerSoftOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), model.Options{Rules: dearest()})
	w.prices()
	w.route("", domain.ModelPolicy{Budget: budgetOf(10, "soft")})
	w.put(w.Repository.ID, store.SettingModelPolicy, domain.ModelPolicy{Budget: budgetOf(2*dearestCost, "hard")})
	m, r := w.open()
	for _, want := range []string{"made", "made", "budget_exhausted"} {
		testkit.Equal(t, "a call", putQuestion(t, m, r), want)
	}
}

// A call that ends after its run counts too.
func TestCallsThatEndAfterTheirRun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{})
		w.prices()
		w.route("", domain.ModelPolicy{Budget: budgetOf(dearestCost, "hard")})
		_, r := w.open()
		id, err := r.Before(bg, call("strong", 500))
		testkit.OK(t, err)
		moved, err := s.MoveRun(bg, w.Tenant, w.Run.ID, store.RunMove{From: domain.RunQueued, To: domain.RunCancelled, Cause: "cancelled"})
		testkit.OK(t, err)
		testkit.Equal(t, "cancelled", moved, true)
		testkit.Equal(t, "before", w.month(""), store.Month{Reserved: dearestCost})
		r.After(bg, id, ask.Outcome{Usage: llm.Usage{InputTokens: 10, OutputTokens: 1}, Model: "sim-strong"})
		testkit.Equal(t, "after", w.month(""), store.Month{Spent: 80})
	})
}

// announced keeps the calls that a review announces.
type announced struct {
	ask.Recorder
	mu    sync.Mutex
	calls []ask.Call
}

func (a *announced) Before(ctx context.Context, c ask.Call) (string, error) {
	a.mu.Lock()
	a.calls = append(a.calls, c)
	a.mu.Unlock()
	return a.Recorder.Before(ctx, c)
}

// No call of a review has more bytes of text than the tokens reserved for it. A vocabulary of bytes therefore
// cannot produce more tokens.
func TestReservationsCoverEveryByte(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), model.Options{Rules: finds()})
	w.prices()
	w.route("", domain.ModelPolicy{})
	scan, err := check.NewScanner()
	testkit.OK(t, err)
	m, r := w.open()
	spy := &announced{Recorder: r}
	after := "package shop\n\nfunc Average(sum, n int) int {\n\treturn sum / n // " + strings.Repeat("\u58f9\u8d30\u53c1", 900) + "\n}\n"
	diff := "diff --git a/shop.go b/shop.go\nnew file mode 100644\n--- /dev/null\n+++ b/shop.go\n@@ -0,0 +1,5 @@\n+" + strings.ReplaceAll(strings.TrimSuffix(after, "\n"), "\n", "\n+") + "\n"
	_, err = engine.New(engine.Deps{Checks: &check.Checker{Scanner: scan}, Recorder: spy, Logger: telemetry.Discard()}).Review(bg, engine.Input{Repository: w.Repository.ID, BaseSHA: "a", MergeBase: "a", HeadSHA: "b",
		PullRequest: engine.PullRequest{Number: 1, Title: "Add average"}, Policy: domain.DefaultPolicy(), Diff: []byte(diff), Source: files{"RIGHT:shop.go": after}, Models: m})
	testkit.OK(t, err)
	sent := w.sim.Requests(true)
	if len(sent) != len(spy.calls) || len(sent) < 2 {
		t.Fatalf("%d calls were announced, %d made", len(spy.calls), len(sent))
	}
	for i, req := range sent {
		var body struct {
			Messages []struct{ Content string }
			Format   struct {
				JSON struct{ Schema json.RawMessage } `json:"json_schema"`
			} `json:"response_format"`
		}
		testkit.OK(t, json.Unmarshal(req.Body, &body))
		bytes := len(body.Format.JSON.Schema)
		for _, m := range body.Messages {
			bytes += len(m.Content)
		}
		if got := connect.Most(spy.calls[i].EstimatedInput); bytes < 1000 || got < int64(bytes)+2000 {
			t.Errorf("call %d has %d bytes, and %d tokens are reserved for it", i, bytes, got)
		}
	}
}
