package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// A call gets the rules for its files, mandatory ones first, within bounds of number and length.
func TestRulesOfAChunk(t *testing.T) {
	t.Parallel()
	c := change.Chunk{Targets: []*change.Target{{File: &diff.File{Path: "a.go", Language: "go"}}}}
	some := func(n, length int, change ...func(*Rule)) (out []Rule) {
		for i := range n {
			r := Rule{ID: fmt.Sprint("R", i), Title: fmt.Sprint("Rule ", i), Instruction: strings.Repeat("x", length), Severity: domain.High}
			for _, c := range change {
				c(&r)
			}
			out = append(out, r)
		}
		return out
	}
	mandatory := Rule{ID: "M", Title: "Mandatory", Mandatory: true}
	for name, tt := range map[string]struct {
		rules       []Rule
		given, left int
		first       string
	}{
		"none":                        {nil, 0, 0, ""},
		"few":                         {some(3, 100), 3, 0, "R0"},
		"as many as fit":              {some(MaxRules, 100), MaxRules, 0, "R0"},
		"one more":                    {some(MaxRules+1, 100), MaxRules, 1, "R0"},
		"too long":                    {some(10, 4_000), 5, 5, "R0"},
		"one that is too long":        {some(1, 40_000), 0, 1, ""},
		"a mandatory one comes first": {append(some(400, 4_000), mandatory), 6, 395, "M"},
		"for other files":             {some(50, 100, func(r *Rule) { r.Paths = []string{"b/**"} }), 0, 0, ""},
		"for another language":        {some(50, 100, func(r *Rule) { r.Languages = []string{"python"} }), 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given, left := rulesOf(tt.rules, c, MaxRuleTokens)
			if len(given) != tt.given || len(left) != tt.left || tt.first != "" && given[0].ID != tt.first {
				t.Errorf("%d given, %d left; the first is %v", len(given), len(left), given[:min(len(given), 1)])
			}
			length := 0
			for _, r := range given {
				length += llm.EstimateTokens(len(ruleLine(r)))
			}
			if length > MaxRuleTokens {
				t.Errorf("%d tokens", length)
			}
		})
	}
}

// Rules that did not fit are named. A finding that names a rule that was not given is not filed under
// it.
func TestRulesThatDoNotFitAreNamed(t *testing.T) {
	t.Parallel()
	m := &scripted{generate: findings(), verify: confirmAll}
	in := sampleChange(t)
	in.Models = models(m)
	for i := range MaxRules + 12 {
		in.Rules = append(in.Rules, Rule{ID: fmt.Sprint("R", i), Title: fmt.Sprintf("Rule number %d", i), Instruction: "Do it.", Severity: domain.High})
	}
	res := review(t, in, Deps{})
	want := "More rules concern this change than fit into one question (40, or 6000 tokens); not all were checked everywhere: Rule number 40, Rule number 41, "
	if i := slices.IndexFunc(res.Notices, func(n string) bool { return strings.HasPrefix(n, want) }); i < 0 || !strings.HasSuffix(res.Notices[i], "Rule number 49, 2 more.") {
		t.Errorf("notices: %q", res.Notices)
	}
	_, user := enginetest.Prompt(m.requests[0])
	schema := string(m.requests[0].Schema.JSON)
	for _, text := range []string{user, schema} {
		if !strings.Contains(text, "repo/R39") || strings.Contains(text, "repo/R40") {
			t.Errorf("the last rule is not R39: %s", text)
		}
	}
}

// The calls of one stage begin alike: one system text, one schema for each part and one cache key. The
// part of the message that further passes over the same code share is marked.
func TestCallsOfAReviewBeginAlike(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Rules = []Rule{{ID: "R1", Title: "One", Instruction: "Do it.", Paths: []string{"a.go"}, Severity: domain.High}}
	in.PullRequest.Body = "What the author says."
	m := &scripted{generate: func(int, string) (llm.Response, error) { return enginetest.Reply("no JSON"), nil }, verify: confirmAll} // each call is made twice
	in.Models, in.Tier = models(m), tierT3
	head := enginetest.Tree{}
	for i := range 3 { // one part each
		head[fmt.Sprintf("%c.go", 'a'+i)] = "package x\n" + strings.Repeat(fmt.Sprintf("\nfunc f%d() { use(%q) }\n", i, strings.Repeat("x", 300)), 180)
	}
	in.shows(enginetest.Tree{}, head, nil)
	review(t, in, Deps{})
	review(t, in, Deps{})
	systems, keys := map[string]int{}, map[string]int{}
	shared, schemas := map[string]int{}, map[string]bool{}
	for _, r := range m.requests {
		systems[r.System]++
		keys[r.CacheKey]++
		before, rest := r.Messages[0].Split()
		shared[before]++
		schemas[before+string(r.Schema.JSON)] = true
		if !strings.HasSuffix(strings.TrimSpace(before), ">") || !strings.Contains(before, "change to review") || !strings.HasPrefix(rest, "\nlens: ") {
			t.Errorf("the shared part ends before %.80q", rest)
		}
	}
	// two reviews, three parts, general twice, rules for one part; each call twice
	if len(m.requests) != 2*2*(3*2+1) || len(systems) != 2 || len(keys) != 2 || len(shared) != 6 || len(schemas) != 6 {
		t.Errorf("%d calls of two reviews have %d system texts, %d cache keys, %d shared parts and %d schemas beside them", len(m.requests), len(systems), len(keys), len(shared), len(schemas))
	}
	for key := range keys {
		if len(key) > 64 || !strings.HasSuffix(key, "_generate") {
			t.Errorf("cache key %q", key)
		}
	}
}
