package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// price enters a price for models of every kind.
func (w *world) price(models ...string) {
	w.t.Helper()
	items := make([]string, len(models))
	for i, m := range models {
		items[i] = `{"model":"` + m + `","inputMicros":1000000,"outputMicros":2000000}`
	}
	got := w.call(admin, http.MethodPut, w.tenantPath()+"/llm-prices", `{"items":[`+strings.Join(items, ",")+`]}`)
	testkit.Equal(w.t, "prices "+got.body, got.status, http.StatusOK)
}

func TestPricesLive(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		for who, path := range map[string]string{admin: w.tenantPath() + "/llm-prices", instanceAdmin: "/api/instance/llm-prices"} {
			var p budget.LlmPriceList
			w.into(&p, w.call(who, http.MethodGet, path, ""))
			if p.Version != 0 || len(p.Items) != 0 || p.Embedded.Source != "models.dev" || p.Embedded.Currency != "USD" || len(p.Embedded.Date) != 10 || p.Embedded.Models < 100 || p.UpdatedAt != nil {
				t.Errorf("%s: before anything is stored: %+v", path, p)
			}
			body := `{"items":[{"model":"house","inputMicros":0,"outputMicros":0},{"kind":"azure","model":"house","from":"2026-11-01T00:00:00Z","inputMicros":5,"outputMicros":6,"cacheReadMicros":0,"cacheWriteMicros":7}]}`
			w.into(&p, w.call(who, http.MethodPut, path, body))
			if p.Version != 1 || len(p.Items) != 2 || *p.Items[1].CacheReadMicros != 0 || *p.Items[1].CacheWriteMicros != 7 || p.Items[0].CacheReadMicros != nil || p.Items[1].From.Month() != 11 {
				t.Errorf("%s: stored: %+v", path, p)
			}
			testkit.Equal(t, "an old version", w.call(who, http.MethodPut, path, body, header("If-Match", `"v7"`)).status, http.StatusPreconditionFailed)
			testkit.Equal(t, "the version", w.call(who, http.MethodPut, path, `{"items":[]}`, header("If-Match", `"v1"`)).status, http.StatusOK)
			log := w.call(who, http.MethodGet, strings.TrimSuffix(path, "/llm-prices")+"/audit", "")
			if !strings.Contains(log.body, "llm-prices.update") {
				t.Errorf("%s is not recorded: %s", path, log.body)
			}
		}
		testkit.Equal(t, "a member", w.call(member, http.MethodGet, w.tenantPath()+"/llm-prices", "").status, http.StatusForbidden)
	})
}

func TestPricesRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	one := `{"model":"m","inputMicros":1,"outputMicros":1}`
	for name, tc := range map[string]struct {
		items  string
		fields []string
	}{
		"twice":             {one + "," + one, []string{"/items/1"}},
		"once for a kind":   {one + `,{"kind":"openai","model":"m","inputMicros":1,"outputMicros":1}`, nil},
		"once for a moment": {one + `,{"model":"m","from":"2026-11-01T00:00:00Z","inputMicros":1,"outputMicros":1}`, nil},
		"the same moment": {`{"model":"m","from":"2026-11-01T00:00:00Z","inputMicros":1,"outputMicros":1},{"model":"m","from":"2026-11-01T01:00:00+01:00","inputMicros":1,"outputMicros":1}`,
			[]string{"/items/1"}},
		"long ago":     {`{"model":"m","from":"0001-11-01T00:00:00Z","inputMicros":1,"outputMicros":1}`, []string{"/items/0/from"}},
		"less than 0":  {`{"model":"m","inputMicros":-1,"outputMicros":1}`, []string{"/items/0/inputMicros"}},
		"no output":    {`{"model":"m","inputMicros":1}`, []string{"/items/0/outputMicros"}},
		"no such kind": {`{"kind":"x","model":"m","inputMicros":1,"outputMicros":1}`, []string{"/items/0/kind"}},
	} {
		got := w.call(admin, http.MethodPut, w.tenantPath()+"/llm-prices", `{"items":[`+tc.items+`]}`)
		if len(tc.fields) == 0 {
			testkit.Equal(t, name+" "+got.body, got.status, http.StatusOK)
			continue
		}
		if fields := wrongFields(t, got); !slices.Equal(fields, tc.fields) {
			t.Errorf("%s: wrong fields are %v, want %v: %s", name, fields, tc.fields, got.body)
		}
	}
}

// Under a hard budget every tier needs a price, wherever the budget or the tier
// was set.
func TestHardBudgetsNeedPrices(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path, of := w.tenantPath()+"/llm-policy", w.repo()+"/llm-policy"
	a := w.credential(`{"name":"a","kind":"openai","apiKey":"k"}`).ID
	b := w.credential(`{"name":"b","kind":"compatible","baseUrl":"https://b.example.com/v1"}`).ID
	hard, soft := `,"budget":{"monthlyMicros":1000,"currency":"USD","mode":"hard"}`, `,"budget":{"monthlyMicros":1000,"currency":"USD","mode":"soft"}`
	choose := `,"repositoryCredentialIds":["` + b + `"]`
	models := []string{"/tiers/fast/model", "/tiers/standard/model", "/tiers/strong/model"}
	put := func(name, path, body string, want ...string) {
		t.Helper()
		got := w.call(admin, http.MethodPut, path, body)
		if len(want) == 0 {
			testkit.Equal(t, name+" "+got.body, got.status, http.StatusOK)
		} else if fields := wrongFields(t, got); !slices.Equal(fields, want) || !strings.Contains(got.body, "llm-prices") {
			t.Errorf("%s: wrong fields are %v, want %v: %s", name, fields, want, got.body)
		}
	}
	put("known", path, "{"+tiersOf(a, "gpt-5-mini", "low")+hard+"}")
	put("unknown", path, "{"+tiersOf(a, "gpt-99", "low")+hard+"}", models...)
	put("unknown, soft", path, "{"+tiersOf(a, "gpt-99", "low")+soft+"}")
	put("unknown, inherited under a hard budget", of, "{"+hard[1:]+"}", "/budget/mode", "/budget/mode", "/budget/mode")
	put("known, and a key to choose", path, "{"+tiersOf(a, "gpt-5-mini", "low")+choose+soft+"}")
	own := `{"tiers":{"strong":{"credentialId":"` + b + `","model":"house"}}`
	put("a model of its own", of, own+hard+"}", "/tiers/strong/model")
	put("a model of its own, soft", of, own+"}")
	put("hard for a repository with its own model", path, "{"+tiersOf(a, "gpt-5-mini", "low")+choose+hard+"}", "/budget/mode")
	w.price("house")
	put("with a price", path, "{"+tiersOf(a, "gpt-5-mini", "low")+choose+hard+"}")
	put("hard, of its own", of, "{"+hard[1:]+"}")
	put("unknown for a repository whose budget is hard", path, "{"+tiersOf(a, "gpt-99", "low")+soft+"}", models...)
}
