package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/model"
)

const claimPrompt = "<data claims>\n=== claim c1\ntitle: It divides\npath: shop.go\nlines: 4-4\nquote:\n```\nreturn total(items) / count(items)\n```\ncode:\n```\n    4 + return total(items) / count(items)\n```\n</data>\n"

// A verification that looks first requests the definitions of the called names, once, and only with
// existing tools.
func TestVerificationThatLooks(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{Rules: []model.Rule{{Match: model.Match{Stage: "verify"}, Reply: model.Reply{Verify: &model.Verify{Look: true}}}}})
	tool := func(name string) object {
		return object{"type": "function", "function": object{"name": name, "parameters": object{"type": "object"}}}
	}
	type message struct {
		Content string
		Calls   []object `json:"tool_calls"`
	}
	ask := func(t *testing.T, tools []object, more ...object) message {
		t.Helper()
		body := object{"model": "m", "messages": append([]object{{"role": "system", "content": "stage: verify\n"}, {"role": "user", "content": claimPrompt}}, more...)}
		if len(tools) > 0 {
			body["tools"] = tools
		}
		_, _, raw := s.ask(t, body, "")
		var in struct{ Choices []struct{ Message message } }
		if err := json.Unmarshal(raw, &in); err != nil || len(in.Choices) != 1 {
			t.Fatalf("%v\n%s", err, raw)
		}
		return in.Choices[0].Message
	}
	for name, c := range map[string]struct {
		tools []object
		want  string // called
	}{
		"definitions": {[]object{tool("read_file"), tool("definition")}, "definition definition"},
		"files alone": {[]object{tool("read_file")}, "read_file"},
		"no tools":    {nil, ""},
		"other tools": {[]object{tool("shell")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := ask(t, c.tools)
			var called []string
			var results []object
			for _, call := range first.Calls {
				f, _ := call["function"].(map[string]any)
				n, _ := f["name"].(string)
				called = append(called, n)
				results = append(results, object{"role": "tool", "tool_call_id": call["id"], "content": "    1   func total()"})
			}
			if got := strings.Join(called, " "); got != c.want {
				t.Fatalf("called %q, want %q", got, c.want)
			}
			last := first
			if len(results) > 0 {
				last = ask(t, c.tools, append([]object{{"role": "assistant", "content": nil, "tool_calls": first.Calls}}, results...)...)
			}
			if len(last.Calls) > 0 || !strings.Contains(last.Content, `"confirmed"`) {
				t.Errorf("%+v", last)
			}
		})
	}
}
