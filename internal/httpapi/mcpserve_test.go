package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// everyTool is the list of all tools.
func everyTool() (out []string) {
	for name := range tenant.MCPTools() {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// everyScope is the list of all scopes.
func everyScope() (out []string) {
	for _, scope := range tenant.MCPTools() {
		out = append(out, scope)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// assistants lets the world's tenant offer tools.
func (w *world) assistants(writes bool, tools ...string) {
	w.t.Helper()
	body, err := json.Marshal(tenant.McpServerSettings{Enabled: true, ExposedTools: tools, AllowWrites: writes})
	must(w.t, err)
	var v tenant.McpSettings
	w.into(&v, w.call(admin, http.MethodPut, w.tenantPath()+"/mcp-settings", string(body)))
}

// scoped makes a token of somebody with scopes.
func (w *world) scoped(who string, scopes ...string) string {
	w.t.Helper()
	body := strings.Replace(tokenBody(domain.NewID("tok"), 3600e9), `["reviews:read"]`, string(store.JSON(scopes)), 1)
	var v tenant.McpTokenMade
	w.made(&v, who, w.tenantPath()+"/mcp-tokens", body)
	return v.Secret
}

// bearer sends a token with every request.
type bearerTransport struct{ token string }

func (b bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// assistant is a client of the SDK that is connected with a token.
func (w *world) assistant(token string) *mcp.ClientSession {
	w.t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(bg, &mcp.StreamableClientTransport{Endpoint: w.base + "/mcp",
		HTTPClient: &http.Client{Transport: bearerTransport{token}}, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
	must(w.t, err)
	w.t.Cleanup(func() { _ = s.Close() })
	return s
}

// tool calls a tool and returns the text of its answer, and whether it is an error.
func (w *world) tool(s *mcp.ClientSession, name string, args map[string]any) (*mcp.CallToolResult, string) {
	w.t.Helper()
	got, err := s.CallTool(bg, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	return got, textOf(got)
}

func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, is := c.(*mcp.TextContent); is {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// structured reads the value of a good answer.
func structured[T any](t *testing.T, r *mcp.CallToolResult) (out T) {
	t.Helper()
	if r.IsError {
		t.Fatalf("refused: %s", textOf(r))
	}
	raw, err := json.Marshal(r.StructuredContent)
	must(t, err)
	must(t, json.Unmarshal(raw, &out))
	return out
}

func names(t *testing.T, s *mcp.ClientSession) (out []string) {
	t.Helper()
	got, err := s.ListTools(bg, nil)
	must(t, err)
	for _, v := range got.Tools {
		out = append(out, v.Name)
		if v.OutputSchema == nil || v.Annotations == nil || v.Description == "" || v.Title == "" {
			t.Errorf("%s lacks something that assistants read", v.Name)
		}
	}
	slices.Sort(out)
	return out
}

func TestAssistantsReadReviews(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.assistants(false, everyTool()...)
		run := w.reviewed("A nil map is written to", "shop/cart.go")
		c := w.assistant(w.scoped(member, everyScope()...))
		place := w.Repository.Owner + "/" + strings.ToUpper(w.Repository.Name)

		got, text := w.tool(c, "list_repositories", nil)
		list := structured[struct{ Items []struct{ ID, Role string } }](t, got)
		if len(list.Items) != 1 || list.Items[0].ID != w.Repository.ID || list.Items[0].Role != "view" || !strings.Contains(text, "no instructions") {
			t.Errorf("repositories: %+v %s", list, text)
		}
		got, text = w.tool(c, "get_review", map[string]any{"repository": place, "pullRequest": run.Number})
		review := structured[struct {
			Run      string
			Findings []struct{ ID, Title, Path string }
		}](t, got)
		if review.Run != run.ID || len(review.Findings) != 1 || review.Findings[0].Title != "A nil map is written to" || !strings.Contains(text, "A nil map") {
			t.Fatalf("review: %+v %s", review, text)
		}
		got, _ = w.tool(c, "list_findings", map[string]any{"repository": w.Repository.ID, "path": "shop/cart.go"})
		found := structured[struct{ Items []struct{ ID string } }](t, got)
		testkit.Equal(t, "findings", len(found.Items), 1)
		got, _ = w.tool(c, "list_findings", map[string]any{"repository": w.Repository.ID, "state": "dismissed"})
		testkit.Equal(t, "dismissed ones", len(structured[struct{ Items []any }](t, got).Items), 0)
		got, text = w.tool(c, "explain_finding", map[string]any{"repository": place, "finding": found.Items[0].ID})
		if e := structured[struct{ Sightings []any }](t, got); len(e.Sightings) != 1 || !strings.Contains(text, "shop/cart.go:3") {
			t.Errorf("explained: %+v %s", e, text)
		}

		resource, err := c.ReadResource(bg, &mcp.ReadResourceParams{URI: "assay://repositories/" + w.Repository.ID + "/reviews/" + run.ID})
		must(t, err)
		testkit.Equal(t, "for whom a review may be kept", resource.CacheScope, "private")
		offered, err := c.ListTools(bg, nil)
		must(t, err)
		testkit.Equal(t, "for whom the list of tools may be kept", offered.CacheScope, "private")
		if !strings.Contains(resource.Contents[0].Text, "A nil map") || resource.Contents[0].MIMEType != "text/markdown" {
			t.Errorf("resource: %+v", resource.Contents[0])
		}
		prompt, err := c.GetPrompt(bg, &mcp.GetPromptParams{Name: "fix_these_findings", Arguments: map[string]string{"repository": place, "pullRequest": "7"}})
		must(t, err)
		if !strings.Contains(prompt.Messages[0].Content.(*mcp.TextContent).Text, place) {
			t.Errorf("prompt: %+v", prompt)
		}
		var log struct{ Items []tenant.AssistantCall }
		w.into(&log, w.call(admin, http.MethodGet, w.tenantPath()+"/mcp-calls", ""))
		said := ""
		for _, v := range log.Items {
			said = v.Kind + " " + v.Name + " " + v.Outcome + "; " + said
			if v.FinishedAt == nil || v.UserID != w.people[member].id || v.Kind != "prompt" && v.Name != "list_repositories" && v.RepositoryID != w.Repository.ID {
				t.Errorf("call: %+v", v)
			}
		}
		testkit.Equal(t, "log", said, "tool list_repositories ok; tool get_review ok; tool list_findings ok; tool list_findings ok; tool explain_finding ok; resource review ok; prompt fix_these_findings ok; ")
		testkit.Equal(t, "log for a member", w.call(member, http.MethodGet, w.tenantPath()+"/mcp-calls", "").status, http.StatusForbidden)
	})
}

// reviewed makes a completed review of the world's pull request with one finding.
func (w *world) reviewed(title, path string) store.Run {
	w.t.Helper()
	found := []domain.Finding{{ID: domain.NewID("fnd"), Origin: domain.OriginModel, RuleID: "llm/correctness/nil-map", Category: domain.CategoryBug, Severity: domain.High, Confidence: .9, Title: title, Explanation: "It panics.",
		Anchor: domain.Anchor{Path: path, Side: domain.Right, StartLine: 3, EndLine: 3, Level: domain.AnchorLine, Quote: "m[k] = v"}, Fingerprints: domain.Fingerprints{Exact: domain.NewID("fp")}, Verdict: domain.VerdictConfirmed, Route: domain.RouteInline,
		Suggestion: &domain.Suggestion{Path: path, Start: 3, End: 3, Old: "m[k] = v", New: "m = map[string]int{k: v}", Applies: true, Parses: "yes"}}}
	_, err := w.store.SaveRunFindings(bg, w.Run, found)
	must(w.t, err)
	return w.Run
}

// oneRepository is code that git serves, for every repository.
type oneRepository struct {
	cache *snapshot.Cache
	url   string
}

func (o oneRepository) Newest(ctx context.Context, r store.Repository, at string) (*snapshot.Repo, string, error) {
	remote := snapshot.Remote{URL: o.url, AllowHTTP: true}
	if at == "" {
		var err error
		if at, err = o.cache.Branch(ctx, remote, "main"); err != nil {
			return nil, "", err
		}
	}
	code, err := o.cache.Fetch(ctx, remote, "k", at)
	return code, at, err
}

// What a tool says next is never a tool that the caller does not have.
func TestToolsNameNoOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants(false, "list_findings")
	w.reviewed("A nil map is written to", "shop/cart.go")
	c := w.assistant(w.scoped(member, everyScope()...))
	if _, text := w.tool(c, "list_findings", map[string]any{"repository": w.Repository.ID}); !strings.HasPrefix(text, "1 finding.\n") {
		t.Errorf("it says %q", text)
	}
}

func TestAssistantsSearchCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q", "-b", "main")
	key := "AKIA" + "Q3EGRIOZ4KLM5XYZ"
	files := map[string]string{"shop/cart.go": "package shop\n\n// Total adds up.\nfunc (c Cart) Total() int { return sum(c) }\n", "shop/pay.go": "package shop\n\nvar x = cart.Total()\nvar key = \"" + key + "\"\n",
		"web/pay.ts": "const Total = 1 // \u202eevil\nTotals()\n"}
	for name, text := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	testkit.Git(t, dir, "add", "-A")
	testkit.Git(t, dir, "commit", "-qm", "code")
	server := httptest.NewServer(testkit.GitServer(t, filepath.Dir(dir)))
	t.Cleanup(server.Close)

	w := newWorld(t, storetest.SQLite(t))
	w.Features.MCP.Code = oneRepository{&snapshot.Cache{Dir: t.TempDir()}, server.URL + "/" + filepath.Base(dir) + "/.git"}
	w.Features.MCP.Scan = func(text string) string { return strings.ReplaceAll(text, key, "[secret]") }
	w.assistants(false, everyTool()...)
	c := w.assistant(w.scoped(member, "code:read"))
	testkit.Equal(t, "tools", strings.Join(names(t, c), " "), "search_code")
	for _, tc := range []struct{ by, value, paths, want string }{
		{"symbol", "Total", "", "shop/cart.go:4! web/pay.ts:1! shop/cart.go:3 shop/pay.go:3"},
		{"text", "Total()", "", "shop/cart.go:4 shop/pay.go:3"},
		{"text", "Total", "*.ts", "web/pay.ts:1 web/pay.ts:2"},
		{"expression", `^var \w+`, "shop/**", "shop/pay.go:3 shop/pay.go:4"},
		{"text", "nowhere", "", ""},
	} {
		args := map[string]any{"repository": w.Repository.ID, tc.by: tc.value}
		if tc.paths != "" {
			args["paths"] = tc.paths
		}
		got, text := w.tool(c, "search_code", args)
		var hits []string
		for _, h := range structured[struct {
			Items []struct {
				Path       string
				Line       int
				Definition bool
			}
		}](t, got).Items {
			mark := ""
			if h.Definition {
				mark = "!"
			}
			hits = append(hits, fmt.Sprintf("%s:%d%s", h.Path, h.Line, mark))
		}
		testkit.Equal(t, tc.by+" "+tc.value, strings.Join(hits, " "), tc.want)
		if strings.Contains(text, key) || strings.Contains(text, "\u202e") {
			t.Errorf("%s shows what it must not: %s", tc.value, text)
		}
	}
	for what, args := range map[string]map[string]any{
		"must be given": {"text": "a", "symbol": "b"}, "one of the three": {}, "RE2": {"expression": "("}, "fits every line": {"expression": "a*"}, "must be a name": {"symbol": "a.b"},
		"pattern of paths": {"text": "a", "paths": "["}, "1 to 200 bytes": {"text": strings.Repeat("a", 201)},
	} {
		args["repository"] = w.Repository.ID
		if got, text := w.tool(c, "search_code", args); !got.IsError || !strings.Contains(text, what) {
			t.Errorf("%v: %s, want %s", args, text, what)
		}
	}
}
