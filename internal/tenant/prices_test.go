package tenant_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Under a hard budget every tier needs a price, wherever the budget or the tier
// was set.
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
				t.Errorf("%s: nobody is told of llm-prices: %v", name, err)
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
