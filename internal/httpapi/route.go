package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/assay-dev/assay/internal/perm"
)

// The prefixes of paths.
const (
	inst = "/api/instance"
	mine = "/api/me/tenants/{tenantId}"
	ten  = "/api/tenants/{tenantId}"
	repo = "/api/tenants/{tenantId}/repositories/{repositoryId}"
)

// Route is one line of the route table. Everything about an endpoint that
// stands before its handler comes from here.
type Route struct {
	Method     string
	Path       string // with {camelCase} parameters
	Permission perm.Permission
	Body       string  // name of the request schema, "-" for none
	Audited    string  // "yes", "no", or "-" where the specification says nothing
	handler    handler // nil or unbuilt: not built yet
}

// How a route knows who asks.
const (
	authNone      = "none"
	authSession   = "session"
	authSignature = "signature" // a webhook proves itself
	authMCPToken  = "mcp-token" // a personal token in Authorization; cookies are ignored
)

func (r Route) pattern() string { return r.Method + " " + r.Path }

func (r Route) auth() string {
	switch {
	case strings.HasPrefix(r.Path, "/webhooks/"):
		return authSignature
	case r.Path == "/mcp" && r.Permission == perm.Authenticated:
		return authMCPToken
	case r.Permission == perm.Public:
		return authNone
	}
	return authSession
}

func (r Route) changes() bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

// answers reports whether a route answers a method that leads to it with more
// than 405. Link scanners use HEAD: nothing below /auth and /setup answers to it.
func (r Route) answers(method string) bool {
	if method == http.MethodHead {
		return !below(r.Path, "/auth") && !below(r.Path, "/setup") && r.Path != "/mcp"
	}
	return r.Path != "/mcp" || method == http.MethodPost
}

// probes reports whether a route is for programs that watch the process.
func (r Route) probes() bool { return r.Path == "/healthz" || r.Path == "/readyz" }

// decides reports whether a route is a deciding act on a repository: every
// change that takes more than seeing it.
func (r Route) decides() bool {
	return r.changes() && (r.Permission == perm.RepoReview || r.Permission == perm.RepoManage)
}

// RouteInfo is a route as the command line lists it.
type RouteInfo struct {
	Method, Path string
	Permission   string
	Auth         string // none, session, signature or mcp-token
	Body         string // "-" for none
	Audited      string // yes, no or -
	Implemented  bool   // false: the answer is 501
	Filled       bool   // false: nothing writes what it shows yet, so it stays empty
	BeyondSpec   bool   // not in the specification
	Page         bool   // a page for people: it is not in the description of the interface
}

// Routes lists every endpoint, those of the specification first.
func Routes() []RouteInfo {
	var out []RouteInfo
	for _, set := range []struct {
		routes []Route
		beyond bool
	}{{specRoutes(), false}, {beyondRoutes(), true}, {pageRoutes(), true}} {
		for _, r := range set.routes {
			out = append(out, RouteInfo{Method: r.Method, Path: strings.TrimSuffix(r.Path, "{$}"), Permission: string(r.Permission), Auth: r.auth(), Body: r.Body, Audited: r.Audited,
				Implemented: r.built(), Filled: !r.unfilled(), BeyondSpec: set.beyond, Page: r.isPage()})
		}
	}
	return out
}

// specRoutes are the endpoints of the specification, in its order.
func specRoutes() []Route {
	var out []Route
	for _, set := range [][]Route{instanceRoutes(), meRoutes(), tenantRoutes(), repositoryRoutes(), outerRoutes()} {
		out = append(out, set...)
	}
	return out
}

// handler mounts a route's code; guarded wraps what answers.
type handler interface {
	mount(s *server, api huma.API, op huma.Operation)
}

// typed is a handler whose input and output are described by their types.
func typed[I, O any](summary string, h func(*server, context.Context, *I) (*O, error)) handler {
	return typedHandler[I, O]{summary: summary, h: h}
}

// later is typed for what goes on after the answer: 202.
func later[I, O any](summary string, h func(*server, context.Context, *I) (*O, error)) handler {
	return typedHandler[I, O]{summary: summary, status: http.StatusAccepted, h: h}
}

type typedHandler[I, O any] struct {
	summary string
	status  int // 0: 200, or 204 without a body
	h       func(*server, context.Context, *I) (*O, error)
}

func (t typedHandler[I, O]) mount(s *server, api huma.API, op huma.Operation) {
	op.Summary, op.DefaultStatus = t.summary, t.status
	op.Parameters = nil // from the input's type
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := t.h(s, ctx, in)
		if err != nil {
			s.denied(ctx, op, err)
			return nil, s.failure(ctx, err)
		}
		return out, nil
	})
}

// unbuilt says what a route without a body will do. Its answer, after every
// check, is 501.
func unbuilt(summary string) handler { return unbuiltHandler{summary: summary} }

// unbuiltWith is unbuilt for a route whose body is described by a type already;
// the answer is 501 before the body is looked at.
func unbuiltWith[T any](summary string) handler { return unbuiltHandler{summary, reflect.TypeFor[T]()} }

type unbuiltHandler struct {
	summary string
	body    reflect.Type // nil: none
}

// mount is never called: see [describeUnbuilt].
func (unbuiltHandler) mount(*server, huma.API, huma.Operation) {}

// filledHeader is in the answers of what nothing fills yet; see [unfilled].
const filledHeader = "X-Filled"

// unfilled marks a list, or a state, that is read and that no part of the
// service writes yet: the description says "x-filled": false, and so does the
// header X-Filled of its answers. Who builds what fills it takes the mark away.
func unfilled(h handler) handler { return unfilledHandler{h} }

type unfilledHandler struct{ handler }

func (u unfilledHandler) mount(s *server, api huma.API, op huma.Operation) {
	op.Extensions["x-filled"] = false
	u.handler.mount(s, api, op)
}

func (r Route) unfilled() bool {
	_, is := r.handler.(unfilledHandler)
	return is
}

// built reports whether a route has more than its checks.
func (r Route) built() bool {
	_, not := r.handler.(unbuiltHandler)
	return r.handler != nil && !not
}

// raw is a handler that reads and writes by itself; answers says what the
// description tells of it.
func raw(summary string, answers map[string]*huma.Response, h func(*server, http.ResponseWriter, *http.Request)) handler {
	return rawHandler{summary, answers, h}
}

type rawHandler struct {
	summary string
	answers map[string]*huma.Response
	h       func(*server, http.ResponseWriter, *http.Request)
}

func (t rawHandler) mount(s *server, api huma.API, op huma.Operation) {
	op.Summary = t.summary
	for status, answer := range t.answers {
		op.Responses[status] = answer
	}
	api.OpenAPI().AddOperation(&op)
	unread(api, &op, func(w http.ResponseWriter, r *http.Request) { t.h(s, w, r) })
}

// unread registers a handler that is given requests as they come.
func unread(api huma.API, op *huma.Operation, h http.HandlerFunc) {
	api.Adapter().Handle(op, func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		h(w, r)
	})
}

// page is a handler of something for people. What the checks refuse is a page
// as well, and who is not signed in is sent to the start page. The form of a
// change has the token against forged requests in its field "csrf": it works
// without scripts.
func page(h func(*server, http.ResponseWriter, *http.Request)) handler { return pageHandler{h} }

type pageHandler struct {
	h func(*server, http.ResponseWriter, *http.Request)
}

func (p pageHandler) mount(s *server, api huma.API, op huma.Operation) {
	unread(api, &op, func(w http.ResponseWriter, r *http.Request) { p.h(s, w, r) })
}

func (r Route) isPage() bool {
	_, is := r.handler.(pageHandler)
	return is
}

// greets reports whether a public route shows more to somebody who is signed in.
func (r Route) greets() bool { return r.Path == start || strings.HasPrefix(r.Path, "/setup") }

// also adds answers to the description of a handler.
func also(h handler, answers map[string]*huma.Response) handler { return alsoHandler{h, answers} }

type alsoHandler struct {
	handler
	answers map[string]*huma.Response
}

func (a alsoHandler) mount(s *server, api huma.API, op huma.Operation) {
	for status, answer := range a.answers {
		op.Responses[status] = answer
	}
	a.handler.mount(s, api, op)
}

// asks is a handler that asks a server that a tenant or an admin chose, and waits for the
// answer. Each tenant has a share of the questions that are under way at once, and each
// question has a time.
func asks(h handler) handler { return asksHandler{h} }

type asksHandler struct{ handler }

func (r Route) asks() bool {
	_, is := r.handler.(asksHandler)
	return is
}

// gated reports whether a request to the route takes a place among the questions once it asks a server. Sign-ins and
// programs have bounds of their own.
func (r Route) gated() bool { return r.auth() != authMCPToken && !isSignIn(r) }

// Bounds of questions (design choices). A question takes up to 32 MiB while its answer is
// read, so that all of them together stay below 256 MiB.
const (
	questionsOfOne = 3
	questionsOfAll = 8
	questionTime   = 25 * time.Second // what a handler says of the server's silence comes before
	questionRetry  = 5 * time.Second
)

// slow is a handler that reads as much as there is, and may take its time.
func slow(h handler) handler { return slowHandler{h} }

type slowHandler struct{ handler }

// form describes the form that a raw handler reads.
func form(h handler, fields *huma.Schema) handler { return formHandler{h, fields} }

type formHandler struct {
	handler
	fields *huma.Schema
}

func (f formHandler) mount(s *server, api huma.API, op huma.Operation) {
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/x-www-form-urlencoded": {Schema: f.fields}}}
	f.handler.mount(s, api, op)
}

// query describes parameters of the query that a raw handler reads: text, each optional.
func query(h handler, names ...string) handler { return queryHandler{h, names} }

type queryHandler struct {
	handler
	names []string
}

func (q queryHandler) mount(s *server, api huma.API, op huma.Operation) {
	for _, name := range q.names {
		op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "query", Schema: &huma.Schema{Type: "string"}})
	}
	q.handler.mount(s, api, op)
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

// params lists the parameters in a path.
func params(path string) []string {
	var out []string
	for _, m := range pathParam.FindAllStringSubmatch(path, -1) {
		out = append(out, m[1])
	}
	return out
}

// operationID names an operation after its method and path, in camelCase:
// "GET /api/tenants/{tenantId}/rules" is getTenantsByTenantIdRules.
func operationID(method, path string) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(method))
	for _, part := range strings.Split(strings.TrimPrefix(path, "/api"), "/") {
		if m := pathParam.FindStringSubmatch(part); m != nil {
			part = "by-" + m[1]
		}
		for _, word := range strings.Split(part, "-") {
			if word != "" {
				b.WriteString(strings.ToUpper(word[:1]) + word[1:])
			}
		}
	}
	return b.String()
}
