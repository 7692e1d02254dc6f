package engine

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
)

// grepped is a source that searches its files at the head as git does.
type grepped struct {
	enginetest.Files
	queries *[]snapshot.Query
}

func (g grepped) Search(_ context.Context, q snapshot.Query, limit int) (out []snapshot.Match, err error) {
	*g.queries = append(*g.queries, q)
	re := regexp.MustCompile(strings.Join(q.Expressions, "|"))
	for _, key := range slices.Sorted(maps.Keys(g.Files)) {
		path, right := strings.CutPrefix(key, "RIGHT:")
		for i, l := range strings.Split(g.Files[key], "\n") {
			if right && len(out) < limit && re.MatchString(l) {
				out = append(out, snapshot.Match{Path: path, Line: i + 1, Text: l})
			}
		}
	}
	return out, nil
}

// shownOf reviews the change from one tree to another and returns the prompt of its only call.
func shownOf(t *testing.T, base, head enginetest.Tree) (prompt string, queries []snapshot.Query) {
	t.Helper()
	return shownWith(t, domain.DefaultPolicy(), base, head)
}

// shownWith is [shownOf] under a policy.
func shownWith(t *testing.T, policy domain.Policy, base, head enginetest.Tree) (prompt string, queries []snapshot.Query) {
	t.Helper()
	in := sampleChange(t)
	in.Policy = policy
	in.Models = models(&scripted{verify: confirmAll, generate: func(_ int, user string) (llm.Response, error) {
		prompt += user
		return findings()(0, user)
	}})
	in.Tier = tierT1 // one pass
	in.shows(base, head, nil)
	in.Source = grepped{in.Source.(enginetest.Files), &queries}
	review(t, in, Deps{})
	return prompt, queries
}

// A name that occurs on more lines than are kept does not hide the uses of others: it is left out, and
// the others are searched for once more.
func TestACommonNameDoesNotHideOthers(t *testing.T) {
	t.Parallel()
	base := enginetest.Tree{"api.go": "package p\n\nfunc Get(n int) int { return n }\n\nfunc Rare(n int) int { return n }\n", "z.go": "package p\n\nfunc z() {\n\tRare(1)\n}\n"}
	for i := range 60 {
		base[fmt.Sprintf("a%d.go", i)] = "package p\n\nfunc a() {\n" + strings.Repeat("\tGet(1)\n", around.MaxWordLines/50) + "}\n"
	}
	head := maps.Clone(base)
	head["api.go"] = strings.ReplaceAll(base["api.go"], "(n int)", "(n int64)")
	prompt, queries := shownOf(t, base, head)
	if !strings.Contains(prompt, "--- z.go z (used here; this change alters the parameters or results of: Rare)\n") {
		t.Errorf("the use of Rare is not shown:\n%.3000s", prompt)
	}
	searches := 0
	for _, q := range queries {
		if !q.Defined {
			searches++
		}
	}
	if searches != 2 {
		t.Errorf("%d searches for words", searches)
	}
}

// The expressions of a search match names literally, and contain only a few of them.
func TestNamesOfSymbolsInSearches(t *testing.T) {
	t.Parallel()
	var before strings.Builder
	for i := range 3 * around.MaxSymbols {
		fmt.Fprintf(&before, "function f$%d%s(a) {\n  return a;\n}\n", i, strings.Repeat("x", i))
	}
	base := enginetest.Tree{"a.js": before.String()}
	head := enginetest.Tree{"a.js": strings.ReplaceAll(before.String(), "(a)", "(a, b)")}
	_, queries := shownOf(t, base, head)
	found := false
	for _, q := range queries {
		for _, e := range q.Expressions {
			if len(e) > 500 {
				t.Errorf("%d characters", len(e))
			}
			if !q.Defined && regexp.MustCompile(e).MatchString("  f$1x(2)") {
				found = true
			}
		}
		if !q.Defined && len(q.Words) > around.MaxSymbols {
			t.Errorf("%d names", len(q.Words))
		}
	}
	if !found {
		t.Error("no search finds a name with a sign")
	}
}
