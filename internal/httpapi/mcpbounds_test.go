package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// Every token sees the tools of its scopes, and no other; whose it is decides what a tool
// may do.
func TestToolsByScopeAndRole(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.assistants(true, everyTool()...)
		run := w.reviewed("A nil map is written to", "shop/cart.go")
		for _, scope := range everyScope() {
			var want []string
			for name, of := range tenant.MCPTools() {
				if of == scope {
					want = append(want, name)
				}
			}
			slices.Sort(want)
			testkit.Equal(t, "tools of "+scope, strings.Join(names(t, w.assistant(w.scoped(member, scope))), " "), strings.Join(want, " "))
		}
		reads := w.assistant(w.scoped(member, "reviews:read"))
		if got, text := w.tool(reads, "list_rules", map[string]any{"repository": w.Repository.ID}); !got.IsError || !strings.Contains(text, "scope rules:read") {
			t.Errorf("without the scope: %s", text)
		}
		viewer, boss := w.assistant(w.scoped(member, everyScope()...)), w.assistant(w.scoped(admin, everyScope()...))
		for name, args := range map[string]map[string]any{
			"rerun_review": {"run": run.ID}, "policy_preview": {"changes": map[string]any{"minSeverity": "high"}}, "dismiss_finding": {"finding": "fnd_none", "reason": "known"}, "approve_output": {"output": "out_none", "digest": "d"}, "reject_output": {"output": "out_none", "digest": "d"},
		} {
			args["repository"] = w.Repository.ID
			if got, text := w.tool(viewer, name, args); !got.IsError || !strings.Contains(text, "role") && !strings.Contains(text, "host") {
				t.Errorf("%s by a viewer: %s", name, text)
			}
			got, text := w.tool(boss, name, args)
			if (strings.HasSuffix(name, "_output") || name == "dismiss_finding") != got.IsError || got.IsError && !strings.HasPrefix(text, "There is nothing here.") {
				t.Errorf("%s by an admin: %s", name, text)
			}
		}
		testkit.Equal(t, "audited", strings.Count(w.call(admin, http.MethodGet, w.tenantPath()+"/audit?action=review-run.rerun", "").body, `"action":"review-run.rerun"`), 1)
		w.assistants(false, everyTool()...)
		if got, text := w.tool(boss, "rerun_review", map[string]any{"repository": w.Repository.ID, "run": run.ID}); !got.IsError || !strings.Contains(text, "do not allow tools that change something") {
			t.Errorf("writes are off: %s", text)
		}
		w.assistants(true, "list_rules")
		testkit.Equal(t, "offered", strings.Join(names(t, boss), " "), "list_rules")
		must(t, s.SetRepositoryRole(bg, w.Tenant, w.Repository.ID, w.people[member].id, "none"))
		if got, text := w.tool(viewer, "list_rules", map[string]any{"repository": w.Repository.ID}); !got.IsError || !strings.HasPrefix(text, "There is nothing here.") {
			t.Errorf("the role is gone: %s", text)
		}
	})
}

// What belongs to another tenant is answered with the bytes that an id gets which was
// never issued.
func TestToolsKnowNoOtherTenant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.assistants(true, everyTool()...)
		found := []domain.Finding{{ID: domain.NewID("fnd"), RuleID: "llm/x", Category: domain.CategoryBug, Title: "theirs", Fingerprints: domain.Fingerprints{Exact: "theirs"}, Route: domain.RouteInline}}
		kept, err := s.SaveRunFindings(bg, w.other.Run, found)
		must(t, err)
		c := w.assistant(w.scoped(admin, everyScope()...))
		never := map[string]string{"repository": "rep_never", "run": "run_never", "finding": "fnd_never"}
		theirs := map[string]string{"repository": w.other.Repository.ID, "run": w.other.Run.ID, "finding": kept[0].ID}
		for _, name := range everyTool() {
			ask := func(ids map[string]string, repository string) string {
				args := map[string]any{"repository": repository}
				switch name {
				case "list_repositories":
					return ""
				case "get_review", "rerun_review":
					args["run"] = ids["run"]
				case "explain_finding":
					args["finding"] = ids["finding"]
				case "dismiss_finding":
					args["finding"], args["reason"] = ids["finding"], "known"
				case "policy_preview":
					args["changes"] = map[string]any{}
				case "approve_output", "reject_output":
					args["output"], args["digest"] = ids["run"], "d"
				case "search_code":
					args["text"] = "a"
				case "review_diff":
					args["diff"] = "diff"
				}
				got, text := w.tool(c, name, args)
				if repository != w.Repository.ID && !got.IsError {
					t.Errorf("%s answers: %s", name, text)
				}
				return text
			}
			testkit.Equal(t, name+" in another tenant's repository", ask(theirs, theirs["repository"]), ask(never, never["repository"]))
			testkit.Equal(t, name+" of another tenant's things", ask(theirs, w.Repository.ID), ask(never, w.Repository.ID))
		}
		read := func(ids map[string]string) string {
			_, err := c.ReadResource(bg, &mcp.ReadResourceParams{URI: "assay://repositories/" + ids["repository"] + "/reviews/" + ids["run"]})
			return fmt.Sprint(err)
		}
		testkit.Equal(t, "resources", read(theirs), read(never))
		own, _ := w.tool(c, "list_repositories", nil)
		testkit.Equal(t, "repositories", len(structured[struct{ Items []any }](t, own).Items), 1)
	})
}

func TestMCPRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants(false, everyTool()...)
	token := w.scoped(member, "rules:read")
	accept := header("Accept", "application/json, text/event-stream")
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	for what, tc := range map[string]struct {
		body   string
		status int
		code   string
		with   []func(*http.Request)
	}{
		"accept":        {list, 400, "not_acceptable", []func(*http.Request){header("Accept", "application/json")}},
		"kind":          {list, 415, "unsupported_media_type", []func(*http.Request){accept, header("Content-Type", "text/plain")}},
		"version":       {list, 400, "unsupported_protocol_version", []func(*http.Request){accept, header("Mcp-Protocol-Version", "2020-01-01")}},
		"no JSON":       {`{"jsonrpc":`, 400, "malformed_message", []func(*http.Request){accept}},
		"no message":    {`{}`, 400, "malformed_message", []func(*http.Request){accept}},
		"two":           {list + list, 400, "malformed_message", []func(*http.Request){accept}},
		"deep":          {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, 400, "malformed_message", []func(*http.Request){accept}},
		"large batch":   {"[" + strings.Repeat(list+",", 20) + list + "]", 400, "batch_size", []func(*http.Request){accept}},
		"no batch":      {"[]", 400, "batch_size", []func(*http.Request){accept}},
		"too large":     {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 7<<20) + `"}`, 413, "too_large", []func(*http.Request){accept}},
		"another page":  {list, 403, "foreign_origin", []func(*http.Request){accept, header("Origin", "https://evil.example")}},
		"cookie, token": {list, 401, "unauthenticated", []func(*http.Request){accept, header("Authorization", "")}},
	} {
		with := append([]func(*http.Request){bearing(token)}, tc.with...)
		who := anonymous
		if what == "cookie, token" {
			who = admin
		}
		if got := w.call(who, http.MethodPost, "/mcp", tc.body, with...); got.status != tc.status || problemOf(t, got) != tc.code {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	if got := w.call(anonymous, http.MethodPost, "/mcp", list, bearing(token), accept); got.status != 200 || !strings.Contains(got.body, `"list_rules"`) || strings.Contains(got.body, `"get_review"`) {
		t.Errorf("list: %d %s", got.status, got.body)
	}
}

// A client of an old version is answered in it, one of an unknown version in one that is
// spoken, as the protocol wants it (MCP 2025-11-25, basic/lifecycle, "Version
// Negotiation"); what says that it speaks an unknown one is told those that are known.
func TestVersionsOfTheProtocol(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants(false, everyTool()...)
	token := w.scoped(member, "rules:read")
	for wanted, answered := range map[string]string{"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "2020-01-01": "2025-11-25", "2026-07-28": "2025-11-25", "2099-01-01": "2025-11-25", "hello": "2025-11-25"} {
		got := w.post(token, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+wanted+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
		if got.status != 200 || !strings.Contains(got.body, `"protocolVersion":"`+answered+`"`) || !strings.Contains(got.body, `"name":"assay"`) {
			t.Errorf("%s: %d %s", wanted, got.status, got.body)
		}
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	testkit.Equal(t, "an old version", w.post(token, list, header("Mcp-Protocol-Version", "2025-03-26")).status, 200)
	future := strings.Replace(list, `"params":{}`, `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`, 1)
	for version, body := range map[string]string{"2020-01-01": list, "hello": future, "2099-01-01": future} {
		got := w.post(token, body, header("Mcp-Protocol-Version", version))
		if got.status != 400 || strings.Contains(got.body, `"result"`) {
			t.Errorf("%s: %d %s", version, got.status, got.body)
		}
		for _, known := range mcp.SupportedProtocolVersions() {
			if !strings.Contains(got.body, known) {
				t.Errorf("%s: the refusal does not name %s: %s", version, known, got.body)
			}
		}
	}
}

// Fifty at once are answered or told to wait, and afterwards all is as before.
func TestManyAssistantsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants(false, everyTool()...)
	token := w.scoped(member, everyScope()...)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_rules","arguments":{"repository":%q}}}`, w.Repository.ID)
	ask := func() reply {
		return w.call(anonymous, http.MethodPost, "/mcp", body, bearing(token), header("Accept", "application/json, text/event-stream"))
	}
	var all sync.WaitGroup
	var good, wait atomic.Int64
	for range 50 {
		all.Go(func() {
			switch got := ask(); {
			case got.status == 200 && strings.Contains(got.body, `"items"`):
				good.Add(1)
			case got.status == 429 && got.header.Get("Retry-After") != "":
				wait.Add(1)
			default:
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	all.Wait()
	if good.Load() < 16 {
		t.Errorf("%d were answered, %d told to wait", good.Load(), wait.Load())
	}
	testkit.Equal(t, "afterwards", ask().status, 200)
}

// blocked is code that nobody ever gets.
type blocked struct{ begun chan struct{} }

func (b blocked) Newest(ctx context.Context, _ store.Repository, _ string) (*snapshot.Repo, string, error) {
	close(b.begun)
	<-ctx.Done()
	return nil, "", context.Cause(ctx)
}

// reviewsDiffs gives the world code to review diffs against, and deterministic checks; it
// returns the commit with pay.go.
func (w *world) reviewsDiffs() (base string) {
	t := w.t
	t.Helper()
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q", "-b", "main")
	must(t, os.WriteFile(filepath.Join(dir, "pay.go"), []byte("package shop\n\nvar a = 1\n"), 0o644))
	testkit.Git(t, dir, "add", "-A")
	testkit.Git(t, dir, "commit", "-qm", "code")
	server := httptest.NewServer(testkit.GitServer(t, filepath.Dir(dir)))
	t.Cleanup(server.Close)
	checker, err := check.New()
	must(t, err)
	w.Features.MCP.Code = oneRepository{&snapshot.Cache{Dir: t.TempDir()}, server.URL + "/" + filepath.Base(dir) + "/.git"}
	w.Features.DryRun.Models = w.Features.Models
	w.Features.DryRun.Engine = func(d engine.Deps) *engine.Engine {
		d.Checks = checker
		return engine.New(d)
	}
	w.assistants(false, everyTool()...)
	return testkit.Git(t, dir, "rev-parse", "HEAD")
}

// Of a review with more findings than are listed, the number and the files of the rest
// are said, and a diff of those files lists them.
func TestAReviewOfManyFindings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	base := w.reviewsDiffs()
	c := w.assistant(w.scoped(member, "diffs:review"))
	file := func(i int) string {
		text := "R7wZ2kQx9LmN4vB8tY6sD3fG1hJ5pC0aUeXo"
		path := fmt.Sprintf("f%02d.go", i)
		diff := "diff --git a/" + path + " b/" + path + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1,8 @@\n+package f\n+\n"
		for n := range 6 {
			at := (i*6 + n) % len(text)
			diff += fmt.Sprintf("+var key%d = \"ghp_%s\"\n", n, text[at:]+text[:at])
		}
		return diff
	}
	type answer struct {
		Files, More int
		MoreIn      []string
		Findings    []struct{ Path string }
	}
	review := func(diff string) (answer, string) {
		got, text := w.tool(c, "review_diff", map[string]any{"repository": w.Repository.ID, "base": base, "diff": diff})
		return structured[answer](t, got), text
	}
	whole, left := "", map[string]int{}
	for i := range 10 {
		whole += file(i)
		left[fmt.Sprintf("f%02d.go", i)] = 6
	}
	out, text := review(whole)
	for _, f := range out.Findings {
		left[f.Path]--
	}
	if len(out.Findings) != 50 || out.More != 10 || !strings.HasPrefix(text, "60 findings in 10 files. 10 of them are not listed: moreIn names their files, and a review of a diff of fewer files lists those of each.") {
		t.Fatalf("%d listed, %d more in %v: %.300s", len(out.Findings), out.More, out.MoreIn, text)
	}
	for path, n := range left {
		testkit.Equal(t, "that more is in "+path, slices.Contains(out.MoreIn, path), n > 0)
	}
	rest := ""
	for _, path := range out.MoreIn {
		var i int
		_, err := fmt.Sscanf(path, "f%d.go", &i)
		must(t, err)
		rest += file(i)
	}
	if again, text := review(rest); again.More != 0 || len(again.MoreIn) != 0 || len(again.Findings) != 6*len(out.MoreIn) || strings.Contains(text, "not listed") {
		t.Errorf("of the rest: %d listed, %d more: %.300s", len(again.Findings), again.More, text)
	}
}

func TestAssistantsReviewDiffs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	base := w.reviewsDiffs()
	c := w.assistant(w.scoped(member, "diffs:review"))
	key := "ghp_" + "R7wZ2kQx9LmN4vB8tY6sD3fG1hJ5pC0aUeXo"
	diff := "diff --git a/pay.go b/pay.go\n--- a/pay.go\n+++ b/pay.go\n@@ -1,3 +1,4 @@\n package shop\n \n var a = 1\n+var token = \"" + key + "\"\n"
	var told atomic.Int64
	listens, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { told.Add(1) }}).
		Connect(bg, &mcp.StreamableClientTransport{Endpoint: w.base + "/mcp", HTTPClient: &http.Client{Transport: bearerTransport{w.scoped(member, "diffs:review")}}, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
	must(t, err)
	t.Cleanup(func() { _ = listens.Close() })
	params := &mcp.CallToolParams{Name: "review_diff", Arguments: map[string]any{"repository": w.Repository.ID, "base": base, "diff": diff, "title": "Pay"}}
	params.SetProgressToken("p")
	got, err := listens.CallTool(bg, params)
	must(t, err)
	out := structured[struct {
		Base, ModelState string
		Files, Additions int
		Findings         []struct {
			Category, Path string
			StartLine      int
		}
	}](t, got)
	if out.Base != base || out.Files != 1 || out.Additions != 1 || len(out.Findings) != 1 || out.Findings[0].Category != "secret" || out.Findings[0].StartLine != 4 || out.ModelState != "none" {
		t.Errorf("reviewed: %+v %s", out, textOf(got))
	}
	if strings.Contains(textOf(got)+fmt.Sprint(got.StructuredContent), key) {
		t.Error("the answer holds the secret")
	}
	if told.Load() == 0 {
		t.Error("nobody was told of progress")
	}
	for what, args := range map[string]map[string]any{
		"does not fit":   {"diff": strings.ReplaceAll(diff, "var a = 1", "var a = 2")},
		"unified diff":   {"diff": "hello"},
		"whole id":       {"diff": diff, "base": "main"},
		"900000 bytes":   {"diff": strings.Repeat("x", 900_001)},
		"There is nothi": {"diff": diff, "repository": "rep_never"},
		"not have the c": {"diff": diff, "base": strings.Repeat("a", 40)},
	} {
		if args["repository"] == nil {
			args["repository"] = w.Repository.ID
		}
		if args["base"] == nil {
			args["base"] = base
		}
		if got, text := w.tool(c, "review_diff", args); !got.IsError || !strings.Contains(text, what) {
			t.Errorf("%s, want %s", text, what)
		}
	}

	stuck := blocked{make(chan struct{})}
	w.Features.MCP.Code = stuck
	ctx, cancel := context.WithCancel(bg)
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "review_diff", Arguments: map[string]any{"repository": w.Repository.ID, "diff": diff}})
		ended <- err
	}()
	<-stuck.begun
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	testkit.Eventually(t, 10*time.Second, func() (bool, string) {
		got := w.call(admin, http.MethodGet, w.tenantPath()+"/mcp-calls?limit=1", "").body
		return strings.Contains(got, `"outcome":"cancelled"`), got
	})
}
