package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/modelclient"
)

// started is a running simulator and its control client.
type started struct {
	url     string
	control *modelclient.Client
	sim     *model.Server
}

func start(t *testing.T, opt model.Options) started {
	t.Helper()
	s, err := model.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() { s.Close(); server.Close() })
	return started{server.URL, modelclient.New(server.URL+"/v1", s.ControlToken(), nil), s}
}

// ask posts a chat request and returns status, headers and body.
func (s started) ask(t *testing.T, body any, key string) (int, http.Header, []byte) {
	t.Helper()
	raw, ok := body.(string)
	if !ok {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		raw = string(b)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/chat/completions", strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, nil
	}
	defer func() { _ = resp.Body.Close() }()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, resp.Header, nil
	}
	return resp.StatusCode, resp.Header, out
}

type object = map[string]any

const diffPrompt = `<data change>
=== internal/order/page.go
status: modified
@@ Page
new:
   11   func Page(orders []Order, n int) []Order {
   12 +     end := n + size
   13 +     if end >= len(orders) {
   14 +             end = len(orders) - 1
   15 +     }
old:
   12 +     end = len(orders) - 1
=== web/archive.ts
new:
    3 +   });
    9 +   invoices.forEach(async (invoice) => {
   10 +     put(invoice)
   11 +   });
</data>
--- internal/order/page.go Page
    2   end = len(orders) - 1
`

// schema is a small form of the engine's schema of findings.
const schema = `{"type":"object","required":["findings"],"additionalProperties":false,"properties":{"findings":{"type":"array","items":{"type":"object","additionalProperties":false,
"required":["category","rule_key","severity","path"],"properties":{"path":{"type":"string"},"category":{"enum":["bug","security"]},"rule_key":{"enum":["off-by-one","other"]},"severity":{"enum":["info","high"]}}}}}}`

func chat(stage, user string) object {
	return object{
		"model":    "sim-strong",
		"messages": []object{{"role": "system", "content": "You review.\nstage: " + stage + "\nmore"}, {"role": "user", "content": user}},
		"response_format": object{"type": "json_schema", "json_schema": object{"name": "answer", "strict": true,
			"schema": json.RawMessage(schema)}},
	}
}

func content(t *testing.T, raw []byte) (text, finish string) {
	t.Helper()
	var in struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct{ Content string }
		}
	}
	if err := json.Unmarshal(raw, &in); err != nil || len(in.Choices) != 1 {
		t.Fatalf("not a completion: %v\n%s", err, raw)
	}
	return in.Choices[0].Message.Content, in.Choices[0].FinishReason
}

func compactJSON(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(s)); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, s)
	}
	return b.String()
}

// An answer with findings has a sentence on the change only if the request asks for one and a rule has one for a shown file.
func TestSynopsisIsGivenWhereItIsAsked(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{Rules: []model.Rule{{Reply: model.Reply{Findings: []model.Finding{}, Synopses: map[string]string{"a.go": "Adds a sum."}}}}})
	const asks = "lens: general\nLook.\nThis time, also write the synopsis: one sentence.\n"
	for user, want := range map[string]string{
		"=== a.go\n@@\nnew:\n    1 + x\n</data>\n" + asks:                       `{"findings":[],"synopsis":"Adds a sum."}`,
		"=== a.go\n@@\nnew:\n    1 + x\n</data>\nlens: general\n":               `{"findings":[]}`,
		"=== b.go\n@@\nnew:\n    1 + x\n</data>\n" + asks:                       `{"findings":[]}`,
		"=== b.go\n@@\nnew:\n    1 + x\n=== a.go\n@@\nnew:\n    1 + y\n" + asks: `{"findings":[],"synopsis":"Adds a sum."}`,
	} {
		_, _, raw := s.ask(t, chat("generate", user), "")
		if got, _ := content(t, raw); got != want {
			t.Errorf("content %q, want %q", got, want)
		}
	}
}

func TestRulesAnswerInOrder(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{Rules: []model.Rule{
		{Name: "second only", Match: model.Match{Nth: 2}, Reply: model.Reply{Text: "second"}},
		{Name: "once", Match: model.Match{Stage: "verify"}, Times: 1, Reply: model.Reply{Text: "once"}},
		{Name: "words", Match: model.Match{UserContains: []string{"alpha", "beta"}}, Reply: model.Reply{Text: "words"}},
		{Name: "pattern", Match: model.Match{UserRegexp: `^n\d+`, SystemContains: "review", Model: "sim-strong"}, Reply: model.Reply{JSON: json.RawMessage(`{"a":1}`)}},
		{Name: "template", Match: model.Match{UserContains: []string{"T"}}, Reply: model.Reply{Template: `{{.N}} {{.Stage}} {{.Model}} {{json .User}} {{line "web/archive.ts" "forEach"}}`}},
	}})
	for i, c := range []struct{ stage, user, want string }{
		{"verify", "x", "once"},
		{"verify", "x", "second"},
		{"verify", "x", `{"findings":[]}`},
		{"generate", "alpha", `{"findings":[]}`},
		{"generate", "beta alpha", "words"},
		{"generate", "n12", `{"a":1}`},
		{"other", "T", `1 other sim-strong "T\n" 0`},
	} {
		status, _, raw := s.ask(t, chat(c.stage, c.user), "")
		if status != http.StatusOK {
			t.Fatalf("%d: status %d %s", i, status, raw)
		}
		if got, _ := content(t, raw); got != c.want {
			t.Errorf("%d: content %q, want %q", i, got, c.want)
		}
	}
	states, err := s.control.Rules(t.Context())
	if err != nil || states[0].Used != 1 || states[0].Seen != 7 || states[1].Used != 1 {
		t.Errorf("rules %+v, %v", states, err)
	}
}

func TestFindingsAreLocated(t *testing.T) {
	t.Parallel()
	base := model.Finding{Title: "t", Explanation: "e", Category: "bug", RuleKey: "off-by-one", Severity: "high"}
	with := func(change func(*model.Finding)) []model.Finding {
		f := base
		change(&f)
		return []model.Finding{f}
	}
	for name, c := range map[string]struct {
		findings []model.Finding
		want     string
	}{
		"one line": {with(func(f *model.Finding) {
			f.Path, f.LineContains, f.Fix = "internal/order/page.go", "len(orders) - 1", &model.Fix{New: "end = len(orders)"}
		}), `"start":14,"end":14,"quote":"            end = len(orders) - 1","category":"bug","rule_key":"off-by-one","severity":"high","title":"t","trigger":"","explanation":"e","evidence":[],"fix":{"old":"            end = len(orders) - 1","new":"end = len(orders)"}`},
		"range by its first line": {with(func(f *model.Finding) {
			f.Path, f.StartContains, f.LineContains = "web/archive.ts", "forEach", "  });"
		}), `"start":9,"end":11,"quote":"  invoices.forEach(async (invoice) => {\n    put(invoice)\n  });"`},
		"range by the fix": {with(func(f *model.Finding) {
			f.Path, f.LineContains, f.Fix = "web/archive.ts", "put(invoice)", &model.Fix{Old: "    put(invoice)\n  });", New: "x"}
		}), `"start":10,"end":11,"quote":"    put(invoice)\n  });"`},
		"evidence": {with(func(f *model.Finding) {
			f.Path, f.LineContains, f.Evidence = "web/archive.ts", "put(", []model.Evidence{{Path: "internal/order/page.go", LineContains: "func Page", Note: "n"}}
		}), `"evidence":[{"path":"internal/order/page.go","start":11,"end":11,"quote":"func Page(orders []Order, n int) []Order {","note":"n"}]`},
		"values outside the schema": {with(func(f *model.Finding) {
			f.Path, f.LineContains, f.Category, f.RuleKey, f.Severity = "web/archive.ts", "put(", "docs", "missing-await", "low"
		}), `"category":"bug","rule_key":"other","severity":"high"`},
		"line that is not shown": {with(func(f *model.Finding) { f.Path, f.LineContains = "web/archive.ts", "nowhere" }), `{"findings":[]}`},
		"path that is not shown": {with(func(f *model.Finding) { f.Path, f.LineContains = "a.go", "put(" }), `{"findings":[]}`},
		"start that is not shown": {with(func(f *model.Finding) {
			f.Path, f.StartContains, f.LineContains = "web/archive.ts", "nowhere", "put("
		}), `{"findings":[]}`},
		"range with a gap": {with(func(f *model.Finding) {
			f.Path, f.StartContains, f.LineContains = "web/archive.ts", "});", "put("
		}), `{"findings":[]}`},
		"none": {[]model.Finding{}, `{"findings":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, model.Options{Rules: []model.Rule{{Reply: model.Reply{Findings: c.findings}}}})
			_, _, raw := s.ask(t, chat("generate", diffPrompt), "")
			if got, _ := content(t, raw); !strings.Contains(compactJSON(t, got), c.want) {
				t.Errorf("content %s\nwant part %s", got, c.want)
			}
		})
	}
}

const claims = `<data claims and code>
=== claim c1
title: The last order is dropped
path: a.go
lines: 3-4
quote:
` + "```" + `
}
end = len(orders) - 1
` + "```" + `
code:
` + "````" + `
    2   func Page() {
    3 + }
    4 +     end = len(orders) - 1
` + "````" + `

=== claim c2
title: Style of a name
path: b.go
lines: 1-1
quote:
` + "```" + `
x := 1
` + "```" + `

=== claim c3
title: An earlier report
path: c.go
lines: 1-1
question: this was reported before the code changed; is the defect still there?
quote:
` + "```" + `
old code()
` + "```" + `
code:
` + "```" + `
    1 + new code()
` + "```" + `
</data>
`

func TestClaimsAreAnswered(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{Rules: []model.Rule{{Reply: model.Reply{Verify: &model.Verify{Refute: []string{"(?i)^style"}}}}}})
	body := chat("verify", claims)
	delete(body, "response_format")
	_, _, raw := s.ask(t, body, "")
	text, _ := content(t, raw)
	var got struct {
		Verdicts []struct {
			Claim, Verdict   string
			RefutationQuote  string   `json:"refutation_quote"`
			ConfirmingQuotes []string `json:"confirming_quotes"`
			FinalTitle       string   `json:"final_title"`
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Verdicts) != 3 {
		t.Fatalf("%v: %s", err, text)
	}
	v := got.Verdicts
	if v[0].Verdict != "confirmed" || len(v[0].ConfirmingQuotes) != 1 || v[0].ConfirmingQuotes[0] != "}\nend = len(orders) - 1" || v[0].FinalTitle != "The last order is dropped" {
		t.Errorf("claim c1: %+v", v[0])
	}
	if v[1].Claim != "c2" || v[1].Verdict != "refuted" || v[1].RefutationQuote != "x := 1" {
		t.Errorf("claim c2: %+v", v[1])
	}
	if v[2].Verdict != "refuted" || v[2].RefutationQuote != "new code()" {
		t.Errorf("claim c3: %+v", v[2])
	}
}

func TestRequestsAreRecordedWithoutKeys(t *testing.T) {
	t.Parallel()
	key := "sk-" + "sim" + strings.Repeat("k", 20)
	s := start(t, model.Options{APIKey: key})
	for _, c := range []struct {
		key, kept string
		status    int
	}{{key, model.KeyRight, 200}, {"wrong" + key, model.KeyWrong, 401}, {"", model.KeyNone, 401}} {
		if status, _, raw := s.ask(t, chat("generate", "hello"), c.key); status != c.status || bytes.Contains(raw, []byte(key)) {
			t.Errorf("%s: status %d %s", c.kept, status, raw)
		}
	}
	list, err := s.control.Requests(t.Context(), modelclient.Filter{Bodies: true, Done: true})
	if err != nil || len(list) != 3 {
		t.Fatalf("%d requests, %v", len(list), err)
	}
	raw, _ := json.Marshal(list)
	if bytes.Contains(raw, []byte(key)) {
		t.Error("the record holds the key")
	}
	first := list[0]
	if first.Key != model.KeyRight || first.Stage != "generate" || first.Model != "sim-strong" || first.Format != "json_schema" || first.Usage == nil ||
		first.Status != 200 || first.RepliedUS < first.ArrivedUS || !bytes.Contains(first.Body, []byte("hello")) {
		t.Errorf("record %+v", first)
	}
	if list[1].Key != model.KeyWrong || list[2].Key != model.KeyNone {
		t.Errorf("keys %q %q", list[1].Key, list[2].Key)
	}
}

func TestBadRequestsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{Strict: true, Efforts: []string{"low", "high"}})
	change := func(f func(object)) object {
		b := chat("generate", "x")
		f(b)
		return b
	}
	loose := strings.ReplaceAll(schema, `"additionalProperties":false,`, "")
	for name, c := range map[string]struct {
		body   any
		status int
		want   string
	}{
		"not JSON":          {"{", 400, "could not parse"},
		"no model":          {change(func(b object) { delete(b, "model") }), 400, "model parameter"},
		"unknown model":     {change(func(b object) { b["model"] = "gpt" }), 404, "model_not_found"},
		"no messages":       {change(func(b object) { b["messages"] = []object{} }), 400, "empty array"},
		"bad role":          {change(func(b object) { b["messages"] = []object{{"role": "boss", "content": "x"}} }), 400, "'boss'"},
		"bad content":       {change(func(b object) { b["messages"] = []object{{"role": "user", "content": 3}} }), 400, "messages[0].content"},
		"unknown argument":  {change(func(b object) { b["tier"] = "fast" }), 400, "Unrecognized request argument supplied: tier"},
		"bad effort":        {change(func(b object) { b["reasoning_effort"] = "extra high" }), 400, "reasoning_effort"},
		"effort not taken":  {change(func(b object) { b["reasoning_effort"] = "minimal" }), 400, "Supported values are: 'low', 'high'."},
		"stream":            {change(func(b object) { b["stream"] = true }), 400, "stream"},
		"format unknown":    {change(func(b object) { b["response_format"] = object{"type": "xml"} }), 400, "response_format.type"},
		"json without word": {change(func(b object) { b["response_format"] = object{"type": "json_object"} }), 400, "must contain the word"},
		"schema without name": {change(func(b object) {
			b["response_format"] = object{"type": "json_schema", "json_schema": object{"name": "a b", "schema": json.RawMessage(schema)}}
		}), 400, "json_schema.name"},
		"schema not strict": {change(func(b object) {
			b["response_format"] = object{"type": "json_schema", "json_schema": object{"name": "a", "strict": true, "schema": json.RawMessage(loose)}}
		}), 400, "'additionalProperties' is required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, _, raw := s.ask(t, c.body, "")
			if status != c.status || !strings.Contains(string(raw), c.want) {
				t.Errorf("status %d %s\nwant %d with %q", status, raw, c.status, c.want)
			}
		})
	}
}

func TestTheTokenLimitCutsAnswers(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{Rules: []model.Rule{{Reply: model.Reply{Text: strings.Repeat("abcd", 100)}}}})
	body := chat("generate", "x")
	body["max_completion_tokens"] = 10
	_, _, raw := s.ask(t, body, "")
	if text, finish := content(t, raw); len(text) != 40 || finish != "length" {
		t.Errorf("%d bytes, finish %q", len(text), finish)
	}
}

func TestWrongRulesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{})
	for name, r := range map[string]model.Rule{
		"times":    {Times: -1},
		"nth":      {Match: model.Match{Nth: -1}},
		"regexp":   {Match: model.Match{UserRegexp: "("}},
		"template": {Reply: model.Reply{Template: "{{"}},
		"json":     {Reply: model.Reply{JSON: json.RawMessage("{")}},
		"finding":  {Reply: model.Reply{Findings: []model.Finding{{Path: "a"}}}},
		"verify":   {Reply: model.Reply{Verify: &model.Verify{Refute: []string{"("}}}},
		"fault":    {Fault: &model.Fault{Action: "explode"}},
	} {
		if err := s.sim.SetRules([]model.Rule{r}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := modelclient.New(s.url, "wrong", nil).Health(t.Context()); err == nil {
		t.Error("the control interface takes any token")
	}
	if err := s.control.Health(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRunServesAndStops(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- model.Run(ctx, model.RunOptions{ControlToken: "control", ControlTokenFile: dir + "/token"}, func(u string) { ready <- u })
	}()
	base := <-ready
	if !strings.HasSuffix(base, "/v1") {
		t.Errorf("base URL %q", base)
	}
	control := modelclient.New(base, "control", nil)
	f, err := control.SetFault(ctx, model.Fault{Action: model.Hang})
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan struct{})
	go func() { // a held request must not keep the server from stopping
		started{url: strings.TrimSuffix(base, "/v1")}.ask(t, chat("generate", "x"), "")
		close(held)
	}()
	if _, err := control.AwaitFault(ctx, f.ID, 1, 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Run does not stop")
	}
	<-held
}

func TestARuleIsReplacedByItsName(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{})
	rule := func(name, text string) model.Rule { return model.Rule{Name: name, Reply: model.Reply{Text: text}} }
	said := func() string {
		_, _, raw := s.ask(t, chat("generate", "x"), "")
		text, _ := content(t, raw)
		return text
	}
	if err := s.control.SetRules(t.Context(), []model.Rule{rule("a", "one"), rule("b", "two"), rule("a", "three")}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want, names string }{{"a", "four", "four", "ab"}, {"c", "five", "four", "abc"}, {"b", "six", "four", "abc"}} {
		if err := s.control.SetRule(t.Context(), rule(c.name, c.text)); err != nil {
			t.Fatal(err)
		}
		names := ""
		for _, r := range s.sim.Rules() {
			names += r.Name
		}
		if got := said(); got != c.want || names != c.names {
			t.Errorf("after %s: %q by the rules %s, want %q by %s", c.name, got, names, c.want, c.names)
		}
	}
	if s.sim.SetRule(model.Rule{}) == nil {
		t.Error("a rule without a name was taken")
	}
}
