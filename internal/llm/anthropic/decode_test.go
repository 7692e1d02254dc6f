package anthropic

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

func reader(t testing.TB) *Client {
	t.Helper()
	c, err := New(Config{BaseURL: "https://h.example", HTTP: &http.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDecode(t *testing.T) {
	t.Parallel()
	stop := func(s string) string {
		return `{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"` + s + `"}`
	}
	for name, c := range map[string]struct {
		in, text string
		stop     llm.StopReason
		usage    llm.Usage
		class    llm.Class
	}{
		"end":      {in: stop("end_turn"), text: "a", stop: llm.StopEnd},
		"sequence": {in: stop("stop_sequence"), text: "a", stop: llm.StopEnd},
		"cut off":  {in: stop("max_tokens"), text: "a", stop: llm.StopLength},
		"refusal":  {in: stop("refusal"), text: "a", stop: llm.StopRefused},
		"pause":    {in: stop("pause_turn"), text: "a", stop: llm.StopOther},
		"context":  {in: stop("model_context_window_exceeded"), class: llm.ClassContextLength},
		"context, counted": {in: `{"type":"message","content":[{"type":"text","text":"half"}],"stop_reason":"model_context_window_exceeded","usage":{"input_tokens":100,"output_tokens":20}}`, class: llm.ClassContextLength,
			usage: llm.Usage{InputTokens: 100, OutputTokens: 20}},
		"thinking":    {in: `{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"x"},{"type":"text","text":"a"}],"stop_reason":"end_turn"}`, text: "a", stop: llm.StopEnd},
		"usage":       {in: `{"type":"message","content":[],"stop_reason":"end_turn","usage":{"input_tokens":6,"cache_read_input_tokens":64,"cache_creation_input_tokens":30,"output_tokens":10,"output_tokens_details":{"thinking_tokens":99}}}`, stop: llm.StopEnd, usage: llm.Usage{InputTokens: 100, CachedInputTokens: 64, CacheWriteTokens: 30, OutputTokens: 10, ReasoningTokens: 10}},
		"odd usage":   {in: `{"type":"message","content":[],"stop_reason":"end_turn","usage":{"input_tokens":null,"cache_read_input_tokens":-1,"output_tokens_details":null}}`, stop: llm.StopEnd},
		"error":       {in: `{"type":"error","error":{"type":"api_error","message":"x"}}`, class: llm.ClassInvalidResponse},
		"wrong kinds": {in: `{"type":"message","content":"a"}`, class: llm.ClassInvalidResponse},
		"empty":       {in: ``, class: llm.ClassInvalidResponse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := reader(t).read(wire.Reply{Status: 200, Body: []byte(c.in)})
			e, failed := errors.AsType[*llm.Error](err)
			if failed != (c.class != "") || failed && e.Class != c.class || out.Text != c.text || out.StopReason != c.stop || out.Usage != c.usage {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"type":"message","content":[{"type":"tool_use","id":1,"name":"f","input":{"a":[1]}},{"type":"text","text":"a"}],"stop_reason":"tool_use","usage":{"input_tokens":1e9,"cache_read_input_tokens":2e9}}`))
	f.Add([]byte(`{"type":"error","error":{"type":"rate_limit_error","message":"x\n","details":{"error_code":[]}}}`))
	c := reader(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		out, err := c.read(wire.Reply{Status: 200, Body: body})
		u := out.Usage
		if u.CachedInputTokens < 0 || u.CacheWriteTokens < 0 || u.CachedInputTokens+u.CacheWriteTokens > u.InputTokens || u.ReasoningTokens < 0 || u.ReasoningTokens > u.OutputTokens {
			t.Errorf("usage %+v", u)
		}
		for _, e := range []error{err, c.failure(wire.Reply{Status: 429, Body: body}, llm.EffortHigh)} {
			if e != nil && strings.ContainsAny(e.Error(), "\r\n") {
				t.Errorf("error %q", e)
			}
		}
	})
}
