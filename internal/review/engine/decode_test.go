package engine

import (
	"strings"
	"testing"
)

func TestDecodeList(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in       string
		n, bad   int
		fails    bool
		salvaged int
	}{
		"plain":             {`{"findings":[{"path":"a"},{"path":"b"}]}`, 2, 0, false, 2},
		"empty":             {`{"findings":[]}`, 0, 0, false, 0},
		"in a fence":        {"Here:\n```json\n{\"findings\":[{\"path\":\"a\"}]}\n```", 1, 0, false, 1},
		"one bad element":   {`{"findings":[{"path":1},{"path":"b"},7,null]}`, 1, 3, false, 1},
		"broken off":        {`{"findings":[{"path":"a"},{"path":"b"},{"pa`, 0, 0, true, 2},
		"other name":        {`{"results":[]}`, 0, 0, true, 0},
		"no element fits":   {`{"findings":["words",{"path":1}]}`, 0, 0, true, 0},
		"null":              {`{"findings":null}`, 0, 0, true, 0},
		"not a list":        {`{"findings":{"path":"a"}}`, 0, 0, true, 0},
		"words":             {`No problems found.`, 0, 0, true, 0},
		"nothing":           {``, 0, 0, true, 0},
		"braces in strings": {`{"findings":[{"path":"a}{"}]}`, 1, 0, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items, bad, err := decodeList[candidate](tt.in, "findings")
			if len(items) != tt.n || bad != tt.bad || (err != nil) != tt.fails {
				t.Errorf("%d items, %d bad, error %v", len(items), bad, err)
			}
			if got := salvage[candidate](tt.in, "findings"); len(got) != tt.salvaged {
				t.Errorf("%d salvaged, want %d", len(got), tt.salvaged)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"findings":[{"path":"a","evidence":[{"quote":"x"}],"fix":null,"self_doubt":0.1}]}`, `{"findings":[{`, `[]`, `{"findings":null}`, "```\n{}\n```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		items, _, err := decodeList[candidate](s, "findings")
		if err != nil && len(items) > 0 {
			t.Error("an answer that cannot be read gave findings")
		}
		for _, c := range append(items, salvage[candidate](s, "findings")...) {
			if id, _, category := classifyRule(c.RuleKey, c.Category, nil); id == "" || category == "secret" {
				t.Errorf("rule %q, category %q", id, category)
			}
		}
		decodeList[verdict](s, "verdicts")
		salvage[verdict](s, "verdicts")
	})
}

func TestSchemasAreStrict(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{"finding": string(findingSchema([]Rule{{ID: "R1"}})), "verdict": string(verdictSchema())} {
		if objects, closed := strings.Count(schema, `"properties"`), strings.Count(schema, `"additionalProperties":false`); objects != closed || objects < 2 {
			t.Errorf("%s: %d objects, %d of them closed", name, objects, closed)
		}
	}
	if !strings.Contains(string(findingSchema([]Rule{{ID: "R1"}})), `"repo/R1"`) {
		t.Error("the repository's rule is no rule key")
	}
}

func TestRuleKeys(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range ruleKinds {
		if seen[k.Key] {
			t.Errorf("%s is listed twice", k.Key)
		}
		seen[k.Key] = true
	}
	if n := len(ruleKinds); n < 55 || n > 75 {
		t.Errorf("%d kinds", n)
	}
	rules := []Rule{{ID: "R1"}}
	for in, want := range map[string]string{
		"nil-deref": "llm/correctness/nil-deref", " NIL-DEREF ": "llm/correctness/nil-deref", "repo/R1": "repo/R1", "repo/R2": "llm/other/security", "made-up": "llm/other/security", "other": "llm/other/security",
	} {
		if got, _, _ := classifyRule(in, "security", rules); got != want {
			t.Errorf("classifyRule(%q) = %q, want %q", in, got, want)
		}
	}
	if _, _, c := classifyRule("other", "secret", nil); c != "bug" {
		t.Errorf("a model made a finding of category %s", c)
	}
}
