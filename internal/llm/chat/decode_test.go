package chat

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in     string
		text   string
		stop   llm.StopReason
		status int // status of the failure; -1 for an unusable answer
	}{
		"text":                {`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "a", llm.StopEnd, 0},
		"parts":               {`{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"thinking","text":"x"},{"type":"text","text":"b"}]},"finish_reason":"stop"}]}`, "ab", llm.StopEnd, 0},
		"null content":        {`{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}`, "", llm.StopEnd, 0},
		"no reason":           {`{"choices":[{"message":{"content":"a"}}]}`, "a", llm.StopOther, 0},
		"broken off":          {`{"choices":[{"message":{"content":"a a a"},"finish_reason":null}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`, "a a a", llm.StopBroken, 0},
		"null with tools":     {`{"choices":[{"message":{"tool_calls":[{"id":1,"function":{"name":"f","arguments":"{}"}}]},"finish_reason":null}]}`, "", llm.StopTools, 0},
		"the word null":       {`{"choices":[{"message":{"content":"a"},"finish_reason":"unheard"}]}`, "a", llm.StopOther, 0},
		"refusal":             {`{"choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}`, "", llm.StopRefused, 0},
		"refusal and text":    {`{"choices":[{"message":{"content":"{}","refusal":"no"},"finish_reason":"stop"}]}`, "{}", llm.StopRefused, 0},
		"filter":              {`{"choices":[{"message":{"content":"a"},"finish_reason":"content_filter"}]}`, "a", llm.StopFiltered, 0},
		"length":              {`{"choices":[{"message":{"content":"a"},"finish_reason":"length"}]}`, "a", llm.StopLength, 0},
		"tools with stop":     {`{"choices":[{"message":{"tool_calls":[{"id":1,"function":{"name":"f","arguments":{"a":1}}}]},"finish_reason":"stop"}]}`, "", llm.StopTools, 0},
		"thinking":            {`{"choices":[{"message":{"content":"<think>\nhm {}\n</think>\n\n{}"},"finish_reason":"stop"}]}`, "{}", llm.StopEnd, 0},
		"thinking, cut":       {`{"choices":[{"message":{"content":"<think> hm"},"finish_reason":"length"}]}`, "<think> hm", llm.StopLength, 0},
		"wrong usage":         {`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":"many","completion_tokens":-4}}`, "a", llm.StopEnd, 0},
		"null usage":          {`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":null}`, "a", llm.StopEnd, 0},
		"error and choice":    {`{"error":{"message":"x"},"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "a", llm.StopEnd, 0},
		"router error":        {`{"error":{"message":"upstream","code":502}}`, "", "", 502},
		"error in a choice":   {`{"choices":[{"finish_reason":"error","error":{"message":"up","code":"server_error"}}]}`, "", "", 500},
		"stopped by an error": {`{"choices":[{"message":{"content":"half"},"finish_reason":"error"}]}`, "", "", 500},
		"error, no reason":    {`{"choices":[{"message":{"content":""},"finish_reason":null,"error":{"message":"up","code":429}}]}`, "", "", 429},
		"error with a text":   {`{"error":"boom"}`, "", "", 400},
		"context full":        {`{"choices":[{"message":{"content":"a"},"finish_reason":"model_length"}]}`, "", "", 400},
		"no choice":           {`{"choices":[]}`, "", "", -1},
		"empty":               {``, "", "", -1},
		"list":                {`[]`, "", "", -1},
		"HTML":                {`<html>`, "", "", -1},
		"null":                {`null`, "", "", -1},
		"wrong kinds":         {`{"choices":{"message":1}}`, "", "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, fail := decode([]byte(c.in))
			switch {
			case c.status == 0:
				if fail != nil || got.Text != c.text || got.StopReason != c.stop || got.Usage != (llm.Usage{}) {
					t.Errorf("got %+v, %+v", got, fail)
				}
			case fail == nil, fail.Status != max(c.status, 0), fail.Message == "":
				t.Errorf("got %+v, failure %+v, want status %d", got, fail, c.status)
			}
		})
	}
}

func TestUsageIsNormalised(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want llm.Usage
	}{
		"OpenAI":                    {`{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":5}}`, llm.Usage{InputTokens: 100, CachedInputTokens: 64, OutputTokens: 20, ReasoningTokens: 5}},
		"Mistral":                   {`{"prompt_tokens":100,"completion_tokens":20,"num_cached_tokens":10}`, llm.Usage{InputTokens: 100, CachedInputTokens: 10, OutputTokens: 20}},
		"Ollama":                    {`{"prompt_tokens":100,"completion_tokens":20}`, llm.Usage{InputTokens: 100, OutputTokens: 20}},
		"null details":              {`{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":null,"completion_tokens_details":null}`, llm.Usage{InputTokens: 100, OutputTokens: 20}},
		"reasoning beside":          {`{"prompt_tokens":1,"completion_tokens":20,"completion_tokens_details":{"reasoning_tokens":50}}`, llm.Usage{InputTokens: 1, OutputTokens: 70, ReasoningTokens: 50}},
		"Gemini":                    {`{"prompt_tokens":20,"completion_tokens":198,"total_tokens":623}`, llm.Usage{InputTokens: 20, OutputTokens: 603, ReasoningTokens: 405}},
		"small reasoning, separate": {`{"prompt_tokens":1,"completion_tokens":50,"total_tokens":71,"completion_tokens_details":{"reasoning_tokens":20}}`, llm.Usage{InputTokens: 1, OutputTokens: 70, ReasoningTokens: 20}},
		"large reasoning, separate": {`{"prompt_tokens":1,"completion_tokens":20,"total_tokens":71,"completion_tokens_details":{"reasoning_tokens":50}}`, llm.Usage{InputTokens: 1, OutputTokens: 70, ReasoningTokens: 50}},
		"a small total":             {`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":1}`, llm.Usage{InputTokens: 10, OutputTokens: 5}},
		"more cached than input":    {`{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":64}}`, llm.Usage{InputTokens: 10, CachedInputTokens: 10, OutputTokens: 1}},
		"written":                   {`{"prompt_tokens":100,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":64,"cache_write_tokens":30}}`, llm.Usage{InputTokens: 100, CachedInputTokens: 64, CacheWriteTokens: 30, OutputTokens: 1}},
		"more written than left":    {`{"prompt_tokens":100,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":64,"cache_write_tokens":90}}`, llm.Usage{InputTokens: 100, CachedInputTokens: 64, CacheWriteTokens: 36, OutputTokens: 1}},
		"fractions":                 {`{"prompt_tokens":10.0,"completion_tokens":1e300}`, llm.Usage{InputTokens: 10, OutputTokens: 1e12}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, fail := decode([]byte(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":` + c.in + `}`))
			if fail != nil || got.Usage != c.want {
				t.Errorf("got %+v, want %+v", got.Usage, c.want)
			}
		})
	}
}

// TestFailedCallsAreCounted: failed calls are charged too.
func TestFailedCallsAreCounted(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`"choices":[]`, `"choices":[],"error":{"message":"x"}`, `"choices":[{"message":{"content":"a"},"finish_reason":"model_length"}]`, `"choices":[{"message":{"content":"a"},"finish_reason":"error"}]`} {
		if got, fail := decode([]byte(`{"usage":{"prompt_tokens":10,"completion_tokens":5},` + in + `}`)); fail == nil || got.Text != "" || got.Usage != (llm.Usage{InputTokens: 10, OutputTokens: 5}) {
			t.Errorf("%s: %+v, %+v", in, got, fail)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ kind, body, message, code string }{
		"OpenAI":      {"application/json", `{"error":{"message":"m","type":"t","param":null,"code":"c"}}`, "m", "c"},
		"text":        {"application/json", `{"error":"m"}`, "m", ""},
		"number code": {"application/json", `{"error":{"message":"m","code":400}}`, "m", "400"},
		"old vLLM":    {"application/json", `{"object":"error","message":"m","type":"BadRequestError","param":null,"code":400}`, "m", "400"},
		"gateway":     {"application/json", `{"message":"m"}`, "m", ""},
		"FastAPI":     {"application/json", `{"detail":"m"}`, "m", ""},
		"FastAPI list": {"application/json", `{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":{"messages":"the whole prompt"}},{"loc":["body",0],"msg":"bad"}]}`,
			"body.model: Field required; body.0: bad", ""},
		"Gemini":     {"application/json", `[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]`, "m", "429"},
		"plain text": {"text/plain; charset=utf-8", "m", "m", ""},
		"HTML":       {"text/html", "<h1>Bad gateway</h1>", "", ""},
		"empty":      {"", "", "", ""},
		"Mistral, within": {"application/json", `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":"the prompt"}]},"type":"invalid_request_error","param":null,"code":null}`,
			"body.max_completion_tokens: Extra inputs are not permitted", ""},
		"Mistral, list": {"application/json", `{"object":"Error","message":[{"type":"enum","loc":["body","reasoning_effort"],"msg":"Input should be 'high'"}],"type":"invalid_request_error","code":3001}`,
			"body.reasoning_effort: Input should be 'high'", "3001"},
		"router, text":    {"application/json", `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"m is temporarily rate-limited upstream.","provider_name":"B"}}}`, "Provider returned error: m is temporarily rate-limited upstream.", "429"},
		"router, JSON":    {"application/json", `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\n\"error\":{\"message\":\"too many\",\"code\":\"context_length_exceeded\"}}"}}}`, "Provider returned error: too many", "context_length_exceeded"},
		"router, object":  {"application/json", `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":{"error":{"message":"m","code":"c"}}}}}`, "Provider returned error: m", "c"},
		"router, nothing": {"application/json", `{"error":{"message":"m","code":400,"metadata":{"raw":null}}}`, "m", "400"},
		"router, odd":     {"application/json", `{"error":{"message":"m","code":400,"metadata":"x"}}`, "m", "400"},
		"JSON as text":    {"text/plain", `{"error":{"message":"m"}}`, "m", ""},
		"odd":             {"application/json", `{"error":[1],"detail":{"a":1}}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := wire.ParseProblem(wire.Reply{Status: 400, Header: http.Header{"Content-Type": {c.kind}}, Body: []byte(c.body)})
			if string(got.Message) != c.message || string(got.Code) != c.code {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":[{"type":"text","text":"a"}],"tool_calls":[{"function":{"arguments":{}}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1e9}}`))
	f.Add([]byte(`[{"error":{"code":429}}]`))
	f.Add([]byte(`{"detail":[{"loc":[1],"msg":null}],"error":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		out, fail := decode(body)
		if u := out.Usage; u.InputTokens < u.CachedInputTokens || u.OutputTokens < u.ReasoningTokens || u.CachedInputTokens < 0 || u.ReasoningTokens < 0 {
			t.Errorf("usage %+v", u)
		}
		if fail != nil && fail.Status != 0 && (fail.Status < 400 || fail.Status > 599) {
			t.Errorf("failure %+v", fail)
		}
		p := wire.ParseProblem(wire.Reply{Status: 500, Header: http.Header{"Content-Type": {"text/plain"}}, Body: body})
		if e := llm.Classify(llm.Failure{Status: 500, Message: string(p.Message)}); strings.ContainsAny(e.Error(), "\r\n") {
			t.Errorf("error %q", e.Error())
		}
	})
}
