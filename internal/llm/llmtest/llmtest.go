// Package llmtest is the conformance suite of [llm.Client]. Every codec runs it against a server that speaks
// its dialect. Dialects and the tests of a single codec do not belong here.
package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
)

// Key is the credential of every call of the suite. It has no recognisable form, so only code that holds it
// can mask it in a message.
func Key() string { return "conform" + strings.Repeat("7x", 12) }

// Scenario names the behaviour of the server under test.
type Scenario string

// Scenarios. The comment describes the server's answer.
const (
	// the text "hello", 100 input tokens (64 of them cached), 20 output tokens (5 of them reasoning)
	Text       Scenario = "text"
	Structured Scenario = "structured" // the text {"ok":true}, if the request asks for the schema named "answer"; else an error
	// refuses structured output; without it, the text {"ok":true}, if the schema stands in the prompt
	SchemaRefused Scenario = "schema refused"
	// a call of "look" with id "call_1" and the arguments {"path":"a.go"}; given its result, the text "done"
	ToolCall Scenario = "tool call"
	// reasoning and calls of "look" as "thought_1" and "thought_2"; after both results and the kept part, "thought_3"; then the text {"ok":true}
	ToolCalls       Scenario = "tool calls"
	ToolsRefused    Scenario = "tools refused"    // a refusal of tools; without them the text "hello"
	Truncated       Scenario = "truncated"        // the text "half", cut off at the token limit
	Effort          Scenario = "effort"           // the requested effort as text, "none was sent" without one
	EffortRejected  Scenario = "effort rejected"  // a refusal of the effort, with the part "support"
	ContextLength   Scenario = "context length"   // a refusal of the input's length
	Quota           Scenario = "quota"            // a refusal because the account has no credit
	WrongKey        Scenario = "wrong key"        // a refusal of the key, with the key in its text
	UnknownModel    Scenario = "unknown model"    // a refusal of the model
	RateLimited     Scenario = "rate limited"     // a rate limit with a wait of 7 seconds
	Overloaded      Scenario = "overloaded"       // status 503 or the dialect's own
	Refused         Scenario = "refused"          // a closed connection, no answer
	BrokenBody      Scenario = "broken body"      // half of an answer, then a closed connection
	HungHeaders     Scenario = "hung headers"     // nothing, until the client goes
	HungBody        Scenario = "hung body"        // half of an answer, then nothing, until the client goes
	TooLarge        Scenario = "too large"        // an answer of more than 8 MiB
	NotAnAnswer     Scenario = "not an answer"    // an HTML page with status 200
	Redirected      Scenario = "redirected"       // a redirect to a server that must get no request
	Models          Scenario = "models"           // the models "alpha" and "beta"
	NoModels        Scenario = "no models"        // an empty list
	TooManyModels   Scenario = "too many models"  // a list of more than 2 MiB
	ModelsForbidden Scenario = "models forbidden" // a refusal of the key
	SlowModels      Scenario = "models that hang" // nothing, until the client goes
	NotAModelList   Scenario = "not a model list" // an HTML page with status 200
	HostileMessage  Scenario = "hostile message"  // a refusal with control characters and 100,000 characters of text
	// the text "kept" if the request asks to keep its beginning, else "not kept"; 100 input tokens (30 of them written to a cache)
	Kept         Scenario = "kept"
	Embeddings   Scenario = "embeddings"    // a unit vector of the requested size per text
	OtherVectors Scenario = "other vectors" // vectors of another length
	FewVectors   Scenario = "few vectors"   // no vector for one of the texts
)

// Trait is a property that some dialects lack.
type Trait string

// Traits. The comment describes what the suite expects of a dialect without it.
const (
	ReasoningTokens Trait = "reasoning tokens" // their number is 0
	CacheWrites     Trait = "cache writes"     // the number of tokens written is 0
	CacheKeys       Trait = "cache keys"       // a cache key changes nothing that is sent
	ModelList       Trait = "model list"       // the suite reads no list: the routes give suggestions (TestModelKeysOfEveryKind)
	Vectors         Trait = "vectors"          // the client is not an [llm.Embedder]
)

// Harness starts servers for a codec.
type Harness struct {
	// Without names the missing traits of the dialect, each with the reason.
	Without map[Trait]string
	// Client returns a client, with [Key], for a server that plays the scenario for every request until the
	// test ends.
	Client func(t *testing.T, s Scenario) llm.Client
	// Untouched reports whether the redirect of a client's server was not followed.
	Untouched func(t *testing.T) bool
}

func (h Harness) has(t Trait) bool { _, lacks := h.Without[t]; return !lacks }

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	t.Run("answers", func(t *testing.T) { t.Parallel(); answers(t, h) })
	t.Run("errors", func(t *testing.T) { t.Parallel(); failures(t, h) })
	t.Run("context", func(t *testing.T) { t.Parallel(); contexts(t, h) })
	if h.has(ModelList) {
		t.Run("models", func(t *testing.T) { t.Parallel(); lists(t, h) })
	}
	t.Run("embeddings", func(t *testing.T) { t.Parallel(); vectors(t, h) })
	t.Run("bad requests", func(t *testing.T) { t.Parallel(); badRequests(t, h) })
	t.Run("concurrent", func(t *testing.T) { t.Parallel(); concurrent(t, h) })
}

func ask(text string) llm.Request {
	return llm.Request{Model: "alpha", System: "You are brief.", Messages: []llm.Message{{Role: llm.User, Text: text}}, MaxOutputTokens: 50}
}

func schema() *llm.Schema {
	return &llm.Schema{Name: "answer",
		JSON: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`)}
}

func look() []llm.Tool {
	return []llm.Tool{{Name: "look", Description: "Reads a file.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)}}
}

func answers(t *testing.T, h Harness) {
	call := func(t *testing.T, s Scenario, change func(*llm.Request)) llm.Response {
		t.Helper()
		req := ask("hello")
		if change != nil {
			change(&req)
		}
		out, err := h.Client(t, s).Complete(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	t.Run("text and usage", func(t *testing.T) {
		t.Parallel()
		out := call(t, Text, nil)
		want := llm.Usage{InputTokens: 100, CachedInputTokens: 64, OutputTokens: 20, ReasoningTokens: 5}
		if !h.has(ReasoningTokens) {
			want.ReasoningTokens = 0
		}
		if out.Text != "hello" || out.StopReason != llm.StopEnd || out.Usage != want || out.Truncated() || out.Unsupported != nil ||
			out.RequestID == "" {
			t.Errorf("%+v", out)
		}
	})
	t.Run("structured", func(t *testing.T) {
		t.Parallel()
		if out := call(t, Structured, func(r *llm.Request) { r.Schema = schema() }); out.Text != `{"ok":true}` || out.Unsupported != nil {
			t.Errorf("%+v", out)
		}
	})
	t.Run("structured, refused", func(t *testing.T) {
		t.Parallel()
		c := h.Client(t, SchemaRefused)
		for range 2 {
			req := ask("hello")
			req.Schema = schema()
			out, err := c.Complete(t.Context(), req)
			if err != nil || out.Text != `{"ok":true}` || len(out.Unsupported) != 1 {
				t.Errorf("%+v, %v", out, err)
			}
		}
	})
	t.Run("tools", func(t *testing.T) {
		t.Parallel()
		c := h.Client(t, ToolCall)
		req := ask("read a.go")
		req.Tools = look()
		out, err := c.Complete(t.Context(), req)
		if err != nil || out.StopReason != llm.StopTools || len(out.ToolCalls) != 1 {
			t.Fatalf("%+v, %v", out, err)
		}
		got := out.ToolCalls[0]
		var args struct{ Path string }
		if got.ID != "call_1" || got.Name != "look" || json.Unmarshal([]byte(got.Arguments), &args) != nil || args.Path != "a.go" {
			t.Errorf("call %+v", got)
		}
		req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, ToolCalls: out.ToolCalls},
			llm.Message{Role: llm.ToolResult, ToolCallID: got.ID, Text: "package a"})
		if out, err = c.Complete(t.Context(), req); err != nil || out.Text != "done" || out.StopReason != llm.StopEnd {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("a conversation", func(t *testing.T) { t.Parallel(); conversation(t, h.Client(t, ToolCalls)) })
	t.Run("tools, refused", func(t *testing.T) {
		t.Parallel()
		c := h.Client(t, ToolsRefused)
		req := ask("read a.go")
		req.Tools = look()
		_, err := c.Complete(t.Context(), req)
		check(t, err, failure{class: llm.ClassTools})
		req.Tools = nil
		if out, err := c.Complete(t.Context(), req); err != nil || out.Text != "hello" {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("truncated", func(t *testing.T) {
		t.Parallel()
		if out := call(t, Truncated, nil); out.Text != "half" || !out.Truncated() {
			t.Errorf("%+v", out)
		}
	})
	t.Run("cache key", func(t *testing.T) {
		t.Parallel()
		if out := call(t, Kept, nil); out.Text != "not kept" {
			t.Errorf("without a cache key the server said %q", out.Text)
		}
		// Bedrock's caches are those of some models
		out := call(t, Kept, func(r *llm.Request) { r.CacheKey, r.Model = "run-1_review", "anthropic.claude-sonnet-4-5" })
		if (out.Text == "kept") != h.has(CacheKeys) {
			t.Errorf("with a cache key the server said %q", out.Text)
		}
		if want := map[bool]int64{true: 30}[h.has(CacheWrites)]; out.Usage.InputTokens != 100 || out.Usage.CacheWriteTokens != want ||
			out.Usage.CachedInputTokens != 0 {
			t.Errorf("usage %+v, want %d written", out.Usage, want)
		}
	})
	t.Run("effort", func(t *testing.T) {
		t.Parallel()
		if out := call(t, Effort, nil); out.Text != "none was sent" {
			t.Errorf("without an effort the server saw %q", out.Text)
		}
		if out := call(t, Effort, func(r *llm.Request) { r.Effort = llm.EffortHigh }); out.Text != "high" {
			t.Errorf("the server saw %q", out.Text)
		}
	})
}

// failure is the error that a scenario must produce.
type failure struct {
	class llm.Class
	after time.Duration
	says  string
}

func failures(t *testing.T, h Harness) {
	for s, want := range map[Scenario]failure{
		EffortRejected: {class: llm.ClassEffort, says: "support"},
		ContextLength:  {class: llm.ClassContextLength},
		Quota:          {class: llm.ClassQuota},
		WrongKey:       {class: llm.ClassCredential},
		UnknownModel:   {class: llm.ClassFinal},
		RateLimited:    {class: llm.ClassRetryable, after: 7 * time.Second},
		Overloaded:     {class: llm.ClassRetryable},
		Refused:        {class: llm.ClassRetryable},
		BrokenBody:     {class: llm.ClassRetryable},
		TooLarge:       {class: llm.ClassInvalidResponse},
		NotAnAnswer:    {class: llm.ClassInvalidResponse},
		Redirected:     {class: llm.ClassFinal},
		HostileMessage: {class: llm.ClassFinal},
	} {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			req := ask("hello")
			req.Effort = llm.EffortHigh
			_, err := h.Client(t, s).Complete(t.Context(), req)
			check(t, err, want)
			if s == Redirected && h.Untouched != nil && !h.Untouched(t) {
				t.Error("the redirect was followed")
			}
		})
	}
}

func check(t *testing.T, err error, want failure) {
	t.Helper()
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		t.Fatalf("error %v, want an *llm.Error", err)
	}
	if e.Class != want.class || e.RetryAfter != want.after || e.Retryable() != (want.class == llm.ClassRetryable) {
		t.Errorf("class %s after %v, want %s after %v: %v", e.Class, e.RetryAfter, want.class, want.after, err)
	}
	if e.ProviderMessage == "" || !strings.Contains(strings.ToLower(e.ProviderMessage), want.says) {
		t.Errorf("message %q, want %q in it", e.ProviderMessage, want.says)
	}
	if len([]rune(e.ProviderMessage)) > llm.MaxMessage || strings.ContainsFunc(e.ProviderMessage,
		func(r rune) bool { return r < ' ' || r == 0x202e }) {
		t.Errorf("message not cleaned: %q", e.ProviderMessage)
	}
	if strings.Contains(err.Error(), Key()) {
		t.Errorf("the key is in the error")
	}
}

func contexts(t *testing.T, h Harness) {
	for _, s := range []Scenario{HungHeaders, HungBody} {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := h.Client(t, s).Complete(ctx, ask("hello")); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want the context's", err)
			}
		})
	}
	t.Run("cancelled before", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.Client(t, Text).Complete(ctx, ask("hello")); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the context's", err)
		}
	})
	if !h.has(ModelList) {
		return
	}
	t.Run(string(SlowModels), func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := h.Client(t, SlowModels).ListModels(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", err)
		}
	})
}

func lists(t *testing.T, h Harness) {
	t.Run("some", func(t *testing.T) {
		t.Parallel()
		got, err := h.Client(t, Models).ListModels(t.Context())
		if err != nil || len(got) != 2 || got[0].ID != "alpha" || got[1].ID != "beta" || got[0].DisplayName == "" {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		if got, err := h.Client(t, NoModels).ListModels(t.Context()); err != nil || len(got) != 0 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	for s, want := range map[Scenario]failure{
		TooManyModels:   {class: llm.ClassInvalidResponse},
		ModelsForbidden: {class: llm.ClassCredential},
		NotAModelList:   {class: llm.ClassInvalidResponse},
		Refused:         {class: llm.ClassRetryable},
		Redirected:      {class: llm.ClassFinal},
	} {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			_, err := h.Client(t, s).ListModels(t.Context())
			check(t, err, want)
		})
	}
}

// badRequests checks that invalid requests do not reach the server, which would answer them.
func badRequests(t *testing.T, h Harness) {
	for name, change := range map[string]func(*llm.Request){
		"no model":       func(r *llm.Request) { r.Model = "" },
		"no message":     func(r *llm.Request) { r.Messages = nil },
		"unknown effort": func(r *llm.Request) { r.Effort = "extra high" },
		"negative limit": func(r *llm.Request) { r.MaxOutputTokens = -1 },
		"schema name":    func(r *llm.Request) { r.Schema = schema(); r.Schema.Name = "a b" },
		"schema":         func(r *llm.Request) { r.Schema = schema(); r.Schema.JSON = []byte("{") },
		"tool name":      func(r *llm.Request) { r.Tools = look(); r.Tools[0].Name = "" },
		"cache key":      func(r *llm.Request) { r.CacheKey = "a b" },
		"tool schema":    func(r *llm.Request) { r.Tools = look(); r.Tools[0].Parameters = []byte("{") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := ask("hello")
			change(&req)
			_, err := h.Client(t, Text).Complete(t.Context(), req)
			check(t, err, failure{class: llm.ClassFinal})
		})
	}
}

func concurrent(t *testing.T, h Harness) {
	c := h.Client(t, Text)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if out, err := c.Complete(t.Context(), ask("hello")); err != nil || out.Text != "hello" {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
	wg.Wait()
}
