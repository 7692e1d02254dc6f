package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// TestSecretsStayInside puts a secret into every field that accepts one. It searches all answers, the logs at
// debug level, the metrics and the whole database for them.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		w := newWorld(t, s)
		mine, _ := newEstates(w)
		mine.canaries = map[string]string{}
		mine.build(t)
		var answers strings.Builder
		for _, rt := range httpapi.Routes() {
			if rt.Method == http.MethodGet && rt.Implemented {
				who := admin
				if strings.HasPrefix(rt.Path, "/api/instance") {
					who = instanceAdmin
				}
				answers.WriteString(w.call(who, rt.Method, mine.path(rt.Path), "").body)
			}
		}
		metrics := httptest.NewRecorder()
		w.metrics.Handler().ServeHTTP(metrics, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		places := map[string]string{"an answer": answers.String(), "the log": w.logs.String(), "the metrics": metrics.Body.String()}
		for table, rows := range storetest.Dump(t, url) {
			places["the table "+table] = strings.Join(rows, "\n")
		}
		if len(mine.canaries) == 0 {
			t.Fatal("no secret was planted")
		}
		for field, secret := range mine.canaries {
			for place, text := range places {
				if strings.Contains(text, secret) {
					t.Errorf("the secret of %s is in %s", field, place)
				}
			}
		}
	})
}
