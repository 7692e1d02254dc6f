package responses_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/llmtest/simtest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestRequests(t *testing.T) {
	t.Parallel()
	completions, vectors := simtest.Golden(t, func(t *testing.T, base string, client *http.Client) llm.Client {
		t.Helper()
		return open(t, base, client, false)
	})
	schemas := testkit.Description(t, "openai/openapi.reduced.json")
	for _, body := range completions {
		if err := simtest.Problem(schemas, "CreateResponse", body); err != nil {
			t.Errorf("%v\n%s", err, body)
		}
	}
	for _, body := range vectors {
		if err := simtest.Problem(schemas, "CreateEmbeddingRequest", body); err != nil {
			t.Errorf("%v\n%s", err, body)
		}
	}
	for _, bad := range []string{`{"model":"m","input":[],"reasoning_effort":"low"}`, `{"model":"m","input":"x","max_output_tokens":"many"}`, `{"model":"m","input":"x","reasoning":{"effort":"extra high"}}`} {
		if simtest.Problem(schemas, "CreateResponse", bad) == nil {
			t.Errorf("the check accepts %s", bad)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	fail := func(message, kind, param, code string) string {
		return `{"error":{"message":"` + message + `","type":"` + kind + `","param":` + param + `,"code":` + code + `}}`
	}
	failed := func(code, message string) string {
		return `{"id":"resp_1","object":"response","status":"failed","error":{"code":"` + code + `","message":"` + message + `"},"output":[],"usage":null}`
	}
	simtest.Errors(t, func(t *testing.T, base string, client *http.Client) llm.Client {
		t.Helper()
		return open(t, base, client, false)
	}, map[string]simtest.Recorded{
		"unknown member":      {Status: 400, Body: fail("Unknown parameter: 'x'.", "invalid_request_error", `"x"`, `"unknown_parameter"`), Want: llm.ClassFinal, Code: "unknown_parameter"},
		"key":                 {Status: 401, Body: fail("Incorrect API key provided: sk-…", "invalid_request_error", "null", `"invalid_api_key"`), Want: llm.ClassCredential},
		"project":             {Status: 403, Body: fail("You do not have access to the project.", "invalid_request_error", "null", "null"), Want: llm.ClassCredential},
		"model":               {Status: 404, Body: fail("The model does not exist", "invalid_request_error", `"model"`, `"model_not_found"`), Want: llm.ClassFinal},
		"rate, seconds":       {Status: 429, Header: map[string]string{"Retry-After": "20"}, Body: fail("Rate limit", "requests", "null", `"rate_limit_exceeded"`), Want: llm.ClassRetryable, After: 20 * time.Second},
		"rate, ms":            {Status: 429, Header: map[string]string{"Retry-After": "20", "Retry-After-Ms": "1500"}, Body: fail("Rate limit", "tokens", "null", `"rate_limit_exceeded"`), Want: llm.ClassRetryable, After: 1500 * time.Millisecond},
		"slow down":           {Status: 503, Body: fail("Slow down", "service_unavailable_error", "null", `"slow_down"`), Want: llm.ClassRetryable, Code: "slow_down"},
		"credit":              {Status: 429, Header: map[string]string{"Retry-After": "20"}, Body: fail("Credit used up", "insufficient_quota", "null", `"credit_balance_exhausted"`), Want: llm.ClassQuota},
		"spend limit":         {Status: 429, Body: fail("Limit", "insufficient_quota", "null", `"project_spend_limit_exceeded"`), Want: llm.ClassQuota},
		"should not retry":    {Status: 429, Header: map[string]string{"X-Should-Retry": "false"}, Body: fail("Rate limit", "requests", "null", `"rate_limit_exceeded"`), Want: llm.ClassFinal},
		"context":             {Status: 400, Body: fail("Your input exceeds the context window of this model.", "invalid_request_error", `"input"`, `"context_length_exceeded"`), Want: llm.ClassContextLength},
		"effort":              {Status: 400, Body: fail("Unsupported value: 'high' is not supported with the 'm' model. Supported values are: 'low'.", "invalid_request_error", `"reasoning.effort"`, `"unsupported_value"`), Want: llm.ClassEffort, Says: "Supported values are: 'low'"},
		"effort, masked":      {Status: 400, Body: fail("Unsupported value: 'high' is not supported with the 'm' model.", "invalid_request_error", "null", `"unsupported_value"`), Want: llm.ClassEffort},
		"500":                 {Status: 500, Body: fail("The server had an error", "server_error", "null", "null"), Want: llm.ClassRetryable},
		"failed, server":      {Status: 200, Body: failed("server_error", "An error occurred"), Want: llm.ClassRetryable, Code: "server_error", Says: "An error occurred"},
		"failed, rate":        {Status: 200, Body: failed("rate_limit_exceeded", "Rate limit"), Want: llm.ClassRetryable, Code: "rate_limit_exceeded"},
		"failed, prompt":      {Status: 200, Body: failed("invalid_prompt", "Invalid prompt"), Want: llm.ClassFinal, Code: "invalid_prompt"},
		"failed, region":      {Status: 200, Body: failed("data_residency_mismatch", "Wrong region"), Want: llm.ClassFinal},
		"failed, silent":      {Status: 200, Body: `{"object":"response","status":"failed","error":null,"output":[]}`, Want: llm.ClassRetryable},
		"no response":         {Status: 200, Body: `{"choices":[]}`, Want: llm.ClassInvalidResponse},
		"Azure deployment":    {Status: 404, Body: `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, Want: llm.ClassFinal, Code: "DeploymentNotFound"},
		"Azure key":           {Status: 401, Body: `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}`, Want: llm.ClassCredential},
		"Azure filter":        {Status: 400, Body: `{"error":{"code":"content_filter","message":"The response was filtered","param":"prompt","type":null}}`, Want: llm.ClassFinal, Code: "content_filter"},
		"Azure gateway shape": {Status: 429, Header: map[string]string{"Retry-After": "8"}, Body: `{"statusCode":429,"message":"Rate limit is exceeded. Try again in 8 seconds."}`, Want: llm.ClassRetryable, After: 8 * time.Second},
	})
}

func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	simtest.Hostile(t, func(t *testing.T, base string, client *http.Client) llm.Client {
		t.Helper()
		return open(t, base, client, false)
	})
}

// TestAzureSendsItsOwnHeader: no bearer token is sent.
func TestAzureSendsItsOwnHeader(t *testing.T) {
	t.Parallel()
	server := simtest.Serve(t, http.NotFoundHandler())
	_, _ = open(t, server.URL, server.HTTP, true).Complete(t.Context(), simtest.Requests()["least"])
	sent := server.Sent()
	if len(sent) != 1 || sent[0].URI != "/openai/v1/responses" || sent[0].Header.Get("Api-Key") != simtest.Key().Reveal() || sent[0].Header.Get("Authorization") != "" {
		t.Errorf("%d requests, to %q", len(sent), sent[0].URI)
	}
}

// TestARefusedTemperatureIsLeftOut: the temperature is optional.
func TestARefusedTemperatureIsLeftOut(t *testing.T) {
	t.Parallel()
	server := simtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		simtest.Refuse(w, r, `"temperature"`, `{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","type":"invalid_request_error","param":"temperature","code":null}}`,
			`{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}]}`)
	}))
	out, err := open(t, server.URL, server.HTTP, false).Complete(t.Context(), simtest.Requests()["full"])
	if err != nil || out.Text != "x" || len(out.Unsupported) != 1 || len(server.Sent()) != 2 {
		t.Errorf("%+v, %v after %d requests", out, err, len(server.Sent()))
	}
}
