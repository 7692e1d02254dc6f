package responses_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/llmtest"
	"github.com/assay-dev/assay/internal/llm/responses"
	"github.com/assay-dev/assay/internal/secret"
)

// A model that does not reason refuses to return encrypted reasoning. It is called without that option, which
// later calls leave out too.
func TestModelsThatDoNotReason(t *testing.T) {
	t.Parallel()
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Include []string `json:"include"`
		}
		_ = json.NewDecoder(r.Body).Decode(&in)
		if requests++; in.Include != nil {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}`)
			return
		}
		_, _ = io.WriteString(w, `{"status":"completed","output":[{"type":"function_call","call_id":"c","name":"look","arguments":"{}"}]}`)
	}))
	defer server.Close()
	c, err := responses.New(responses.Config{BaseURL: server.URL, APIKey: secret.New(llmtest.Key()), HTTP: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 3} {
		out, err := c.Complete(t.Context(), llm.Request{Model: "plain", Messages: []llm.Message{{Role: llm.User, Text: "look"}}, Tools: []llm.Tool{{Name: "look"}}})
		if err != nil || len(out.ToolCalls) != 1 || out.Kept != nil || requests != want {
			t.Errorf("%+v, %v after %d requests, want %d", out, err, requests, want)
		}
	}
}
