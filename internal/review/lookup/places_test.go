package lookup

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Places in code come before those in tests, and these before documents. Documents do not fill the list.
func TestReferencesAreRanked(t *testing.T) {
	t.Parallel()
	tree := enginetest.Tree{
		"CHANGES.md":            strings.Repeat("- the flag dry_limit\n\n\n", 100),
		"a_docs/guide.md":       strings.Repeat("set dry_limit\n\n\n", 100),
		"config/app.yaml":       "dry_limit: 3\n",
		"src/near/user.py":      "def near(options):\n    first()\n    if options.dry_limit:\n        return 1\n    return 2\n",
		"src/far/other.py":      "def far(options):\n    return options.dry_limit\n",
		"src/near/user_test.py": "def test_near():\n    assert near(dry_limit=3)\n",
		"vendor/x/x.py":         "dry_limit = 3\n",
	}
	box := boxOf(t, tree, enginetest.Merged(tree, enginetest.Tree{"src/near/user.py": tree["src/near/user.py"] + "\n# the end\n"}))
	got := asked(t, box, "references", ask.Schema{"name": "dry_limit", "path": "src/near/user.py"})
	at := 0
	for _, want := range []string{"--- src/near/user.py near\n    2       first()\n    3       if options.dry_limit:\n    4           return 1\n",
		"--- src/far/other.py far\n", "--- src/near/user_test.py test_near\n", "--- config/app.yaml\n", ".md\n", sayMore} {
		i := strings.Index(got.Text[at:], want)
		if i < 0 {
			t.Fatalf("%q is missing or too early in\n%s", want, got.Text)
		}
		at += i
	}
	if n := strings.Count(got.Text, "dry_limit"); n > 4+maxDocuments {
		t.Errorf("%d places", n)
	}
	got = asked(t, box, "definition", ask.Schema{"name": "dry_limit", "path": "src/near/user.py"})
	if !strings.HasPrefix(got.Text, sayStands+"\n--- src/near/user.py near\n") || got.Hits > maxStands {
		t.Errorf("%d hits:\n%s", got.Hits, got.Text)
	}
}

// Lines of tests do not use up the bound of lines of code, nor those of other folders that of the asking file's folder.
func TestManyPlacesDoNotHideNearerOnes(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("check(dryLimit);\n\n\n", 2*maxRaw)
	for what, c := range map[string]struct {
		tree  enginetest.Tree
		first string
	}{
		"tests before code":        {enginetest.Tree{"src/__tests__/a.test.ts": many, "src/use.ts": "start();\n", "src/z.ts": "run(dryLimit);\n"}, "--- src/z.ts\n"},
		"other folders before it":  {enginetest.Tree{"lib/a.ts": many, "src/use.ts": "start();\n", "src/z.ts": "run(dryLimit);\n"}, "--- src/z.ts\n"},
		"a test in its own folder": {enginetest.Tree{"lib/a.test.ts": many, "src/use.ts": "start();\n", "src/z.test.ts": "run(dryLimit);\n"}, "--- src/z.test.ts\n"},
		"code behind its tests":    {enginetest.Tree{"__tests__/a.ts": many, "src/use.ts": "start();\n", "web/z.ts": "run(dryLimit);\n"}, "--- web/z.ts\n"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			box := boxOf(t, c.tree, enginetest.Merged(c.tree, enginetest.Tree{"src/use.ts": "start();\nend();\n"}))
			got := asked(t, box, "references", ask.Schema{"name": "dryLimit", "path": "src/use.ts"})
			if !strings.HasPrefix(got.Text, sayWords+"\n"+c.first) {
				t.Errorf("%.400s", got.Text)
			}
		})
	}
}

// The uses of a constant are found like those of a function.
func TestReferencesOfValues(t *testing.T) {
	t.Parallel()
	tree := formTree()
	box := boxOf(t, tree, enginetest.Merged(tree, enginetest.Tree{"py/app.py": tree["py/app.py"] + "\n# the end\n"}))
	for what, c := range map[string]struct{ name, path, text string }{
		"python":     {"LIMIT", "py/settings.py", "--- py/app.py run\n"},
		"typescript": {"store", "ts/store.ts", "--- ts/app.ts run\n"},
		"an arrow":   {"parse", "ts/store.ts", "--- ts/app.ts run\n"},
		"go":         {"maxRows", "go/types.go", "--- go/use.go use\n"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			got := asked(t, box, "references", ask.Schema{"name": c.name, "path": c.path})
			if !strings.Contains(got.Text, c.text) || strings.Contains(got.Text, sayWords) {
				t.Errorf("%s", got.Text)
			}
		})
	}
}

// A definition that is cut says how many lines it leaves out, and how they are read.
func TestCutsAreMarked(t *testing.T) {
	t.Parallel()
	body := func(n int) string { return strings.Repeat("    step()\n", n) }
	tree := enginetest.Tree{
		"a.py":    "from b import short, middle, long\n\nshort()\nmiddle()\nlong()\n",
		"b.py":    "def short():\n" + body(20) + "\n\ndef middle():\n" + body(50) + "\n\ndef long():\n" + body(200),
		"wide.py": "def wide():\n" + strings.Repeat("    step(\""+strings.Repeat("word ", 100)+"\")\n", 100),
	}
	box := boxOf(t, tree, enginetest.Merged(tree, enginetest.Tree{"a.py": tree["a.py"] + "# the end\n"}))
	for name, want := range map[string]string{
		"short":  "   21       step()\n",
		"middle": "   74       step()\n",
		"long":   "  106       step()\n[left out: 171 more lines, 107 to 277: read_file shows them]\n",
	} {
		got := asked(t, box, "definition", ask.Schema{"name": name, "path": "a.py"})
		if !strings.HasSuffix(got.Text, want) {
			t.Errorf("%s: %s", name, got.Text)
		}
	}
	a := box.ClaimAllowance()
	a.Tokens = 1_000
	got := box.Run(t.Context(), a, llm.ToolCall{Name: "definition", Arguments: `{"name":"wide","path":"wide.py"}`})
	if !strings.Contains(got.Text, "\n[cut here: ") || !strings.HasSuffix(got.Text, " to 101: read_file shows them]\n") ||
		llm.EstimateTokens(len(got.Text)) > 1_000 {
		t.Errorf("%d tokens: %s", llm.EstimateTokens(len(got.Text)), got.Text)
	}
	got = asked(t, box, "read_file", ask.Schema{"path": "b.py", "from": 10, "to": nil, "side": "RIGHT"})
	if !strings.HasSuffix(got.Text, "  209       step()\n[cut here: 68 more lines, 210 to 277: read_file shows them]\n") {
		t.Errorf("%s", got.Text)
	}
	text, _ := box.Beside(t.Context(), claimAbout("a.py", domain.Right, 5, 5))
	if !strings.Contains(text, "[left out: 171 more lines, 107 to 277]\n") {
		t.Errorf("%s", text)
	}
}

// late is a source whose search ends after its time, with what it found.
type late struct {
	enginetest.Files
	found []snapshot.Match
}

func (l late) Search(ctx context.Context, _ snapshot.Query, _ int) ([]snapshot.Match, error) {
	<-ctx.Done()
	return l.found, nil
}

// A list that its time limit ends says so.
func TestListsSayThatTheTimeIsOver(t *testing.T) {
	t.Parallel()
	raw := []byte(enginetest.Unified("a.go", "package a\n", "package a\n\nvar x = 1\n"))
	src := late{Files: enginetest.Files{"RIGHT:a.go": "package a\n\nvar x = 1\n"}, found: []snapshot.Match{{Path: "a.go", Line: 3, Text: "var x = 1"}}}
	box := boxFor(t, raw, src, domain.DefaultPolicy())
	box.patience = 10 * time.Millisecond
	a := box.ClaimAllowance()
	got := box.Run(t.Context(), a, llm.ToolCall{Name: "search", Arguments: `{"query":"x","kind":"text","glob":null}`})
	if !strings.HasPrefix(got.Text, ask.ResultTooSlow) || a.Calls != ClaimCalls {
		t.Errorf("%d calls are left: %q", a.Calls, got.Text)
	}
}

// Files that are made to be hard to read cost a bounded time and show a bounded text.
func TestDefinitionsInHostileFiles(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	fill := func(line string) string { return strings.Repeat(line, (n-200)/len(line)) }
	tree := enginetest.Tree{"use.py": "wanted()\n", "use.ts": "wanted();\n", "use.java": "class Use {\n  Wanted wanted;\n}\n"}
	for name, text := range map[string]string{
		"one_line.py":  "def wanted(a=[" + fill("1, ") + "]):\n    pass\n",
		"one_line.ts":  "export const wanted = [" + fill("1, ") + "];\n",
		"nested.ts":    "export const wanted = () => {\n" + fill("{(["),
		"deep.py":      "def wanted():\n" + deep(900),
		"unclosed.py":  "def wanted():\n    \"\"\"\n" + fill("class A: '''\n"),
		"unclosed.ts":  "export function wanted() {\n  `${\n" + fill("`${ wanted( \n"),
		"binary.py":    "def wanted():\n" + fill("\x00\xff"),
		"returns.java": "class Wanted {\r\n  int wanted() {\r\n" + fill("    a();\r\n") + "  }\r\n}\r\n",
		"names.java":   "class Names {\n" + fill("  int wanted;\n") + "}\n",
	} {
		tree["hostile/"+name] = text
	}
	box := boxOf(t, tree, enginetest.Merged(tree, enginetest.Tree{"use.py": "wanted()\n\n"}))
	box.calls, box.patience = 100, time.Minute
	for _, at := range []string{"use.py", "use.ts", "use.java"} {
		for _, tool := range []string{"definition", "references"} {
			t.Run(fmt.Sprint(at, tool), func(t *testing.T) {
				begin := time.Now()
				got := asked(t, box, tool, ask.Schema{"name": "wanted", "path": at})
				if took := time.Since(begin); took > 30*time.Second || llm.EstimateTokens(len(got.Text)) > ClaimTokens || !got.OK {
					t.Errorf("%v: %s", took, got.Text)
				}
				t.Logf("%v", time.Since(begin))
			})
		}
	}
}

// deep returns lines of which each is indented more than the one before.
func deep(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat(" ", i+1) + "if wanted:\n")
	}
	return b.String()
}
