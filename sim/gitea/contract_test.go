package gitea_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// checker compares requests and answers with the host's Swagger description.
type checker struct {
	doc    *openapi3.T
	router routers.Router
}

const described = "https://gitea.example"

func newChecker(t *testing.T) *checker {
	t.Helper()
	var two openapi2.T
	must(t, json.Unmarshal(testkit.Contract(t, "gitea/swagger.v1.26.4.json"), &two))
	doc := need(openapi2conv.ToV3(&two))
	doc.Servers = openapi3.Servers{{URL: described + "/api/v1"}}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			op.Security = nil
		}
	}
	must(t, openapi3.NewLoader().ResolveRefsIn(doc, nil))
	return &checker{doc: doc, router: need(gorillamux.NewRouter(doc))}
}

// check validates one exchange; problems are reported on t.
func (k *checker) check(t *testing.T, method, path string, body any, r response) {
	t.Helper()
	var raw []byte
	if body != nil {
		raw = need(json.Marshal(body))
	}
	req := httptest.NewRequestWithContext(t.Context(), method, described+"/api/v1"+path, bytes.NewReader(raw))
	if raw != nil {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Body = http.NoBody
	}
	route, params, err := k.router.FindRoute(req)
	if err != nil {
		t.Errorf("%s %s: no such route in the description: %v", method, path, err)
		return
	}
	options := &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	in := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route, Options: options}
	if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil && r.status < 400 {
		t.Errorf("%s %s: request: %s", method, path, short(err))
	}
	if route.Operation.Responses.Status(r.status) == nil {
		t.Errorf("%s %s: status %d is not described", method, path, r.status)
		return
	}
	// The description does not mark nullable fields. The host writes null for a missing object.
	answer := r.body
	kind := strings.Split(r.header.Get("Content-Type"), ";")[0]
	if kind == "application/json" {
		var doc any
		must(t, json.Unmarshal(answer, &doc))
		answer = need(json.Marshal(withoutNull(doc)))
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: r.status, Header: http.Header{"Content-Type": {kind}}, Options: options,
		Body: io.NopCloser(bytes.NewReader(answer))}
	if r.status == http.StatusNoContent || kind != "application/json" {
		return
	}
	if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
		t.Errorf("%s %s: answer %d: %s", method, path, r.status, short(err))
	}
	if schema := route.Operation.Responses.Status(r.status).Value; schema != nil && schema.Content["application/json"] != nil {
		k.known(t, method+" "+path, "", need(decode(answer)), schema.Content["application/json"].Schema)
	}
}

func decode(raw []byte) (v any, err error) { return v, json.Unmarshal(raw, &v) }

func short(err error) string {
	text := err.Error()
	if at := strings.Index(text, "Schema:"); at > 0 {
		text = text[:at]
	}
	return text
}

// undescribed are fields that the host writes although its description lacks them.
var undescribed = map[string]bool{"username": true}

// known reports fields that the description does not have: the description leaves unknown fields open.
func (k *checker) known(t *testing.T, what, at string, v any, ref *openapi3.SchemaRef) {
	t.Helper()
	if ref == nil || ref.Value == nil {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			k.known(t, what, at+"[]", x, ref.Value.Items)
		}
	case map[string]any:
		if len(ref.Value.Properties) == 0 {
			return
		}
		for name, x := range v {
			p := ref.Value.Properties[name]
			if p == nil && !undescribed[name] {
				t.Errorf("%s: the description has no %s.%s", what, at, name)
			}
			k.known(t, what, at+"."+name, x, p)
		}
	}
}

func withoutNull(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutNull(v[i])
		}
	case map[string]any:
		for k, x := range v {
			if x == nil {
				delete(v, k)
				continue
			}
			v[k] = withoutNull(x)
		}
	}
	return v
}

// TestRESTContract walks through the whole interface and validates every exchange.
func TestRESTContract(t *testing.T) {
	t.Parallel()
	k := newChecker(t)
	b := setup(t, gitea.Options{})
	admin := need(b.ctl.NewToken(t.Context(), "ada", simapi.TokenSpec{})).Text
	covered := 0
	do := func(token string, want int, method, path string, body any) response {
		t.Helper()
		r := b.callAs(token, want, method, path, body)
		k.check(t, method, path, body, r)
		covered++
		return r
	}
	tok := b.token
	for _, path := range []string{"/version", "/settings/api", "/user", "/users/ada", "/users/search?q=ad", "/orgs/acme", "/orgs/acme/repos", "/users/acme/repos", repo, "/repositories/" + fmt.Sprint(b.repo.ID),
		repo + "/branches", repo + "/branches/feature", repo + "/collaborators", repo + "/collaborators/robot/permission", repo + "/compare/main...feature",
		repo + "/contents", repo + "/contents/cart.go?ref=feature", repo + "/commits?limit=1", repo + "/git/commits/" + b.pull.HeadSHA,
		repo + "/labels", repo + "/pulls?state=all", pr, pr + "/files", pr + "/commits", pr + "/reviews", repo + "/issues/1", repo + "/issues/1/comments", repo + "/issues/1/labels"} {
		do(tok, 200, "GET", path, nil)
	}
	for _, path := range []string{"/users/nobody", "/orgs/nobody", "/repos/acme/none", repo + "/branches/none", repo + "/contents/none.go", repo + "/pulls/77", pr + "/reviews/99",
		repo + "/compare/main...none"} {
		do(tok, 404, "GET", path, nil)
	}
	for _, path := range []string{"/user/repos", "/user/orgs", "/user/teams", "/orgs/acme/teams", "/orgs/acme/members", "/repos/search?q=shop", repo + "/teams", repo + "/hooks",
		"/users/bob/orgs/acme/permissions"} {
		do(admin, 200, "GET", path, nil)
	}
	team := int64(do(admin, 200, "GET", "/orgs/acme/teams", nil).list()[0]["id"].(float64))
	for _, path := range []string{"", "/members", "/repos"} {
		do(admin, 200, "GET", fmt.Sprintf("/teams/%d%s", team, path), nil)
	}
	do(admin, 204, "GET", "/orgs/acme/members/bob", nil)
	do(admin, 204, "PUT", repo+"/collaborators/ada", map[string]any{"permission": "read"})
	do(admin, 204, "GET", repo+"/collaborators/ada", nil)
	do(admin, 204, "DELETE", repo+"/collaborators/ada", nil)
	do(tok, 403, "GET", repo+"/collaborators/bob/permission", nil)

	id := do(tok, 200, "POST", pr+"/reviews", draft("PENDING", line(4), map[string]any{"path": "old.txt", "old_position": 2, "body": "Gone."})).id()
	one := fmt.Sprintf("%s/reviews/%d", pr, id)
	do(tok, 200, "GET", one, nil)
	do(tok, 200, "GET", one+"/comments", nil)
	do(tok, 422, "POST", one, map[string]any{"event": "PENDING", "body": "x"})
	do(tok, 200, "POST", one, map[string]any{"event": "COMMENT", "body": "Done."})
	do(b.bob, 422, "POST", pr+"/reviews", draft("REQUEST_CHANGES"))
	comment := fmt.Sprintf("%s/pulls/comments/%d", repo, b.reviews()[0].Comments[0].ID)
	do(tok, 204, "POST", comment+"/resolve", nil)
	do(tok, 204, "POST", comment+"/unresolve", nil)
	changes := do(tok, 200, "POST", pr+"/reviews", draft("REQUEST_CHANGES")).id()
	do(admin, 200, "POST", fmt.Sprintf("%s/reviews/%d/dismissals", pr, changes), map[string]any{"message": "Fine."})
	do(tok, 204, "DELETE", fmt.Sprintf("%s/reviews/%d", pr, changes), nil)
	do(tok, 201, "POST", pr+"/requested_reviewers", map[string]any{"reviewers": []string{"ada"}})
	do(tok, 204, "DELETE", pr+"/requested_reviewers", map[string]any{"reviewers": []string{"ada"}})

	said := do(tok, 201, "POST", repo+"/issues/1/comments", map[string]any{"body": "Hello"}).id()
	issueComment := fmt.Sprintf("%s/issues/comments/%d", repo, said)
	do(tok, 200, "GET", repo+"/issues/1/comments?since=2020-01-01T00:00:00Z", nil)
	do(tok, 200, "GET", issueComment, nil)
	do(tok, 200, "PATCH", issueComment, map[string]any{"body": "Hello again"})
	do(tok, 204, "DELETE", issueComment, nil)
	do(tok, 201, "POST", repo+"/statuses/"+b.pull.HeadSHA, map[string]any{"state": "success", "context": "assay", "description": "No findings", "target_url": "https://assay.example/runs/1"})
	do(tok, 200, "GET", repo+"/statuses/"+b.pull.HeadSHA, nil)
	do(tok, 200, "GET", repo+"/commits/"+b.pull.HeadSHA+"/statuses", nil)
	do(tok, 200, "GET", repo+"/commits/"+b.pull.HeadSHA+"/status", nil)
	label := do(tok, 201, "POST", repo+"/labels", map[string]any{"name": "bug", "color": "#d73a4a"}).id()
	do(tok, 200, "POST", repo+"/issues/1/labels", map[string]any{"labels": []any{label}})
	do(tok, 204, "DELETE", fmt.Sprintf("%s/issues/1/labels/%d", repo, label), nil)
	do(tok, 422, "DELETE", repo+"/issues/1/labels/99999", nil)
	do(admin, 201, "POST", "/orgs/acme/labels", map[string]any{"name": "shared", "color": "#d73a4a"})
	do(tok, 200, "GET", "/orgs/acme/labels", nil)

	content := base64.StdEncoding.EncodeToString([]byte("package cart\n"))
	do(tok, 201, "POST", repo+"/contents", map[string]any{"branch": "main", "new_branch": "fix", "message": "Fix", "files": []any{map[string]any{"operation": "create", "path": "fix.go", "content": content}}})
	gone := need(b.ctl.Commit(t.Context(), "acme/shop", shared.CommitSpec{Branch: "gone", From: b.pull.HeadSHA, Files: map[string]string{"gone.go": content}}))
	blob, _ := do(tok, 200, "GET", repo+"/contents/gone.go?ref="+gone.SHA, nil).object()["sha"].(string)
	remove := map[string]any{"branch": "gone", "message": "Gone", "files": []any{map[string]any{"operation": "delete", "path": "gone.go", "sha": blob}}}
	do(tok, 201, "POST", repo+"/contents", remove)
	do(tok, 404, "POST", repo+"/contents", remove)
	do(tok, 422, "POST", repo+"/contents", map[string]any{"branch": "main", "message": "x", "files": []any{map[string]any{"operation": "create", "path": "cart.go/x", "content": content}}})
	do(tok, 201, "POST", repo+"/branches", map[string]any{"new_branch_name": "team/one", "old_ref_name": b.pull.HeadSHA})
	do(tok, 200, "GET", repo+"/branches/team%2Fone", nil)
	do(tok, 409, "POST", repo+"/branches", map[string]any{"new_branch_name": "team/one", "old_ref_name": b.pull.HeadSHA})
	must(t, b.ctl.ChangeRepo(t.Context(), "acme/shop", simapi.RepoChange{Protect: []string{"gone"}}))
	do(tok, 403, "POST", repo+"/contents", map[string]any{"branch": "gone", "message": "x", "files": []any{map[string]any{"operation": "create", "path": "x", "content": content}}})
	do(tok, 404, "POST", repo+"/pulls", map[string]any{"title": "Fix", "head": "nowhere", "base": "main"})
	do(tok, 201, "POST", repo+"/pulls", map[string]any{"title": "WIP: Fix", "head": "fix", "base": "main", "body": "b"})
	do(tok, 409, "POST", repo+"/pulls", map[string]any{"title": "Fix", "head": "fix", "base": "main"})
	do(tok, 201, "PATCH", repo+"/pulls/2", map[string]any{"title": "Fix", "state": "closed"})

	run := need(b.ctl.AddRun(t.Context(), "acme/shop", shared.RunSpec{Workflow: "ci", Commit: b.pull.HeadSHA, Branch: "feature", Jobs: []shared.JobSpec{
		{Name: "test", Conclusion: "failure", Log: "FAIL", Steps: []string{"Set up", "Test"}}, {Name: "lint", Status: "queued"}}}))
	do(tok, 200, "GET", repo+"/actions/runs?head_sha="+b.pull.HeadSHA, nil)
	do(tok, 200, "GET", fmt.Sprintf("%s/actions/runs/%d/jobs", repo, run.ID), nil)
	do(tok, 200, "GET", fmt.Sprintf("%s/actions/jobs/%d/logs", repo, run.Jobs[0]), nil)
	do(tok, 404, "GET", fmt.Sprintf("%s/actions/jobs/%d/logs", repo, run.Jobs[1]), nil)

	hook := map[string]any{"type": "gitea", "active": true, "events": []string{"pull_request"}, "config": map[string]string{"url": "http://127.0.0.1:1/x", "content_type": "json", "secret": hookSecret}}
	b.call(403, "POST", repo+"/hooks", hook) // the description lacks the middleware's answers
	made := do(admin, 201, "POST", repo+"/hooks", hook)
	if strings.Contains(string(made.body), hookSecret) {
		t.Error("the secret of a webhook is told")
	}
	path := fmt.Sprintf("%s/hooks/%d", repo, made.id())
	do(admin, 200, "GET", path, nil)
	do(admin, 200, "PATCH", path, map[string]any{"events": []string{"pull_request_only", "pull_request_sync"}})
	do(admin, 204, "DELETE", path, nil)
	do(admin, 200, "PATCH", repo, map[string]any{"description": "The shop"})
	do(admin, 201, "POST", "/user/applications/oauth2", map[string]any{"name": "assay", "redirect_uris": []string{"http://127.0.0.1/cb"}, "confidential_client": true})
	do(admin, 202, "POST", repo+"/forks", map[string]any{})
	do(admin, 204, "DELETE", repo, nil)
	if covered < 90 {
		t.Errorf("only %d exchanges were checked", covered)
	}
}

// TestEventContract sends every event that the simulator supports and validates the described parts of
// their bodies.
func TestEventContract(t *testing.T) {
	t.Parallel()
	k := newChecker(t)
	b := setup(t, gitea.Options{})
	ctx := t.Context()
	yes, no, title := true, false, "A better title"
	need(b.ctl.Commit(ctx, "acme/shop", shared.CommitSpec{Branch: "feature", Author: "bob", Message: "More", Files: map[string]string{"more.go": "package cart\n"}}))
	for _, u := range []shared.PullUpdate{{Draft: &yes}, {Draft: &no}, {Title: &title}, {Label: []string{"bug"}}, {RequestBy: []string{"ada"}}, {State: "closed"}, {State: "open"}} {
		need(b.ctl.UpdatePull(ctx, "acme/shop", 1, u))
	}
	need(b.ctl.Comment(ctx, "acme/shop", 1, shared.CommentSpec{Author: "bob", Body: "/assay review"}))
	for _, state := range []string{"APPROVED", "REQUEST_CHANGES", "COMMENT"} {
		need(b.ctl.Review(ctx, "acme/shop", 1, simapi.ReviewSpec{Author: "ada", Body: "Words", State: state}))
	}
	b.call(201, "POST", repo+"/statuses/"+b.pull.HeadSHA, map[string]any{"state": "success", "context": "assay"})
	need(b.ctl.UpdatePull(ctx, "acme/shop", 1, shared.PullUpdate{State: "merged"}))
	parts := map[string]string{"pull_request": "PullRequest", "repository": "Repository", "sender": "User", "comment": "Comment", "issue": "Issue", "pusher": "User", "head_commit": "PayloadCommit",
		"commit": "PayloadCommit", "requested_reviewer": "User"}
	seen := map[string]bool{}
	for _, h := range b.settle() {
		seen[h.event()] = true
		for name, part := range h.object() {
			schema := k.doc.Components.Schemas[parts[name]]
			if schema == nil || part == nil {
				continue
			}
			clean := withoutNull(part)
			if err := schema.Value.VisitJSON(clean); err != nil {
				t.Errorf("%s: %s: %s", h.event(), name, short(err))
			}
			k.known(t, h.event(), name, clean, schema)
		}
	}
	for _, want := range []string{"create", "push", "pull_request opened", "pull_request_sync synchronized", "pull_request edited", "pull_request_label label_updated",
		"pull_request_review_request review_requested", "pull_request closed", "pull_request reopened", "pull_request_comment created", "pull_request_review_approved reviewed",
		"pull_request_review_rejected reviewed", "pull_request_review_comment reviewed", "status"} {
		if !seen[want] {
			t.Errorf("no event %q was delivered", want)
		}
	}
}
