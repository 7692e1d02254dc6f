package simtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/llmtest"
	"github.com/assay-dev/assay/sim/model"
)

var update = flag.Bool("update", false, "write the golden files")

// Model is the model of all [Requests]; it satisfies each provider's rules for paths and names.
const Model = "eu.anthropic.claude-sonnet-4-5:0"

// Requests are calls that together use every part of the port, by name.
func Requests() map[string]llm.Request {
	temperature := 0.25
	ask := []llm.Message{{Role: llm.User, Text: "a<b && c"}}
	out := map[string]llm.Request{
		"least": {Model: Model, Messages: ask},
		"limit": {Model: Model, Messages: ask, MaxOutputTokens: 5},
		"shared": {Model: Model, System: "Be brief.", CacheKey: "run-1_review",
			Messages: []llm.Message{{Role: llm.User, Text: "The change.\nWhat is wrong with it?", Shared: len("The change.\n")}}},
		"shared without a key": {Model: Model, Messages: []llm.Message{{Role: llm.User, Text: "The change.\nWhat is wrong with it?",
			Shared: len("The change.\n")}}},
		"full": {
			Model: Model, System: "Be brief. <b>&", Effort: llm.EffortHigh, MaxOutputTokens: 100, Temperature: &temperature,
			CacheKey: "run-1_review",
			Messages: []llm.Message{{Role: llm.User, Text: "hello"}, {Role: llm.System, Text: "More."},
				{Role: llm.Assistant, Text: "I look.", ToolCalls: []llm.ToolCall{{ID: "call_1", Name: "look", Arguments: `{"path":"a.go"}`},
					{ID: "call_2", Name: "bare", Arguments: "[oops"}}},
				{Role: llm.ToolResult, ToolCallID: "call_1", Text: "package a"}, {Role: llm.ToolResult, ToolCallID: "call_2"},
				{Role: llm.Assistant, Text: "so"}, {Role: llm.User, Text: "go on"}, {Role: llm.User, Text: "and on"}},
			Schema: &llm.Schema{Name: "answer",
				JSON: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`)},
			Tools: []llm.Tool{{Name: "look", Description: "d",
				Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}, {Name: "bare"}},
		},
	}
	structured := out["full"]
	structured.Tools, structured.Messages = nil, ask
	out["schema"] = structured
	for _, e := range []llm.Effort{llm.EffortNone, llm.EffortMinimal, llm.EffortLow, llm.EffortMedium, llm.EffortXHigh, llm.EffortMax} {
		out["effort "+string(e)] = llm.Request{Model: Model, Messages: ask, Effort: e}
	}
	return out
}

// Golden sends [Requests], and embedding calls if the client supports them, to a simulated model. It compares
// the received requests with testdata/requests.golden (go test -update writes it), and returns the bodies of
// completions and of embedding calls. For a call that the codec refuses to send, the file holds the refusal.
func Golden(t *testing.T, open Open) (completions, vectors []string) {
	t.Helper()
	var out strings.Builder
	server := Start(t, model.Options{APIKey: llmtest.Key()})
	client := open(t, server.URL, server.HTTP)
	all := Requests()
	sent := 0
	show := func(name string, err error) []string {
		fmt.Fprintf(&out, "== %s\n", name)
		if e, ok := errors.AsType[*llm.Error](err); ok && e.Class == llm.ClassEffort && e.Status == 0 {
			fmt.Fprintf(&out, "%s\n", e.ProviderMessage)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var bodies []string
		for _, s := range server.Sent()[sent:] {
			sent++
			fmt.Fprintf(&out, "%s %s\n", s.Method, s.URI)
			for _, h := range []string{"Authorization", "Api-Key", "X-Api-Key", "Anthropic-Version", "Content-Type"} {
				if v := s.Header.Get(h); v != "" {
					fmt.Fprintf(&out, "%s: %s\n", h, strings.ReplaceAll(v, llmtest.Key(), "KEY"))
				}
			}
			var b bytes.Buffer
			if err := json.Indent(&b, []byte(s.Body), "", "  "); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			fmt.Fprintf(&out, "%s\n", b.String())
			bodies = append(bodies, s.Body)
		}
		return bodies
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, err := client.Complete(t.Context(), all[name])
		completions = append(completions, show(name, err)...)
	}
	if e, ok := client.(llm.Embedder); ok {
		_, err := e.Embed(t.Context(), llm.EmbedRequest{Model: "amazon.titan-embed-text-v2:0", Texts: []string{"a<b", "c"}, Size: 1024})
		vectors = show("vectors", err)
	}
	file := filepath.Join("testdata", "requests.golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != out.String() {
		t.Errorf("the sent requests differ from %s (go test -update writes it):\n%s", file, out.String())
	}
	return completions, vectors
}

// Recorded is a provider's unsuccessful answer and the error that it must become.
type Recorded struct {
	Status int
	Header map[string]string // a Content-Type of JSON is added
	Body   string
	Want   llm.Class
	After  time.Duration
	Code   string // code of the error; "" skips the comparison
	Says   string // part of the message
}

// Errors feeds recorded answers to a codec, in calls with an effort.
func Errors(t *testing.T, open Open, all map[string]Recorded) {
	t.Helper()
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				for k, v := range c.Header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.Status)
				_, _ = w.Write([]byte(c.Body))
			}))
			out, err := open(t, server.URL, server.HTTP).Complete(t.Context(),
				llm.Request{Model: Model, Effort: llm.EffortHigh, Messages: []llm.Message{{Role: llm.User, Text: "x"}}})
			e, ok := errors.AsType[*llm.Error](err)
			if !ok {
				t.Fatalf("%+v, %v", out, err)
			}
			if e.Class != c.Want || e.RetryAfter != c.After || c.Code != "" && e.Code != c.Code ||
				!strings.Contains(e.ProviderMessage, c.Says) || e.ProviderMessage == "" {
				t.Errorf("class %s after %v, code %q: %v\nwant %s after %v, code %q", e.Class, e.RetryAfter, e.Code, err, c.Want, c.After, c.Code)
			}
			if len(server.Sent()) != 1 {
				t.Errorf("%d requests; a codec does not retry", len(server.Sent()))
			}
		})
	}
}

// Refuse answers 400 and the refusal to a request whose body contains part, and 200 and the answer to others.
func Refuse(w http.ResponseWriter, r *http.Request, part, refusal, answer string) {
	body, _ := io.ReadAll(r.Body) // it was already read once
	w.Header().Set("Content-Type", "application/json")
	if strings.Contains(string(body), part) {
		w.WriteHeader(http.StatusBadRequest)
		answer = refusal
	}
	_, _ = io.WriteString(w, answer)
}

// Unsent checks that a call was refused before anything was sent.
func Unsent(t *testing.T, s *Server, err error, class llm.Class) {
	t.Helper()
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Class != class || e.Status != 0 || !strings.Contains(e.ProviderMessage, "not sent") || len(s.Sent()) != 0 {
		t.Errorf("%v after %d requests, want class %s and none", err, len(s.Sent()), class)
	}
}
