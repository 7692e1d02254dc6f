package github_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// checker compares requests and answers with the GitHub REST description.
type checker struct {
	router routers.Router
}

func newChecker(t *testing.T) *checker {
	t.Helper()
	raw := testkit.Contract(t, "github/rest-openapi.reduced.json")
	doc := need((&openapi3.Loader{}).LoadFromData(raw))
	doc.Servers = openapi3.Servers{{URL: "https://api.github.com"}}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			op.Security = nil
		}
	}
	// The description says "allOf" for an account that is either a user or an enterprise; elsewhere it says "anyOf".
	account := doc.Paths.Value("/app/installations").Get.Responses.Value("200").Value.Content["application/json"].Schema.Value.Items.Value.Properties["account"].Value
	account.AnyOf, account.AllOf = account.AllOf, nil
	router := need(gorillamux.NewRouter(doc))
	return &checker{router: router}
}

// check validates one exchange; problems are reported on t.
func (k *checker) check(t *testing.T, method, path string, header http.Header, body any, r response) {
	t.Helper()
	var raw []byte
	if body != nil {
		raw = need(json.Marshal(body))
	}
	req := httptest.NewRequestWithContext(t.Context(), method, "https://api.github.com"+path, bytes.NewReader(raw))
	if raw != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if len(raw) == 0 {
		req.Body = http.NoBody
	}
	for k, v := range header {
		req.Header[k] = v
	}
	route, params, err := k.router.FindRoute(req)
	if err != nil {
		t.Errorf("%s %s: no such route in the description: %v", method, path, err)
		return
	}
	options := &openapi3filter.Options{IncludeResponseStatus: true, MultiError: false, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	in := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route, Options: options}
	if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil && r.status < 400 {
		t.Errorf("%s %s: request: %v", method, path, err)
	}
	h := http.Header{"Content-Type": {strings.Split(r.header.Get("Content-Type"), ";")[0]}}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: r.status, Header: h, Options: options,
		Body: io.NopCloser(bytes.NewReader(r.body))}
	if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
		text := err.Error()
		if at := strings.Index(text, "Schema:"); at > 0 {
			text = text[:at]
		}
		t.Errorf("%s %s: answer %d: %s", method, path, r.status, text)
	}
}

// TestRESTContract walks through the whole interface and validates every exchange.
func TestRESTContract(t *testing.T) {
	t.Parallel()
	k := newChecker(t)
	b := setup(t)
	covered := 0
	do := func(token string, want int, method, path string, body any) response {
		t.Helper()
		r := b.callAs(token, want, method, path, body)
		plain := path
		if at := strings.IndexByte(path, '?'); at >= 0 && strings.Contains(path, "cursor") {
			plain = path[:at]
		}
		if strings.Contains(path, "/compare/") { // the description has "{basehead}" as one segment
			u, _ := url.Parse(plain)
			plain = u.String()
		}
		k.check(t, method, plain, nil, body, r)
		covered++
		return r
	}
	jwt, tok := b.appJWT(), b.token
	inst := fmt.Sprintf("/app/installations/%d", b.inst.ID)
	id := func(r response) int64 { return int64(r.object()["id"].(float64)) }
	const repo = "/repos/acme/shop"

	do(jwt, 200, "GET", "/app", nil)
	do(jwt, 200, "GET", "/app/installations", nil)
	do(jwt, 200, "GET", inst, nil)
	do(jwt, 404, "GET", "/app/installations/99", nil)
	do(jwt, 200, "GET", repo+"/installation", nil)
	do(jwt, 200, "GET", "/users/acme/installation", nil)
	do(jwt, 200, "GET", "/orgs/acme/installation", nil)
	do(jwt, 201, "POST", inst+"/access_tokens", map[string]any{"repositories": []string{"shop"}, "permissions": map[string]string{"contents": "read"}})
	do(jwt, 200, "GET", "/app/hook/config", nil)
	do("", 201, "POST", "/app-manifests/"+b.manifestCode()+"/conversions", nil)
	do("", 404, "POST", "/app-manifests/"+"0000/conversions", nil)
	must(t, b.s.WaitDeliveries(t.Context()))
	deliveries := do(jwt, 200, "GET", "/app/hook/deliveries?per_page=2", nil).list()
	delivery := fmt.Sprintf("/app/hook/deliveries/%d", int64(deliveries[0]["id"].(float64)))
	do(jwt, 200, "GET", delivery, nil)
	do(jwt, 202, "POST", delivery+"/attempts", nil)
	do(tok, 200, "GET", "/installation/repositories", nil)
	do(tok, 200, "GET", "/rate_limit", nil)
	do(tok, 200, "GET", "/users/assay%5Bbot%5D", nil)
	do(tok, 200, "GET", "/orgs/acme/members", nil)
	do(tok, 200, "GET", "/orgs/acme/memberships/ada", nil)
	do(tok, 404, "GET", "/orgs/acme/memberships/nobody", nil)
	do(tok, 200, "GET", repo, nil)
	do(tok, 200, "GET", repo+"/branches", nil)
	do(tok, 200, "GET", repo+"/branches/main", nil)
	do(tok, 200, "GET", repo+"/collaborators/ada/permission", nil)
	do(tok, 200, "GET", repo+"/collaborators/bob/permission", nil)
	do(tok, 200, "GET", repo+"/contents/cart.go?ref=feature", nil)
	do(tok, 404, "GET", repo+"/contents/none.go", nil)
	do(tok, 200, "GET", repo+"/compare/main...feature", nil)
	do(tok, 404, "GET", repo+"/compare/main...nope", nil)
	do(tok, 200, "GET", repo+"/commits/feature", nil)
	do(tok, 422, "GET", repo+"/commits/nope", nil)
	do(tok, 200, "GET", repo+"/pulls?state=all", nil)
	do(tok, 200, "GET", pr, nil)
	do(tok, 404, "GET", repo+"/pulls/77", nil)
	do(tok, 200, "GET", pr+"/files", nil)
	do(tok, 200, "GET", pr+"/commits", nil)

	b.gitData(do)
	do(tok, 200, "POST", repo+"/issues/1/labels", map[string]any{"labels": []string{"bug", "a b"}})
	do(tok, 200, "GET", repo+"/issues/1/labels", nil)
	do(tok, 200, "DELETE", repo+"/issues/1/labels/a%20b", nil)
	do(tok, 404, "DELETE", repo+"/issues/1/labels/a%20b", nil)
	ada, absent := map[string]any{"reviewers": []string{"ada"}}, map[string]any{"reviewers": []string{"stranger"}}
	do(tok, 201, "POST", pr+"/requested_reviewers", ada)
	do(tok, 422, "POST", pr+"/requested_reviewers", absent)
	do(tok, 422, "POST", pr+"/requested_reviewers", map[string]any{"reviewers": []string{"bob"}})
	do(tok, 200, "GET", pr+"/requested_reviewers", nil)
	do(tok, 200, "DELETE", pr+"/requested_reviewers", ada)
	do(tok, 422, "DELETE", pr+"/requested_reviewers", ada)

	flow := need(b.ctl.AddRun(t.Context(), "acme/shop", simapi.RunSpec{Workflow: "ci", Commit: b.pull.HeadSHA, Branch: "feature", Jobs: []simapi.JobSpec{
		{Name: "test", Conclusion: "failure", Log: "FAIL", Steps: []string{"Set up", "Test"}}, {Name: "lint", Status: "queued"}}}))
	do(tok, 200, "GET", repo+"/actions/runs?head_sha="+b.pull.HeadSHA, nil)
	do(tok, 200, "GET", fmt.Sprintf("%s/actions/runs/%d/jobs?filter=latest", repo, flow.ID), nil)
	do(tok, 302, "GET", fmt.Sprintf("%s/actions/jobs/%d/logs", repo, flow.Jobs[0]), nil)
	b.callAs(tok, 404, "GET", fmt.Sprintf("%s/actions/jobs/%d/logs", repo, flow.Jobs[1]), nil)

	draftID := id(do(tok, 200, "POST", pr+"/reviews", draft(line(4), line(7, "start_line", 6))))
	do(tok, 422, "POST", pr+"/reviews", draft(line(4)))
	one := fmt.Sprintf("%s/reviews/%d", pr, draftID)
	do(tok, 200, "GET", one, nil)
	do(tok, 200, "GET", one+"/comments", nil)
	do(tok, 200, "PUT", one, map[string]any{"body": "Changed."})
	do(tok, 200, "POST", one+"/events", map[string]any{"event": "COMMENT"})
	do(tok, 422, "POST", one+"/events", map[string]any{"event": "COMMENT"})
	do(tok, 200, "GET", pr+"/reviews", nil)
	do(tok, 422, "DELETE", one, nil)
	other := id(do(tok, 200, "POST", pr+"/reviews", draft()))
	do(tok, 200, "DELETE", fmt.Sprintf("%s/reviews/%d", pr, other), nil)
	changes := id(do(tok, 200, "POST", pr+"/reviews", map[string]any{"event": "REQUEST_CHANGES", "body": "No."}))
	do(tok, 200, "PUT", fmt.Sprintf("%s/reviews/%d/dismissals", pr, changes), map[string]any{"message": "Fine now."})

	comments := do(tok, 200, "GET", pr+"/comments", nil).list()
	comment := fmt.Sprintf("%s/pulls/comments/%d", repo, int64(comments[0]["id"].(float64)))
	do(tok, 200, "GET", comment, nil)
	do(tok, 200, "PATCH", comment, map[string]any{"body": "Resolved in `abc`."})
	do(tok, 201, "POST", comment+"/reactions", map[string]any{"content": "+1"})
	do(tok, 200, "POST", comment+"/reactions", map[string]any{"content": "+1"})
	do(tok, 200, "GET", comment+"/reactions", nil)
	do(tok, 201, "POST", fmt.Sprintf("%s/comments/%d/replies", pr, int64(comments[0]["id"].(float64))), map[string]any{"body": "A reply."})
	single := line(4, "commit_id", b.pull.HeadSHA)
	do(tok, 201, "POST", pr+"/comments", single)
	do(tok, 422, "POST", pr+"/comments", line(55, "commit_id", b.pull.HeadSHA))
	do(tok, 204, "DELETE", comment, nil)
	do(tok, 404, "GET", comment, nil)

	said := id(do(tok, 201, "POST", repo+"/issues/1/comments", map[string]any{"body": "Hello"}))
	do(tok, 200, "GET", repo+"/issues/1/comments", nil)
	issueComment := fmt.Sprintf("%s/issues/comments/%d", repo, said)
	do(tok, 200, "GET", issueComment, nil)
	do(tok, 200, "PATCH", issueComment, map[string]any{"body": "Hello again"})
	do(tok, 201, "POST", issueComment+"/reactions", map[string]any{"content": "eyes"})
	do(tok, 201, "POST", repo+"/issues/1/reactions", map[string]any{"content": "eyes"})
	do(tok, 204, "DELETE", issueComment, nil)

	output := map[string]any{"title": "1 finding", "summary": "One.", "annotations": []any{map[string]any{"path": "cart.go", "start_line": 4, "end_line": 4,
		"annotation_level": "warning", "message": "Look."}}}
	run := id(do(tok, 201, "POST", repo+"/check-runs", map[string]any{"name": "assay", "head_sha": b.pull.HeadSHA, "external_id": "run-1", "status": "in_progress"}))
	check := fmt.Sprintf("%s/check-runs/%d", repo, run)
	do(tok, 200, "PATCH", check, map[string]any{"status": "completed", "conclusion": "neutral", "output": output})
	do(tok, 200, "GET", check, nil)
	do(tok, 200, "GET", check+"/annotations", nil)
	do(tok, 200, "GET", repo+"/commits/"+b.pull.HeadSHA+"/check-runs", nil)
	do(tok, 201, "POST", repo+"/statuses/"+b.pull.HeadSHA, map[string]any{"state": "success", "context": "assay"})
	do(tok, 200, "GET", repo+"/commits/"+b.pull.HeadSHA+"/statuses", nil)
	do(jwt, 204, "DELETE", inst, nil)
	if covered < 70 {
		t.Errorf("only %d exchanges were checked", covered)
	}
}

// gitData makes a commit of git's own objects, a branch and its pull request.
func (b *bundle) gitData(do func(token string, want int, method, path string, body any) response) {
	b.t.Helper()
	const repo = "/repos/acme/shop"
	allowed := simapi.DefaultPermissions()
	allowed["contents"] = "write"
	do(b.token, 403, "POST", repo+"/git/blobs", map[string]any{"content": "x"})
	must(b.t, b.ctl.UpdateInstallation(b.t.Context(), b.inst.ID, simapi.InstallationUpdate{Permissions: allowed}))
	tok := b.installationToken(nil)
	sha := func(r response) string { return r.object()["sha"].(string) }
	head := b.pull.HeadSHA
	do(tok, 200, "GET", repo+"/git/ref/heads%2Ffeature", nil)
	do(tok, 404, "GET", repo+"/git/ref/heads%2Fnone", nil)
	tree := dig(do(tok, 200, "GET", repo+"/git/commits/"+head, nil).object(), "tree", "sha").(string)
	do(tok, 404, "GET", repo+"/git/commits/"+strings.Repeat("1", 40), nil)
	do(tok, 200, "GET", repo+"/git/trees/"+tree, nil)
	blob := sha(do(tok, 201, "POST", repo+"/git/blobs", map[string]any{"content": "AAEC", "encoding": "base64"}))
	changed := sha(do(tok, 201, "POST", repo+"/git/trees", map[string]any{"base_tree": tree, "tree": []any{
		map[string]any{"path": "a/b.bin", "mode": "100755", "type": "blob", "sha": blob}, map[string]any{"path": "cart.go", "mode": "100644", "type": "blob", "content": "package cart\n"}}}))
	do(tok, 201, "POST", repo+"/git/trees", map[string]any{"base_tree": changed, "tree": []any{map[string]any{"path": "a/b.bin", "mode": "100755", "type": "blob", "sha": nil}}})
	do(tok, 422, "POST", repo+"/git/trees", map[string]any{"base_tree": strings.Repeat("1", 40), "tree": []any{}})
	made := sha(do(tok, 201, "POST", repo+"/git/commits", map[string]any{"message": "Fix", "tree": changed, "parents": []string{head}}))
	do(tok, 422, "POST", repo+"/git/commits", map[string]any{"message": "Fix", "tree": head, "parents": []string{head}})
	ref := map[string]any{"ref": "refs/heads/fix", "sha": head}
	do(tok, 201, "POST", repo+"/git/refs", ref)
	do(tok, 422, "POST", repo+"/git/refs", ref)
	do(tok, 422, "PATCH", repo+"/git/refs/heads%2Fmain", map[string]any{"sha": strings.Repeat("1", 40)})
	do(tok, 200, "PATCH", repo+"/git/refs/heads%2Ffix", map[string]any{"sha": made, "force": false})
	do(tok, 422, "PATCH", repo+"/git/refs/heads%2Ffix", map[string]any{"sha": head, "force": false})
	do(tok, 422, "PATCH", repo+"/git/refs/heads%2Fnone", map[string]any{"sha": made})
	open := map[string]any{"title": "Fix", "head": "fix", "base": "feature", "body": "b"}
	do(tok, 201, "POST", repo+"/pulls", open)
	do(tok, 422, "POST", repo+"/pulls", open)
	do(tok, 422, "POST", repo+"/pulls", map[string]any{"title": "Fix", "head": "none", "base": "feature"})
}

// TestWebhookContract sends every event that the simulator supports and validates the payloads.
func TestWebhookContract(t *testing.T) {
	t.Parallel()
	raw := testkit.Contract(t, "github/webhook-schema.json")
	b := setup(t)
	ctx := t.Context()
	yes, no, title := true, false, "A better title"
	need(b.ctl.Commit(ctx, "acme/shop", simapi.CommitSpec{Branch: "feature", Author: "bob", Message: "More", Files: map[string]string{"more.go": "package cart\n"}}))
	for _, u := range []simapi.PullUpdate{{Draft: &yes}, {Draft: &no}, {Title: &title}, {Label: []string{"bug"}}, {Unlabel: []string{"bug"}},
		{RequestBy: []string{"ada"}}, {State: "closed"}, {State: "open"}} {
		need(b.ctl.UpdatePull(ctx, "acme/shop", 1, u))
	}
	need(b.ctl.Comment(ctx, "acme/shop", 1, simapi.CommentSpec{Author: "bob", Body: "/assay review"}))
	said := b.call(201, "POST", "/repos/acme/shop/issues/1/comments", map[string]any{"body": "Hello"}).object()
	b.call(200, "PATCH", fmt.Sprintf("/repos/acme/shop/issues/comments/%d", int64(said["id"].(float64))), map[string]any{"body": "Again"})
	review := b.call(200, "POST", pr+"/reviews", map[string]any{"event": "REQUEST_CHANGES", "body": "No.", "comments": []any{line(4)}}).object()
	path := fmt.Sprintf("%s/reviews/%d", pr, int64(review["id"].(float64)))
	b.call(200, "PUT", path, map[string]any{"body": "Still no."})
	b.call(200, "PUT", path+"/dismissals", map[string]any{"message": "Fine."})
	head := need(b.ctl.GetPull(ctx, "acme/shop", 1)).HeadSHA
	b.call(201, "POST", "/repos/acme/shop/check-runs", map[string]any{"name": "assay", "head_sha": head, "conclusion": "success"})
	need(b.ctl.CreateRepo(ctx, simapi.RepoSpec{Owner: "acme", Name: "second"}))
	for _, u := range []simapi.InstallationUpdate{{Remove: []string{"second"}}, {Add: []string{"second"}}, {Suspend: &yes}, {Suspend: &no},
		{Permissions: map[string]string{"contents": "write", "pull_requests": "write", "metadata": "read"}}} {
		must(t, b.ctl.UpdateInstallation(ctx, b.inst.ID, u))
	}
	b.resolve(b.installationToken(nil))
	need(b.ctl.UpdatePull(ctx, "acme/shop", 1, simapi.PullUpdate{State: "merged"}))
	must(t, b.ctl.Uninstall(ctx, b.inst.ID))
	must(t, b.s.WaitDeliveries(ctx))

	seen := map[string]*jsonschema.Resolved{}
	for _, h := range b.hooks.all() {
		schema := seen[h.event()]
		if schema == nil {
			schema = eventSchema(t, raw, h.header.Get("X-GitHub-Event"), h.event())
			seen[h.event()] = schema
		}
		var doc any
		must(t, json.Unmarshal(h.body, &doc))
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", h.event(), err)
		}
	}
	for _, want := range []string{"installation created", "installation deleted", "installation suspend", "installation unsuspend", "installation new_permissions_accepted",
		"installation_repositories added", "installation_repositories removed", "pull_request opened", "pull_request synchronize", "pull_request converted_to_draft",
		"pull_request ready_for_review", "pull_request edited", "pull_request labeled", "pull_request unlabeled", "pull_request review_requested", "pull_request closed",
		"pull_request reopened", "push", "issue_comment created", "issue_comment edited", "pull_request_review submitted", "pull_request_review edited",
		"pull_request_review dismissed", "pull_request_review_comment created", "pull_request_review_thread resolved", "check_run created", "check_run completed"} {
		if seen[want] == nil {
			t.Errorf("no event %q was delivered", want)
		}
	}
}

// eventSchema resolves the part of the webhook schema that describes one event and action.
func eventSchema(t *testing.T, raw []byte, event, full string) *jsonschema.Resolved {
	t.Helper()
	var all map[string]any
	must(t, json.Unmarshal(raw, &all))
	name := event + "$event"
	if _, action, ok := strings.Cut(full, " "); ok {
		name = event + "$" + action
	}
	definitions := all["definitions"].(map[string]any)
	if definitions[name] == nil {
		t.Fatalf("the webhook schema has no %s", name)
	}
	root := map[string]any{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": definitions, "$ref": "#/definitions/" + name}
	var s jsonschema.Schema
	must(t, json.Unmarshal(need(json.Marshal(root)), &s))
	return need(s.Resolve(nil))
}

// resolve resolves the first thread of the pull request over GraphQL.
func (b *bundle) resolve(token string) {
	b.t.Helper()
	r := b.graphql(token, `query { repository(owner: "acme", name: "shop") { pullRequest(number: 1) { reviewThreads(first: 10) { nodes { id isResolved } } } } }`, nil)
	nodes := dig(r, "data", "repository", "pullRequest", "reviewThreads", "nodes").([]any)
	r = b.graphql(token, `mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id isResolved } } }`, map[string]any{"id": dig(nodes[0], "id")})
	if dig(r, "data", "resolveReviewThread", "thread", "isResolved") != true {
		b.t.Fatalf("not resolved: %v", r)
	}
}

func (b *bundle) graphql(token, query string, vars map[string]any) map[string]any {
	b.t.Helper()
	req := b.request(token, "POST", "/graphql", map[string]any{"query": query, "variables": vars})
	req.URL.Path = "/api/graphql"
	r := need(b.send(req))
	if r.status != 200 {
		b.t.Fatalf("graphql: %d %s", r.status, r.body)
	}
	return r.object()
}

func dig(v any, path ...string) any {
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[p]
	}
	return v
}
