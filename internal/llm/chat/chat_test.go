package chat_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/chat"
	"github.com/assay-dev/assay/internal/llm/llmtest"
	"github.com/assay-dev/assay/internal/llm/llmtest/simtest"
	"github.com/assay-dev/assay/internal/llm/wire"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// recording keeps the bodies of requests.
type recording struct {
	next   http.Handler
	mu     sync.Mutex
	bodies [][]byte
	paths  []string
	auth   []string
}

func (r *recording) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	req.Body = io.NopCloser(strings.NewReader(string(body)))
	r.mu.Lock()
	r.bodies, r.paths, r.auth = append(r.bodies, body), append(r.paths, req.Method+" "+req.URL.Path), append(r.auth, req.Header.Get("Authorization"))
	r.mu.Unlock()
	r.next.ServeHTTP(w, req)
}

func client(t *testing.T, h http.Handler, change ...func(*chat.Config)) (*chat.Client, *recording) {
	t.Helper()
	rec := &recording{next: h}
	server := httptest.NewServer(rec)
	t.Cleanup(server.Close)
	cfg := chat.Config{BaseURL: server.URL + "/v1/", APIKey: secret.New(llmtest.Key()), HTTP: server.Client()}
	for _, f := range change {
		f(&cfg)
	}
	c, err := chat.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c, rec
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path    string
		change  func(chat.Config) chat.Config
		without map[llmtest.Trait]string
	}{
		"compatible": {"/v1/", func(c chat.Config) chat.Config { return c }, map[llmtest.Trait]string{
			llmtest.CacheKeys: "most servers do not know the member"}},
		"mistral": {"/mistral/v1", chat.ForMistral, map[llmtest.Trait]string{
			llmtest.ReasoningTokens: "usage has no member for them", llmtest.CacheWrites: "usage has no member for them"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simtest.Run(t, func(t *testing.T, base string, client *http.Client) llm.Client {
				t.Helper()
				cl, err := chat.New(c.change(chat.Config{BaseURL: base + c.path, APIKey: simtest.Key(), HTTP: client}))
				if err != nil {
					t.Fatal(err)
				}
				return cl
			}, c.without)
		})
	}
}

func simOptions() model.Options { return model.Options{APIKey: llmtest.Key()} }

func full() llm.Request {
	temperature := 0.2
	return llm.Request{
		Model: "gpt", System: "Be brief. <b>&", Effort: llm.EffortXHigh, MaxOutputTokens: 100, Temperature: &temperature,
		Messages: []llm.Message{{Role: llm.User, Text: "hello"}, {Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "call_1", Name: "look", Arguments: `{}`}}},
			{Role: llm.ToolResult, ToolCallID: "call_1", Text: "result"}, {Role: llm.Assistant, Text: "so"}, {Role: llm.User, Text: "go on"}},
		Schema: &llm.Schema{Name: "answer", JSON: json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)},
		Tools:  []llm.Tool{{Name: "look", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "bare"}},
	}
}

func TestRequestsAgreeWithTheRESTDescription(t *testing.T) {
	t.Parallel()
	schemas := testkit.Description(t, "openai/openapi.reduced.json")
	sim, err := model.New(model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Close)
	plain := llm.Request{Model: "gpt", Messages: []llm.Message{{Role: llm.User, Text: "hello"}}}
	for name, legacy := range map[string]bool{"new limit": false, "old limit": true} {
		c, rec := client(t, sim.Handler(), func(cfg *chat.Config) { cfg.LegacyMaxTokens = legacy })
		for _, req := range []llm.Request{full(), plain} {
			if _, err := c.Complete(t.Context(), req); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if _, err := c.ListModels(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, body := range rec.bodies[:2] {
			if err := simtest.Problem(schemas, "CreateChatCompletionRequest", string(body)); err != nil {
				t.Errorf("%s, request %d: %v\n%s", name, i, err, body)
			}
			if rec.paths[i] != "POST /v1/chat/completions" || rec.auth[i] != "Bearer "+llmtest.Key() {
				t.Errorf("request %d: %s", i, rec.paths[i])
			}
		}
		if rec.paths[2] != "GET /v1/models" || len(rec.bodies[2]) != 0 {
			t.Errorf("list: %s with %d bytes", rec.paths[2], len(rec.bodies[2]))
		}
	}
	if simtest.Problem(schemas, "CreateChatCompletionRequest", `{"model":"gpt","messages":[{"role":"user"}],"reasoning_effort":"extra high"}`) == nil {
		t.Error("the validation accepts a wrong request")
	}
}

func TestOnlyWhatIsSetIsSent(t *testing.T) {
	t.Parallel()
	sim, err := model.New(model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Close)
	for name, c := range map[string]struct {
		req    llm.Request
		change func(*chat.Config)
		want   string
	}{
		"least":  {llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Text: "a<b"}}}, func(*chat.Config) {}, `{"model":"m","messages":[{"role":"user","content":"a<b"}]}`},
		"limits": {llm.Request{Model: "m", MaxOutputTokens: 9, Effort: llm.EffortNone, Messages: []llm.Message{{Role: llm.User, Text: "a"}}}, func(*chat.Config) {}, `{"model":"m","messages":[{"role":"user","content":"a"}],"max_completion_tokens":9,"reasoning_effort":"none"}`},
		"legacy": {llm.Request{Model: "m", MaxOutputTokens: 9, Messages: []llm.Message{{Role: llm.User, Text: "a"}}}, func(cfg *chat.Config) { cfg.LegacyMaxTokens, cfg.APIKey = true, nil }, `{"model":"m","messages":[{"role":"user","content":"a"}],"max_tokens":9}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cl, rec := client(t, sim.Handler(), c.change)
			if _, err := cl.Complete(t.Context(), c.req); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(string(rec.bodies[0])); got != c.want {
				t.Errorf("sent %s\nwant %s", got, c.want)
			}
			if (rec.auth[0] == "") != (name == "legacy") {
				t.Errorf("Authorization sent: %v", rec.auth[0] != "")
			}
		})
	}
}

func TestRefusedPartsAreRemembered(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	c, rec := client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var in map[string]json.RawMessage
		_ = json.NewDecoder(r.Body).Decode(&in)
		refuse := func(message string) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"`+message+`","type":"invalid_request_error","param":null,"code":"unsupported_value"}}`)
		}
		switch {
		case strings.Contains(string(in["response_format"]), "json_schema"):
			refuse("json_schema is not available")
		case in["temperature"] != nil:
			refuse("Unsupported value: 'temperature' does not support 0.2 with this model.")
		case in["response_format"] != nil:
			refuse("'response_format' is unknown")
		default:
			_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`)
		}
	}))
	for i, want := range []int32{4, 5} {
		req := full()
		req.Tools = nil // with tools no format is requested
		out, err := c.Complete(t.Context(), req)
		if err != nil || out.Text != "{}" || strings.Join(out.Unsupported, " ") != "response_format temperature" {
			t.Fatalf("%+v, %v", out, err)
		}
		if got := calls.Load(); got != want {
			t.Errorf("call %d: %d requests, want %d", i, got, want)
		}
	}
	if last := string(rec.bodies[4]); !strings.Contains(last, "by this JSON Schema") || !strings.Contains(last, `"reasoning_effort":"xhigh"`) {
		t.Errorf("the last request %s", last)
	}
	other := full()
	other.Model, other.Tools = "other", nil
	if _, err := c.Complete(t.Context(), other); err != nil || calls.Load() != 9 {
		t.Errorf("another model: %v after %d requests", err, calls.Load())
	}
}

func TestTheLimitHasTwoNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		legacy         bool
		known, message string
	}{
		"old server": {false, "max_tokens", "body.max_completion_tokens: Extra inputs are not permitted"},
		"new server": {true, "max_completion_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."},
		"too large":  {false, "", "max_tokens is too large: 100. This model supports at most 50 completion tokens."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cl, rec := client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var in map[string]json.RawMessage
				_ = json.NewDecoder(r.Body).Decode(&in)
				if in[c.known] == nil {
					w.WriteHeader(http.StatusBadRequest)
					_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": c.message}})
					return
				}
				_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`)
			}), func(cfg *chat.Config) { cfg.LegacyMaxTokens = c.legacy })
			for range 2 {
				if out, err := cl.Complete(t.Context(), full()); (err == nil) != (c.known != "") || err == nil && strings.Join(out.Unsupported, " ") != wire.Limit {
					t.Errorf("%+v, %v", out, err)
				}
			}
			if want := map[bool]int{true: 3, false: 2}[c.known != ""]; len(rec.bodies) != want {
				t.Errorf("%d requests, want %d", len(rec.bodies), want)
			}
		})
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]chat.Config{
		"empty":       {HTTP: http.DefaultClient},
		"relative":    {BaseURL: "/v1", HTTP: http.DefaultClient},
		"scheme":      {BaseURL: "ftp://h/v1", HTTP: http.DefaultClient},
		"userinfo":    {BaseURL: "https://u:p@h/v1", HTTP: http.DefaultClient},
		"query":       {BaseURL: "https://h/v1?key=1", HTTP: http.DefaultClient},
		"no client":   {BaseURL: "https://h/v1"},
		"size":        {BaseURL: "https://h/v1", HTTP: http.DefaultClient, MaxResponseBytes: -1},
		"key of two":  {BaseURL: "https://h/v1", HTTP: http.DefaultClient, APIKey: secret.New("first second")},
		"key of line": {BaseURL: "https://h/v1", HTTP: http.DefaultClient, APIKey: secret.New("first\nHost: x")},
	} {
		if _, err := chat.New(cfg); err == nil || strings.Contains(err.Error(), "u:p") || strings.Contains(err.Error(), "first") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheClientGivenIsNotChanged(t *testing.T) {
	t.Parallel()
	given := &http.Client{}
	if _, err := chat.New(chat.Config{BaseURL: "https://h/v1", HTTP: given}); err != nil || given.CheckRedirect != nil {
		t.Errorf("%v, CheckRedirect set: %v", err, given.CheckRedirect != nil)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c, err := chat.New(chat.Config{BaseURL: server.URL, HTTP: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Complete(t.Context(), full())
	if e, ok := errors.AsType[*llm.Error](err); !ok || !e.Retryable() || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("error %v", err)
	}
}
