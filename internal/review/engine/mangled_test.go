package engine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// wrong is a way to distort the members of a finding.
type wrong struct {
	name string
	bend func(r *rand.Rand, f map[string]any)
}

func one[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// bentMembers distort members of a finding in ways that people still understand.
var bentMembers = []wrong{
	{"as it is", func(*rand.Rand, map[string]any) {}},
	{"severity", func(r *rand.Rand, f map[string]any) {
		f["severity"] = one[any](r, "major", "MINOR", "Error", "warning", "blocker", "Fatal", "P0", "p1", "P2", "S1", "S2", "sev-1", "Sev 2", "🔴 High", "🟠", "High (security)", " **high** ", "`medium`",
			"severe", "8/10", "4 of 5", 8, 7.5, "9.1", "75%", 1, 5, "High.", "priority: high", "crit", "[HIGH]", "severity: major")
	}},
	{"path", func(r *rand.Rand, f map[string]any) {
		f["path"] = one(r, "/shop/shop.go", "./shop/shop.go", "a/shop/shop.go", "b/shop/shop.go", `shop\shop.go`, `.\shop\shop.go`, "shop//shop.go", "shop/shop.go:20", "shop/shop.go:20:5", "shop/shop.go#L20", "shop/shop.go#L20-L21",
			"shop/shop.go (line 20)", "shop/shop.go, lines 20-21", "file:///work/checkout/shop/shop.go", "file://shop/shop.go", "#/shop~1shop.go", "shop%2Fshop.go", "`shop/shop.go`", `"shop/shop.go"`, "/home/runner/work/x/x/shop/shop.go",
			`C:\src\x\shop\shop.go`, "shop.go", "Shop/Shop.go", "=== shop/shop.go", "+++ b/shop/shop.go", "shop/./shop.go", "x/../shop/shop.go", "[shop/shop.go](https://example.com/shop.go)", "shop/old.go => shop/shop.go", "shop/shop.go\n", "shop/shop.go (modified)")
	}},
	{"lines", func(r *rand.Rand, f map[string]any) {
		switch r.IntN(5) {
		case 0:
			f["start"], f["end"] = "20", "20"
		case 1:
			f["start"] = "20-21"
			delete(f, "end")
		case 2:
			f["start"], f["end"] = "L20", "L20"
		case 3:
			f["lines"] = []int{20, 20}
			delete(f, "start")
			delete(f, "end")
		default:
			f["start"], f["end"] = 20.0, nil
		}
	}},
	{"quote", func(r *rand.Rand, f map[string]any) {
		const code = "return Total(items) / len(items)"
		f["quote"] = one[any](r, code, "+\t"+code, "+ "+code, "20 +\t"+code, "20 + \t"+code, "   20 + \t"+code, "20: "+code, "20 | "+code, "L20: "+code, "`"+code+"`", "```go\n\t"+code+"\n```", "\t"+code+"\r\n",
			"    "+code+"  ", "return  Total(items)/len(items)", []any{code}, "> "+code, "20\t"+code, "\""+code+"\"", "…"+code,
			code+"  // <-- bug", code+" # divides by zero", "Line 20: "+code, "[20] "+code, "(line 20) "+code, "shop/shop.go:20: "+code, "<code>"+code+"</code>", "<ins>"+code+"</ins>", "« "+code+" »", "**"+code+"**",
			"@@ -1,3 +1,9 @@\n+\t"+code, "The line `"+code+"` divides", "return Total ( items ) / len ( items )", `return Total\u0028items\u0029 / len(items)`, "return Total(items) / ...", "return Total(items) … len(items)",
			"func Average(...) int {\n\treturn Total(items) ...", `Item) int {\n\treturn Total(items) / len(items)`, "return%20Total(items)%20/%20len(items)", code+";")
	}},
	{"names", func(r *rand.Rand, f map[string]any) {
		for name, others := range otherNames {
			if v, ok := f[name]; ok && r.IntN(2) == 0 && name != "category" {
				other := one(r, others...)
				if name == "start" {
					other = "line"
				}
				f[other] = v
				delete(f, name)
			}
		}
	}},
	{"kinds", func(r *rand.Rand, f map[string]any) {
		f["fix"] = one[any](r, "return 0", "", nil, []any{map[string]any{"old": "x", "new": "y"}}, "none")
		f["evidence"] = one[any](r, "return Total(items) / len(items)", "The caller passes nil.", nil, map[string]any{"path": "/shop/shop.go", "start": "L20", "quote": "return Total(items) / len(items)"}, []any{"a remark"})
		f["self_doubt"] = one[any](r, "0.1", "10%", "low", nil)
		f["category"] = one[any](r, "Correctness", "logic error", "Security/Vulnerability", 7, nil)
		f["rule_key"] = one[any](r, "Division By Zero", "division_by_zero", "llm/correctness/division-by-zero", "made up", nil)
		f["side"] = one[any](r, "right", "new", "+", "", nil)
		f["title"] = one[any](r, 500, []any{"Average divides", "by zero"}, f["title"])
		f["same_as"] = one[any](r, nil, 0, false)
	}},
	{"lost", func(r *rand.Rand, f map[string]any) { // the meaning is lost
		switch r.IntN(6) {
		case 0:
			f["severity"] = one[any](r, "apocalyptic", "", nil, "not critical", []any{})
		case 1:
			f["path"] = one[any](r, "shop/none.go", "", nil, "the changed file", map[string]any{"a": 1}, 7)
		case 2:
			delete(f, one(r, "title", "explanation", "quote", "path", "severity"))
		case 3:
			f["title"] = map[string]any{"text": "x"}
		case 4:
			f["start"] = map[string]any{"line": 20}
		default:
			f["explanation"] = ""
		}
	}},
}

// bentTexts change the text of an answer.
var bentTexts = []struct {
	name string
	bend func(r *rand.Rand, text string) string
}{
	{"as it is", func(_ *rand.Rand, s string) string { return s }},
	{"in a fence", func(_ *rand.Rand, s string) string { return "Here it is:\n```json\n" + s + "\n```\n" }},
	{"behind a sentence", func(r *rand.Rand, s string) string {
		return one(r, "I looked at `x = {}` and ${{ github.token }}.\n", "The map {a: 1, b} and [1, 2].\n", "A brace { opens.\n", "It's {\"a quote.\n", "<think>{\"findings\": []}</think>\n", "\ufeff") + s
	}},
	{"before a sentence", func(r *rand.Rand, s string) string {
		return s + one(r, "\nReplace {foo} with {bar}.", "\n\nThat is all }", " [1]", "\n{}", "\x00", "\n```")
	}},
	{"a draft", func(r *rand.Rand, s string) string {
		return one(r, `{"findings": []}`, `{"findings": [{"path": "x", "title": "`, `{"findings": null}`, "```json\n[]\n```") + "\n\nOn reflection:\n" + s
	}},
	{"several values", severalValues},
	{"a form of prose", func(r *rand.Rand, _ string) string {
		const empty = "{\"findings\": []}"
		return one(r, "**High** — `shop/shop.go:20`\n\nDivides by zero.\n"+empty, "- path: shop/shop.go\n  severity: high\n"+empty, empty+"\nWait: shop/shop.go line 20 divides by zero.",
			`{"findings": [], "comments": [{"file": "shop/shop.go", "line": 20, "comment": "Divides by zero"}]}`, "| shop/shop.go | 20 | high |\n"+empty, "<finding><path>shop/shop.go</path><line>20</line></finding>"+empty)
	}},
	{"behind six others", func(_ *rand.Rand, s string) string {
		var others strings.Builder
		for i := range minFindings {
			fmt.Fprintf(&others, `{"path":"shop/shop.go","start":%d,"end":%[1]d,"quote":"return","severity":"info","title":"Remark %[1]d","explanation":"e","self_doubt":0.1},`, i+10)
		}
		return strings.Replace(s, "[", "["+others.String(), 1)
	}},
	{"within another", func(r *rand.Rand, s string) string {
		list := strings.TrimSuffix(strings.TrimPrefix(s, `{"findings":`), "}")
		const other = `{"path":"shop/shop.go","start":4,"quote":"Price int","severity":"low","title":"Another","explanation":"e"`
		return one(r, `{"findings":[`+other+`,"related":`+list+`}]}`, `{"findings":[`+other+`,`+strings.TrimPrefix(list, "[{")+`}`)
	}},
	{"trailing commas", func(_ *rand.Rand, s string) string { return strings.NewReplacer("}", ",}", "]", ",]").Replace(s) }},
	{"Python", func(_ *rand.Rand, s string) string {
		return strings.NewReplacer(`null`, "None", `true`, "True", `'`, `\'`, `"`, `'`).Replace(strings.ReplaceAll(s, `\"`, `"`))
	}},
	{"comments", func(_ *rand.Rand, s string) string { return strings.ReplaceAll(s, `,"`, ", // next\n/* x */\n\"") }},
	{"expressions", func(_ *rand.Rand, s string) string {
		return strings.ReplaceAll(s, "is 0 for", `matches \d+\.\w and C:\Users\x for`)
	}},
	{"line breaks", func(_ *rand.Rand, s string) string {
		return strings.ReplaceAll(strings.ReplaceAll(s, " and ", "\n\tand "), `\t`, "\t")
	}},
	{"quotes", func(_ *rand.Rand, s string) string { return strings.ReplaceAll(s, "empty list", `"empty" list`) }},
	{"wrapped", func(_ *rand.Rand, s string) string { return `{"response": ` + s + `}` }},
	{"the list alone", func(_ *rand.Rand, s string) string {
		return strings.TrimSuffix(strings.TrimPrefix(s, `{"findings":`), "}")
	}},
	{"the finding alone", func(_ *rand.Rand, s string) string {
		return strings.TrimSuffix(strings.TrimPrefix(s, `{"findings":[`), "]}")
	}},
	{"within a string", func(_ *rand.Rand, s string) string { b, _ := json.Marshal(s); return string(b) }},
	{"another name", func(_ *rand.Rand, s string) string { return strings.Replace(s, `"findings"`, `"issues"`, 1) }},
	{"broken off", func(r *rand.Rand, s string) string { return s[:r.IntN(len(s)+1)] }},
	{"a byte less", func(r *rand.Rand, s string) string { i := r.IntN(len(s)); return s[:i] + s[i+1:] }},
	{"a byte more", func(r *rand.Rand, s string) string {
		i := r.IntN(len(s) + 1)
		return s[:i] + one(r, `"`, `{`, `}`, `[`, `]`, `,`, `\`, "\n", ":", "x") + s[i:]
	}},
	{"a piece less", func(r *rand.Rand, s string) string {
		i := r.IntN(len(s))
		return s[:i] + s[min(len(s), i+r.IntN(60)):]
	}},
}

// breaksOff matches a draft that breaks off in an answer of several values.
var breaksOff = regexp.MustCompile(`"path": |"findings":(?:[^ \[]|$)`)

// severalValues puts the finding into one of several values of an answer: drafts and final lists in any
// order, in fences, between marks of thinking, without its list or under another name.
func severalValues(r *rand.Rand, s string) string {
	list := strings.TrimSuffix(strings.TrimPrefix(s, `{"findings":`), "}")
	const empty = `{"findings": []}`
	pieces := []string{one(r, s, list, strings.TrimSuffix(strings.TrimPrefix(list, "["), "]"), `{"issues": `+list+`}`, `{"result": `+s+`}`, `{"findings": [], "critical": `+list+`}`)}
	for range 1 + r.IntN(3) {
		other := one(r, empty, empty, "[]", `{"findings": null}`, `{"findings": {}}`, `{"findings":`, `{"findings": [{"path": `, "<think>"+empty+"</think>", "<think>"+empty, "</think>", "<thinking>\n"+empty+"\n</thinking>",
			"[THINK]"+empty+"[/THINK]", "{}", `{"verdict": "approve"}`, s, list)
		pieces = slices.Insert(pieces, r.IntN(len(pieces)+1), other)
	}
	fence := func(s string) string { return one(r, s, "```json\n"+s+"\n```", "```\n"+s+"\n```", "~~~\n"+s+"\n~~~") }
	var out strings.Builder
	for _, p := range pieces {
		out.WriteString(one(r, "", "\n", "\n\nOn reflection:\n", "Final answer: ", "Draft: ") + fence(p))
	}
	return out.String()
}

// mangledAnswers returns the number of answers to try: a default, or the number in ASSAY_MANGLED.
func mangledAnswers() int {
	if n, err := strconv.Atoi(os.Getenv("ASSAY_MANGLED")); err == nil {
		return n
	}
	return 1000
}

// A finding of a model is published, or its part does not count as reviewed, whatever distorted the
// answer's form.
func TestNothingIsLostByItsForm(t *testing.T) {
	t.Parallel()
	n := mangledAnswers()
	checks := newChecker(t)
	published := 0
	for seed := range n {
		r := rand.New(rand.NewPCG(34, uint64(seed)))
		raw, err := json.Marshal(division())
		if err != nil {
			t.Fatal(err)
		}
		var f map[string]any
		if err := json.Unmarshal(raw, &f); err != nil {
			t.Fatal(err)
		}
		member, text := one(r, bentMembers...), one(r, bentTexts...)
		member.bend(r, f)
		raw, err = json.Marshal(map[string]any{"findings": []any{f}})
		if err != nil {
			t.Fatal(err)
		}
		answer := text.bend(r, string(raw))
		stop := llm.StopEnd
		if text.name == "broken off" && r.IntN(2) == 0 {
			stop = llm.StopLength
		}
		in := sampleChange(t)
		in.Models = models(&scripted{verify: confirmAll, generate: func(int, string) (llm.Response, error) {
			out := enginetest.Reply(answer)
			out.StopReason = stop
			return out, nil
		}})
		res := review(t, in, Deps{Checks: checks})
		switch {
		case len(res.Findings) > 0:
			published++
		case json.Valid([]byte(answer)) && res.Stats.Dropped[whyAnchor]+res.Stats.Dropped[whyEvidence] > 0 && strings.HasPrefix(text.name, "a "): // it quotes what is not in the code
		case res.ModelState == ModelComplete:
			t.Errorf("%d, %s, %s: complete, and nothing found; dropped %v\n%s", seed, member.name, text.name, res.Stats.Dropped, answer)
		case strings.HasPrefix(text.name, "a ") || text.name == "broken off" || text.name == "several values" && breaksOff.MatchString(answer) || member.name == "lost": // a draft may have swallowed it
		default: // a form that people understand is read
			t.Errorf("%d, %s, %s: not read, %s; dropped %v\n%s", seed, member.name, text.name, res.ModelNote, res.Stats.Dropped, answer)
		}
	}
	t.Log(fmt.Sprintf("%d of %d published", published, n))
}
