package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// everyTool returns the names of all tools, and everyScope all scopes.
func everyTool() (out []string) {
	for name := range mcpserver.ToolScopes() {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func everyScope() (out []string) {
	for _, scope := range mcpserver.ToolScopes() {
		out = append(out, scope)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// assistants lets the world's tenant offer all tools.
func (w *world) assistants() {
	w.t.Helper()
	body, err := json.Marshal(tenant.McpServerSettings{Enabled: true, ExposedTools: everyTool(), AllowWrites: true})
	must(w.t, err)
	var v tenant.McpSettings
	w.into(&v, w.call(admin, http.MethodPut, w.tenantPath()+"/mcp-settings", string(body)))
}

// scoped creates a token of a person with scopes.
func (w *world) scoped(who string, scopes ...string) string {
	w.t.Helper()
	body := strings.Replace(tokenBody(domain.NewID("tok"), time.Hour), `["reviews:read"]`, string(store.JSON(scopes)), 1)
	var v tenant.McpTokenMade
	w.made(&v, who, w.tenantPath()+"/mcp-tokens", body)
	return v.Secret
}

// post sends a body to /mcp with a token.
func (w *world) post(token, body string, with ...func(*http.Request)) reply {
	w.t.Helper()
	return w.call(anonymous, http.MethodPost, "/mcp", body, append([]func(*http.Request){bearing(token), header("Accept", "application/json, text/event-stream")}, with...)...)
}

// bearerTransport sends a token with every request.
type bearerTransport struct{ token string }

func (b bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// blocked is source code that never becomes available.
type blocked struct{ begun chan struct{} }

func (b blocked) Newest(ctx context.Context, _ store.Repository, _ string) (*snapshot.Repo, string, error) {
	close(b.begun)
	<-ctx.Done()
	return nil, "", context.Cause(ctx)
}

// A protocol client with a token acts as the token's owner, and cancels a call by disconnecting.
func TestAssistantsAreServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants()
	code := blocked{make(chan struct{})}
	w.Features.MCP.Code = code
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(bg, &mcp.StreamableClientTransport{Endpoint: w.base + "/mcp",
		HTTPClient: &http.Client{Transport: bearerTransport{w.scoped(member, "repositories:read", "diffs:review")}}, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	offered, err := c.ListTools(bg, nil)
	must(t, err)
	testkit.Equal(t, "tools", len(offered.Tools), 2)
	got, err := c.CallTool(bg, &mcp.CallToolParams{Name: "list_repositories"})
	must(t, err)
	if text := got.Content[0].(*mcp.TextContent).Text; got.IsError || !strings.Contains(text, w.Repository.ID+", view") {
		t.Errorf("repositories: %s", text)
	}
	ctx, leave := context.WithCancel(bg)
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "review_diff", Arguments: map[string]any{"repository": w.Repository.ID, "diff": "diff"}})
		ended <- err
	}()
	<-code.begun
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	testkit.Eventually(t, time.Minute, func() (bool, string) {
		var log httpList[tenant.AssistantCall]
		w.into(&log, w.call(admin, http.MethodGet, w.tenantPath()+"/mcp-calls", ""))
		return len(log.Items) == 2 && log.Items[0].Outcome == "cancelled" && log.Items[0].UserID == w.people[member].id, fmt.Sprintf("%+v", log.Items)
	})
}

// The audit log names the token's owner for every change by a tool.
func TestToolsWriteTheirEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants()
	got := w.post(w.scoped(admin, "write"), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rerun_review","arguments":{"repository":"`+w.Repository.ID+`","run":"`+w.Run.ID+`"}}}`)
	if got.status != 200 || got.header.Get("X-Accel-Buffering") != "no" || strings.Contains(got.body, `"isError":true`) {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	if l := w.auditOf(admin, w.tenantPath(), "?action=review-run.rerun").Items; len(l) != 1 || l[0].Actor.ID != w.people[admin].id || l[0].Target.ID != w.Run.ID {
		t.Errorf("entries: %+v", l)
	}
}

// TestMCPRefusesWhatIsWrong sends requests whose answer is a problem. The tests of package mcpserver send
// every kind of invalid message.
func TestMCPRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants()
	token := w.scoped(member, "rules:read")
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	for what, tc := range map[string]struct {
		body   string
		status int
		code   string
		with   []func(*http.Request)
	}{
		"accept":       {list, 400, "not_acceptable", []func(*http.Request){header("Accept", "application/json")}},
		"kind":         {list, 415, "unsupported_media_type", []func(*http.Request){header("Content-Type", "text/plain")}},
		"no JSON":      {`{"jsonrpc":`, 400, "malformed_message", nil},
		"too large":    {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 7<<20) + `"}`, 413, "too_large", nil},
		"another page": {list, 403, "foreign_origin", []func(*http.Request){header("Origin", "https://evil.example")}},
	} {
		if got := w.post(token, tc.body, tc.with...); got.status != tc.status || problemOf(t, got) != tc.code {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	testkit.Equal(t, "a body within the bound", w.post(token, list+strings.Repeat(" ", 5<<20)).status, 200)
	testkit.Equal(t, "as large elsewhere", w.call(admin, http.MethodPost, w.tenantPath()+"/mcp-tokens", `{"name":"`+strings.Repeat("x", 2<<20)+`"}`).status, 413)
	unspoken := w.post(token, list, header("Mcp-Protocol-Version", "2099-01-01"))
	if unspoken.status != 400 || !strings.Contains(unspoken.body, `"supported"`) {
		t.Errorf("an unsupported version: %d %s", unspoken.status, unspoken.body)
	}
}

// Every message of a batch counts against the limit like a single message.
func TestEveryMessageOfABatchIsPaidFor(t *testing.T) {
	t.Parallel()
	for what, limit := range map[string]func(*httpapi.Limits, httpapi.Rate){
		"token": func(l *httpapi.Limits, r httpapi.Rate) { l.Token = r }, "person": func(l *httpapi.Limits, r httpapi.Rate) { l.Person = r }, "address": func(l *httpapi.Limits, r httpapi.Rate) { l.Address = r },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { limit(&o.Limits, httpapi.Rate{PerSecond: 1e-6, Burst: 30}) })
			w.assistants()
			token := w.scoped(member, everyScope()...)
			var all []string
			for i := range 12 {
				all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
			}
			batch := "[" + strings.Join(all, ",") + "]"
			testkit.Equal(t, "the first batch", w.post(token, batch).status, 200)
			testkit.Equal(t, "the second batch", w.post(token, batch).status, 200)
			got := w.post(token, batch)
			if got.status != 429 || problemOf(t, got) != "rate_limited" || got.header.Get("Retry-After") == "" {
				t.Errorf("the third batch: %d %s", got.status, got.body)
			}
		})
	}
}
