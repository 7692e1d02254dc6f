package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/ask"
)

func TestReadList(t *testing.T) {
	t.Parallel()
	const one = `{"path":"a","title":"t"}`
	for name, tt := range map[string]struct {
		in                  string
		n, bad              int
		cut, fails, unclear bool
	}{
		"plain":                          {in: `{"findings":[{"path":"a"},{"path":"b"}]}`, n: 2},
		"empty":                          {in: `{"findings":[]}`},
		"in a fence":                     {in: "Here:\n```json\n{\"findings\":[{\"path\":\"a\"}]}\n```", n: 1},
		"bad elements":                   {in: `{"findings":[{"path":{}},{"path":"b"},7,null]}`, n: 1, bad: 3},
		"broken off":                     {in: `{"findings":[{"path":"a"},{"path":"b"},{"pa`, n: 2, cut: true},
		"broken off before an element":   {in: `{"findings":[`, cut: true},
		"only its last brace is missing": {in: `{"findings":[{"path":"a"}]`, n: 1},
		"other name":                     {in: `{"results":[]}`, fails: true},
		"other name, with elements":      {in: `{"results":[` + one + `]}`, n: 1},
		"no element fits":                {in: `{"findings":["words",{"path":{}}]}`, fails: true},
		"null":                           {in: `{"findings":null}`, fails: true},
		"one element, no list":           {in: `{"findings":` + one + `}`, n: 1},
		"elements by name":               {in: `{"findings":{"1":` + one + `,"2":` + one + `}}`, n: 2},
		"a string, no list":              {in: `{"findings":"[{\"path\":\"a\"}]"}`, n: 1},
		"not a list":                     {in: `{"findings":{"path":"a"}}`, n: 1},
		"the schema":                     {in: string(findingSchema(nil)), fails: true},
		"the schema, then the answer":    {in: string(findingSchema(nil)) + "\n" + `{"findings":[` + one + `]}`, n: 1},
		"a list without the object":      {in: `[` + one + `,` + one + `]`, n: 2},
		"an empty list alone":            {in: "```json\n[]\n```"},
		"an empty list in a sentence":    {in: "The default is [] here.", fails: true},
		"an element alone":               {in: one, n: 1},
		"elements line by line":          {in: one + "\n" + one + "\n", n: 2},
		"within another object":          {in: `{"response":{"findings":[` + one + `]}}`, n: 1},
		"a draft first":                  {in: `{"findings":[]} On reflection: {"findings":[` + one + `]}`, n: 1},
		"a draft that breaks off":        {in: `{"findings":[{"path":"a` + "\n\nAgain:\n" + `{"findings":[` + one + `]}`, n: 1},
		"a draft, then it breaks off":    {in: `{"findings":[]} On reflection: {"findings":[`, cut: true},
		"JSON within a string":           {in: `"{\"findings\":[{\"path\":\"a\",\"quote\":\"\\\"x\\\"\"}]}"`, n: 1},
		"one object for each file":       {in: `{"findings":[` + one + `]}` + "\n" + `{"findings":[` + one + `]}`, n: 2},
		"lists of several files":         {in: `{"files":[{"file":"a","findings":[` + one + `]},{"file":"b","findings":[]},{"file":"c","findings":[` + one + `]}]}`, n: 2},
		"an empty list beside another":   {in: `{"findings":[],"critical":[` + one + `]}`, n: 1},
		"an empty list before elements":  {in: `{"findings":[]}` + "\n" + one, n: 1},
		"marks of HTML":                  {in: strings.ReplaceAll(`{"findings":[`+one+`]}`, `"`, "&quot;"), n: 1},
		"a list after an empty draft":    {in: "```json\n{\"findings\":[]}\n```\nOn reflection:\n```json\n[" + one + "]\n```", n: 1},
		"an empty list at the end":       {in: `{"findings":[` + one + `]} On reflection: {"findings":[]}`, n: 1, unclear: true},
		"an empty list alone at the end": {in: `{"findings":[` + one + "]}\nOn reflection:\n[]\n", n: 1, unclear: true},
		"null at the end":                {in: `{"findings":[` + one + `]} On reflection: {"findings":null}`, n: 1, unclear: true},
		"a finding, then thoughts":       {in: `{"findings":[` + one + `]}<think>{"findings":[]}</think>`, n: 1},
		"thoughts, then a finding":       {in: `<Thinking>{"findings":[]}</Thinking> [` + one + `]`, n: 1},
		"a finding in thoughts":          {in: `[THINK]{"findings":[` + one + `]}[/THINK]{"findings":[]}`},
		"thoughts alone":                 {in: `<think>{"findings":[]}</think>`, unclear: true},
		"a finding in thoughts alone":    {in: `<think>{"findings":[` + one + `]}</think> Done.`, n: 1, unclear: true},
		"thoughts without an end":        {in: `<think>Nothing here. {"findings":[]}`, unclear: true},
		"the end of thoughts":            {in: `{"findings":[` + one + `]}</think>{"findings":[]}`, n: 1, unclear: true},
		"thoughts in a quotation":        {in: `{"findings":[{"path":"a","title":"t","quote":"<think>"}]}`, n: 1},
		"revised":                        {in: `{"findings":[` + one + `]} On reflection: {"findings":[{"path":"a","title":"T","start":3}]}`, n: 1},
		"revised, and more":              {in: `{"findings":[` + one + `]} On reflection: {"findings":[` + one + `,{"path":"b","title":"t"}]}`, n: 2},
		"two lists":                      {in: `For a: {"findings":[` + one + `]} For b: {"findings":[{"path":"b","title":"t"}]}`, n: 2, unclear: true},
		"two lists in fences":            {in: "```json\n{\"findings\":[" + one + "]}\n```\n\n```json\n{\"findings\":[{\"path\":\"b\"}]}\n```", n: 2},
		"a list, then another alone":     {in: `{"findings":[` + one + `]} And: [{"path":"b","title":"t"}]`, n: 2, unclear: true},
		"a list, then an element":        {in: `{"findings":[` + one + `]} And: {"path":"b","title":"t"}`, n: 2, unclear: true},
		"an empty list, other names":     {in: `{"findings":[]} {"issues":[{"file":"b","line":3,"message":"t"}]}`, n: 1},
		"an empty list, one object":      {in: `{"findings":[]} So: {"finding":{"path":"b","title":"t"}}`, n: 1},
		"beside another list":            {in: `{"findings":[` + one + `],"critical":[{"path":"b","title":"t"}]}`, n: 2, unclear: true},
		"beside the same":                {in: `{"findings":[` + one + `],"critical":[` + one + `]}`, n: 1},
		"an empty list, then a string":   {in: `{"findings":[]} So: "{\"findings\":[{\"path\":\"a\",\"title\":\"t\"}]}"`, unclear: true},
		"an empty list, then wrong JSON": {in: `{"findings":[]} So: {"findings":[{"path"="a","title":"t","quote":"b"}`, n: 1, cut: true},
		"an element breaks off before":   {in: `{"findings":[{"path":"a","start":3} On reflection: {"findings":[]}`, n: 1, unclear: true},
		"same title, another line":       {in: `{"findings":[{"path":"a","title":"t","start":3}]} And: {"findings":[{"path":"a","title":"t","start":9}]}`, n: 2, unclear: true},
		"same title, another folder":     {in: `{"findings":[{"path":"x/a","title":"t"}]} And: {"findings":[{"path":"y/a","title":"t"}]}`, n: 2, unclear: true},
		"same title, other code":         {in: `{"findings":[{"path":"a","title":"t","quote":"x()"}]} And: {"findings":[{"path":"a","title":"t","quote":"y()"}]}`, n: 2, unclear: true},
		"same line, a folder more":       {in: `{"findings":[{"path":"a","title":"t","start":3}]} And: {"findings":[{"path":"b/x/a","title":"t","start":3}]}`, n: 1},
		"braces between are missing":     {in: `{"findings":[{"path":"a","title":"t","start":3,"path":"b","title":"u","start":5}]}`, n: 2},
		"one element, braces missing":    {in: `{"path":"a","title":"t","path":"b","title":"u"}`, n: 2},
		"in place of the list":           {in: `{"findings":{"path":"a","title":"t","path":"b","title":"u"}}`, n: 2},
		"three in one":                   {in: `{"findings":[{"path":"a","title":"t","path":"b","title":"u","path":"c","title":"v"}]}`, n: 3},
		"a member twice, the same":       {in: `{"findings":[{"path":"a","title":"t","path":"a"}]}`, n: 1},
		"the list twice, then empty":     {in: `{"findings":[` + one + `],"findings":[]}`, n: 1, unclear: true},
		"the list twice, first empty":    {in: `{"findings":[],"findings":[` + one + `]}`, n: 1, unclear: true},
		"the list twice, others":         {in: `{"findings":[` + one + `],"findings":[{"path":"b","title":"t"}]}`, n: 2, unclear: true},
		"a finding in a finding":         {in: `{"findings":[{"path":"a","title":"t","related":[{"path":"b","title":"u","severity":"high"}]}]}`, n: 2},
		"findings in a finding":          {in: `{"findings":[{"path":"a","title":"t","findings":[{"path":"b","title":"u","explanation":"e"}]}]}`, n: 2},
		"places in a finding":            {in: `{"findings":[{"path":"a","title":"t","also":[{"path":"b","start":3,"quote":"x"}],"evidence":[{"path":"b","quote":"x"}]}]}`, n: 1},
		"words":                          {in: `No problems found.`, fails: true},
		"nothing":                        {in: ``, fails: true},
		"braces in strings":              {in: `{"findings":[{"path":"a}{"}]}`, n: 1},
		"wrong in the middle":            {in: `{"findings":[` + one + `,{"path":?},` + one + `]}`, n: 2, cut: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ask.ReadList[candidate](ask.Answer{Text: tt.in}, "findings")
			if len(got.Items) != tt.n || got.Bad != tt.bad || got.Cut != tt.cut || got.Unclear != tt.unclear || (err != nil) != tt.fails {
				t.Errorf("%+v, error %v", got, err)
			}
		})
	}
	for in, cut := range map[string]bool{`{"findings":[]}`: false, "{\"findings\":[]}\n```": false, `{"findings":[]} On reflection, there`: true} {
		if got, err := ask.ReadList[candidate](ask.Answer{Text: in, Truncated: true}, "findings"); err != nil || got.Cut != cut {
			t.Errorf("%s, at the token limit: %+v, %v", in, got, err)
		}
	}
}

// An empty list is the whole answer only if no findings in another form accompany it.
func TestFindingsBesideAnEmptyList(t *testing.T) {
	t.Parallel()
	const empty = `{"findings": []}`
	for in, unclear := range map[string]bool{
		empty: false,
		"I looked at web/cart/index.py and found nothing.\n" + empty:                                                false,
		"I reviewed web/cart/index.py (lines 1-40) and util.py. No issues found.\n" + empty:                         false,
		"web/cart/index.py:2 looks fine.\n" + empty:                                                                 false,
		"The change to index.py reads a file. It is short.\n" + empty:                                               false,
		"- web/cart/index.py: no problems, with high confidence\n" + empty:                                          false,
		`{"summary": "Checked web/cart/index.py, nothing found.", "severity": "none", "findings": []}`:              false,
		`{"findings": [], "issues": [], "files": ["web/cart/index.py"], "notes": "web/cart/index.py adds a mean."}`: false,
		`{"findings": [], "issues": ["No issues found"]}`:                                                           false,
		"The loop in other.py line 2 is as before.\n" + empty:                                                       false,
		"**High** — `web/cart/index.py:2`\n\n**Mean divides by zero.**\n\n" + empty:                                 true,
		"- **High**: web/cart/index.py divides by zero\n" + empty:                                                   true,
		"1. [major] `index.py` divides by zero\n" + empty:                                                           true,
		"| file | line | what |\n|---|---|---|\n| web/cart/index.py | 2 | divides by zero |\n" + empty:              true,
		"| 2 | `web/cart/index.py` | divides by zero |\n" + empty:                                                   true,
		"- path: web/cart/index.py\n  severity: high\n  title: Mean divides by zero\n\n" + empty:                    true,
		"file: web/cart/index.py\nline: 2\nproblem: zero\n" + empty:                                                 true,
		"<finding><path>web/cart/index.py</path><severity>high</severity></finding>\n" + empty:                      true,
		"<finding><file>web/cart/index.py</file><line>2</line></finding>\n" + empty:                                 true,
		empty + "\nWait, I missed one: web/cart/index.py line 2 divides by zero.":                                   true,
		empty + "\nLine 2 divides by zero.":                                                                         true,
		"At L2 the list is never checked for being empty.\n" + empty:                                                true,
		"- **High:** the mean divides by zero\n" + empty:                                                            true,
		"### Critical\nMean divides by zero.\n" + empty:                                                             false,
		"Line 2 adds a mean, and line 3 is safe: nothing fails.\n" + empty:                                          false,
		"I read lines 1 to 40.\n" + empty:                                                                           false,
		"High: 0, medium: 0\n" + empty:                                                                              false,
		"| severity | count |\n|---|---|\n| High | 0 |\n" + empty:                                                   false,
		"High-level summary: the function fails early.\n" + empty:                                                   false,
		empty + "\nLine 2 of web/cart/index.py does not check for an empty list.":                                   true,
		empty + "\nSee web/cart/index.py#L2: the list can be empty.":                                                true,
		`{"findings": [], "issues": ["web/cart/index.py:2 divides by zero"]}`:                                       true,
		`{"findings": [], "issues": ["The mean divides by zero"]}`:                                                  true,
		`{"findings": [], "comments": [{"file": "web/cart/index.py", "line": 2, "comment": "Divides by zero"}]}`:    true,
		`{"findings": [], "comments": [{"line": 2, "file": "web/cart/index.py", "comment": "Divides by zero"}]}`:    true,
		`{"findings": [], "notes": "web/cart/index.py (line 2) divides by zero."}`:                                  true,
		`{"summary": "web/cart/index.py divides by zero; severity: high.", "findings": []}`:                         true,
		"Line 2 reads get(), which can return None and crash.\n" + empty:                                            true,
		"web/cart/index.py:2: None has no length\n" + empty:                                                         true,
		"web/cart/index.py:2 has no error handling.\n" + empty:                                                      true,
		"web/cart/index.py:2: nothing checks that the list has elements.\n" + empty:                                 true,
		"web/cart/index.py:2 does not correctly round.\n" + empty:                                                   true,
		"web/cart/index.py:2: the query should be properly escaped.\n" + empty:                                      true,
		"web/cart/index.py:2 now checks the wrong list.\n" + empty:                                                  true,
		"web/cart/index.py:2 is fixed, but line 3 still fails.\n" + empty:                                           true,
		"web/cart/index.py:2 now validates its input.\n" + empty:                                                    false,
		"- `web/cart/index.py:2-4`: a cosmetic rename\n" + empty:                                                    false,
		"The change on line 2 should be fine.\n" + empty:                                                            false,
		"Line 2 correctly ignores empty lists.\n" + empty:                                                           false,
		"web/cart/index.py:2: none found\nutil.py:3: none\n" + empty:                                                false,
		"<think>web/cart/index.py:2 divides by zero?</think>" + empty:                                               false,
	} {
		got, err := ask.ReadList[candidate](ask.Answer{Text: in, Paths: []string{"web/cart/index.py", "util.py"}}, "findings")
		if err != nil || len(got.Items) == 0 && got.Unclear != unclear {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"findings":[{"path":"a","evidence":[{"quote":"x"}],"fix":null,"self_doubt":0.1}]}`, `{"findings":[{`, `[]`, `{"findings":null}`, "```\n{}\n```",
		`{'findings': {'file': 'a:3', 'line': '3-5', 'level': 'P1', 'message': 'x\d', 'fix': 'y', 'evidence': 'z'}}`, `{"verdicts":{"c1":{"verdict":"TRUE","claim":1}}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ask.ReadList[candidate](ask.Answer{Text: s}, "findings")
		if err != nil && len(got.Items) > 0 {
			t.Error("an answer that cannot be read gave findings")
		}
		for _, c := range got.Items {
			if id, category := classifyRule(c.RuleKey, c.Category, nil); id == "" || category == "secret" {
				t.Errorf("rule %q, category %q", id, category)
			}
			_, _ = readSeverity(c.Severity)
			for _, r := range pathReadings(c.Path) {
				if r.last < r.first {
					t.Errorf("lines %d to %d", r.first, r.last)
				}
			}
		}
		_, _ = ask.ReadList[verdict](ask.Answer{Text: s}, "verdicts")
		_, _ = ask.ReadObject[intent](ask.Answer{Text: s}, "intent")
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
		t.Error("the repository's rule is not accepted as a rule key")
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
		if got, _ := classifyRule(in, "security", rules); got != want {
			t.Errorf("classifyRule(%q) = %q, want %q", in, got, want)
		}
	}
	if _, c := classifyRule("other", "secret", nil); c != "bug" {
		t.Errorf("a model made a finding of category %s", c)
	}
}

// Huge answers are read within bounds, in every form. Package jsonrepair tries the largest size that a
// codec accepts.
func TestHugeAnswers(t *testing.T) {
	t.Parallel()
	const size = 2 << 20
	for name, text := range map[string]string{
		"braces": strings.Repeat("{", size), "lists": strings.Repeat("[", size), "members": strings.Repeat(`{"findings":`, size/12), "elements": `{"findings":[` + strings.Repeat(`{"path":"a","title":"b"},`, size/25),
		"objects": strings.Repeat(`{"path":"a","title":"b"} `, size/25), "names": "{" + strings.Repeat(`"findings":1,`, size/13), "escaped": strings.Repeat(`{\"findings\":[`, size/15),
	} {
		got, err := ask.ReadList[candidate](ask.Answer{Text: text}, "findings")
		if err == nil && len(got.Items) == 0 && !got.Cut {
			t.Errorf("%s: an empty list", name)
		}
		if _, err := ask.ReadObject[intent](ask.Answer{Text: text}, "intent"); err == nil {
			t.Errorf("%s: an intent", name)
		}
	}
}
