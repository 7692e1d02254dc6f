package responses

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
	c, err := New(Config{BaseURL: "https://h.example/v1", HTTP: &http.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDecode(t *testing.T) {
	t.Parallel()
	message := func(parts string) string {
		return `{"status":"completed","output":[{"type":"message","content":[` + parts + `]}]}`
	}
	for name, c := range map[string]struct {
		in, text string
		stop     llm.StopReason
		usage    llm.Usage
		class    llm.Class
	}{
		"text in parts": {in: message(`{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}`), text: "ab", stop: llm.StopEnd},
		"refusal":       {in: message(`{"type":"refusal","refusal":"no"}`), stop: llm.StopRefused},
		"cut off":       {in: `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`, stop: llm.StopLength},
		"filtered":      {in: `{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`, stop: llm.StopFiltered},
		"in progress":   {in: `{"status":"in_progress","output":[]}`, stop: llm.StopOther},
		"reasoning":     {in: `{"status":"completed","output":[{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"a"}]}]}`, text: "a", stop: llm.StopEnd},
		"tools":         {in: `{"status":"completed","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}`, stop: llm.StopTools},
		"usage": {in: `{"status":"completed","output":[],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":64,"cache_write_tokens":90},"output_tokens":10,"output_tokens_details":{"reasoning_tokens":99}}}`, stop: llm.StopEnd,
			usage: llm.Usage{InputTokens: 100, CachedInputTokens: 64, CacheWriteTokens: 36, OutputTokens: 10, ReasoningTokens: 10}},
		"odd usage":  {in: `{"status":"completed","output":[],"usage":{"input_tokens":"many","output_tokens":-4,"input_tokens_details":null}}`, stop: llm.StopEnd},
		"null usage": {in: `{"status":"completed","output":[],"usage":null,"error":null,"incomplete_details":null}`, stop: llm.StopEnd},
		"failed, counted": {in: `{"status":"failed","error":{"code":"server_error","message":"x"},"output":[],"usage":{"input_tokens":100,"output_tokens":10}}`, class: llm.ClassRetryable,
			usage: llm.Usage{InputTokens: 100, OutputTokens: 10}},
		"wrong kinds": {in: `{"status":"completed","output":{}}`, class: llm.ClassInvalidResponse},
		"empty":       {in: ``, class: llm.ClassInvalidResponse},
		"null":        {in: `null`, class: llm.ClassInvalidResponse},
		"list":        {in: `[]`, class: llm.ClassInvalidResponse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := reader(t).read(wire.Reply{Status: 200, Body: []byte(c.in)}, llm.EffortDefault)
			e, failed := errors.AsType[*llm.Error](err)
			if failed != (c.class != "") || failed && e.Class != c.class || out.Text != c.text || out.StopReason != c.stop || out.Usage != c.usage {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a"}]},{"type":"function_call","call_id":1,"arguments":"{}"}],"usage":{"input_tokens":1e9,"input_tokens_details":{"cached_tokens":2e9}}}`))
	f.Add([]byte(`{"status":"failed","error":{"code":"server_error","message":"x\n"}}`))
	f.Add([]byte(`{"error":"text","output":null,"incomplete_details":{"reason":7}}`))
	c := reader(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		out, err := c.read(wire.Reply{Status: 200, Body: body}, llm.EffortHigh)
		checkUsage(t, out.Usage)
		if err != nil && strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("error %q", err)
		}
	})
}

// checkUsage checks that parts are not larger than their whole, and that no count is negative.
func checkUsage(t *testing.T, u llm.Usage) {
	t.Helper()
	if u.CachedInputTokens < 0 || u.CacheWriteTokens < 0 || u.ReasoningTokens < 0 || u.CachedInputTokens+u.CacheWriteTokens > u.InputTokens || u.ReasoningTokens > u.OutputTokens {
		t.Errorf("usage %+v", u)
	}
}
