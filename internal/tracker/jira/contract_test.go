package jira

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/trackertest"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// checker checks requests and answers against the description of Jira Cloud.
type checker struct {
	t      *testing.T
	router routers.Router
	next   http.RoundTripper
	seen   map[string]bool
}

func (c *checker) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/rest/api/2/serverInfo" { // of version 2, which is not described
		return c.next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	asked := r.Clone(r.Context())
	asked.URL.Scheme, asked.URL.Host, asked.Host = "https", "your-domain.atlassian.net", "your-domain.atlassian.net"
	asked.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := c.router.FindRoute(asked)
	if err != nil {
		c.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		return nil, err
	}
	c.seen[r.Method+" "+route.Path] = true
	in := &openapi3filter.RequestValidationInput{Request: asked, PathParams: params, Route: route,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	if err := openapi3filter.ValidateRequest(r.Context(), in); err != nil {
		c.t.Errorf("%s %s: request: %v", r.Method, r.URL, err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	if r.Method == http.MethodGet && route.Path == "/rest/api/3/issue/{issueIdOrKey}/remotelink" {
		return resp, nil // the description has only the answer for one link, and a list in its example
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: resp.StatusCode, Options: in.Options,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(answer))}
	if err := openapi3filter.ValidateResponse(r.Context(), out); err != nil {
		c.t.Errorf("%s %s: answer of the simulator: %v", r.Method, r.URL, err)
	}
	return resp, nil
}

func TestCloudFitsTheDescription(t *testing.T) {
	// The description says that times are in the format of RFC 3339 and shows others in its examples,
	// as "2021-01-17T12:34:00.000+0000".
	raw := bytes.ReplaceAll(testkit.Contract(t, "jira/openapi-v3.reduced.json"), []byte(`"date-time"`), []byte(`"date-time-of-its-own"`))
	doc := trackertest.Must((&openapi3.Loader{}).LoadFromData(raw))(t)
	doc.Servers = openapi3.Servers{{URL: "https://your-domain.atlassian.net"}}
	w := trackertest.NewWorld(t, simapi.JiraCloud)
	cfg := w.Config(t)
	c := &checker{t: t, router: trackertest.Must(gorillamux.NewRouter(doc))(t), next: cfg.Client.Transport, seen: map[string]bool{}}
	cfg.Client = &http.Client{Transport: c}
	a, ctx := trackertest.Must(New(cfg))(t), t.Context()
	made := w.Make(t, simapi.IssueSpec{Text: document("One", "a", "b", "c"), Parent: w.Make(t, simapi.IssueSpec{Text: document("Two", "a", "b", "c")}).Key})
	trackertest.Must(a.Projects(ctx))(t)
	trackertest.NoError(t, a.PutLink(ctx, made.Key, tracker.Link{ID: "assay-7", URL: trackertest.PullRequest, Title: "Pay"}))
	id := trackertest.Must(a.PutComment(ctx, made.Key, "", "**One** [two](https://a.example/)\n\n| a |\n|---|\n| b |", "assay:1"))(t)
	trackertest.Must(a.PutComment(ctx, made.Key, id, "Two", "assay:1"))(t)
	if found, _, err := a.FindComment(ctx, made.Key, "assay:1"); found != id || err != nil {
		t.Errorf("found %q %v", found, err)
	}
	trackertest.Must(a.Issue(ctx, made.Key, tracker.Want{Comments: true, Links: true, CriteriaField: "customfield_10042"}))(t)
	trackertest.Must(a.Newest(ctx, w.Project, 5, tracker.Want{}))(t)
	if len(c.seen) < 9 {
		t.Errorf("only these were tried: %v", c.seen)
	}
}
