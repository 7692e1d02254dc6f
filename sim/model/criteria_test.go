package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/model"
)

const criteriaPrompt = "<data change to review>\n=== shop.go\nstatus: modified\n@@\nnew:\n   41 + sum := total(items)\n</data>\n<data issue of a tracker>\nkey: PAY-1\n</data>\n" +
	"<data acceptance criteria>\nc1: It adds.\nc2: It divides.\nc3: Nobody knows.\n</data>\n"

func function(name string) object {
	return object{"type": "function", "function": object{"name": name, "parameters": object{"type": "object"}}}
}

// said is an answer of Chat Completions.
type said struct {
	Content string
	Calls   []object `json:"tool_calls"`
}

// talk asks a stage with tools, after the given messages.
func talk(t *testing.T, s started, stage, text string, tools []object, more ...object) said {
	t.Helper()
	body := object{"model": "m", "messages": append([]object{{"role": "system", "content": "stage: " + stage + "\n"}, {"role": "user", "content": text}}, more...)}
	if len(tools) > 0 {
		body["tools"] = tools
	}
	var out struct{ Choices []struct{ Message said } }
	_, _, raw := s.ask(t, body, "")
	if err := json.Unmarshal(raw, &out); err != nil || len(out.Choices) != 1 {
		t.Fatalf("%v: %s", err, raw)
	}
	return out.Choices[0].Message
}

// answered returns the results of calls, after the calls.
func answered(calls []object, result string) []object {
	out := []object{{"role": "assistant", "content": nil, "tool_calls": calls}}
	for _, c := range calls {
		out = append(out, object{"role": "tool", "tool_call_id": c["id"], "content": result})
	}
	return out
}

// Listed criteria are judged, after the model has searched if it can. Other criteria get no verdict.
func TestCriteria(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{Rules: []model.Rule{{Match: model.Match{Stage: "criteria"}, Reply: model.Reply{Criteria: &model.Criteria{
		Read: []string{"shop.go"}, Search: []model.Search{{Query: "divide", Glob: "*.go"}},
		List: []model.Criterion{
			{Text: "It adds.", Verdict: "met", Reason: "It does.", Quotes: []model.CodeQuote{{Path: "shop.go", Code: "sum := total(items)"}, {Path: "other.go", Code: "x"}}},
			{Text: "It divides.", Verdict: "not_met", Reason: "It does not.", Searched: []model.Searched{{Query: "divide"}}},
		}}}}}})
	first := talk(t, s, "criteria", criteriaPrompt, []object{function("read_file"), function("search")})
	raw, err := json.Marshal(first.Calls)
	if err != nil || len(first.Calls) != 2 || !strings.Contains(string(raw), "shop.go") || !strings.Contains(string(raw), "divide") {
		t.Fatalf("it looks by %s", raw)
	}
	want := `{"verdicts":[{"criterion":"c1","verdict":"met","reason":"It does.","quotes":[{"path":"shop.go","start":41,"quote":"sum := total(items)","note":""},{"path":"other.go","start":1,"quote":"x","note":""}],"searched":[]},` +
		`{"criterion":"c2","verdict":"not_met","reason":"It does not.","quotes":[],"searched":[{"path":"","query":"divide","note":""}]}]}`
	if last := talk(t, s, "criteria", criteriaPrompt, []object{function("read_file"), function("search")}, answered(first.Calls, "   41   sum := total(items)")...); last.Content != want {
		t.Errorf("it says %s", last.Content)
	}
	if plain := talk(t, s, "criteria", criteriaPrompt, nil); plain.Content != want {
		t.Errorf("without tools it says %s", plain.Content)
	}
	other := strings.NewReplacer("It adds.", "It flies.", "It divides.", "It swims.").Replace(criteriaPrompt)
	if out := talk(t, s, "criteria", other, []object{function("read_file")}); out.Content != `{"verdicts":[]}` || len(out.Calls) != 0 {
		t.Errorf("verdicts on criteria that are not listed: %+v", out)
	}
}

// A finding calls a tool first if a tool has that name, in one pass only, and includes the result.
func TestAFindingThatAsks(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{Rules: []model.Rule{{Match: model.Match{Stage: "generate"}, Reply: model.Reply{Findings: []model.Finding{{Path: "shop.go", LineContains: "total(items)", Title: "It adds", Explanation: "It adds.",
		Ask: &model.Ask{Tool: "find", Arguments: `{"name":"bank"}`, Lens: "general", Contains: "is lost", Adds: "Some is lost."}}}}}}})
	diff := "=== shop.go\nstatus: modified\n@@\nnew:\n   41 + sum := total(items)\n</data>\n"
	tools := []object{function("other"), function("team__find")}
	first := talk(t, s, "generate", diff+"lens: general\n", tools)
	if len(first.Calls) != 1 {
		t.Fatalf("it asks %+v", first)
	}
	for name, c := range map[string]struct {
		got  said
		want string
	}{
		"the answer says so":    {talk(t, s, "generate", diff+"lens: general\n", tools, answered(first.Calls, "One in ten is lost.")...), `"It adds. Some is lost."`},
		"it says another thing": {talk(t, s, "generate", diff+"lens: general\n", tools, answered(first.Calls, "Nothing.")...), `"It adds."`},
		"another pass":          {talk(t, s, "generate", diff+"lens: security\n", tools), `"It adds."`},
		"no such tool":          {talk(t, s, "generate", diff+"lens: general\n", tools[:1]), `"It adds."`},
	} {
		if len(c.got.Calls) != 0 || !strings.Contains(c.got.Content, c.want) {
			t.Errorf("%s: %+v", name, c.got)
		}
	}
	if out := talk(t, s, "generate", "=== cart.go\n@@\nnew:\n    1 + x\n</data>\nlens: general\n", tools); len(out.Calls) != 0 || out.Content != `{"findings":[]}` {
		t.Errorf("where the line is not shown: %+v", out)
	}
}

func TestRulesOfCriteriaAreChecked(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]model.Reply{
		"no criteria":    {Criteria: &model.Criteria{}},
		"no reason":      {Criteria: &model.Criteria{List: []model.Criterion{{Text: "x", Verdict: "met"}}}},
		"no such answer": {Criteria: &model.Criteria{List: []model.Criterion{{Text: "x", Verdict: "done", Reason: "x"}}}},
		"no arguments":   {Findings: []model.Finding{{Path: "x", LineContains: "x", Title: "x", Explanation: "x", Ask: &model.Ask{Tool: "x", Arguments: "{", Contains: "x", Adds: "x"}}}},
	} {
		if s, err := model.New(model.Options{Rules: []model.Rule{{Reply: r}}}); err == nil {
			s.Close()
			t.Errorf("%s: no error", name)
		}
	}
}
