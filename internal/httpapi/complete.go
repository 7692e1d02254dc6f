package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/perm"
)

// tags returns the groups of operations; see [tag].
func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: "authentication", Description: "Signing in and out"},
		{Name: "instance", Description: "Settings and objects that instance admins manage"},
		{Name: "me", Description: "The signed-in person, and what is theirs"},
		{Name: "repository", Description: "One repository of a tenant"},
		{Name: "service", Description: "Health, version, this description, and the MCP endpoint"},
		{Name: "setup", Description: "The first run, and what follows the installation of an app"},
		{Name: "tenant", Description: "One tenant"},
		{Name: "webhooks", Description: "Signed deliveries of code hosts and issue trackers"},
	}
}

// permissionSentence describes in a sentence who may call a route.
func permissionSentence(rt Route) string {
	switch {
	case rt.auth() == authSignature:
		return "The sender proves itself by a signature."
	case rt.auth() == authMCPToken:
		return "Needs a personal MCP access token; cookies are ignored."
	case rt.Permission == perm.Public:
		return "Needs no session."
	case rt.Permission == perm.Authenticated:
		return "Needs a session."
	}
	return "Needs the permission " + string(rt.Permission) + "."
}

// parameterNotes describes the parameters of paths.
var parameterNotes = map[string]string{
	"tenantId": "Id of a tenant that the person belongs to", "repositoryId": "Id of a repository of the tenant", "runId": "Id of a review run",
	"slug": "Short name of an identity provider", "connectionId": "Id of a connection", "id": "Id of the element",
}

// operations returns the operations of a path by method.
func operations(item *huma.PathItem) map[string]*huma.Operation {
	out := map[string]*huma.Operation{}
	for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch,
		"DELETE": item.Delete} {
		if op != nil {
			out[method] = op
		}
	}
	return out
}

// describeInput adds the constraints of an operation that its types lack: parameters of the path, and the bounds
// of its body.
func describeInput(op *huma.Operation, registry huma.Registry) {
	describeParameters(op)
	if op.RequestBody == nil {
		return
	}
	if body := op.RequestBody.Content["application/json"]; body != nil && op.Method == http.MethodPatch {
		op.RequestBody.Content[mergePatch] = body
	}
	for _, m := range op.RequestBody.Content {
		setBounds(registry, m.Schema, 0)
	}
}

// completeDescription adds the parts of the description that are common to all routes: parameters of the path,
// possible problems of each answer, and an example for every body.
func completeDescription(o *huma.OpenAPI, index map[string]Route) {
	registry := o.Components.Schemas
	o.Components.Responses = map[string]*huma.Response{}
	o.Tags = tags()
	for path, item := range o.Paths {
		for method, op := range operations(item) {
			rt := index[method+" "+path]
			if op.Description == "" {
				op.Description = permissionSentence(rt)
			}
			describeInput(op, registry)
			describeProblems(rt, op, o.Components.Responses)
			if op.RequestBody != nil {
				addExamples(registry, op.RequestBody.Content)
			}
			for _, answer := range op.Responses {
				addExamples(registry, answer.Content)
			}
			if answer := op.Responses["200"]; rt.unfilled() && answer != nil {
				answer.Headers = map[string]*huma.Param{filledHeader: {Description: "Nothing fills this yet",
					Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"false"}}}}
			}
		}
	}
	for _, schema := range registry.Map() {
		listNull(schema)
	}
}

// listNull adds null to the enumerations of nullable schemas, because the enumeration would exclude what
// the type allows. Call it last, because messages of the checks list only the other values.
func listNull(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Nullable && len(s.Enum) > 0 && !slices.Contains(s.Enum, nil) {
		s.Enum = append(slices.Clone(s.Enum), nil)
	}
	listNull(s.Items)
	for _, p := range s.Properties {
		listNull(p)
	}
	for _, p := range slices.Concat(s.AnyOf, s.OneOf) {
		listNull(p)
	}
}

func describeParameters(op *huma.Operation) {
	shortest, longest := 1, 100
	for _, p := range op.Parameters {
		if p.In != "path" {
			continue
		}
		if p.Description = parameterNotes[p.Name]; p.Description == "" {
			p.Description = "Id of the " + strings.TrimSuffix(p.Name, "Id")
		}
		p.Schema.MinLength, p.Schema.MaxLength, p.Schema.Pattern = &shortest, &longest, "^[A-Za-z0-9_.-]+$"
		p.Schema.PrecomputeMessages()
		p.Example = "example"
	}
}

// problems returns the error statuses of a route with their meanings.
func problems(rt Route) map[int]string {
	const unreadable = "Something in the request is wrong; errors names the fields"
	if rt.probes() {
		return map[int]string{http.StatusUnprocessableEntity: unreadable}
	}
	out := map[int]string{http.StatusTooManyRequests: "Too many requests; Retry-After says when to go on",
		http.StatusServiceUnavailable:  "A part that the answer needs is down; Retry-After says when to try again",
		http.StatusInternalServerError: "A defect of the service; the request id helps an operator to find it"}
	if rt.auth() == authSession || rt.auth() == authMCPToken {
		out[http.StatusUnauthorized] = "No session"
	}
	if rt.auth() == authSession && (rt.changes() || rt.Permission != perm.Authenticated) {
		out[http.StatusForbidden] = "The role is too small, or the CSRF token or the Origin is wrong"
	}
	if strings.Contains(rt.Path, "{") || rt.auth() == authNone {
		out[http.StatusNotFound] = "Absent, or another person's"
	}
	if rt.changes() {
		out[http.StatusConflict] = "The state, or something that is there already, does not allow it"
	}
	if rt.Method == http.MethodPut || rt.Method == http.MethodPatch {
		out[http.StatusPreconditionFailed] = "If-Match names a version that is not the newest"
	}
	if rt.Body != "-" {
		out[http.StatusBadRequest] = "The body is not a JSON object"
		out[http.StatusRequestEntityTooLarge] = "The body is too large"
		out[http.StatusUnsupportedMediaType] = "The body is not sent as application/json"
	}
	if rt.auth() != authSignature {
		out[http.StatusUnprocessableEntity] = unreadable
	}
	return out
}

// describeProblems adds the problems of a route to its answers, as references into shared.
func describeProblems(rt Route, op *huma.Operation, shared map[string]*huma.Response) {
	for status, why := range problems(rt) {
		code := strconv.Itoa(status)
		if op.Responses[code] != nil {
			continue
		}
		name := strings.ReplaceAll(http.StatusText(status), " ", "")
		if shared[name] == nil {
			shared[name] = &huma.Response{Description: why, Content: problemContent()}
		}
		op.Responses[code] = &huma.Response{Ref: "#/components/responses/" + name}
	}
}

// Default bounds for texts and lists in requests (design choice), so that each has a bound.
const (
	maxText  = 2000
	maxItem  = 500 // text that is an element of a list
	maxItems = 200
)

// setBounds sets the default bounds on texts and lists of a request that have no bound.
func setBounds(r huma.Registry, s *huma.Schema, depth int) {
	if s != nil && s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	if s == nil || depth > 12 {
		return
	}
	atMost := func(to **int, n int) {
		if *to == nil {
			*to = &n
		}
	}
	switch s.Type {
	case "string":
		if len(s.Enum) == 0 && s.Format == "" {
			atMost(&s.MaxLength, maxText)
		}
	case "array":
		atMost(&s.MaxItems, maxItems)
		if i := s.Items; i != nil && i.Ref == "" && i.Type == "string" && len(i.Enum) == 0 {
			atMost(&i.MaxLength, maxItem)
		}
		setBounds(r, s.Items, depth+1)
	}
	for _, p := range s.Properties {
		setBounds(r, p, depth+1)
	}
	for _, p := range s.AnyOf {
		setBounds(r, p, depth+1)
	}
	s.PrecomputeMessages()
}

// addExamples gives every JSON body an example that fits its schema.
func addExamples(registry huma.Registry, content map[string]*huma.MediaType) {
	for kind, m := range content {
		if strings.HasSuffix(kind, "json") && m.Schema != nil && m.Example == nil && len(m.Examples) == 0 {
			m.Example = sample(registry, m.Schema, false)
		}
	}
}
