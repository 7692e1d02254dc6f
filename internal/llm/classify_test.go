package llm_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/telemetry"
)

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   llm.Failure
		want llm.Class
	}{
		"400":                 {llm.Failure{Status: 400}, llm.ClassFinal},
		"401":                 {llm.Failure{Status: 401}, llm.ClassCredential},
		"402":                 {llm.Failure{Status: 402}, llm.ClassQuota},
		"403":                 {llm.Failure{Status: 403}, llm.ClassCredential},
		"404":                 {llm.Failure{Status: 404, Code: "model_not_found"}, llm.ClassFinal},
		"408":                 {llm.Failure{Status: 408}, llm.ClassRetryable},
		"409":                 {llm.Failure{Status: 409}, llm.ClassRetryable},
		"413":                 {llm.Failure{Status: 413}, llm.ClassFinal},
		"422":                 {llm.Failure{Status: 422}, llm.ClassFinal},
		"425":                 {llm.Failure{Status: 425}, llm.ClassRetryable},
		"429":                 {llm.Failure{Status: 429}, llm.ClassRetryable},
		"429 rate limit":      {llm.Failure{Status: 429, Type: "requests", Code: "rate_limit_exceeded"}, llm.ClassRetryable},
		"429 quota type":      {llm.Failure{Status: 429, Type: "insufficient_quota", Code: "credit_balance_exhausted"}, llm.ClassQuota},
		"429 quota code":      {llm.Failure{Status: 429, Code: "insufficient_quota"}, llm.ClassQuota},
		"429 spend limit":     {llm.Failure{Status: 429, Code: "enforced_spend_limit_reached"}, llm.ClassQuota},
		"403 quota":           {llm.Failure{Status: 403, Code: "insufficient_quota"}, llm.ClassQuota},
		"500":                 {llm.Failure{Status: 500}, llm.ClassRetryable},
		"500 with quota code": {llm.Failure{Status: 500, Code: "insufficient_quota"}, llm.ClassRetryable},
		"501":                 {llm.Failure{Status: 501}, llm.ClassFinal},
		"502":                 {llm.Failure{Status: 502}, llm.ClassRetryable},
		"503 slow down":       {llm.Failure{Status: 503, Code: "slow_down"}, llm.ClassRetryable},
		"504":                 {llm.Failure{Status: 504}, llm.ClassRetryable},
		"529":                 {llm.Failure{Status: 529}, llm.ClassRetryable},
		"should not retry":    {llm.Failure{Status: 503, Header: header("x-should-retry", "false")}, llm.ClassFinal},
		"should retry":        {llm.Failure{Status: 400, Header: header("x-should-retry", "true")}, llm.ClassRetryable},
		"should retry a key":  {llm.Failure{Status: 401, Header: header("x-should-retry", "true")}, llm.ClassCredential},

		"context code":        {llm.Failure{Status: 400, Code: "context_length_exceeded"}, llm.ClassContextLength},
		"context OpenAI":      {llm.Failure{Status: 400, Message: "This model's maximum context length is 8192 tokens."}, llm.ClassContextLength},
		"context Anthropic":   {llm.Failure{Status: 400, Message: "Prompt is too long: 210000 tokens > 200000 maximum"}, llm.ClassContextLength},
		"context Bedrock":     {llm.Failure{Status: 400, Message: "Input is too long for requested model."}, llm.ClassContextLength},
		"context LiteLLM":     {llm.Failure{Status: 400, Message: "litellm.ContextWindowExceededError: …"}, llm.ClassContextLength},
		"context limit":       {llm.Failure{Status: 400, Message: "input length and `max_tokens` exceed context limit"}, llm.ClassContextLength},
		"context llama.cpp":   {llm.Failure{Status: 400, Type: "exceed_context_size_error"}, llm.ClassContextLength},
		"context, but a 500":  {llm.Failure{Status: 500, Message: "failed to read the context window"}, llm.ClassRetryable},
		"effort OpenAI param": {llm.Failure{Status: 400, Effort: "minimal", Code: "unsupported_value", Param: "reasoning_effort", Message: "Unsupported value."}, llm.ClassEffort},
		"effort Responses":    {llm.Failure{Status: 400, Effort: "minimal", Param: "reasoning.effort"}, llm.ClassEffort},
		"effort OpenAI masked": {llm.Failure{Status: 400, Effort: "minimal", Code: "unsupported_value",
			Message: "Unsupported value: 'minimal' is not supported with this model. Supported values are: 'low'."}, llm.ClassEffort},
		"effort vLLM":             {llm.Failure{Status: 400, Effort: "max", Message: "1 validation error: reasoning_effort Input should be 'low'"}, llm.ClassEffort},
		"effort Ollama value":     {llm.Failure{Status: 400, Effort: "minimal", Message: "invalid reasoning value: 'minimal'"}, llm.ClassEffort},
		"effort Ollama model":     {llm.Failure{Status: 400, Effort: "high", Message: `"tiny" does not support thinking`}, llm.ClassEffort},
		"effort Gemini level":     {llm.Failure{Status: 400, Effort: "minimal", Message: "Thinking level is not supported for this model."}, llm.ClassEffort},
		"effort Gemini none":      {llm.Failure{Status: 400, Effort: "none", Message: "Budget 0 is invalid. This model only works in thinking mode."}, llm.ClassEffort},
		"effort OpenRouter none":  {llm.Failure{Status: 400, Effort: "none", Message: "Reasoning is mandatory for this endpoint and cannot be disabled."}, llm.ClassEffort},
		"context Gemini":          {llm.Failure{Status: 400, Message: "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."}, llm.ClassContextLength},
		"context SGLang":          {llm.Failure{Status: 400, Message: "The input (5000 tokens) is longer than the model's context length (4096 tokens)."}, llm.ClassContextLength},
		"context Titan":           {llm.Failure{Status: 400, Message: "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9000"}, llm.ClassContextLength},
		"key, Gemini":             {llm.Failure{Status: 400, Message: "API key not valid. Please pass a valid API key."}, llm.ClassCredential},
		"429 not active":          {llm.Failure{Status: 429, Type: "billing_not_active", Code: "billing_not_active"}, llm.ClassQuota},
		"effort 422":              {llm.Failure{Status: 422, Effort: "high", Message: "body.reasoning_effort: extra"}, llm.ClassEffort},
		"tools with an effort":    {llm.Failure{Status: 400, Effort: "low", Message: "Function tools with reasoning_effort are not supported"}, llm.ClassTools},
		"tools Ollama":            {llm.Failure{Status: 400, Message: `registry.ollama.ai/library/llama3 does not support tools`}, llm.ClassTools},
		"tools OpenRouter":        {llm.Failure{Status: 404, Message: "No endpoints found that support tool use."}, llm.ClassTools},
		"tools llama.cpp":         {llm.Failure{Status: 500, Message: "tools param requires --jinja flag"}, llm.ClassTools},
		"tools, rate limit":       {llm.Failure{Status: 429, Message: "this tier does not support tools"}, llm.ClassRetryable},
		"effort that was unset":   {llm.Failure{Status: 400, Message: "reasoning_effort is not supported"}, llm.ClassFinal},
		"another value":           {llm.Failure{Status: 400, Effort: "high", Code: "unsupported_value", Param: "temperature", Message: "'high'"}, llm.ClassFinal},
		"another value, masked":   {llm.Failure{Status: 400, Effort: "high", Code: "unsupported_value", Message: "Unsupported value: '0.2'"}, llm.ClassFinal},
		"effort named in a 500":   {llm.Failure{Status: 500, Effort: "high", Message: "reasoning_effort"}, llm.ClassRetryable},
		"redirect is not success": {llm.Failure{Status: 307}, llm.ClassFinal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := llm.Classify(c.in)
			if got.Class != c.want || got.Status != c.in.Status || got.ProviderMessage == "" {
				t.Errorf("got %+v, want class %s", got, c.want)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const date = "Sat, 21 Nov 2026 10:00:00 GMT"
	soon := time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat)
	for name, c := range map[string]struct {
		in   http.Header
		want time.Duration
		off  time.Duration // tolerance of the result
	}{
		"absent":             {header(), 0, 0},
		"seconds":            {header("Retry-After", "7"), 7 * time.Second, 0},
		"fraction":           {header("Retry-After", " 1.5 "), 1500 * time.Millisecond, 0},
		"milliseconds first": {header("Retry-After", "7", "retry-after-ms", "250"), 250 * time.Millisecond, 0},
		"bad milliseconds":   {header("Retry-After", "7", "retry-after-ms", "soon"), 7 * time.Second, 0},
		"date":               {header("Retry-After", "Sat, 21 Nov 2026 10:00:45 GMT", "Date", date), 45 * time.Second, 0},
		"date in the past":   {header("Retry-After", "Sat, 21 Nov 2026 09:59:45 GMT", "Date", date), 0, 0},
		"date, no clock":     {header("Retry-After", soon), 30 * time.Second, 3 * time.Second},
		"negative":           {header("Retry-After", "-3"), 0, 0},
		"not a number":       {header("Retry-After", "NaN"), 0, 0},
		"words":              {header("Retry-After", "later"), 0, 0},
		"too long":           {header("Retry-After", "1e12"), llm.MaxRetryAfter, 0},
		"infinite":           {header("Retry-After", "Inf"), llm.MaxRetryAfter, 0},
		"far date":           {header("Retry-After", "Sat, 21 Nov 2126 10:00:45 GMT", "Date", date), llm.MaxRetryAfter, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := llm.RetryAfter(c.in); (got - c.want).Abs() > c.off {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	if e := llm.Classify(llm.Failure{Status: 429, Header: header("Retry-After", "3")}); e.RetryAfter != 3*time.Second {
		t.Errorf("a rate limit waits %v", e.RetryAfter)
	}
}

func TestSafeMessage(t *testing.T) {
	t.Parallel()
	key := "local" + "-key-1234"
	token := "sk-" + strings.Repeat("a1", 12)
	for name, c := range map[string]struct{ in, want string }{
		"plain":             {"The model is overloaded.", "The model is overloaded."},
		"lines and tabs":    {"a\r\n\tb\u2028c", "a b c"},
		"control":           {"a\x00\x1b[31mb\u202ec\u200bd", "a[31mbcd"},
		"the key":           {"wrong key " + key + "!", "wrong key [redacted]!"},
		"the key, hidden":   {"wrong key local\u200b-key-1234!", "wrong key [redacted]!"},
		"another token":     {"used " + token, "used [redacted]"},
		"a URL with a key":  {"see https://u:p@h.example/x?key=abc", "see https://redacted@h.example/x?redacted"},
		"not UTF-8":         {"a\xffb", "ab"},
		"long":              {strings.Repeat("x", 100_000), strings.Repeat("x", llm.MaxMessage-1) + "…"},
		"empty":             {" \n ", ""},
		"secret at the cut": {strings.Repeat("x ", 290) + key + strings.Repeat(" y", 50), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := llm.SafeMessage(c.in, key, "")
			if c.want != "" && got != c.want || strings.Contains(got, key) || strings.Contains(got, "local") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLogsHaveNoWordsOfProviders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  *llm.Error
		want string
	}{
		"a refusal":   {&llm.Error{Class: llm.ClassFinal, Status: 400, ProviderMessage: "not with this code of yours"}, "stage: model endpoint: final (status 400): [not logged]"},
		"none at all": {&llm.Error{Class: llm.ClassRetryable, ProviderMessage: "The endpoint could not be reached."}, "stage: model endpoint: retryable: The endpoint could not be reached."},
		"an answer":   {&llm.Error{Class: llm.ClassInvalidResponse, Status: 200, ProviderMessage: "Ours."}, "stage: model endpoint: invalid_response (status 200): Ours."},
	} {
		var out bytes.Buffer
		telemetry.NewLogger(&out, telemetry.LogOptions{Format: "text"}).Warn("m", "error", fmt.Errorf("stage: %w", c.err))
		if !strings.Contains(out.String(), `error="`+c.want+`"`) {
			t.Errorf("%s: %s", name, out.String())
		}
	}
}

func FuzzSafeMessage(f *testing.F) {
	f.Add("hello\u202e", "secret")
	f.Add("sec\u200bret", "secret")
	f.Add("secsecretret", "secret")
	f.Fuzz(func(t *testing.T, text, key string) {
		got := llm.SafeMessage(text, key)
		if len([]rune(got)) > llm.MaxMessage || strings.ContainsAny(got, "\r\n\x00\u202e") {
			t.Errorf("not safe: %q", got)
		}
	})
}
