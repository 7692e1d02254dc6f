package chat_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/chat"
	"github.com/assay-dev/assay/internal/llm/llmtest/simtest"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestMistralsRequests: Mistral refuses unknown members, and has no effort "max".
func TestMistralsRequests(t *testing.T) {
	t.Parallel()
	schemas := testkit.Description(t, "mistral/openapi-public-doc.reduced.json")
	server := simtest.Start(t, simOptions())
	c, err := chat.New(chat.ForMistral(chat.Config{BaseURL: server.URL + "/mistral/v1", APIKey: simtest.Key(), HTTP: server.HTTP}))
	if err != nil {
		t.Fatal(err)
	}
	for name, req := range simtest.Requests() {
		_, err := c.Complete(t.Context(), req)
		if (err != nil) != (req.Effort == llm.EffortMax) {
			t.Errorf("%s: %v", name, err)
		}
		sent := server.Sent()
		last := sent[len(sent)-1]
		if problem := simtest.Problem(schemas, "ChatCompletionRequest", last.Body); (problem != nil) != (req.Effort == llm.EffortMax) {
			t.Errorf("%s: %v\n%s", name, problem, last.Body)
		}
		if effort := `"reasoning_effort":"` + string(req.Effort) + `"`; strings.Contains(last.Body, `"reasoning_effort"`) != (req.Effort != "") || req.Effort != "" && !strings.Contains(last.Body, effort) {
			t.Errorf("%s: the effort is not in %s", name, last.Body)
		}
		if strings.Contains(last.Body, `"prompt_cache_key"`) != (req.CacheKey != "") || strings.Contains(last.Body, `"max_tokens"`) != (req.MaxOutputTokens > 0) {
			t.Errorf("%s: sent %s", name, last.Body)
		}
	}
	if _, err := c.Embed(t.Context(), llm.EmbedRequest{Model: "mistral-embed", Texts: []string{"a"}, Size: 1024}); err != nil {
		t.Fatal(err)
	}
	sent := server.Sent()
	if err := simtest.Problem(schemas, "EmbeddingRequest", sent[len(sent)-1].Body); err != nil {
		t.Error(err)
	}
	if simtest.Problem(schemas, "EmbeddingRequest", `{"model":"m","input":["a"],"dimensions":3}`) == nil {
		t.Error("the check accepts a member of another provider")
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	completions, vectors := simtest.Golden(t, func(t *testing.T, base string, client *http.Client) llm.Client {
		t.Helper()
		c, err := chat.New(chat.Config{BaseURL: base + "/v1", APIKey: simtest.Key(), HTTP: client})
		if err != nil {
			t.Fatal(err)
		}
		return c
	})
	schemas := testkit.Description(t, "openai/openapi.reduced.json")
	for _, body := range completions {
		if err := simtest.Problem(schemas, "CreateChatCompletionRequest", body); err != nil {
			t.Errorf("%v\n%s", err, body)
		}
	}
	for _, body := range vectors {
		if err := simtest.Problem(schemas, "CreateEmbeddingRequest", body); err != nil {
			t.Errorf("%v\n%s", err, body)
		}
	}
}

func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	simtest.Hostile(t, func(t *testing.T, base string, client *http.Client) llm.Client {
		t.Helper()
		c, err := chat.New(chat.Config{BaseURL: base, APIKey: simtest.Key(), HTTP: client})
		if err != nil {
			t.Fatal(err)
		}
		return c
	})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	simtest.Errors(t, func(t *testing.T, base string, client *http.Client) llm.Client {
		t.Helper()
		c, err := chat.New(chat.ForMistral(chat.Config{BaseURL: base, APIKey: simtest.Key(), HTTP: client}))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}, map[string]simtest.Recorded{
		// https://docs.mistral.ai/resources/error-glossary
		"Mistral 401":    {Status: 401, Body: `{"object":"error","message":"Unauthorized","type":"authentication_error","param":null,"code":null}`, Want: llm.ClassCredential, Says: "Unauthorized"},
		"Mistral 429":    {Status: 429, Header: map[string]string{"Retry-After": "3"}, Body: `{"object":"error","message":"Requests rate limit exceeded","type":"rate_limit_error","param":null,"code":"1300"}`, Want: llm.ClassRetryable, After: 3e9, Code: "1300"},
		"Mistral 503":    {Status: 503, Body: `{"object":"error","message":"Service unavailable","type":"server_error","param":null,"code":"3000"}`, Want: llm.ClassRetryable},
		"Mistral effort": {Status: 422, Body: `{"detail":[{"type":"enum","loc":["body","reasoning_effort"],"msg":"Input should be 'none' or 'high'","input":"low"}]}`, Want: llm.ClassEffort, Says: "Input should be 'none' or 'high'"},
		// https://github.com/Gage-Technologies/mistral-go/pull/2
		"Mistral effort, within": {Status: 422, Body: `{"object":"error","message":{"detail":[{"type":"enum","loc":["body","reasoning_effort"],"msg":"Input should be 'none' or 'high'","input":"low"}]},"type":"invalid_request_error","param":null,"code":null}`, Want: llm.ClassEffort, Says: "Input should be 'none' or 'high'"},
		// https://github.com/google-gemini/gemini-cli/issues/6678
		"Gemini length": {Status: 400, Body: `[{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, Want: llm.ClassContextLength},
		"Gemini key":    {Status: 400, Body: `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, Want: llm.ClassCredential},
		"Gemini effort": {Status: 400, Body: `[{"error":{"code":400,"message":"Thinking level is not supported for this model.","status":"INVALID_ARGUMENT"}}]`, Want: llm.ClassEffort},
		// https://github.com/reVrost/go-openrouter/pull/21
		"OpenRouter length": {Status: 400, Body: `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Your input exceeds the limit.\",\"type\":\"invalid_request_error\",\"param\":\"input\",\"code\":\"context_length_exceeded\"}}","provider_name":"OpenAI"}}}`, Want: llm.ClassContextLength, Says: "Your input exceeds"},
		"OpenRouter effort": {Status: 400, Body: `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Unsupported value\",\"param\":\"reasoning.effort\",\"code\":\"unsupported_value\"}}"}}}`, Want: llm.ClassEffort},
		"Ollama effort":     {Status: 400, Body: `{"error":{"message":"\"tiny\" does not support thinking","type":"api_error","param":null,"code":null}}`, Want: llm.ClassEffort, Says: "does not support thinking"},
		"Mistral member":    {Status: 422, Body: `{"detail":[{"type":"extra_forbidden","loc":["body","dimensions"],"msg":"Extra inputs are not permitted"}]}`, Want: llm.ClassFinal, Says: "body.dimensions"},
		"model length":      {Status: 200, Body: `{"choices":[{"index":0,"finish_reason":"model_length","message":{"role":"assistant","content":"half"}}],"usage":{"prompt_tokens":1}}`, Want: llm.ClassContextLength},
		"vLLM length":       {Status: 400, Body: `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}`, Want: llm.ClassContextLength, Code: "400"},
		"OpenRouter 402":    {Status: 402, Body: `{"error":{"message":"Insufficient credits","code":402}}`, Want: llm.ClassQuota},
		"HTML of a proxy":   {Status: 502, Header: map[string]string{"Content-Type": "text/html"}, Body: `<h1>Bad gateway</h1>`, Want: llm.ClassRetryable},
		"a redirect":        {Status: 308, Header: map[string]string{"Location": "https://example.com/"}, Want: llm.ClassFinal, Says: "redirect"},
		"cached elsewhere":  {Status: 304, Want: llm.ClassFinal, Says: "redirect"},
	})
}
