package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/problem"
)

const schemas = "#/components/schemas/"

// OpenAPI returns the description of the interface (OpenAPI 3.1, indented JSON with a final newline). It
// does not need a database.
func OpenAPI() ([]byte, error) {
	o, err := describeRoutes()
	if err != nil {
		return nil, err
	}
	return written(o)
}

// written returns the description as it is sent and stored.
func written(o *huma.OpenAPI) ([]byte, error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// mountRoutes registers every line of the route table; nothing else registers on the mux. Every pattern
// names its method, so that no pattern hides another one's 405.
func (s *server) mountRoutes() (err error) {
	configureHuma()
	defer tablePanic(&err)
	s.mux, s.index = http.NewServeMux(), map[string]Route{}
	for _, rt := range slices.Concat(specRoutes(), beyondRoutes(), pageRoutes()) {
		if !slices.Contains(perm.All(), rt.Permission) {
			return fmt.Errorf("httpapi: %s has the unknown permission %q", rt.pattern(), rt.Permission)
		}
		s.index[rt.pattern()] = rt
		s.mux.HandleFunc(rt.pattern(), s.guarded(rt, sync.OnceValue(func() endpoint { return s.endpoint(rt) })))
	}
	s.document, s.reference = sync.OnceValues(OpenAPI), sync.OnceValues(reference)
	return nil
}

// tablePanic converts a panic to an error. Huma and the mux panic on a contradictory table.
func tablePanic(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("httpapi: the route table cannot be mounted: %v", v)
	}
}

// endpoint is the handler of a route after its checks.
type endpoint struct {
	op   *huma.Operation // nil for a page or an unbuilt route
	next http.HandlerFunc
}

// HandleFunc implements [humago.Mux].
func (e *endpoint) HandleFunc(_ string, h func(http.ResponseWriter, *http.Request)) { e.next = h }

// ServeHTTP implements [humago.Mux].
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.next(w, r) }

// endpoint reads the types of one route into a separate registry. A server does this at the first request
// that passes the checks, because reading all types would dominate the start of the process.
func (s *server) endpoint(rt Route) endpoint {
	var e endpoint
	api := newAPI(&e)
	registry := api.OpenAPI().Components.Schemas
	op := operation(rt, false, registry)
	op.MaxBodyBytes = s.MaxBody + 1 // huma already refuses a body of this size
	rt.handler.mount(s, api, op)
	if item := api.OpenAPI().Paths[rt.Path]; item != nil {
		e.op = operations(item)[rt.Method]
		describeInput(e.op, registry)
	}
	return e
}

// newAPI returns an empty API that registers its handlers on mux.
func newAPI(mux humago.Mux) huma.API {
	config := huma.DefaultConfig("assay", APIVersion)
	config.CreateHooks, config.OpenAPIPath, config.DocsPath, config.SchemasPath = nil, "", "", ""
	config.RejectUnknownQueryParameters = true
	format := huma.Format{Marshal: encodeJSON, Unmarshal: decodeJSON}
	config.Formats = map[string]huma.Format{"application/json": format, "json": format} // the short one is for …+json, such as problems
	return humago.New(mux, config)
}

// describeRoutes builds the description of every route.
func describeRoutes() (o *huma.OpenAPI, err error) {
	configureHuma()
	defer tablePanic(&err)
	api := newAPI(&endpoint{}) // it serves no requests
	o = api.OpenAPI()
	registry := o.Components.Schemas
	describe(o)
	all, index := Routes(), map[string]Route{}
	for i, rt := range slices.Concat(specRoutes(), beyondRoutes(), pageRoutes()) {
		if index[rt.pattern()] = rt; rt.built() {
			rt.handler.mount(nil, api, operation(rt, all[i].BeyondSpec, registry))
		}
	}
	for _, rt := range specRoutes() {
		if !rt.built() {
			return nil, fmt.Errorf("httpapi: %s has no handler", rt.pattern())
		}
	}
	completeDescription(o, index)
	return o, nil
}

// describe sets the parts of the description that apply to the whole interface.
func describe(o *huma.OpenAPI) {
	o.Info.Description = "Reviews of pull requests by language models and deterministic checks. Errors are RFC 9457 problems with a " +
		"stable code; " +
		"lists are {items, nextCursor}, newest first. Requests that change something need the header X-CSRF-Token with the csrfToken " +
		"of GET /api/me. " +
		"Null is accepted where a property is described with it, and nowhere else. " + describeLimits() +
		" What is marked \"x-filled\": false is read and not filled by any part of the service yet; its answers have the header X-Filled: false."
	o.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	o.Servers = []*huma.Server{{URL: "/"}}
	o.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"session": {Type: "apiKey", In: "cookie", Name: "__Host-assay_session",
			Description: "Cookie of a signed-in person. On plain http, on loopback only, its name is assay_session."},
		"csrf":     {Type: "apiKey", In: "header", Name: "X-CSRF-Token", Description: "The csrfToken of GET /api/me."},
		"mcpToken": {Type: "http", Scheme: "bearer", Description: "Personal MCP access token."},
	}
}

// operation converts a line of the route table to an operation.
func operation(rt Route, beyond bool, registry huma.Registry) huma.Operation {
	op := huma.Operation{
		OperationID: operationID(rt.Method, rt.Path), Method: rt.Method, Path: rt.Path, Tags: []string{tag(rt.Path)},
		Responses: map[string]*huma.Response{"default": {Description: "A problem", Content: problemContent()}},
		Extensions: map[string]any{"x-permission": string(rt.Permission), "x-audited": rt.Audited, "x-authentication": rt.auth(),
			"x-implemented": rt.built()},
		Metadata: map[string]any{registryKey: registry},
	}
	if beyond {
		op.Extensions["x-beyond-spec"] = true
	}
	registry.Schema(problemType, true, "Problem")
	for _, name := range params(rt.Path) {
		op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: "string"}})
	}
	switch {
	case rt.auth() == authMCPToken:
		op.Security = []map[string][]string{{"mcpToken": {}}}
	case rt.auth() == authSession && rt.changes():
		op.Security = []map[string][]string{{"session": {}, "csrf": {}}}
	case rt.auth() == authSession:
		op.Security = []map[string][]string{{"session": {}}}
	default: // huma omits an empty list, which would mean that the security is unknown
		op.Extensions["security"] = []map[string][]string{}
	}
	return op
}

// tag returns the group of a path: the area of its prefix.
func tag(path string) string {
	for prefix, name := range map[string]string{inst: "instance", repo: "repository", "/auth": "authentication", "/setup": "setup",
		"/webhooks": "webhooks", "/api/me": "me"} {
		if strings.HasPrefix(path, prefix) {
			return name
		}
	}
	if strings.HasPrefix(path, ten) {
		return "tenant"
	}
	return "service"
}

func problemContent() map[string]*huma.MediaType {
	return map[string]*huma.MediaType{problem.ContentType: {Schema: &huma.Schema{Ref: schemas + "Problem"}}}
}

func problemAnswer(status int) *huma.Response {
	return &huma.Response{Description: http.StatusText(status), Content: problemContent()}
}
