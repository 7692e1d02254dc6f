package connect_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// A caller without a repository, such as assay doctor, gets the tenant's routing.
func TestTheRoutingOfATenant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{})
		w.route("", domain.ModelPolicy{})
		m, _, err := w.models.Open(bg, store.Run{Tenant: w.Tenant.ID}, nil)
		testkit.OK(t, err)
		if m == nil {
			t.Fatal("no model is routed")
		}
		testkit.Equal(t, "model", m.Standard.Model, "sim-standard")
	})
}

// The monthly budget of the tenant's settings applies if the model policy has no budget. It raises alerts and
// ends nothing.
func TestTheBudgetOfTheSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings string
		policy   *domain.Budget
		alerts   []int
		asked    string
	}{
		"no budget":                      {`{}`, nil, nil, "made"},
		"half of it is spent":            {`{"monthlyBudgetMicros":30000}`, nil, []int{50}, "made"},
		"more than it is spent":          {`{"monthlyBudgetMicros":10}`, nil, []int{50, 80, 100}, "made"},
		"the model policy has a budget":  {`{"monthlyBudgetMicros":10}`, &domain.Budget{MonthlyMicros: 1_000_000, Currency: "USD", Mode: "soft"}, nil, "made"},
		"a currency of an older version": {`{"monthlyBudgetMicros":10,"currency":"EUR"}`, nil, []int{50, 80, 100}, "made"},
		"a hard model budget applies":    {`{"monthlyBudgetMicros":1000000}`, &domain.Budget{MonthlyMicros: 10, Currency: "USD", Mode: "hard"}, []int{100}, "budget_exhausted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				w := newWorld(t, s, model.Options{Rules: dearest()})
				w.prices()
				w.route("", domain.ModelPolicy{Budget: c.policy})
				testkit.OK(t, s.PutSetting(bg, w.Tenant, "", store.SettingTenant, c.settings))
				m, r := w.open()
				testkit.Equal(t, "the call", putQuestion(t, m, r), c.asked)
				wantThresholds(t, name, w.thresholds(""), c.alerts...)
			})
		})
	}
}
