package httpapi

import (
	"context"
	"net/http"
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

// Route is one line of the route table. It determines every check before the endpoint's handler.
type Route struct {
	Method     string
	Path       string // with {camelCase} parameters
	Permission perm.Permission
	Body       string  // name of the request schema, "-" for none
	Audited    string  // "yes", "no", or "-" if the specification leaves it open
	handler    handler // nil if it is not built yet
}

// The ways in which a route authenticates its caller.
const (
	authNone      = "none"
	authSession   = "session"
	authSignature = "signature" // the signature of a webhook
	authMCPToken  = "mcp-token" // a personal token in Authorization; cookies are ignored
)

func (r Route) pattern() string { return r.Method + " " + r.Path }

func (r Route) auth() string {
	switch {
	case strings.HasPrefix(r.Path, "/webhooks/"):
		return authSignature
	case r.Path == "/mcp" && r.Permission == perm.Authenticated, r.takesDocument():
		return authMCPToken
	case r.Permission == perm.Public:
		return authNone
	}
	return authSession
}

func (r Route) changes() bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

// answers reports whether a route answers a method with more than 405. HEAD is refused below /auth and
// /setup, because link scanners send it.
func (r Route) answers(method string) bool {
	if method == http.MethodHead {
		return !below(r.Path, "/auth") && !below(r.Path, "/setup") && r.Path != "/mcp"
	}
	return r.Path != "/mcp" || method == http.MethodPost
}

// probes reports whether a route is for monitoring the process.
func (r Route) probes() bool { return r.Path == "/healthz" || r.Path == "/readyz" }

// decides reports whether a route makes a decision about a repository: a change that needs more than view
// permission.
func (r Route) decides() bool {
	return r.changes() && (r.Permission == perm.RepoReview || r.Permission == perm.RepoManage)
}

// RouteInfo describes a route for the command line.
type RouteInfo struct {
	Method, Path string
	Permission   string
	Auth         string // none, session, signature or mcp-token
	Body         string // "-" for none
	Audited      string // yes, no or -
	Implemented  bool   // false if the answer is 501
	Filled       bool   // false if the service does not write its data yet, so that it stays empty
	BeyondSpec   bool   // not in the specification
	Page         bool   // a page for people, not in the description of the interface
}

// Routes lists every endpoint, the endpoints of the specification first.
func Routes() []RouteInfo {
	var out []RouteInfo
	for _, set := range []struct {
		routes []Route
		beyond bool
	}{{specRoutes(), false}, {beyondRoutes(), true}, {pageRoutes(), true}} {
		for _, r := range set.routes {
			out = append(out, RouteInfo{Method: r.Method, Path: strings.TrimSuffix(r.Path, "{$}"), Permission: string(r.Permission),
				Auth: r.auth(), Body: r.Body, Audited: r.Audited,
				Implemented: r.built(), Filled: !r.unfilled(), BeyondSpec: set.beyond, Page: r.isPage()})
		}
	}
	return out
}

// specRoutes returns the endpoints of the specification, in its order.
func specRoutes() []Route {
	var out []Route
	for _, set := range [][]Route{instanceRoutes(), meRoutes(), tenantRoutes(), repositoryRoutes(), outerRoutes()} {
		out = append(out, set...)
	}
	return out
}

// handler mounts the code of a route; guarded wraps the mounted code.
type handler interface {
	mount(s *server, api huma.API, op huma.Operation)
}

// typed returns a handler whose types describe input and output.
func typed[I, O any](summary string, h func(*server, context.Context, *I) (*O, error)) handler {
	return typedHandler[I, O]{summary: summary, h: h}
}

// startsWork is [typed] for work that continues after the answer: 202.
func startsWork[I, O any](summary string, h func(*server, context.Context, *I) (*O, error)) handler {
	return typedHandler[I, O]{summary: summary, status: http.StatusAccepted, h: h}
}

type typedHandler[I, O any] struct {
	summary string
	status  int // 0 means 200, or 204 without a body
	h       func(*server, context.Context, *I) (*O, error)
}

func (t typedHandler[I, O]) mount(s *server, api huma.API, op huma.Operation) {
	op.Summary, op.DefaultStatus = t.summary, t.status
	op.Parameters = nil // from the input's type
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := t.h(s, ctx, in)
		if err != nil {
			s.handlerRefused(ctx, op.Method+" "+op.Path, err)
			return nil, s.failure(ctx, err)
		}
		return out, nil
	})
}

// filledHeader is the header of answers without data yet; see [unfilled].
const filledHeader = "X-Filled"

// unfilled marks a list or state that the service can read but does not write yet. The description says
// "x-filled": false, and so does the header X-Filled. Remove the mark when the service starts to write the
// data.
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

// built reports whether a route has a handler beyond its checks.
func (r Route) built() bool {
	return r.handler != nil
}

// raw returns a handler that reads and writes HTTP itself. answers describes its answers.
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
	registerRaw(api, &op, func(w http.ResponseWriter, r *http.Request) { t.h(s, w, r) })
}

// registerRaw registers a handler that gets unprocessed requests.
func registerRaw(api huma.API, op *huma.Operation, h http.HandlerFunc) {
	api.Adapter().Handle(op, func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		h(w, r)
	})
}

// page returns the handler of a page for people. Its checks also answer with pages, and redirect anonymous
// people to the start page. Forms that change something carry the CSRF token in the field "csrf", so that
// they work without scripts.
func page(h func(*server, http.ResponseWriter, *http.Request)) handler { return pageHandler{h} }

type pageHandler struct {
	h func(*server, http.ResponseWriter, *http.Request)
}

func (p pageHandler) mount(s *server, api huma.API, op huma.Operation) {
	registerRaw(api, &op, func(w http.ResponseWriter, r *http.Request) { p.h(s, w, r) })
}

func (r Route) isPage() bool {
	_, is := r.handler.(pageHandler)
	return is
}

// greetsSignedIn reports whether a public route shows more to a signed-in person.
func (r Route) greetsSignedIn() bool { return r.Path == start || strings.HasPrefix(r.Path, "/setup") }

// withAnswers adds answers to the description of a handler.
func withAnswers(h handler, answers map[string]*huma.Response) handler {
	return answersHandler{h, answers}
}

type answersHandler struct {
	handler
	answers map[string]*huma.Response
}

func (a answersHandler) mount(s *server, api huma.API, op huma.Operation) {
	for status, answer := range a.answers {
		op.Responses[status] = answer
	}
	a.handler.mount(s, api, op)
}

// asksServer marks a handler that waits for the answer of a server chosen by a tenant or admin. Each tenant has a
// share of the concurrent questions, and each question has a time limit.
func asksServer(h handler) handler { return serverQuestionHandler{h} }

type serverQuestionHandler struct{ handler }

func (r Route) asksServer() bool {
	_, is := r.handler.(serverQuestionHandler)
	return is
}

// limitsQuestions reports whether a request takes a place among the questions when it first asks a server. Sign-ins
// and MCP have separate limits.
func (r Route) limitsQuestions() bool { return r.auth() != authMCPToken && !isSignIn(r) }

// Limits of questions (design choices). A question takes up to 32 MiB while its answer is read, so that all
// together stay below 256 MiB.
const (
	questionsOfOne = 3
	questionsOfAll = 8
	questionTime   = 25 * time.Second // above the handlers' own time limits for a server
	questionRetry  = 5 * time.Second
)

// slow marks a handler that reads a whole log and has more time.
func slow(h handler) handler { return slowHandler{h} }

type slowHandler struct{ handler }

// form describes the form that a raw handler reads.
func form(h handler, fields *huma.Schema) handler { return formHandler{h, fields} }

type formHandler struct {
	handler
	fields *huma.Schema
}

func (f formHandler) mount(s *server, api huma.API, op huma.Operation) {
	op.RequestBody = &huma.RequestBody{Required: true,
		Content: map[string]*huma.MediaType{"application/x-www-form-urlencoded": {Schema: f.fields}}}
	f.handler.mount(s, api, op)
}

// query describes the optional text parameters that a raw handler reads from the query.
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

// operationID builds the name of an operation from its method and path, in camelCase: "GET
// /api/tenants/{tenantId}/rules" is getTenantsByTenantIdRules.
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
