package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

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

// What the schema refuses, and what the feature refuses, by the same pointers.
func TestPricesRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	const one = `{"model":"m","inputMicros":1,"outputMicros":1}`
	for name, tc := range map[string]struct{ items, fields string }{
		"twice":        {one + "," + one, "[/items/1]"},
		"less than 0":  {`{"model":"m","inputMicros":-1,"outputMicros":1}`, "[/items/0/inputMicros]"},
		"no output":    {`{"model":"m","inputMicros":1}`, "[/items/0/outputMicros]"},
		"no such kind": {`{"kind":"x","model":"m","inputMicros":1,"outputMicros":1}`, "[/items/0/kind]"},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(admin, http.MethodPut, w.tenantPath()+"/llm-prices", `{"items":[`+tc.items+`]}`)
			testkit.Equal(t, "wrong fields", fmt.Sprint(wrongFields(t, got)), tc.fields)
		})
	}
}
