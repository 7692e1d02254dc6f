package github

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/testkit"
)

// restRouter loads GitHub's REST description.
func restRouter(t *testing.T) routers.Router {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(testkit.Contract(t, "github/rest-openapi.reduced.json"))
	if err != nil {
		t.Fatal(err)
	}
	// The description has this path in two forms, and gorilla/mux matches the other one.
	doc.Paths.Delete("/repos/{owner}/{repo}/compare/{base}...{head}")
	doc.Servers = openapi3.Servers{{URL: "https://api.github.com"}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return router
}

// validating checks every request against the description before it passes the request on.
type validating struct {
	t      *testing.T
	router routers.Router
	mu     sync.Mutex
	routes map[string]bool
}

func (v *validating) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	check := r.Clone(r.Context())
	check.URL = &url.URL{Scheme: "https", Host: "api.github.com", Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	for _, many := range []string{"/git/ref/", "/git/refs/"} { // in the description the rest of the path is one segment
		if before, ref, found := strings.Cut(check.URL.EscapedPath(), many); found {
			check.URL.RawPath = before + many + strings.ReplaceAll(ref, "/", "%2F")
		}
	}
	check.Host = "api.github.com"
	check.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := v.router.FindRoute(check)
	if err != nil {
		v.t.Errorf("%s %s is not described: %v", r.Method, r.URL, err)
	} else {
		v.mu.Lock()
		v.routes[r.Method+" "+route.Path] = true
		v.mu.Unlock()
		err = openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{Request: check, PathParams: params, Route: route,
			Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true}})
		if err != nil {
			v.t.Errorf("%s %s: %v\n%s", r.Method, r.URL, err, body)
		}
		for name := range check.URL.Query() {
			if !described(route, name) {
				v.t.Errorf("%s %s: the parameter %s is not described", r.Method, r.URL, name)
			}
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}

// described reports whether an operation has a query parameter.
func described(route *routers.Route, name string) bool {
	return route.Operation.Parameters.GetByInAndName("query", name) != nil || route.PathItem.Parameters.GetByInAndName("query", name) != nil
}

func TestRequestsAgreeWithTheRESTDescription(t *testing.T) {
	t.Parallel()
	router := restRouter(t)
	f := newFake(t)
	f.on("GET "+pullPath, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, map[string]any{"number": 7}) })
	f.on("GET /repos/octo/demo/commits/"+headSHA+"/check-runs", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"check_runs": []any{map[string]any{"id": 3, "name": "assay", "head_sha": headSHA, "external_id": "run_known"}}})
	})
	f.on("GET "+gitPath+"/ref/heads/topic", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"ref": "refs/heads/topic", "object": map[string]any{"sha": headSHA}})
	})
	f.on("GET "+gitPath+"/commits/"+headSHA, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"sha": headSHA, "tree": map[string]any{"sha": baseSHA}})
	})
	for _, made := range []string{"POST " + gitPath + "/trees", "POST " + gitPath + "/commits", "POST " + gitPath + "/blobs", "GET " + gitPath + "/trees/" + baseSHA} {
		f.on(made, func(w http.ResponseWriter, _ *http.Request) {
			reply(w, 201, map[string]any{"sha": baseSHA, "tree": []any{}})
		})
	}
	v := &validating{t: t, router: router, routes: map[string]bool{}}
	h, _ := newHost(t, f, func(c *Config) { c.HTTP = &http.Client{Transport: v} })
	ctx := t.Context()
	check := codehost.Check{Name: "assay", ExternalID: "run_new", HeadSHA: headSHA, Status: "completed", Conclusion: "action_required", Title: markdown.Const("t"), Summary: markdown.Const("s"), DetailsURL: "https://assay.example.com/r/1"}
	known, started := check, check
	known.ExternalID, known.Conclusion = "run_known", "cancelled"
	started.Status, started.Conclusion = "in_progress", ""
	// The answers do not matter here (most are 404), only the requests.
	_, _, _ = h.Files(ctx, testRepo, 7)
	_, _ = h.Diff(ctx, testRepo, 7)
	_, _ = h.Compare(ctx, testRepo, baseSHA, headSHA)
	_, _ = h.Content(ctx, testRepo, "README.md", headSHA)
	_, _ = h.Clone(ctx, testRepo)
	_, _ = h.Permission(ctx, testRepo, "octocat")
	_, _ = h.OpenPullRequests(ctx, testRepo)
	_, _ = h.CreateDraft(ctx, testRepo, 7, draft)
	_, _ = h.Reviews(ctx, testRepo, 7)
	_, _ = h.Review(ctx, testRepo, 7, "1")
	_, _ = h.SubmitDraft(ctx, testRepo, 7, "1", markdown.Const("body"))
	_ = h.DeleteDraft(ctx, testRepo, 7, "1")
	_ = h.EditReview(ctx, testRepo, 7, "1", markdown.Const("body"))
	_, _ = h.ReviewComments(ctx, testRepo, 7, "1")
	_ = h.EditComment(ctx, testRepo, "1", markdown.Const("body"))
	_, _ = h.Reply(ctx, testRepo, codehost.Spot{Number: 7}, markdown.Const("body"))
	_, _ = h.Reply(ctx, testRepo, codehost.Spot{Number: 7, Thread: "3"}, markdown.Const("body"))
	_, _ = h.Replies(ctx, testRepo, codehost.Spot{Number: 7}, at)
	_, _ = h.Replies(ctx, testRepo, codehost.Spot{Number: 7, Thread: "3"}, at)
	_, _ = h.FindChecks(ctx, testRepo, check)
	_, _ = h.CreateCheck(ctx, testRepo, check)
	_ = h.UpdateCheck(ctx, testRepo, "5", known)
	_, _ = h.CreateCheck(ctx, testRepo, started)
	_, _ = h.Installations(ctx)
	_, _ = h.Installation(ctx, "9")
	_, _ = h.InstallationRepositories(ctx, domain.NumberID(testInst))
	_, _ = h.HookDeliveries(ctx, at)
	_ = h.Redeliver(ctx, 5)
	_, _ = h.Commit(ctx, testRepo, codehost.NewCommit{Branch: "topic", Head: headSHA, Message: "m", Files: []codehost.FileChange{{Path: "a", Content: []byte("a")}, {Path: "b", Content: []byte{0xff}}}})
	_ = h.CreateBranch(ctx, testRepo, "fix", headSHA)
	_ = h.DeleteBranch(ctx, testRepo, "topic", headSHA)
	_, _ = h.CommitAt(ctx, testRepo, headSHA)
	_, _ = h.PullsFrom(ctx, testRepo, "fix")
	_, _ = h.OpenPull(ctx, testRepo, codehost.NewPull{Title: markdown.Const("t"), Body: markdown.Const("b"), Branch: "fix", Base: "main"})
	f.on("GET "+pullPath+"/requested_reviewers", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"users": []any{map[string]any{"login": "rob", "id": 4}}, "teams": []any{}})
	})
	_, _ = h.Labels(ctx, testRepo, 7)
	_ = h.AddLabels(ctx, testRepo, 7, []string{"bug"})
	_ = h.RemoveLabel(ctx, testRepo, 7, "a/b c")
	_, _ = h.Requested(ctx, testRepo, 7)
	_ = h.RequestReviews(ctx, testRepo, 7, []string{"rob"})
	_ = h.CancelRequests(ctx, testRepo, 7, []string{"rob"})
	f.on("GET /repos/octo/demo/actions/runs", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"total_count": 1, "workflow_runs": []any{map[string]any{"id": 8}}})
	})
	_, _, _ = h.Jobs(ctx, testRepo, headSHA)
	_ = h.JobLog(ctx, testRepo, "9", func(io.Reader) error { return nil })
	_, _ = h.Results(ctx, testRepo, headSHA)
	// The host's 301 answer to Resolve leads to GET /repositories/{id}, which the description does not
	// contain.
	const wanted = 43
	if len(v.routes) < wanted {
		var list []string
		for r := range v.routes {
			list = append(list, r)
		}
		t.Errorf("only %d of %d operations were seen:\n%s", len(v.routes), wanted, strings.Join(list, "\n"))
	}
}
