package httpapi_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// descriptionURL is the name of the description among schemas.
const descriptionURL = "https://assay.example/openapi.json"

// describedAPI has the routes of the description, and the schemas of their answers.
type describedAPI struct {
	router  routers.Router
	schemas *jsonschema.Compiler
	mu      sync.Mutex // guards schemas: a schema is compiled once, at the first answer that it describes
}

// description is the service's description of its own API.
var description = sync.OnceValues(func() (*describedAPI, error) {
	raw, err := httpapi.OpenAPI()
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	api := &describedAPI{router: router, schemas: jsonschema.NewCompiler()}
	api.schemas.AssertFormat()
	return api, api.schemas.AddResource(descriptionURL, value)
})

// described checks an answer against the description. Every answer in these tests passes through it. Pages
// and paths without a route are not described.
func described(t *testing.T, method, path, body string, got reply) {
	t.Helper()
	api, err := description()
	must(t, err)
	r, err := http.NewRequest(method, path, strings.NewReader(body))
	must(t, err)
	route, params, err := api.router.FindRoute(r)
	kind := got.header.Get("Content-Type")
	if err != nil || kind != "" && !strings.HasSuffix(kind, "json") {
		return
	}
	answer := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 got.status, Header: got.header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, ExcludeResponseBody: true},
	}
	if err := errors.Join(openapi3filter.ValidateResponse(bg, answer), api.body(route, got.status, kind, got.body)); err != nil {
		t.Errorf("the answer of %s %s is not described: %v\n%s", method, path, err, got.body)
	}
}

// body checks the body of an answer against its schema. openapi3filter would compile the schema for each
// answer.
func (d *describedAPI) body(route *routers.Route, status int, kind, body string) error {
	at := "#/paths/" + escaped(route.Path) + "/" + strings.ToLower(route.Method) + "/responses/"
	answers := route.Operation.Responses
	for _, key := range []string{strconv.Itoa(status), strconv.Itoa(status/100) + "XX", "default"} {
		answer := answers.Value(key)
		if answer == nil {
			continue
		}
		if at += key; answer.Ref != "" {
			at = answer.Ref
		}
		content := answer.Value.Content
		if len(content) == 0 {
			return nil
		}
		if content[kind] == nil {
			return fmt.Errorf("the content type %q is not described", kind)
		}
		return d.matches(at+"/content/"+escaped(kind)+"/schema", body)
	}
	return fmt.Errorf("the status %d is not described", status)
}

// matches checks a text against the schema at a place of the description.
func (d *describedAPI) matches(place, text string) error {
	d.mu.Lock()
	schema, err := d.schemas.Compile(descriptionURL + place)
	d.mu.Unlock()
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// escaped escapes a name for a JSON pointer in an address (RFC 6901, section 6).
func escaped(name string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}

// TestAnswersAreAsDescribed checks every kind of answer against the description.
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
			{admin, "POST", "/auth/logout", "", 204},
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
