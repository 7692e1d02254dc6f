package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/mcpclient"
	"github.com/assay-dev/assay/internal/testkit"
)

// calls is a server with one tool, which returns the given answer.
func calls(answer any) http.Handler {
	return rpc(map[string]func(json.RawMessage) any{"initialize": initialized, "tools/list": listOf("look"), "tools/call": func(json.RawMessage) any { return answer }})
}

func TestCallKeepsText(t *testing.T) {
	t.Parallel()
	text := func(s string) any { return map[string]any{"type": "text", "text": s} }
	for name, tc := range map[string]struct {
		answer any
		want   mcpclient.Result
	}{
		"text":       {map[string]any{"content": []any{text("a\x1b\u202eb"), text("c")}}, mcpclient.Result{Text: "ab\nc"}},
		"a picture":  {map[string]any{"content": []any{map[string]any{"type": "image", "data": "aGk=", "mimeType": "image/png"}, text("c")}}, mcpclient.Result{Text: "[left out: not text]\nc"}},
		"a failure":  {map[string]any{"isError": true, "content": []any{text("no")}}, mcpclient.Result{Text: "no", Failed: true}},
		"structured": {map[string]any{"content": []any{}, "structuredContent": map[string]any{"n": 1}}, mcpclient.Result{Text: `{"n":1}`}},
		"too long":   {map[string]any{"content": []any{text(strings.Repeat("é", mcpclient.MaxResult+1))}}, mcpclient.Result{Text: strings.Repeat("é", mcpclient.MaxResult)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, f := serve(t, calls(tc.answer))
			got, err := mcpclient.Call(t.Context(), f, mcpclient.Server{URL: u}, "look", json.RawMessage(`{"q":"x"}`), 10*time.Second)
			testkit.OK(t, err)
			testkit.Equal(t, "result", got, tc.want)
		})
	}
}

func TestCallFailsInOurWords(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	inner := calls(map[string]any{"content": []any{}})
	atCall := func(h http.HandlerFunc) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.Body = io.NopCloser(strings.NewReader(string(body))); !strings.Contains(string(body), "tools/call") {
				inner.ServeHTTP(w, r)
				return
			}
			h(w, r)
		})
	}
	for name, tc := range map[string]struct {
		handler http.Handler
		want    string
	}{
		"hangs": {atCall(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-over:
			}
		}), "within 5 seconds"},
		"too large": {calls(map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Repeat("canary", 1<<20)}}}), "2 MiB"},
		"redirect": {atCall(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/canary", http.StatusTemporaryRedirect)
		}), "redirect (307)"},
		"refuses": {rpc(map[string]func(json.RawMessage) any{"initialize": initialized}), "refused the call"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, f := serve(t, tc.handler)
			within := 30 * time.Second
			if name == "hangs" { // the steps before the call must end in that time, even on a busy machine
				within = 5 * time.Second
			}
			_, err := mcpclient.Call(context.Background(), f, mcpclient.Server{URL: u}, "look", json.RawMessage(`{}`), within)
			var e *mcpclient.Error
			if !errors.As(err, &e) || e.Step != "call" || !strings.Contains(e.Message, tc.want) || strings.Contains(e.Message, "canary") {
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
}

func TestSchemasOfStrangers(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat(`{"anyOf":[`, n) + `{}` + strings.Repeat(`]}`, n) }
	for given, usable := range map[string]bool{
		`{"type":"object"}`: true,
		`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","properties":{"q":{"type":"string"}}}`: true,
		`{"type":"object","properties":{"q":` + deep(6) + `}}`:                                                       true,
		`{"type":"object","properties":{"q":` + deep(7) + `}}`:                                                       false, // 17 levels
		`{"type":"object","description":"` + strings.Repeat("x", 8<<10) + `"}`:                                       false,
		`{"type":"object","properties":{"q":{"$ref":"https://evil.example/s.json"}}}`:                                false,
		`{"type":"object","properties":{"q":{"$ref":"#"}}}`:                                                          false,
		`{"type":"object","properties":{"q":{"$dynamicRef":"#x"}}}`:                                                  false,
		`{"type":"object","properties":{"q":{"type":"string","pattern":"(((" }}}`:                                    false,
		`{"type":"string"}`:                 false,
		`{"properties":{}}`:                 false,
		`[]`:                                false,
		`{"type":["object"]}`:               false,
		`{"type":"object","properties":[]}`: false,
	} {
		var v any
		testkit.OK(t, json.Unmarshal([]byte(given), &v))
		if _, err := mcpclient.ReadSchema(v); (err == nil) != usable {
			t.Errorf("%.80s: %v", given, err)
		}
	}
}

func TestArgumentsAreCleanedAndChecked(t *testing.T) {
	t.Parallel()
	var v any
	testkit.OK(t, json.Unmarshal([]byte(`{"type":"object","properties":{"q":{"type":"string","maxLength":10},"n":{"type":"integer"},"more":{"type":"array","items":{"type":"object","additionalProperties":true}}},"required":["q"]}`), &v))
	s, err := mcpclient.ReadSchema(v)
	testkit.OK(t, err)
	clean := func(text string) string { return strings.ReplaceAll(text, "hunter2", "[x]") }
	for given, want := range map[string]string{
		`{"q":"hunter2"}`:                            `{"q":"[x]"}`,
		`{"q":"\u0068unter2"}`:                       `{"q":"[x]"}`,
		`{"q":"a","more":[{"hunter2":["hunter2"]}]}`: `{"more":[{"[x]":["[x]"]}],"q":"a"}`,
		`{"q":"a","n":3}`:                            `{"n":3,"q":"a"}`,
		`{"q":"a","n":9007199254740991}`:             `{"n":9007199254740991,"q":"a"}`,
		`{"q":"a","n":9007199254740993}`:             "", // it would be sent as another number
		`{"q":"a","more":[{"n":-1e300}]}`:            "",
		`{"q":"a","n":1e999999999}`:                  "",
		`{"q":"a","n":"3"}`:                          "",
		`{"q":"a","other":1}`:                        "",
		`{"n":1}`:                                    "",
		``:                                           "",
		`{"q":"a"} {}`:                               "",
		`["q"]`:                                      "",
		`null`:                                       "",
		`{"q":"01234567890"}`:                        "",
		fmt.Sprintf(`{"q":"a","more":[{"a":%q}]}`, strings.Repeat("x", 4<<10)): "",
	} {
		got, err := s.Arguments(given, clean)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%.60s becomes %s, %v; want %s", given, got, err, want)
		}
	}
}
