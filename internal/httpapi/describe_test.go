package httpapi_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// description is the API as it describes itself.
var description = sync.OnceValues(func() (routers.Router, error) {
	raw, err := httpapi.OpenAPI()
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
})

// described holds an answer against the description; every answer in these
// tests goes through it. Pages and what no route has are not described.
func described(t *testing.T, method, path, body string, got reply) {
	t.Helper()
	router, err := description()
	must(t, err)
	r, err := http.NewRequest(method, path, strings.NewReader(body))
	must(t, err)
	route, params, err := router.FindRoute(r)
	if kind := got.header.Get("Content-Type"); err != nil || kind != "" && !strings.HasSuffix(kind, "json") {
		return
	}
	answer := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 got.status, Header: got.header, Body: io.NopCloser(bytes.NewReader([]byte(got.body))),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	if err := openapi3filter.ValidateResponse(bg, answer); err != nil {
		t.Errorf("%s %s answers what the description does not have: %v\n%s", method, path, err, got.body)
	}
}

// TestAnswersAreAsDescribed holds every kind of answer against the description.
func TestAnswersAreAsDescribed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.fill()
		_, err := s.Ingest(bg, store.NewDelivery{Source: w.App.ID, GUID: "guid-1", Event: "pull_request", SHA256: "x", Payload: []byte("{}"), FairKey: "f"})
		must(t, err)
		tenant, run := "/api/tenants/"+w.Tenant.ID, w.repo()+"/review-runs/"+w.Run.ID
		for _, c := range []struct {
			who, method, path, body string
			status                  int
		}{
			{anonymous, "GET", "/healthz", "", 200}, {anonymous, "GET", "/version", "", 200}, {anonymous, "GET", "/readyz", "", 200},
			{admin, "GET", "/api/me", "", 200}, {anonymous, "GET", "/api/me", "", 401}, {admin, "GET", "/api/me/tenants", "", 200},
			{admin, "GET", tenant + "/access", "", 200}, {stranger, "GET", tenant + "/access", "", 404}, {admin, "GET", tenant + "/repositories", "", 200},
			{member, "GET", w.repo() + "/review-runs", "", 200}, {member, "GET", w.repo() + "/review-runs?limit=0", "", 422}, {member, "GET", run, "", 200},
			{member, "POST", run + "/rerun", "", 403}, {admin, "POST", run + "/rerun", "", 202},
			{instanceAdmin, "GET", "/api/instance/dead-letters", "", 200},
			{instanceAdmin, "POST", "/api/instance/dead-letters/job_x/discard", `{"reason":"x"}`, 404}, {instanceAdmin, "GET", "/api/instance/deliveries?guid=guid-1", "", 200},
			{anonymous, "POST", "/webhooks/host-c/c", "{}", 501}, {admin, "POST", "/auth/logout", "", 204},
		} {
			t.Run(c.method+" "+c.path+" as "+c.who, func(t *testing.T) {
				if got := w.call(c.who, c.method, c.path, c.body); got.status != c.status {
					t.Errorf("%d, want %d: %s", got.status, c.status, got.body)
				}
			})
		}
		must(t, s.Close())
		if got := w.call(anonymous, "GET", "/readyz", ""); got.status != 503 {
			t.Errorf("readyz: %d", got.status)
		}
	})
}

func liveDescription(t *testing.T) *huma.OpenAPI {
	t.Helper()
	doc, err := httpapi.Description()
	must(t, err)
	return doc
}
