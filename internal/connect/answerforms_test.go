package connect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
)

// said is an answer of a model: its text, its reasoning, and whether the token limit cut it off.
type said struct {
	text, reasoning string
	cut             bool
}

func (s said) stop(end, cut string) string {
	if s.cut {
		return cut
	}
	return end
}

type fields = map[string]any

// wireForms encodes an answer in the form of each kind of provider.
var wireForms = map[string]func(s said) fields{
	catalog.Compatible: func(s said) fields {
		return fields{"model": "m", "choices": []any{fields{"finish_reason": s.stop("stop", "length"), "message": fields{"role": "assistant", "content": s.text, "reasoning_content": s.reasoning}}}}
	},
	catalog.OpenAI: func(s said) fields {
		output := []any{fields{"type": "reasoning", "summary": []any{fields{"type": "summary_text", "text": s.reasoning}}}}
		if s.text != "" {
			output = append(output, fields{"type": "message", "content": []any{fields{"type": "output_text", "text": s.text}}})
		}
		out := fields{"model": "m", "status": s.stop("completed", "incomplete"), "output": output}
		if s.cut {
			out["incomplete_details"] = fields{"reason": "max_output_tokens"}
		}
		return out
	},
	catalog.Anthropic: func(s said) fields {
		return fields{"type": "message", "model": "m", "stop_reason": s.stop("end_turn", "max_tokens"), "content": []any{fields{"type": "thinking", "thinking": s.reasoning, "signature": "x"}, fields{"type": "text", "text": s.text}}}
	},
	catalog.Bedrock: func(s said) fields {
		return fields{"stopReason": s.stop("end_turn", "max_tokens"), "output": fields{"message": fields{"role": "assistant", "content": []any{
			fields{"reasoningContent": fields{"reasoningText": fields{"text": s.reasoning, "signature": "x"}}}, fields{"text": s.text}}}}}
	},
}

// tree is the head of a change in memory.
type tree map[string]string

func (t tree) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	if text, ok := t[path]; ok && side == domain.Right {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

const divides = "def mean(items):\n    return sum(items) / len(items)\n"

// reviewBy reviews a change with a model of a kind behind a handler.
func reviewBy(t *testing.T, kind string, scanner *check.Scanner, handler http.HandlerFunc) engine.Result {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := connect.Endpoint{Key: catalog.Key{Kind: kind}, BaseURL: server.URL, APIKey: secret.New("key-of-" + kind), HTTP: server.Client()}.Codec()
	testkit.OK(t, err)
	route := ask.Route{Client: client, Model: "m", Tier: "strong", Window: 100_000}
	in := engine.Input{Repository: "rep_1", HeadSHA: "bbb", BaseSHA: "aaa", MergeBase: "aaa", Policy: domain.DefaultPolicy(), Source: tree{"src/mean.py": divides}, Models: &ask.Models{Strong: route, Standard: route},
		Diff: []byte("diff --git a/src/mean.py b/src/mean.py\nnew file mode 100644\n--- /dev/null\n+++ b/src/mean.py\n@@ -0,0 +1,2 @@\n+" + strings.Join(strings.SplitAfter(strings.TrimSuffix(divides, "\n"), "\n"), "+") + "\n")}
	res, err := engine.New(engine.Deps{Checks: &check.Checker{Scanner: scanner}}).Review(t.Context(), in)
	if err != nil {
		return engine.Result{ModelState: engine.ModelUnavailable, ModelNote: err.Error()}
	}
	return res
}

// answerTo writes the answer to a call of the finder, or of the verifier, which confirms.
func answerTo(w http.ResponseWriter, kind string, body []byte, found said) {
	if strings.Contains(string(body), "stage: verify") {
		found = said{text: `{"verdicts":[{"claim":"c1","verdict":"confirmed","scope":"introduced","reachable":"yes","severity":"high","refutation_quote":"","confirming_quotes":["return sum(items) / len(items)"],` +
			`"would_senior_block":true,"final_title":"","final_explanation":""}]}`}
	}
	_ = json.NewEncoder(w).Encode(wireForms[kind](found))
}

const (
	oneFinding = `{"path":"src/mean.py","side":"RIGHT","start":2,"end":2,"quote":"    return sum(items) / len(items)","category":"bug","rule_key":"division-by-zero","severity":"high","title":"It divides by zero",` +
		`"trigger":"[]","explanation":"len(items) is 0 for an empty list.","evidence":[],"fix":null,"self_doubt":0.1,"same_as":""}`
	findingsOf = `{"findings":[` + oneFinding + `]}`
)

// An answer that is almost in the requested form is read in the same way for every provider. An answer that
// breaks off or cannot be read leaves the part unreviewed.
func TestAnswersOfEveryKindOfProvider(t *testing.T) {
	t.Parallel()
	scanner, err := check.NewScanner()
	testkit.OK(t, err)
	with := func(old, now string) string { return strings.Replace(findingsOf, old, now, 1) }
	for name, tc := range map[string]struct {
		answer said
		found  int
		state  string
	}{
		"as asked":               {said{text: findingsOf}, 1, engine.ModelComplete},
		"nothing found":          {said{text: `{"findings":[]}`}, 0, engine.ModelComplete},
		"in a fence, with words": {said{text: "I looked at `{}`.\n```json\n" + findingsOf + "\n```\nReplace {a} with {b}."}, 1, engine.ModelComplete},
		"a byte-order mark":      {said{text: "\ufeff" + findingsOf}, 1, engine.ModelComplete},
		"a draft":                {said{text: `{"findings":[]}` + "\nOn reflection:\n" + findingsOf}, 1, engine.ModelComplete},
		"an expression":          {said{text: with("is 0", `matches \d+ of C:\Users\x`)}, 1, engine.ModelComplete},
		"raw line breaks":        {said{text: with("is 0 for", "is\n0\tfor")}, 1, engine.ModelComplete},
		"quotes within":          {said{text: with("an empty list", `an "empty" list`)}, 1, engine.ModelComplete},
		"trailing commas":        {said{text: strings.ReplaceAll(findingsOf, "}", ",}")}, 1, engine.ModelComplete},
		"Python":                 {said{text: strings.NewReplacer(`"`, `'`, "null", "None").Replace(findingsOf)}, 1, engine.ModelComplete},
		"comments and NaN":       {said{text: strings.NewReplacer(`"end":2,`, "\"end\":2, // the end\n", "0.1", "NaN").Replace(findingsOf)}, 1, engine.ModelComplete},
		"numbers as strings":     {said{text: with(`"start":2`, `"start":"L2"`)}, 1, engine.ModelComplete},
		"one object, no list":    {said{text: `{"findings":` + oneFinding + `}`}, 1, engine.ModelComplete},
		"the object alone":       {said{text: oneFinding}, 1, engine.ModelComplete},
		"the list alone":         {said{text: "[" + oneFinding + "]"}, 1, engine.ModelComplete},
		"fix and evidence":       {said{text: strings.NewReplacer(`null`, `"return 0"`, `[],"fix`, `"The caller passes nothing.","fix`).Replace(findingsOf)}, 1, engine.ModelComplete},
		"a severity and a path":  {said{text: strings.NewReplacer(`"high"`, `"P1"`, "src/mean.py", "/src/mean.py:2").Replace(findingsOf)}, 1, engine.ModelComplete},
		"in the reasoning":       {said{reasoning: "Let me see {x}.\n" + findingsOf}, 1, engine.ModelComplete},
		"reasoning beside":       {said{text: findingsOf, reasoning: `{"findings":[]}`}, 1, engine.ModelComplete},
		"reasoning that breaks":  {said{reasoning: `{"findings":[]}`, cut: true}, 0, engine.ModelUnavailable},
		"cut off":                {said{text: strings.TrimSuffix(findingsOf, "]}") + `,{"path":"src/`, cut: true}, 1, engine.ModelPartial},
		"cut off behind a draft": {said{text: `{"findings":[]}` + "\nOn reflection, ", cut: true}, 0, engine.ModelUnavailable},
		"a severity unknown":     {said{text: with(`"high"`, `"apocalyptic"`)}, 0, engine.ModelPartial},
		"a file unknown":         {said{text: with("src/mean.py", "none.py")}, 0, engine.ModelPartial},
		"words":                  {said{text: "Looks good to me."}, 0, engine.ModelUnavailable},
		"nothing":                {said{}, 0, engine.ModelUnavailable},
	} {
		for kind := range wireForms {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				res := reviewBy(t, kind, scanner, func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					answerTo(w, kind, body, tc.answer)
				})
				if len(res.Findings) != tc.found || res.ModelState != tc.state {
					t.Errorf("%d findings, %s (%s), want %d, %s; dropped %v", len(res.Findings), res.ModelState, res.ModelNote, tc.found, tc.state, res.Stats.Dropped)
				}
			})
		}
	}
}

// If a provider cannot produce the JSON or does not accept the format, it is called again with a simpler
// format. Any other refusal ends the call.
func TestRefusedFormatsOfEveryKindOfProvider(t *testing.T) {
	t.Parallel()
	scanner, err := check.NewScanner()
	testkit.OK(t, err)
	for name, tc := range map[string]struct {
		status        int
		code, message string
		found         int
	}{
		"cannot make JSON":  {400, "json_validate_failed", "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.", 1},
		"no format":         {400, "invalid_request_error", "response_format is not supported by this model", 1},
		"no schema":         {422, "", "json_schema not supported", 1},
		"an unknown member": {400, "", `json: unknown field "response_format"`, 1},
		"something else":    {400, "", "the messages are not in order", 0},
	} {
		for kind := range wireForms {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				var refused, calls atomic.Int64
				res := reviewBy(t, kind, scanner, func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					calls.Add(1)
					formatted := strings.Contains(string(body), `"response_format":`) || strings.Contains(string(body), `"text":{"format"`) || strings.Contains(string(body), `"output_config":`) || strings.Contains(string(body), `"textFormat":`)
					if formatted || tc.found == 0 {
						refused.Add(1)
						w.Header().Set("Content-Type", "application/json")
						w.WriteHeader(tc.status)
						_, _ = fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","code":%q,"message":%q,"failed_generation":"{"},"message":%q}`, tc.code, tc.message, tc.message)
						return
					}
					answerTo(w, kind, body, said{text: findingsOf})
				})
				if len(res.Findings) != tc.found || tc.found == 1 && (res.ModelState != engine.ModelComplete || refused.Load() > 4) || tc.found == 0 && calls.Load() > 2 {
					t.Errorf("%d findings, %s (%s), %d of %d calls refused", len(res.Findings), res.ModelState, res.ModelNote, refused.Load(), calls.Load())
				}
			})
		}
	}
}
