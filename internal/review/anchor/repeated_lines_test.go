package anchor

import (
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Lines of a suggestion that repeat the code around it are removed if they repeat it exactly. Other
// repetitions are left to people.
func TestSuggestionsThatRepeatTheCodeAround(t *testing.T) {
	t.Parallel()
	const python = "import os\n\n\ndef mean(items):\n    \"\"\"The mean.\"\"\"\n    total = sum(items)\n    count = len(items)\n    mean = total / count\n    log(mean)\n    return mean\n\n\ndef other(items):\n    return None\n"
	const js = "function mean(items) {\n  const total = sum(items);\n  if (total > 0) {\n    report(total);\n  }\n  return total / items.length;\n}\n"
	const code = "package p\n\nfunc Mean(items []int) int {\n\ttotal := Sum(items)\n\tif total > limit {\n\t\treport(total)\n\t}\n\treturn total / len(items)\n}\n"
	const yaml = "jobs:\n  test:\n    runs-on: linux\n    timeout: 10\n    steps:\n      - run: make\n"
	for _, tt := range []struct {
		name, path, content string
		line                int
		text, want          string // "-": it is left to people
	}{
		{"a whole function", "a.py", python, 8, "def mean(items):\n    \"\"\"The mean.\"\"\"\n    total = sum(items)\n    count = len(items)\n    mean = total / max(count, 1)\n    log(mean)\n    return mean", "    mean = total / max(count, 1)"},
		{"a whole function, its header edited", "a.py", python, 8, "def mean(items, least=1):\n    return total / max(count, least)", "-"},
		{"a whole function, edited inside", "a.py", python, 8, "def mean(items):\n    total = sum(items or [])\n    mean = total / max(len(items), 1)\n    return mean", "-"},
		{"another function of the file", "a.py", python, 8, "    mean = 0\n    def other(items):\n        return 0", "-"},
		{"the line above", "a.py", python, 8, "    count = len(items)\n    mean = total / max(count, 1)", "    mean = total / max(count, 1)"},
		{"the line below", "a.py", python, 8, "    mean = total / max(count, 1)\n    log(mean)", "    mean = total / max(count, 1)"},
		{"the line below, edited", "a.py", python, 9, "    log(mean, total)\n    return mean or 0", "    log(mean, total)\n    return mean or 0"},
		{"a line of another place", "a.py", python, 8, "    if not count:\n        return None\n    mean = total / count", "    if not count:\n        return None\n    mean = total / count"},
		{"the line itself, twice", "a.py", python, 9, "    log(mean)\n    log(total)", "    log(mean)\n    log(total)"},
		{"context alone", "a.py", python, 8, "    count = len(items)\n    log(mean)", "-"},
		{"a block", "a.js", js, 4, "  if (total > 0) {\n    report(total, items);\n  }", "    report(total, items);"},
		{"a bracket alone", "a.js", js, 4, "    if (items) {\n      report(total);\n    }", "    if (items) {\n      report(total);\n    }"},
		{"a whole function of scripts", "a.js", js, 6, "function mean(items) {\n  const total = sum(items);\n  if (total > 0) {\n    report(total);\n  }\n  return total / (items.length || 1);\n}", "  return total / (items.length || 1);"},
		{"a whole function of Go", "a.go", code, 8, "func Mean(items []int) int {\n\ttotal := Sum(items)\n\tif total > limit {\n\t\treport(total)\n\t}\n\treturn total / max(len(items), 1)\n}", "\treturn total / max(len(items), 1)"},
		{"a key and its neighbours", "ci.yml", yaml, 4, "    runs-on: linux\n    timeout: 20\n    steps:", "    timeout: 20"},
		{"a key again", "ci.yml", yaml, 4, "    runs-on: windows\n    timeout: 20", "-"},
		{"a parent again", "ci.yml", yaml, 4, "  test:\n    timeout: 20", "-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, lang := diff.Classify(tt.path, nil)
			s := domain.Suggestion{New: tt.text}
			a := domain.Anchor{Path: tt.path, Side: domain.Right, StartLine: tt.line, EndLine: tt.line, Level: domain.AnchorLine}
			why, err := Suggestion(t.Context(), &s, a, &diff.File{Path: tt.path, Language: lang}, files{"RIGHT:" + tt.path: tt.content})
			if err != nil || s.Applies != (tt.want != "-") || s.Applies && s.New != tt.want {
				t.Errorf("%q, applies: %v, %v\n%s", why, s.Applies, err, s.New)
			}
		})
	}
}
