package bedrock_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/llmtest"
	"github.com/assay-dev/assay/internal/llm/llmtest/simtest"
	"github.com/assay-dev/assay/sim/model"
)

func opened(t *testing.T, base string, client *http.Client) llm.Client {
	t.Helper()
	return open(t, base, client)
}

func TestRequests(t *testing.T) {
	t.Parallel()
	completions, vectors := simtest.Golden(t, opened)
	if len(vectors) != 2 {
		t.Errorf("%d calls for vectors, want one per text", len(vectors))
	}
	api, example := simtest.Bedrock(t), simtest.Snapshot(t, "Converse.request.snap")
	for _, body := range completions {
		if err := api.Problem("ConverseRequest", body, example); err != nil {
			t.Errorf("%v\n%s", err, body)
		}
	}
	for _, bad := range []string{`{"model":"m","messages":[]}`, `{"messages":[{"role":"user","content":[{"type":"text"}]}]}`, `{"outputConfig":{"format":{}}}`,
		`{"toolConfig":{"tools":[{"toolSpec":{"input_schema":{}}}]}}`} {
		if api.Problem("ConverseRequest", bad, example) == nil {
			t.Errorf("the check accepts %s", bad)
		}
	}
}

// TestTheSDKsExamples reads the recorded answers of the SDK's tests.
func TestTheSDKsExamples(t *testing.T) {
	t.Parallel()
	body := simtest.Snapshot(t, "Converse.response.snap")
	server := simtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
	out, err := open(t, server.URL, server.HTTP).Complete(t.Context(), simtest.Requests()["least"])
	if err != nil || out.Text != strings.Repeat("__ContentBlockMemberText__", 2) || out.StopReason != llm.StopEnd || out.Usage.OutputTokens != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	all := map[string]simtest.Recorded{}
	for name, c := range map[string]simtest.Recorded{
		"AccessDeniedException":         {Status: 403, Want: llm.ClassCredential},
		"ConflictException":             {Status: 400, Want: llm.ClassFinal},
		"InternalServerException":       {Status: 500, Want: llm.ClassRetryable},
		"ModelErrorException":           {Status: 424, Want: llm.ClassRetryable}, // once, see package endpoint
		"ModelNotReadyException":        {Status: 429, Want: llm.ClassRetryable},
		"ModelTimeoutException":         {Status: 408, Want: llm.ClassRetryable},
		"ResourceNotFoundException":     {Status: 404, Want: llm.ClassFinal},
		"ServiceQuotaExceededException": {Status: 400, Want: llm.ClassQuota},
		"ServiceUnavailableException":   {Status: 503, Want: llm.ClassRetryable},
		"ThrottlingException":           {Status: 429, Want: llm.ClassRetryable},
		"ValidationException":           {Status: 400, Want: llm.ClassFinal},
	} {
		c.Code, c.Says, c.Body = name, "__Message__", simtest.Snapshot(t, name+".error.snap")
		all[name] = c
	}
	simtest.Errors(t, opened, all)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	simtest.Errors(t, opened, map[string]simtest.Recorded{
		"shape id":      {Status: 429, Header: map[string]string{"Retry-After": "4"}, Body: `{"__type":"com.amazon.coral.availability#ThrottlingException","message":"Too many tokens, please wait before trying again."}`, Want: llm.ClassRetryable, After: 4 * time.Second, Code: "ThrottlingException"},
		"header":        {Status: 400, Header: map[string]string{"X-Amzn-Errortype": "ServiceQuotaExceededException:http://internal.amazon.com/coral/com.amazon.bedrock/"}, Body: `{"message":"Quota"}`, Want: llm.ClassQuota, Code: "ServiceQuotaExceededException"},
		"upper message": {Status: 403, Body: `{"Message":"Authentication failed: Please make sure your API Key is valid."}`, Want: llm.ClassCredential, Says: "Authentication failed"},
		"too long":      {Status: 400, Body: `{"__type":"ValidationException","message":"Input is too long for requested model."}`, Want: llm.ClassContextLength},
		"wrapped":       {Status: 400, Body: `{"message":"The model returned the following errors: prompt is too long: 209303 tokens > 200000 maximum"}`, Want: llm.ClassContextLength},
		"context stop":  {Status: 200, Body: `{"output":{"message":{"role":"assistant","content":[]}},"stopReason":"model_context_window_exceeded"}`, Want: llm.ClassContextLength},
		"effort":        {Status: 400, Body: `{"message":"The model returned the following errors: This model does not support the effort parameter."}`, Want: llm.ClassEffort},
		"no output":     {Status: 200, Body: `{"usage":{}}`, Want: llm.ClassInvalidResponse},
	})
}

func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	simtest.Hostile(t, opened)
}

func TestARefusedTemperatureIsLeftOut(t *testing.T) {
	t.Parallel()
	server := simtest.Start(t, model.Options{APIKey: llmtest.Key()})
	req := simtest.Requests()["full"]
	req.Effort = llm.EffortXHigh
	out, err := open(t, server.URL, server.HTTP).Complete(t.Context(), req)
	if sent := server.Sent(); err != nil || len(out.Unsupported) != 1 || len(sent) != 2 || !strings.Contains(sent[1].Body, `"maxTokens":100`) {
		t.Errorf("%+v, %v after %d requests", out, err, len(sent))
	}
}

func TestRefusedRequestsAreNotSent(t *testing.T) {
	t.Parallel()
	server := simtest.Start(t, model.Options{})
	c := open(t, server.URL, server.HTTP)
	_, err := c.Complete(t.Context(), simtest.Requests()["effort minimal"])
	simtest.Unsent(t, server, err, llm.ClassEffort)
	other := simtest.Requests()["effort none"]
	other.Model = "eu.amazon.nova-pro-v1:0"
	_, err = c.Complete(t.Context(), other)
	simtest.Unsent(t, server, err, llm.ClassEffort)
	_, err = c.Embed(t.Context(), llm.EmbedRequest{Model: "cohere.embed-multilingual-v3", Texts: []string{"a"}, Size: 1024})
	simtest.Unsent(t, server, err, llm.ClassFinal)
}

// TestLists: pages of profiles come first, then on-demand models, then embedding models.
func TestLists(t *testing.T) {
	t.Parallel()
	server := simtest.Start(t, model.Options{PageSize: 2, Models: []string{"amazon.titan-embed-text-v2:0", "eu.a", "eu.b", "mistral.c", "eu.d", "us.e", "global.f"}})
	got, err := open(t, server.URL, server.HTTP).ListModels(t.Context())
	var ids []string
	for _, m := range got {
		ids = append(ids, m.ID)
	}
	if want := "eu.a eu.b eu.d us.e global.f mistral.c amazon.titan-embed-text-v2:0"; err != nil || strings.Join(ids, " ") != want || got[5].DisplayName != "Sim Model mistral.c" {
		t.Errorf("%v, %v", got, err)
	}
	if n := len(server.Sent()); n != 5 {
		t.Errorf("%d requests", n)
	}
}
