package model

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/assay-dev/assay/internal/testkit"
)

// spoken describes the calls of a dialect: a path, a header, and the smallest valid call.
type spoken struct{ path, header, call string }

var dialects = map[string]spoken{
	"chat":      {"/v1/chat/completions", "Authorization: Bearer k", `{"model":"m","messages":[{"role":"user","content":"x"}]}`},
	"mistral":   {"/mistral/v1/chat/completions", "Authorization: Bearer k", `{"model":"m","messages":[{"role":"user","content":"x"}]}`},
	"responses": {"/v1/responses", "Authorization: Bearer k", `{"model":"m","input":"x"}`},
	"azure":     {"/openai/v1/responses", "Api-Key: k", `{"model":"m","input":"x"}`},
	"anthropic": {"/v1/messages", "X-Api-Key: k", `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`},
	"bedrock":   {"/model/m/converse", "Authorization: Bearer k", `{"messages":[{"role":"user","content":[{"text":"x"}]}]}`},
}

// with adds members to a call.
func (s spoken) with(members string) string {
	return strings.TrimSuffix(s.call, "}") + "," + members + "}"
}

func (s spoken) send(t *testing.T, opt Options, body string) *httptest.ResponseRecorder {
	t.Helper()
	sim, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.path, strings.NewReader(body))
	name, value, _ := strings.Cut(s.header, ": ")
	r.Header.Set(name, value)
	if name == "X-Api-Key" {
		r.Header.Set("Anthropic-Version", "2023-06-01")
	}
	w := httptest.NewRecorder()
	sim.Handler().ServeHTTP(w, r)
	return w
}

// TestFaultsInEveryDialect: each fault has the dialect's own form.
func TestFaultsInEveryDialect(t *testing.T) {
	t.Parallel()
	type shown map[string]string // dialect: status and part of the body
	for action, c := range map[string]shown{
		RateLimit: {"chat": "429 rate_limit_exceeded", "mistral": "429 rate_limit_exceeded", "responses": "429 rate_limit_exceeded", "azure": "429 rate_limit_exceeded", "anthropic": "429 rate_limit_error", "bedrock": "429 ThrottlingException"},
		Quota: {"chat": "429 insufficient_quota", "mistral": "429 insufficient_quota", "responses": "429 insufficient_quota", "azure": "429 insufficient_quota", "anthropic": "429 enforced_spend_limit_reached",
			"bedrock": "400 ServiceQuotaExceededException"},
		Overloaded:    {"chat": "503 overloaded", "mistral": "503 overloaded", "responses": "503 server_is_overloaded", "azure": "503 overloaded", "anthropic": "529 overloaded_error", "bedrock": "503 ServiceUnavailableException"},
		Unauthorized:  {"chat": "401 invalid_api_key", "mistral": "401 authentication_error", "responses": "401 invalid_api_key", "azure": "401 Access denied", "anthropic": "401 authentication_error", "bedrock": "403 AccessDeniedException"},
		ContextLength: {"chat": "400 context_length_exceeded", "mistral": "400 maximum context length", "responses": `400 "input"`, "azure": "400 context_length_exceeded", "anthropic": "400 prompt is too long", "bedrock": "400 Input is too long"},
		ContextStop: {"chat": "400 context_length_exceeded", "mistral": "200 model_length", "responses": "400 context_length_exceeded", "azure": "400 context_length_exceeded", "anthropic": "200 model_context_window_exceeded",
			"bedrock": "200 model_context_window_exceeded"},
		Failed:      {"chat": "500 server_error", "mistral": "500 server_error", "responses": `200 "status": "failed"`, "azure": `200 "status": "failed"`, "anthropic": "500 api_error", "bedrock": "500 InternalServerException"},
		Status:      {"chat": "500 server_error", "mistral": "500 server_error", "responses": "500 server_error", "azure": "500 server_error", "anthropic": "500 api_error", "bedrock": "500 InternalServerException"},
		Truncated:   {"chat": `200 "length"`, "mistral": `200 "length"`, "responses": "200 max_output_tokens", "azure": `200 "incomplete"`, "anthropic": "200 max_tokens", "bedrock": "200 max_tokens"},
		BrokenOff:   {"chat": `200 "finish_reason": null`, "mistral": `200 "finish_reason": null`, "responses": "200 ", "azure": "200 ", "anthropic": `200 "output_tokens": 0`, "bedrock": `200 "outputTokens": 0`},
		InvalidJSON: {"chat": "200 oops", "mistral": "200 oops", "responses": "200 oops", "azure": "200 oops", "anthropic": "200 oops", "bedrock": "200 oops"},
		BadSchema:   {"chat": "200 verdicts", "mistral": "200 verdicts", "responses": "200 verdicts", "azure": "200 verdicts", "anthropic": "200 verdicts", "bedrock": "200 verdicts"},
		NoChoice:    {"chat": `200 "choices": []`, "mistral": `200 "choices": []`, "responses": `200 "output": []`, "azure": `200 "output": []`, "anthropic": `200 "content": []`, "bedrock": `200 "content": []`},
		NotAnAnswer: {"chat": "200 <!doctype", "mistral": "200 <!doctype", "responses": "200 <!doctype", "azure": "200 <!doctype", "anthropic": "200 <!doctype", "bedrock": "200 <!doctype"},
		Redirect:    {"chat": "307 ", "mistral": "307 ", "responses": "307 ", "azure": "307 ", "anthropic": "307 ", "bedrock": "307 "},
	} {
		for name, d := range dialects {
			t.Run(action+" "+name, func(t *testing.T) {
				t.Parallel()
				w := d.send(t, Options{APIKey: "k", Rules: []Rule{{Fault: &Fault{Action: action, Location: "/"}}}}, d.call)
				status, part, _ := strings.Cut(c[name], " ")
				if got := w.Result().Status; !strings.HasPrefix(got, status) || !strings.Contains(w.Body.String(), part) {
					t.Errorf("%s\n%s\nwant %s", got, w.Body, c[name])
				}
			})
		}
	}
}

// TestEveryDialectIsStrict: each dialect refuses the requests that its provider refuses, in the
// provider's words.
func TestEveryDialectIsStrict(t *testing.T) {
	t.Parallel()
	a, b, r := dialects["anthropic"], dialects["bedrock"], dialects["responses"]
	claude := spoken{"/model/eu.anthropic.claude/converse", b.header, b.call}
	for name, c := range map[string]struct {
		d    spoken
		body string
		want string // status and part of the body
	}{
		"Anthropic member":           {a, a.with(`"reasoning_effort":"low"`), "400 reasoning_effort: Extra inputs are not permitted"},
		"Anthropic limit":            {a, `{"model":"m","messages":[{"role":"user","content":"x"}]}`, "400 max_tokens: Field required"},
		"Anthropic effort":           {a, a.with(`"output_config":{"effort":"minimal"}`), "400 output_config.effort: Input should be"},
		"Anthropic xhigh":            {a, a.with(`"output_config":{"effort":"xhigh"}`), "400 'xhigh' is not supported when thinking is disabled"},
		"Anthropic xhigh, thinking":  {a, a.with(`"output_config":{"effort":"xhigh"},"thinking":{"type":"adaptive"}`), "200 end_turn"},
		"Anthropic budget":           {a, a.with(`"thinking":{"type":"enabled"}`), "400 thinking.type"},
		"Anthropic temperature":      {a, a.with(`"temperature":0.5,"thinking":{"type":"adaptive"}`), "400 `temperature` may only be set to 1"},
		"Anthropic open schema":      {a, a.with(`"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{}}}}`), "400 'additionalProperties' must be explicitly set to false"},
		"Anthropic blank text":       {a, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]}`, "400 non-whitespace"},
		"Anthropic lone result":      {a, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]}`, "400 unexpected `tool_use_id`"},
		"Bedrock member":             {b, b.with(`"model":"m"`), "400 extraneous key [model]"},
		"Bedrock effort":             {b, b.with(`"outputConfig":{"effort":"none"}`), "400 outputConfig.effort"},
		"Bedrock xhigh":              {claude, claude.with(`"outputConfig":{"effort":"max"}`), "400 not supported when thinking is disabled"},
		"Bedrock thinking of others": {b, b.with(`"additionalModelRequestFields":{"thinking":{"type":"disabled"}}`), "400 extraneous key [thinking]"},
		"Bedrock two turns":          {b, `{"messages":[{"role":"user","content":[{"text":"x"}]},{"role":"user","content":[{"text":"x"}]}]}`, "400 alternate"},
		"Bedrock blank":              {b, `{"messages":[{"role":"user","content":[{"text":""}]}]}`, "400 is blank"},
		"Responses member":           {r, r.with(`"reasoning_effort":"low"`), "400 unknown_parameter"},
		"Responses effort":           {r, r.with(`"reasoning":{"effort":"extra high"}`), "400 reasoning.effort"},
		"Responses limit":            {r, r.with(`"max_output_tokens":9`), "400 integer_below_min_value"},
		"Responses output":           {r, `{"model":"m","input":[{"type":"function_call_output","call_id":"c","output":"x"}]}`, "400 No tool call found"},
		"Responses tool":             {r, r.with(`"tools":[{"type":"function","function":{"name":"f"}}]`), "400 unknown_parameter"},
		"Mistral limit":              {dialects["mistral"], dialects["mistral"].with(`"max_completion_tokens":9`), "422 extra_forbidden"},
		"Mistral effort":             {dialects["mistral"], dialects["mistral"].with(`"reasoning_effort":"max"`), "422 reasoning_effort"},
		"wrong key":                  {spoken{a.path, "X-Api-Key: other", a.call}, a.call, "401 invalid x-api-key"},
		"no version":                 {spoken{a.path, "Authorization: Bearer k", a.call}, a.call, "400 anthropic-version"},
		"Azure with a bearer token":  {spoken{"/openai/v1/responses", "Authorization: Bearer k", r.call}, r.call, "401 Access denied"},
		"no bearer token":            {spoken{r.path, "Authorization: k", r.call}, r.call, "401 invalid_api_key"},
		"embedding member":           {spoken{"/v1/embeddings", r.header, ""}, `{"model":"m","input":"x","output_dimension":3}`, "400 output_dimension"},
		"Mistral embedding member":   {spoken{"/mistral/v1/embeddings", r.header, ""}, `{"model":"m","input":"x","dimensions":3}`, "422 dimensions"},
		"Titan size":                 {spoken{"/model/amazon.titan-embed-text-v2:0/invoke", r.header, ""}, `{"inputText":"x","dimensions":384}`, "400 384 is not a valid enum value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := c.d.send(t, Options{APIKey: "k"}, c.body)
			status, part, _ := strings.Cut(c.want, " ")
			if got := w.Result().Status; !strings.HasPrefix(got, status) || !strings.Contains(w.Body.String(), part) {
				t.Errorf("%s\n%s\nwant %s", got, w.Body, c.want)
			}
		})
	}
}

func TestOtherAnswersAgreeWithTheRESTDescription(t *testing.T) {
	t.Parallel()
	schemas := testkit.Description(t, "openai/openapi.reduced.json")
	r := dialects["responses"]
	for name, reply := range map[string]Reply{"text": {Text: "x", Usage: &Usage{Input: 10, Cached: 5, Written: 2, Output: 7, Reasoning: 3}}, "refusal": {Refusal: "no"},
		"tools": {ToolCalls: []ToolCall{{Name: "f", Arguments: "{}"}}}, "cut": {Text: "x", FinishReason: "length"}} {
		w := r.send(t, Options{Rules: []Rule{{Reply: reply}}}, r.with(`"tools":[{"type":"function","name":"f","parameters":{"type":"object"},"strict":false}]`))
		t.Run(name, func(t *testing.T) { agree(t, schemas, "Response", w.Body.Bytes()) })
	}
	failed := r.send(t, Options{Rules: []Rule{{Fault: &Fault{Action: Failed, Code: "rate_limit_exceeded"}}}}, r.call)
	agree(t, schemas, "Response", failed.Body.Bytes())
	agree(t, schemas, "CreateEmbeddingResponse", spoken{path: "/v1/embeddings", header: r.header}.send(t, Options{}, `{"model":"m","input":["x","y"],"dimensions":8}`).Body.Bytes())
	var want []string
	var collect func(*openapi3.SchemaRef)
	collect = func(s *openapi3.SchemaRef) {
		for name := range s.Value.Properties {
			want = append(want, name)
		}
		for _, part := range s.Value.AllOf {
			collect(part)
		}
	}
	collect(schemas["CreateResponse"])
	for _, name := range want {
		if unknown, _ := decodeStrictly([]byte(`{"`+name+`":null}`), &responsesRequest{}); unknown != "" {
			t.Errorf("CreateResponse's member %s is refused", name)
		}
	}
	if slices.Contains(want, "reasoning_effort") {
		t.Error("the members are those of another schema")
	}
}

func FuzzDialects(f *testing.F) {
	for _, d := range dialects {
		f.Add([]byte(d.call))
	}
	f.Add([]byte(`{"model":"m","input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":[{"text":"x"}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
		r.SetPathValue("id", "eu.anthropic.claude")
		for _, d := range []dialect{chatDialect{}, chatDialect{mistral: true}, responsesDialect{}, anthropicDialect{}, bedrockDialect{}} {
			q, e := d.parse(r, body)
			if e != nil || q == nil {
				if e == nil || !json.Valid(d.failed(e).body) {
					t.Errorf("%T: no answer to %s", d, body)
				}
				continue
			}
			c, err := complete(q, Reply{}, 1, "1")
			if a := d.completed(q, c, time.Unix(0, 0)); err != nil || !json.Valid(a.body) {
				t.Errorf("%T: %v", d, err)
			}
		}
	})
}
