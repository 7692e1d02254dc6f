package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/codeindex"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// patience bounds a wait for something that must happen.
const patience = 60 * time.Second

// office is a tenant whose assistants run in this process. Their requests go to the service without a
// listener.
type office struct {
	*featuretest.World
	t        *testing.T
	service  *mcpserver.Service
	mona     string // a member who may view the repository
	olga     string // an admin
	tokens   int
	messages int
}

func newOffice(t *testing.T, s *store.Store) *office {
	t.Helper()
	o := &office{World: featuretest.NewWorld(t, s), t: t}
	o.service = o.Features.MCP
	o.service.Rerun = reruns{s}
	o.mona, o.olga = o.Person("mona", domain.RoleMember), o.Person("olga", domain.RoleAdmin)
	o.role(o.mona, "view")
	o.offer(o.Tenant, true, everyTool()...)
	return o
}

// reruns creates runs as the review service does, without its jobs.
type reruns struct{ store *store.Store }

// Rerun implements [mcpserver.Rerunner].
func (r reruns) Rerun(ctx context.Context, run store.Run, request string, by domain.Asker) (store.Run, error) {
	made, _, err := r.store.CreateRun(ctx, domain.Tenant{ID: run.Tenant}, store.Run{Repository: run.Repository, PullRequest: run.PullRequest, Number: run.Number,
		HeadSHA: run.HeadSHA, TriggerKey: "rerun:" + request, TriggerEvent: "rerun", Asker: by})
	return made, err
}

// role sets a person's role on the world's repository as the code host reports it.
func (o *office) role(person, role string) {
	o.t.Helper()
	testkit.OK(o.t, o.Store.SetRepositoryRole(bg, o.Tenant, o.Repository.ID, person, role))
}

// offer makes a tenant offer tools.
func (o *office) offer(to domain.Tenant, writes bool, tools ...string) {
	o.t.Helper()
	_, err := o.Features.Tenant.PutMCPSettings(bg, to, 0, tenant.McpServerSettings{Enabled: true, ExposedTools: tools, AllowWrites: writes})
	testkit.OK(o.t, err)
}

// everyTool returns the names of all tools.
func everyTool() []string {
	var out []string
	for name := range mcpserver.ToolScopes() {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// everyScope returns all scopes.
func everyScope() []string {
	var out []string
	for _, scope := range mcpserver.ToolScopes() {
		out = append(out, scope)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// caller creates a token of a person with scopes, or with all of them by default.
func (o *office) caller(person string, scopes ...string) mcpserver.Caller {
	o.t.Helper()
	return o.callerOf(o.Tenant, person, scopes...)
}

func (o *office) callerOf(of domain.Tenant, person string, scopes ...string) mcpserver.Caller {
	o.t.Helper()
	if len(scopes) == 0 {
		scopes = everyScope()
	}
	o.tokens++
	made, err := o.Features.Tenant.CreateMCPToken(bg, of, person, tenant.McpTokenCreate{Name: fmt.Sprint("t", o.tokens), Scopes: scopes, ExpiresAt: time.Now().Add(time.Hour)})
	testkit.OK(o.t, err)
	v, err := o.Features.Tenant.MCPCaller(bg, made.Secret)
	testkit.OK(o.t, err)
	return mcpserver.Caller{Tenant: of, Role: v.Role, User: v.User, Token: v.Token, Scopes: tenant.Scopes(v)}
}

// direct is a transport that hands requests to the service.
type direct struct {
	service *mcpserver.Service
	caller  mcpserver.Caller
}

// RoundTrip implements [http.RoundTripper].
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if err := d.service.Serve(w, r, d.caller); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

// assistant is a client of the SDK.
func (o *office) assistant(c mcpserver.Caller, options *mcp.ClientOptions) *mcp.ClientSession {
	o.t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).Connect(bg, &mcp.StreamableClientTransport{Endpoint: "https://assay.example.com/mcp",
		HTTPClient: &http.Client{Transport: direct{o.service, c}}, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
	testkit.OK(o.t, err)
	o.t.Cleanup(func() { _ = s.Close() })
	return s
}

// tool calls a tool and returns the answer with its text.
func (o *office) tool(s *mcp.ClientSession, name string, args map[string]any) (*mcp.CallToolResult, string) {
	o.t.Helper()
	got, err := s.CallTool(bg, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		o.t.Fatalf("%s: %v", name, err)
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

// structured returns the value of a successful answer.
func structured[T any](t *testing.T, r *mcp.CallToolResult) (out T) {
	t.Helper()
	if r.IsError {
		t.Fatalf("refused: %s", textOf(r))
	}
	raw, err := json.Marshal(r.StructuredContent)
	testkit.OK(t, err)
	testkit.OK(t, json.Unmarshal(raw, &out))
	return out
}

// names returns the tools that a client sees, separated by spaces.
func names(t *testing.T, s *mcp.ClientSession) string {
	t.Helper()
	got, err := s.ListTools(bg, nil)
	testkit.OK(t, err)
	var out []string
	for _, v := range got.Tools {
		out = append(out, v.Name)
		if v.OutputSchema == nil || v.Annotations == nil || v.Description == "" || v.Title == "" {
			t.Errorf("%s lacks something that assistants read", v.Name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// call returns a call of a tool as a message.
func (o *office) call(tool string, args map[string]any) string {
	o.messages++
	return callOf(o.messages, tool, args)
}

func callOf(id int, tool string, args map[string]any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, store.JSON(args))
}

// request returns a request as a protocol client would send it, with other headers.
func request(ctx context.Context, body string, headers ...string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// post sends a body. The error is a refusal before a byte of the answer was written.
func (o *office) post(c mcpserver.Caller, body string, headers ...string) (status int, answer string, err error) {
	w := httptest.NewRecorder()
	err = o.service.Serve(w, request(bg, body, headers...), c)
	return w.Code, w.Body.String(), err
}

// refused checks that a body is refused with a kind and a code.
func (o *office) refused(what string, c mcpserver.Caller, body string, kind errs.Kind, code string, headers ...string) {
	o.t.Helper()
	_, answer, err := o.post(c, body, headers...)
	if e, is := errors.AsType[*errs.Error](err); !is || e.Kind != kind || e.Code != code {
		o.t.Errorf("%s: %v %s, want %v with the code %s", what, err, answer, kind, code)
	}
}

// piped is an answer that can be read while it is written.
type piped struct {
	header http.Header
	*io.PipeWriter
}

// Header implements [http.ResponseWriter].
func (p piped) Header() http.Header { return p.header }

// WriteHeader implements [http.ResponseWriter].
func (piped) WriteHeader(int) {}

// Flush implements [http.Flusher].
func (piped) Flush() {}

// begin sends a body and returns a channel with each message of the answer. A comment is the message with
// "comment". The channel closes at the end of the answer.
func (o *office) begin(ctx context.Context, c mcpserver.Caller, body string) <-chan map[string]any {
	read, write := io.Pipe()
	go func() { _ = write.CloseWithError(o.service.Serve(piped{http.Header{}, write}, request(ctx, body), c)) }()
	out := make(chan map[string]any, 1000)
	go func() {
		defer close(out)
		lines := bufio.NewScanner(read)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if text, is := strings.CutPrefix(lines.Text(), "data: "); is {
				var m map[string]any
				if json.Unmarshal([]byte(text), &m) == nil {
					out <- m
				}
			} else if strings.HasPrefix(lines.Text(), ":") {
				out <- map[string]any{"comment": true}
			}
		}
	}()
	return out
}

// log returns the recorded calls of assistants, oldest first.
func (o *office) log() []tenant.AssistantCall {
	o.t.Helper()
	all, err := o.Features.Tenant.AssistantCalls(bg, o.Tenant, tenant.Page{Limit: 200})
	testkit.OK(o.t, err)
	slices.Reverse(all)
	return all
}

// cancelled waits until n calls have been cancelled.
func (o *office) cancelled(n int) {
	o.t.Helper()
	testkit.Eventually(o.t, patience, func() (bool, string) {
		got := 0
		for _, v := range o.log() {
			if v.Outcome == "cancelled" {
				got++
			}
		}
		return got == n, fmt.Sprintf("%d of %d calls were cancelled", got, n)
	})
}

// held is source code whose reader waits until its context ends.
type held struct{ begun chan struct{} }

// Newest implements [mcpserver.Code].
func (h held) Newest(ctx context.Context, _ store.Repository, _ string) (*snapshot.Repo, string, error) {
	h.begun <- struct{}{}
	<-ctx.Done()
	return nil, "", context.Cause(ctx)
}

// hold makes every read of code wait until its caller goes away.
func (o *office) hold() held {
	code := held{make(chan struct{}, 100)}
	o.service.Code = code
	return code
}

// oneRepository is the git repository that serves the code of every repository.
type oneRepository struct {
	cache *snapshot.Cache
	url   string
}

// Newest implements [mcpserver.Code].
func (o oneRepository) Newest(ctx context.Context, _ store.Repository, at string) (*snapshot.Repo, string, error) {
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

// named opens repositories whose default branch is known.
type named struct{ codeindex.Opener }

// WithBranch implements [codeindex.Code].
func (named) WithBranch(_ context.Context, r store.Repository) (store.Repository, error) {
	return r, nil
}

// code lets tools read these files, and review diffs of them with deterministic checks. It returns their
// commit.
func (o *office) code(files map[string]string) (commit string) {
	t := o.t
	t.Helper()
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q", "-b", "main")
	for name, text := range files {
		testkit.OK(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		testkit.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	testkit.Git(t, dir, "add", "-A")
	testkit.Git(t, dir, "commit", "-qm", "code")
	server := httptest.NewServer(testkit.GitServer(t, filepath.Dir(dir)))
	t.Cleanup(server.Close)
	checker, err := check.New()
	testkit.OK(t, err)
	o.service.Code = oneRepository{&snapshot.Cache{Dir: t.TempDir()}, server.URL + "/" + filepath.Base(dir) + "/.git"}
	o.Features.DryRun.Models = o.Features.Models
	o.Features.DryRun.Engine = func(d engine.Deps) *engine.Engine {
		d.Checks = checker
		return engine.New(d)
	}
	return testkit.Git(t, dir, "rev-parse", "HEAD")
}

// reviewed creates a review of the world's pull request with one finding.
func (o *office) reviewed(title, path string) domain.Finding {
	o.t.Helper()
	found := []domain.Finding{{ID: domain.NewID("fnd"), Origin: domain.OriginModel, RuleID: "llm/correctness/nil-map", Category: domain.CategoryBug, Severity: domain.High, Confidence: .9, Title: title, Explanation: "It panics.",
		Anchor: domain.Anchor{Path: path, Side: domain.Right, StartLine: 3, EndLine: 3, Level: domain.AnchorLine, Quote: "m[k] = v"}, Fingerprints: domain.Fingerprints{Exact: domain.NewID("fp")}, Verdict: domain.VerdictConfirmed, Route: domain.RouteInline,
		Suggestion: &domain.Suggestion{Path: path, Start: 3, End: 3, Old: "m[k] = v", New: "m = map[string]int{k: v}", Applies: true, Parses: "yes"}}}
	kept, err := o.Store.SaveRunFindings(bg, o.Run, found)
	testkit.OK(o.t, err)
	return kept[0]
}

// sqlite returns an office on one database engine, for tests that are not about SQL.
func sqlite(t *testing.T) *office {
	t.Helper()
	return newOffice(t, storetest.SQLite(t))
}
