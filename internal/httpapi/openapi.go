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

// OpenAPI returns the description of the interface (OpenAPI 3.1, JSON with
// indentation and a final newline). It needs no database.
func OpenAPI() ([]byte, error) {
	s, err := build(Options{BaseURL: "http://localhost"})
	if err != nil {
		return nil, err
	}
	return s.document()
}

// written is the description as it is sent and kept.
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

// mountRoutes registers every line of the route table. It is the only way into
// the mux, which interface and pages share: every pattern names its method, so
// that none swallows another one's 405.
func (s *server) mountRoutes() (err error) {
	configureHuma()
	defer func() { // huma and the mux panic on a table that contradicts itself
		if v := recover(); v != nil {
			err = fmt.Errorf("httpapi: the route table cannot be mounted: %v", v)
		}
	}()
	s.mux, s.index = http.NewServeMux(), map[string]Route{}
	config := huma.DefaultConfig("assay", APIVersion)
	config.CreateHooks, config.OpenAPIPath, config.DocsPath, config.SchemasPath = nil, "", "", ""
	config.RejectUnknownQueryParameters = true
	format := huma.Format{Marshal: encodeJSON, Unmarshal: decodeJSON}
	config.Formats = map[string]huma.Format{"application/json": format, "json": format} // the short one is for …+json, such as problems
	describe(config.OpenAPI)
	api := humago.New(guardedMux{s}, config)
	s.description = api.OpenAPI()
	all := Routes()
	for i, rt := range slices.Concat(specRoutes(), beyondRoutes(), pageRoutes()) {
		if !slices.Contains(perm.All(), rt.Permission) {
			return fmt.Errorf("httpapi: %s has the unknown permission %q", rt.pattern(), rt.Permission)
		}
		if s.index[rt.pattern()] = rt; rt.built() {
			op := operation(rt, all[i].BeyondSpec, config.Components.Schemas)
			op.MaxBodyBytes = s.MaxBody + 1 // huma refuses a body of this size already
			rt.handler.mount(s, api, op)
		}
	}
	for _, rt := range specRoutes() { // after those whose types name schemas
		if !rt.built() {
			if err := s.mountUnbuilt(rt, api, config.Components.Schemas); err != nil {
				return err
			}
		}
	}
	s.complete()
	s.reference = reference(s.description)
	s.document = sync.OnceValues(func() ([]byte, error) { return written(s.description) })
	return nil
}

// mountUnbuilt registers a route whose answer, after every check, is 501.
func (s *server) mountUnbuilt(rt Route, api huma.API, registry huma.Registry) error {
	op := operation(rt, false, registry)
	u, ok := rt.handler.(unbuiltHandler)
	if !ok {
		return fmt.Errorf("httpapi: %s has no handler", rt.pattern())
	}
	op.Summary = u.summary
	op.Responses["501"] = problemAnswer(http.StatusNotImplemented)
	op.Responses["2XX"] = &huma.Response{Description: "What it will answer is not described yet"}
	if (u.body == nil) != (rt.Body == "-") {
		return fmt.Errorf("httpapi: %s must have a body and its type, or neither", rt.pattern())
	}
	if u.body != nil {
		body := registry.Schema(u.body, true, rt.Body)
		if body.Ref != schemas+rt.Body {
			return fmt.Errorf("httpapi: the body of %s is described as %s", rt.pattern(), body.Ref)
		}
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: body}}}
	}
	api.OpenAPI().AddOperation(&op)
	s.mux.HandleFunc(rt.pattern(), s.guarded(rt.pattern(), nil))
	return nil
}

// guardedMux is what huma registers on: every pattern gets the checks.
type guardedMux struct{ s *server }

// HandleFunc implements [humago.Mux].
func (m guardedMux) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	m.s.mux.HandleFunc(pattern, m.s.guarded(pattern, h))
}

// ServeHTTP implements [humago.Mux].
func (m guardedMux) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.s.mux.ServeHTTP(w, r) }

// describe fills in what holds for the whole interface.
func describe(o *huma.OpenAPI) {
	o.Info.Description = "Reviews of pull requests by language models and deterministic checks. Errors are RFC 9457 problems with a stable code; " +
		"lists are {items, nextCursor}, newest first. Requests that change something need the header X-CSRF-Token with the csrfToken of GET /api/me. " +
		"Null is accepted where a property is described with it, and nowhere else. " + describeLimits() +
		" What is marked \"x-filled\": false is read and not filled by any part of the service yet; its answers have the header X-Filled: false."
	o.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	o.Servers = []*huma.Server{{URL: "/"}}
	o.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"session":  {Type: "apiKey", In: "cookie", Name: "__Host-assay_session", Description: "Cookie of a signed-in person. On plain http, on loopback only, its name is assay_session."},
		"csrf":     {Type: "apiKey", In: "header", Name: "X-CSRF-Token", Description: "The csrfToken of GET /api/me."},
		"mcpToken": {Type: "http", Scheme: "bearer", Description: "Personal MCP access token."},
	}
}

// operation is what the table says of a route.
func operation(rt Route, beyond bool, registry huma.Registry) huma.Operation {
	op := huma.Operation{
		OperationID: operationID(rt.Method, rt.Path), Method: rt.Method, Path: rt.Path, Tags: []string{tag(rt.Path)},
		Responses:  map[string]*huma.Response{"default": {Description: "A problem", Content: problemContent()}},
		Extensions: map[string]any{"x-permission": string(rt.Permission), "x-audited": rt.Audited, "x-authentication": rt.auth(), "x-implemented": rt.built()},
		Metadata:   map[string]any{registryKey: registry},
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
	default: // huma leaves an empty list out, which would say that nothing is known
		op.Extensions["security"] = []map[string][]string{}
	}
	return op
}

// tag groups operations by the part of the path that says whose they are.
func tag(path string) string {
	for prefix, name := range map[string]string{inst: "instance", repo: "repository", "/auth": "authentication", "/setup": "setup", "/webhooks": "webhooks", "/api/me": "me"} {
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
