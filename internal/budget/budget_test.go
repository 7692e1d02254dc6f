package budget_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { storetest.MainOnBoth(m) }

var bg = context.Background()

func of(mode string, micros int64) *domain.Budget {
	return &domain.Budget{MonthlyMicros: micros, Currency: budget.Currency, Mode: mode}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		tenant, own *domain.Budget
		want        string // limits of both levels, and whether one is hard
	}{
		"none":              {nil, nil, "none none false"},
		"soft":              {of("soft", 10), of("soft", 5), "none none false"},
		"hard":              {of(budget.Hard, 10), nil, "10 none true"},
		"hard, own budget":  {of("soft", 10), of(budget.Hard, 5), "none 5 true"},
		"both, the smaller": {of(budget.Hard, 4), of(budget.Hard, 5), "4 5 true"},
		"hard of nothing":   {of(budget.Hard, 0), nil, "0 none true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := budget.Of(domain.ModelPolicy{Budget: tc.tenant}, domain.ModelPolicy{Budget: tc.own})
			tenant, own := b.Limits()
			text := func(v *int64) string {
				if v == nil {
					return "none"
				}
				return fmt.Sprint(*v)
			}
			testkit.Equal(t, "limits", fmt.Sprint(text(tenant), " ", text(own), " ", b.Hard()), tc.want)
		})
	}
}

// alerts returns the alerts of a tenant, oldest first: level, threshold and amount spent.
func alerts(t *testing.T, s *store.Store, w storetest.World) string {
	t.Helper()
	rows, err := s.BudgetAlerts(bg, w.Tenant, "", store.Cursor{}, 50)
	testkit.OK(t, err)
	out := ""
	for i := len(rows) - 1; i >= 0; i-- {
		level := "tenant"
		if rows[i].Repository == w.Repository.ID {
			level = "repository"
		}
		out += fmt.Sprintf("%s %d at %d; ", level, rows[i].Threshold, rows[i].SpentMicros)
	}
	return out
}

// Each threshold is reported once a month, at the first sum that reaches it.
func TestRaise(t *testing.T) {
	t.Parallel()
	both := budget.Budgets{Tenant: of("soft", 1001), Repository: of(budget.Hard, 100)}
	for name, tc := range map[string]struct {
		budgets budget.Budgets
		spent   []store.Settled
		want    string
	}{
		"below the first":   {both, []store.Settled{{TenantSpent: 500, RepositorySpent: 49}}, ""},
		"half, rounded up":  {both, []store.Settled{{TenantSpent: 501, RepositorySpent: 50}}, "tenant 50 at 501; repository 50 at 50; "},
		"all at once":       {both, []store.Settled{{TenantSpent: 0, RepositorySpent: 100}}, "repository 50 at 100; repository 80 at 100; repository 100 at 100; "},
		"once each":         {both, []store.Settled{{RepositorySpent: 79}, {RepositorySpent: 79}, {RepositorySpent: 80}}, "repository 50 at 79; repository 80 at 80; "},
		"again next month":  {both, []store.Settled{{RepositorySpent: 50}, {Period: "2026-12", RepositorySpent: 60}}, "repository 50 at 50; repository 50 at 60; "},
		"no budget":         {budget.Budgets{}, []store.Settled{{TenantSpent: 1 << 40, RepositorySpent: 1 << 40}}, ""},
		"a budget of zero":  {budget.Budgets{Tenant: of(budget.Hard, 0)}, []store.Settled{{TenantSpent: 5}}, ""},
		"more than 64 bits": {budget.Budgets{Tenant: of("soft", 1e15)}, []store.Settled{{TenantSpent: 1e15}}, "tenant 50 at 1000000000000000; tenant 80 at 1000000000000000; tenant 100 at 1000000000000000; "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				w := storetest.Seed(t, s)
				for _, spent := range tc.spent {
					if spent.Period == "" {
						spent.Period = "2026-11"
					}
					testkit.OK(t, tc.budgets.Raise(bg, s, w.Tenant, w.Repository.ID, spent))
				}
				testkit.Equal(t, "alerts", alerts(t, s, w), tc.want)
			})
		})
	}
}

// A hard budget that refuses a call reports that it is used up, even if nothing was spent yet. A soft budget,
// and one with room left, report nothing.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		budgets budget.Budgets
		amount  int64
		want    string
	}{
		"no room in the tenant's":     {budget.Budgets{Tenant: of(budget.Hard, 100)}, 101, "tenant 100 at 0; "},
		"no room in the repository's": {budget.Budgets{Tenant: of("soft", 100), Repository: of(budget.Hard, 100)}, 101, "repository 100 at 0; "},
		"just room":                   {budget.Budgets{Tenant: of(budget.Hard, 100)}, 100, ""},
		"soft":                        {budget.Budgets{Tenant: of("soft", 100)}, 101, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				w := storetest.Seed(t, s)
				for range 2 { // the second time reports nothing new
					testkit.OK(t, tc.budgets.Refused(bg, s, w.Tenant, w.Repository.ID, tc.amount))
				}
				testkit.Equal(t, "alerts", alerts(t, s, w), tc.want)
			})
		})
	}
}

func TestPricesThatAreEntered(t *testing.T) {
	t.Parallel()
	november := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		items []budget.LlmPrice
		want  string // the wrong fields
	}{
		"nothing":             {nil, ""},
		"for a kind as well":  {[]budget.LlmPrice{{Model: "m"}, {Model: "m", Kind: "openai"}}, ""},
		"from a time on":      {[]budget.LlmPrice{{Model: "m"}, {Model: "m", From: november}}, ""},
		"twice":               {[]budget.LlmPrice{{Model: "m"}, {Model: "m"}}, "/items/1 "},
		"the same moment":     {[]budget.LlmPrice{{Model: "m", From: november}, {Model: "m", From: november.In(time.FixedZone("", 3600))}}, "/items/1 "},
		"long ago":            {[]budget.LlmPrice{{Model: "m", From: time.Date(1, 11, 1, 0, 0, 0, 0, time.UTC)}}, "/items/0/from "},
		"far away":            {[]budget.LlmPrice{{Model: "m", From: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)}}, "/items/0/from "},
		"a name of two lines": {[]budget.LlmPrice{{Model: "a\nb"}}, "/items/0/model "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := budget.LlmPrices{Items: tc.items}.Check()
			got := ""
			if err != nil {
				for _, f := range err.(*errs.Error).Fields {
					got += f.Pointer + " "
				}
			}
			testkit.Equal(t, "wrong fields", got, tc.want)
		})
	}
}

// The tenant's prices take precedence over the instance's, and those over the embedded ones.
func TestPricesOfTwoLevels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		find := func(model string) string {
			table, err := budget.Prices(bg, s, w.Tenant)
			testkit.OK(t, err)
			p, ok := table.Find(catalog.Key{Kind: catalog.Compatible, BaseURL: "https://own.example.com"}, model, "", time.Now())
			return fmt.Sprint(ok, " ", p.Input)
		}
		testkit.Equal(t, "before anything is entered", find("m"), "false 0")
		_, err := s.PutInstanceDocument(bg, store.DocumentPrices, budget.LlmPrices{Items: []budget.LlmPrice{{Model: "m", InputMicros: 5}, {Model: "n", InputMicros: 6}}}.Stored(), 0)
		testkit.OK(t, err)
		testkit.Equal(t, "the instance's", find("m"), "true 5")
		testkit.OK(t, s.PutSetting(bg, w.Tenant, "", store.SettingPrices, budget.LlmPrices{Items: []budget.LlmPrice{{Model: "m", InputMicros: 7}}}.Stored()))
		testkit.Equal(t, "the tenant's", find("m"), "true 7")
		testkit.Equal(t, "the instance's, for another model", find("n"), "true 6")
		testkit.OK(t, s.PutSetting(bg, w.Tenant, "", store.SettingPrices, "{"))
		if _, err := budget.Prices(bg, s, w.Tenant); err == nil {
			t.Error("unreadable prices were accepted")
		}
	})
}
