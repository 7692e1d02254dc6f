package connect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// uncounted returns the rules of a model that finds and verifies, on a server that does not count tokens.
func uncounted() []model.Rule {
	rules := finds()
	for i := range rules {
		rules[i].Reply.Usage = &model.Usage{}
	}
	return rules
}

// A successful answer without token counts costs an estimate that is marked as such and is never 0. An answer
// with counts is not marked.
func TestAnswersWithoutUsageCostAnEstimate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for name, c := range map[string]struct {
			rules     []model.Rule
			estimated int64
		}{"counted": {finds(), 0}, "uncounted": {uncounted(), 1}} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t, s, model.Options{Rules: c.rules})
				w.prices()
				w.route("", domain.ModelPolicy{})
				res, err := w.review()
				testkit.Equal(t, "review", outcome(res, err), "complete, confirmed")
				rows, err := s.RunUsage(bg, w.Tenant, w.Run.ID)
				testkit.OK(t, err)
				testkit.Require(t, "rows", len(rows), 2)
				for _, u := range rows {
					if u.Estimated != c.estimated || u.Calls != 1 || u.Unpriced != 0 || u.Input <= 0 || u.Output <= 0 || u.CostMicros <= 0 {
						t.Errorf("usage %+v", u)
					}
				}
				costs, err := s.Costs(bg, w.Tenant, "", store.CostsByTier, 0, 1<<60)
				testkit.OK(t, err)
				for _, v := range costs {
					testkit.Equal(t, "estimated calls of "+v.Key, v.Estimated, c.estimated)
				}
			})
		}
	})
}

// Estimates fill a hard budget as counts do, and end reviews.
func TestEstimatesFillAHardBudget(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{Rules: uncounted()})
		w.prices()
		const budget = 450_000 // a call costs at most about 350,000
		w.route("", domain.ModelPolicy{Budget: budgetOf(budget, "hard")})
		for range 1000 {
			res, err := w.review()
			testkit.OK(t, err)
			if strings.HasSuffix(outcome(res, err), "budget") {
				month, err := s.BudgetMonth(bg, w.Tenant, "", monthNow(t, s))
				testkit.OK(t, err)
				if month.Spent <= 0 || month.Spent > budget || month.Reserved != 0 {
					t.Errorf("month %+v", month)
				}
				return
			}
		}
		t.Error("the budget is never used up")
	})
}

func monthNow(t *testing.T, s *store.Store) string {
	t.Helper()
	now, err := s.Now(bg)
	testkit.OK(t, err)
	return store.Period(now)
}

// An answer that the provider broke off is paid for, and the call is repeated with the same words.
func TestABrokenAnswerIsAskedForAfresh(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{Rules: finds()})
		w.prices()
		w.route("", domain.ModelPolicy{})
		_, err := w.sim.SetFault(model.Fault{Action: model.BrokenOff, Match: model.Match{Stage: "generate"}})
		testkit.OK(t, err)
		res, err := w.review()
		testkit.Equal(t, "review", outcome(res, err), "complete, confirmed")
		rows, err := s.RunUsage(bg, w.Tenant, w.Run.ID)
		testkit.OK(t, err)
		calls := map[string]string{}
		for _, u := range rows {
			calls[u.Tier] = fmt.Sprint(u.Calls, " of them estimated: ", u.Estimated)
		}
		testkit.Equal(t, "calls", fmt.Sprint(calls), "map[standard:2 of them estimated: 1 strong:1 of them estimated: 0]")
	})
}
