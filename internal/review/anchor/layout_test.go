package anchor

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// A suggestion in a language whose white space has a meaning is moved to its place, or
// left to people.
func TestSuggestionsWithLayout(t *testing.T) {
	t.Parallel()
	const makefile = "all: build\n\tgo test ./...\n\nbuild:\n\tgo build ./...\n"
	const nim = "proc mean(s: seq[float]): float =\n  for x in s:\n    result += x\n  result / s.len\n"
	const coffee = "mean = (items) ->\n  total = 0\n  for item in items\n    total += item\n  total / items.length\n"
	const haml = "%ul\n  %li\n    first\n  %li second\n%p end\n"
	const haskell = "mean xs = total / count\n  where\n    total = sum xs\n    count = length xs\n"
	const fsharp = "let mean items =\n    let total = List.sum items\n    total / List.length items\n"
	const yaml = "jobs:\n  test:\n    steps:\n      - run: make\n      - run: lint\n    timeout: 10\n"
	const python = "class A:\n    def f(self, items):\n        total = sum(items)\n        return total\n\n    def g(self):\n        if self.a:\n            return 1\n        return 2\n"
	for _, tt := range []struct {
		name, path, content string
		start, end          int
		text, want          string // "-" if it is left to people
	}{
		{"recipe with spaces", "Makefile", makefile, 2, 2, "    go test -race ./...", "\tgo test -race ./..."},
		{"recipe without indentation", "Makefile", makefile, 5, 5, "go build -trimpath ./...", "\tgo build -trimpath ./..."},
		{"recipes", "Makefile", makefile, 5, 5, "go vet ./...\ngo build ./...", "\tgo vet ./...\n\tgo build ./..."},
		{"recipe for a rule", "Makefile", makefile, 4, 4, "build: all\n\tgo vet ./...", "build: all\n\tgo vet ./..."},
		{"a rule lost", "Makefile", makefile, 4, 4, "X = 1", "-"},
		{"a recipe becomes a variable", "rules.mk", makefile, 2, 2, "X := $(shell ls)\n\tgo test", "-"},
		{"a condition opened", "Makefile", makefile, 2, 2, "ifdef X\n\tgo test ./...", "-"},
		{"nim without indentation", "a.nim", nim, 3, 3, "result = result + x", "    result = result + x"},
		{"nim, first line bare", "a.nim", nim, 3, 3, "if x > 0:\n      result += x", "    if x > 0:\n      result += x"},
		{"nim, a header without a block", "a.nim", nim, 3, 3, "    if x > 0:\n    result += x", "-"},
		{"nim, what follows becomes deeper", "a.nim", nim, 3, 3, "    if x > 0:", "-"},
		{"coffee, moved as a whole", "a.coffee", coffee, 4, 4, "if item\n  total += item", "    if item\n      total += item"},
		{"coffee, a block lost", "a.coffee", coffee, 3, 3, "  total = 1", "-"},
		{"haml", "a.haml", haml, 3, 3, "first item", "    first item"},
		{"haml, children lose their parent", "a.haml", haml, 2, 2, "  %li\n    %p", "-"},
		{"haskell", "a.hs", haskell, 3, 3, "total = product xs", "    total = product xs"},
		{"haskell, deeper", "a.hs", haskell, 3, 3, "    total = product xs\n      count = 1", "    total = product xs\n      count = 1"},
		{"f sharp with tabs", "a.fs", fsharp, 2, 2, "\tlet total = List.sum (List.rev items)", "    let total = List.sum (List.rev items)"},
		{"yaml, an entry without indentation", "ci.yml", yaml, 4, 4, "- run: build\n  env: x", "      - run: build\n        env: x"},
		{"yaml with tabs", "ci.yml", yaml, 6, 6, "\t\ttimeout: 20", "    timeout: 20"},
		{"yaml, another parent for what follows", "ci.yml", yaml, 3, 3, "    env:\n      steps:", "-"},
		{"yaml, a parent lost", "ci.yml", yaml, 3, 3, "    steps: none", "-"},
		{"python, the whole block moved", "a.py", python, 8, 8, "if self.b:\n    return 3\nreturn 1", "            if self.b:\n                return 3\n            return 1"},
		{"python, a depth less", "a.py", python, 8, 8, "        return 3", "            return 3"},
		{"python, only the depth changes", "a.py", python, 8, 8, "        return 1", "-"},
		{"python, a block without its header", "a.py", python, 7, 7, "        print(1)", "-"},
		{"python, a block of its own", "a.py", python, 7, 7, "        if self.b:\n            return 3", "        if self.b:\n            return 3"},
		{"python, else for nothing", "a.py", python, 3, 3, "        else:\n            total = 1", "-"},
		{"python, a return in the class", "a.py", python, 2, 4, "    def f(self, items):\n        total = sum(items)\n    return total", "-"},
		{"python, words", "a.py", python, 4, 4, "        Use max(total, 1) here", "-"},
		{"python, both signs", "a.py", python, 4, 4, "\t    return 1\n    \treturn 2", "-"},
		{"python, a symbol lost", "a.py", python, 2, 2, "    def h(self, items):", "-"},
		{"python deleted", "a.py", python, 3, 3, "", ""},
		{"python, a body deleted", "a.py", python, 8, 8, "", "-"},
		{"python, fences", "a.py", python, 4, 4, "```python\nreturn total + 1\n```", "        return total + 1"},
		{"python, a diff", "a.py", python, 4, 4, "-        return total\n+        return total + 1", "        return total + 1"},
		{"python, numbers of a prompt", "a.py", python, 3, 4, "    3 +         total = max(items)\n    4           return total + 1", "        total = max(items)\n        return total + 1"},
		{"python, other numbers", "a.py", python, 4, 4, "17: return total + 1", "-"},
		{"python, a comment for the rest", "a.py", python, 3, 4, "        total = 1\n        # ... rest of the code", "-"},
		{"python, entities", "a.py", python, 4, 4, "        return total if total &gt; 1 else 1", "-"},
		{"a text in Markdown", "a.md", "# A\n\n- one\n  more\n- two\n", 4, 4, "less", "  less"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, lang := diff.Classify(tt.path, nil)
			s := domain.Suggestion{New: tt.text}
			a := domain.Anchor{Path: tt.path, Side: domain.Right, StartLine: tt.start, EndLine: tt.end, Level: domain.AnchorLine}
			why, err := Suggestion(t.Context(), &s, a, &diff.File{Path: tt.path, Language: lang}, files{"RIGHT:" + tt.path: tt.content})
			switch {
			case err != nil:
				t.Fatal(err)
			case tt.want == "-" && s.Applies:
				t.Errorf("offered:\n%s", Apply([]byte(tt.content), s))
			case tt.want == "-" && why == "":
				t.Error("no reason is said")
			case tt.want != "-" && (!s.Applies || s.New != tt.want):
				t.Errorf("%q, applies: %v\n%s", why, s.Applies, s.New)
			}
		})
	}
}

// FuzzSuggestion applies arbitrary texts as suggestions: the result changes no line outside of the
// range, and nothing panics.
func FuzzSuggestion(f *testing.F) {
	for _, path := range []string{"a.py", "a.yml", "Makefile", "a.nim", "a.ts", "a.haml"} {
		f.Add(path, "a:\n  b: 1\n  c: 2\nd\n", 2, 3, "b: 3\n  c")
		f.Add(path, "def f():\n\treturn (1,\n 2)\n", 2, 2, "+\treturn (\n```")
	}
	f.Add("MAkefile", "0\n  A& 0\n  A& 0", 2, 3, "0\n ")
	f.Fuzz(func(t *testing.T, path, content string, start, end int, text string) {
		if len(content)+len(text) > 1<<14 || strings.Contains(path, "\x00") {
			return
		}
		_, lang := diff.Classify(path, nil)
		s := domain.Suggestion{New: text}
		a := domain.Anchor{Path: path, Side: domain.Right, StartLine: start, EndLine: end, Level: domain.AnchorLine}
		if start < 1 || end < start {
			return
		}
		_, err := Suggestion(t.Context(), &s, a, &diff.File{Path: path, Language: lang}, files{"RIGHT:" + path: content})
		if err != nil || !s.Applies {
			return
		}
		if s.Parses == DoesNotParse {
			t.Errorf("offered although it does not parse: %q", s.New)
		}
		before, after := strings.Split(content, "\n"), strings.Split(string(Apply([]byte(content), s)), "\n")
		if strings.Join(before[:start-1], "\n") != strings.Join(after[:start-1], "\n") {
			t.Errorf("lines above changed: %q", after)
		}
	})
}
