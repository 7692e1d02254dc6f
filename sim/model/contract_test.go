package model

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assay-dev/assay/internal/testkit"
)

func agree(t *testing.T, schemas openapi3.Schemas, name string, raw []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, raw)
	}
	if err := schemas[name].Value.VisitJSON(v, openapi3.EnableJSONSchema2020(), openapi3.MultiErrors()); err != nil {
		t.Errorf("not a %s: %v\n%s", name, err, raw)
	}
}

func TestAnswersAgreeWithTheRESTDescription(t *testing.T) {
	t.Parallel()
	schemas := testkit.Description(t, "openai/openapi.reduced.json")
	reply := func(r Reply) Options { return Options{Rules: []Rule{{Reply: r}}} }
	fault := func(f Fault) Options { return Options{Rules: []Rule{{Fault: &f}}} }
	for name, c := range map[string]struct {
		opt  Options
		want string
	}{
		"smallest":     {Options{}, "CreateChatCompletionResponse"},
		"text":         {reply(Reply{Text: "hello", Usage: &Usage{Input: 10, Cached: 5, Output: 7, Reasoning: 3}}), "CreateChatCompletionResponse"},
		"tools":        {reply(Reply{ToolCalls: []ToolCall{{Name: "f", Arguments: "{}"}}}), "CreateChatCompletionResponse"},
		"refusal":      {reply(Reply{Refusal: "no"}), "CreateChatCompletionResponse"},
		"truncated":    {fault(Fault{Action: Truncated}), "CreateChatCompletionResponse"},
		"invalid JSON": {fault(Fault{Action: InvalidJSON}), "CreateChatCompletionResponse"},
		"bad schema":   {fault(Fault{Action: BadSchema}), "CreateChatCompletionResponse"},
		"500":          {fault(Fault{Action: Status}), "ErrorResponse"},
		"429":          {fault(Fault{Action: RateLimit}), "ErrorResponse"},
		"quota":        {fault(Fault{Action: Quota}), "ErrorResponse"},
		"context":      {fault(Fault{Action: ContextLength}), "ErrorResponse"},
		"effort":       {fault(Fault{Action: RejectEffort}), "ErrorResponse"},
		"key":          {Options{APIKey: "k"}, "ErrorResponse"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := New(c.opt)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			body := `{"model":"m","reasoning_effort":"low","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object"}}}}`
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
			agree(t, schemas, c.want, w.Body.Bytes())
		})
	}
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/models", http.NoBody))
	agree(t, schemas, "ListModelsResponse", w.Body.Bytes())
}

// TestTheCheckCanFail shows that the validation above finds wrong answers.
func TestTheCheckCanFail(t *testing.T) {
	t.Parallel()
	schemas := testkit.Description(t, "openai/openapi.reduced.json")
	for _, raw := range []string{`{}`, `{"id":1,"object":"chat.completion","created":1,"model":"m","choices":[]}`,
		`{"id":"a","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"done","logprobs":null,"message":{"role":"assistant","content":"x","refusal":null}}]}`} {
		var v any
		if err := json.Unmarshal([]byte(raw), &v); err != nil {
			t.Fatal(err)
		}
		if schemas["CreateChatCompletionResponse"].Value.VisitJSON(v, openapi3.EnableJSONSchema2020()) == nil {
			t.Errorf("accepted: %s", raw)
		}
	}
}

func TestKnownArgumentsAreThoseOfTheDescription(t *testing.T) {
	t.Parallel()
	schemas := testkit.Description(t, "openai/openapi.reduced.json")
	var want []string
	var collect func(*openapi3.SchemaRef)
	collect = func(r *openapi3.SchemaRef) {
		for name := range r.Value.Properties {
			want = append(want, name)
		}
		for _, part := range r.Value.AllOf {
			collect(part)
		}
	}
	collect(schemas["CreateChatCompletionRequest"])
	slices.Sort(want)
	want = slices.Compact(want)
	got := slices.Sorted(slices.Values(arguments))
	if !slices.Equal(got, want) {
		t.Errorf("known arguments\n%v\nwant\n%v", got, want)
	}
}

func TestSmallestInstances(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, want string }{
		"findings": {`{"type":"object","properties":{"findings":{"type":"array","items":{"type":"string"}}},"required":["findings"],"additionalProperties":false}`, `{"findings":[]}`},
		"all kinds": {`{"type":"object","required":["a","b","c","d","e","f","g"],"properties":{"a":{"type":"string","minLength":2},"b":{"enum":["x","y"]},"c":{"type":"boolean"},"d":{"type":"integer","minimum":3},
			"e":{"type":["object","null"]},"f":{"const":7},"g":{"anyOf":[{"type":"number"},{"type":"null"}]}}}`, `{"a":"xx","b":"x","c":false,"d":3,"e":null,"f":7,"g":0}`},
		"reference": {`{"$defs":{"n/x":{"type":"array","minItems":1,"items":{"type":"string"}}},"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/n~1x"}}}`, `{"a":[""]}`},
		"recursive": {`{"type":"object","properties":{"child":{"$ref":"#"}}}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := smallest(json.RawMessage(c.schema))
			if err != nil || string(got) != c.want {
				t.Fatalf("got %s, %v; want %s", got, err, c.want)
			}
			var s jsonschema.Schema
			if err := json.Unmarshal([]byte(c.schema), &s); err != nil {
				t.Fatal(err)
			}
			resolved, err := s.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			var v any
			_ = json.Unmarshal(got, &v)
			if err := resolved.Validate(v); err != nil {
				t.Errorf("%s is not valid: %v", got, err)
			}
		})
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"=== a.go\n   1 + x"}]}`))
	f.Add([]byte(`{"model":"m","messages":[{"role":"system","content":[{"type":"text","text":"stage: verify"}]}],"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"$ref":"#"}}}}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, body []byte) {
		q, e := chatDialect{}.parse(nil, body)
		if e != nil {
			return
		}
		for _, r := range []Reply{{}, {Findings: []Finding{{Path: "a.go", LineContains: "x", StartContains: "x"}}}, {Verify: &Verify{}}, {Same: &Same{}}} {
			if _, err := complete(q, r, 1, "1"); err != nil {
				t.Errorf("no answer: %v", err)
			}
		}
	})
}
