package tenant_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// A hard budget needs a price for every tier, wherever the budget or the tier was set.
func TestHardBudgetsNeedPrices(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		a := w.Credential(`{"name":"a","kind":"openai","apiKey":"k"}`).ID
		b := w.Credential(`{"name":"b","kind":"compatible","baseUrl":"https://b.example.com/v1"}`).ID
		hard, soft := `,"budget":{"monthlyMicros":1000,"currency":"USD","mode":"hard"}`, `,"budget":{"monthlyMicros":1000,"currency":"USD","mode":"soft"}`
		choose := `,"repositoryCredentialIds":["` + b + `"]`
		const models = "/tiers/fast/model /tiers/standard/model /tiers/strong/model"
		put := func(name string, err error, fields string) {
			t.Helper()
			testkit.Equal(t, name+": wrong fields", featuretest.Pointers(t, err), fields)
			if err != nil && !strings.Contains(err.Error(), "llm-prices") {
				t.Errorf("%s: the error does not mention llm-prices: %v", name, err)
			}
		}
		ours := func(body string) error { _, err := putPolicy(t, w, body); return err }
		theirs := func(body string) error { _, err := narrow(t, w, body); return err }
		put("known", ours("{"+tiersOf(a, "gpt-5-mini", "low")+hard+"}"), "")
		put("unknown", ours("{"+tiersOf(a, "gpt-99", "low")+hard+"}"), models)
		put("unknown, soft", ours("{"+tiersOf(a, "gpt-99", "low")+soft+"}"), "")
		put("unknown, inherited under a hard budget", theirs("{"+hard[1:]+"}"), "/budget/mode /budget/mode /budget/mode")
		put("known, and a key to choose", ours("{"+tiersOf(a, "gpt-5-mini", "low")+choose+soft+"}"), "")
		own := `{"tiers":{"strong":{"credentialId":"` + b + `","model":"house"}}`
		put("a model of its own", theirs(own+hard+"}"), "/tiers/strong/model")
		put("a model of its own, soft", theirs(own+"}"), "")
		put("hard for a repository with its own model", ours("{"+tiersOf(a, "gpt-5-mini", "low")+choose+hard+"}"), "/budget/mode")
		w.Price("house")
		put("with a price", ours("{"+tiersOf(a, "gpt-5-mini", "low")+choose+hard+"}"), "")
		put("hard, of its own", theirs("{"+hard[1:]+"}"), "")
		put("unknown for a repository whose budget is hard", ours("{"+tiersOf(a, "gpt-99", "low")+soft+"}"), models)
	})
}

// Routed models are shown with their price and where they are used. A model without a known price is
// shown as such.
func TestRoutedPrices(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		ours := w.Credential(`{"name":"ours","kind":"openai","apiKey":"k"}`).ID
		own := w.Credential(`{"name":"own","kind":"compatible","baseUrl":"https://b.example.com/v1"}`).ID
		routed := func() []tenant.RoutedPrice {
			t.Helper()
			got, err := w.Features.Tenant.RoutedPrices(bg, w.Tenant)
			testkit.OK(t, err)
			return got.Routed
		}
		testkit.Equal(t, "without a policy", len(routed()), 0)
		_, err := putPolicy(t, w, "{"+tiersOf(ours, "gpt-5-mini", "low")+`,"repositoryCredentialIds":["`+own+`"]}`)
		testkit.OK(t, err)
		_, err = narrow(t, w, `{"tiers":{"strong":{"credentialId":"`+own+`","model":"house"}}}`)
		testkit.OK(t, err)
		all := routed()
		testkit.Require(t, "routes", len(all), 4)
		if first := all[0]; first.Use != "fast" || first.Model != "gpt-5-mini" || first.Kind != "openai" || first.Price == nil || first.Price.InputMicros == 0 || first.RepositoryID != "" {
			t.Errorf("the first tier: %+v", first)
		}
		if last := all[3]; last.Use != "strong" || last.CredentialID != own || last.Price != nil || last.RepositoryID != w.Repository.ID {
			t.Errorf("the repository's: %+v", last)
		}
		w.Price("house")
		testkit.Equal(t, "entered", routed()[3].Price.OutputMicros, 2_000_000)
		other, err := w.Features.Tenant.RoutedPrices(bg, w.Other.Tenant)
		testkit.OK(t, err)
		testkit.Equal(t, "another tenant's", len(other.Routed), 0)
	})
}

// The tenant's prices are listed beside the embedded ones, are replaced by version, and name each model
// once.
func TestPricesLive(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		p, err := w.Features.Tenant.Prices(bg, w.Tenant)
		testkit.OK(t, err)
		if p.Version != 0 || len(p.Items) != 0 || p.Embedded.Source != "models.dev" || p.Embedded.Currency != "USD" || len(p.Embedded.Date) != 10 || p.Embedded.Models < 100 || p.UpdatedAt != nil {
			t.Errorf("before anything is stored: %+v", p)
		}
		put := func(version int64, items string) (tenant.TenantLlmPriceList, error) {
			return w.Features.Tenant.PutPrices(bg, w.Tenant, version, featuretest.Request[budget.LlmPrices](t, `{"items":[`+items+`]}`))
		}
		const one = `{"model":"house","inputMicros":0,"outputMicros":0}`
		stored, err := put(0, one+`,{"kind":"azure","model":"house","from":"2026-11-01T00:00:00Z","inputMicros":5,"outputMicros":6,"cacheReadMicros":0,"cacheWriteMicros":7}`)
		testkit.OK(t, err)
		if v := stored.Items; stored.Version != 1 || len(v) != 2 || *v[1].CacheReadMicros != 0 || *v[1].CacheWriteMicros != 7 || v[0].CacheReadMicros != nil || v[1].From.Month() != 11 {
			t.Errorf("stored: %+v", stored)
		}
		if _, err := put(7, ""); !errs.Is(err, errs.Stale) {
			t.Errorf("stored over a version that never was: %v", err)
		}
		_, err = put(1, one+","+one)
		testkit.Equal(t, "the same model twice", featuretest.Pointers(t, err), "/items/1")
		stored, err = put(1, "")
		testkit.OK(t, err)
		testkit.Equal(t, "entered after all were removed", len(stored.Items), 0)
	})
}
