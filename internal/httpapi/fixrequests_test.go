package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Requests for fixes are refused for people without the right, for runs and findings of others, and for lists that are too short or too
// long. None of them starts a fix run.
func TestRequestsForFixesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	at := "/review-runs/" + w.Run.ID + "/fixes"
	ids := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("fnd_%d", i)
		}
		raw, err := json.Marshal(map[string]any{"findingIds": list})
		must(t, err)
		return string(raw)
	}
	other := w.secondRepository(false)
	for name, c := range map[string]struct {
		who, path, body string
		status          int
	}{
		"a viewer":                    {member, w.repo() + at, ids(1), http.StatusForbidden},
		"a run of another repository": {admin, w.tenantPath() + "/repositories/" + other.ID + at, ids(1), http.StatusNotFound},
		"no such run":                 {admin, w.repo() + "/review-runs/run_other/fixes", ids(1), http.StatusNotFound},
		"no finding":                  {admin, w.repo() + at, ids(0), http.StatusUnprocessableEntity},
		"21 findings":                 {admin, w.repo() + at, ids(21), http.StatusUnprocessableEntity},
		"501 findings":                {admin, w.repo() + at, ids(501), http.StatusUnprocessableEntity},
		"a finding of another tenant": {admin, w.repo() + at, ids(1), http.StatusUnprocessableEntity},
		"an unknown delivery":         {admin, w.repo() + at, `{"findingIds":["fnd_1"],"delivery":"mail"}`, http.StatusUnprocessableEntity},
	} {
		got := w.call(c.who, http.MethodPost, c.path, c.body)
		if got.status != c.status || strings.Contains(got.body, "fnd_1") {
			t.Errorf("%s: %d %s, want %d", name, got.status, got.body, c.status)
		}
	}
	list, err := w.Store.FixRuns(bg, w.Tenant, w.Repository.ID, store.FixRunFilter{})
	must(t, err)
	testkit.Equal(t, "fix runs", len(list), 0)
}
