package anthropic_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/llmtest/simtest"
)

func opened(t *testing.T, base string, client *http.Client) llm.Client {
	t.Helper()
	return open(t, base, client)
}

// TestRequests: the simulated model is as strict as the provider's SDK and error messages. There is no
// official description to compare with.
func TestRequests(t *testing.T) {
	t.Parallel()
	simtest.Golden(t, opened)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	fail := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
	}
	simtest.Errors(t, opened, map[string]simtest.Recorded{
		// platform.claude.com/docs/en/api/errors
		"400":             {Status: 400, Body: fail("invalid_request_error", "messages: at least one message is required"), Want: llm.ClassFinal},
		"401":             {Status: 401, Body: fail("authentication_error", "invalid x-api-key"), Want: llm.ClassCredential},
		"402":             {Status: 402, Body: fail("billing_error", "Payment needed"), Want: llm.ClassQuota},
		"403":             {Status: 403, Body: fail("permission_error", "Not allowed"), Want: llm.ClassCredential},
		"404":             {Status: 404, Body: fail("not_found_error", "model: claude"), Want: llm.ClassFinal},
		"409":             {Status: 409, Body: fail("conflict_error", "Conflict"), Want: llm.ClassRetryable},
		"413":             {Status: 413, Body: fail("request_too_large", "Request exceeds the maximum size"), Want: llm.ClassFinal},
		"429":             {Status: 429, Header: map[string]string{"Retry-After": "11"}, Body: fail("rate_limit_error", "Rate limit"), Want: llm.ClassRetryable, After: 11 * time.Second},
		"429, spend":      {Status: 429, Body: `{"type":"error","error":{"type":"rate_limit_error","message":"Limit","details":{"error_code":"enforced_spend_limit_reached"}}}`, Want: llm.ClassQuota, Code: "enforced_spend_limit_reached"},
		"400, spend":      {Status: 400, Body: fail("invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-12-01."), Want: llm.ClassQuota},
		"500":             {Status: 500, Body: fail("api_error", "Internal server error"), Want: llm.ClassRetryable},
		"504":             {Status: 504, Body: fail("timeout_error", "Timeout"), Want: llm.ClassRetryable},
		"529":             {Status: 529, Body: fail("overloaded_error", "Overloaded"), Want: llm.ClassRetryable, Says: "Overloaded"},
		"529, not again":  {Status: 529, Header: map[string]string{"X-Should-Retry": "false"}, Body: fail("overloaded_error", "Overloaded"), Want: llm.ClassFinal},
		"prompt too long": {Status: 400, Body: fail("invalid_request_error", "prompt is too long: 209303 tokens > 200000 maximum"), Want: llm.ClassContextLength},
		"context limit":   {Status: 400, Body: fail("invalid_request_error", "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"), Want: llm.ClassContextLength},
		"context stop":    {Status: 200, Body: `{"type":"message","content":[{"type":"text","text":"half"}],"stop_reason":"model_context_window_exceeded","usage":{"input_tokens":1}}`, Want: llm.ClassContextLength},
		"no effort":       {Status: 400, Body: fail("invalid_request_error", "This model does not support the effort parameter."), Want: llm.ClassEffort, Says: "does not support the effort parameter"},
		"effort level":    {Status: 400, Body: fail("invalid_request_error", "This model does not support effort level 'high'. Supported levels: low."), Want: llm.ClassEffort},
		"needs thinking":  {Status: 400, Body: fail("invalid_request_error", "output_config.effort 'xhigh' is not supported when thinking is disabled"), Want: llm.ClassEffort},
		"not a message":   {Status: 200, Body: `{"type":"completion"}`, Want: llm.ClassInvalidResponse},
	})
}

func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	simtest.Hostile(t, opened)
}

// TestARefusedTemperatureIsLeftOut: thinking, which the highest efforts need, does not accept a temperature.
func TestARefusedTemperatureIsLeftOut(t *testing.T) {
	t.Parallel()
	server := simtest.Start(t, simOptions())
	req := simtest.Requests()["full"]
	req.Effort = llm.EffortXHigh
	out, err := open(t, server.URL, server.HTTP).Complete(t.Context(), req)
	if err != nil || len(out.Unsupported) != 1 || len(server.Sent()) != 2 {
		t.Errorf("%+v, %v after %d requests", out, err, len(server.Sent()))
	}
}

func TestMinimalIsNotSent(t *testing.T) {
	t.Parallel()
	server := simtest.Start(t, simOptions())
	_, err := open(t, server.URL, server.HTTP).Complete(t.Context(), simtest.Requests()["effort minimal"])
	simtest.Unsent(t, server, err, llm.ClassEffort)
	_, err = open(t, server.URL, server.HTTP).Complete(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Text: " "}}})
	simtest.Unsent(t, server, err, llm.ClassFinal)
}
