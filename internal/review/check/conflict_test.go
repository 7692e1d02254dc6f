package check

import (
	"strings"
	"testing"
)

// Conflict markers that a test needs are not findings. Markers that a merge left are, also in a test.
func TestConflictMarkers(t *testing.T) {
	t.Parallel()
	m := strings.Repeat("<", 7) + " ours\nx = 1\n" + strings.Repeat("=", 7) + "\nx = 2\n" + strings.Repeat(">", 7) + " theirs\n"
	for name, tt := range map[string]struct {
		path, text string
		found      bool
	}{
		"Python test":                 {"tests/merge_test.py", "IN = '''\n" + m + "'''\n", false},
		"raw string of a Go test":     {"merge_test.go", "package a\n\nconst in = `\n" + m + "`\n", false},
		"template of a script test":   {"src/merge.test.ts", "const s = `a\n" + m + "`;\n", false},
		"text block of Java":          {"src/test/java/MergeTest.java", "String s = \"\"\"\n" + m + "\"\"\";\n", false},
		"raw string of Rust":          {"tests/merge.rs", "let s = r#\"\n" + m + "\"#;\n", false},
		"raw string of C++":           {"test/merge.cpp", "auto s = R\"(\n" + m + ")\";\n", false},
		"here-document of a shell":    {"test/merge.sh", "cat > f <<'EOF'\n" + m + "EOF\n", false},
		"here-document of Ruby":       {"spec/merge_spec.rb", "s = <<~TEXT\n" + m + "TEXT\n", false},
		"fixture":                     {"tests/fixtures/conflicted.py", m, false},
		"input of a test":             {"tests/data/conflicted.txt", m, false},
		"document":                    {"docs/merging.md", "```\n" + m + "```\n", false},
		"patch":                       {"patches/a.patch", m, false},
		"heading":                     {"src/a.py", "\"\"\"\nTitle\n=======\n\"\"\"\n", false},
		"code":                        {"src/a.py", "def f():\n" + m, true},
		"code of a test":              {"tests/a_test.py", "def test_f():\n" + m, true},
		"code of a Go test":           {"a_test.go", "package a\n\n// A merge `left` this.\n" + m, true},
		"code of a shell test":        {"test/a.sh", "x=$((1 << n))\n" + m, true},
		"code of a Ruby test":         {"spec/a_spec.rb", "list << value if list\n" + m, true},
		"behind a string of a test":   {"tests/a_test.py", "IN = '''\n" + m + "'''\n\n" + m, true},
		"comment of a test":           {"tests/A.java", "/*\n" + m + "*/\n", true},
		"string outside of a test":    {"src/a.py", "Q = \"\"\"\n" + m + "\"\"\"\n", true},
		"configuration":               {"config.yaml", "a: 1\n" + m, true},
		"configuration of tests":      {"tests/config.yaml", "a: 1\n" + m, true},
		"name that looks like a test": {"src/contest.py", m, true},
		"end before the beginning":    {"src/a.py", strings.Repeat(">", 7) + " a\n" + strings.Repeat("<", 7) + " b\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := summary(run(t, tt.path, "", tt.text))
			if strings.Contains(got, "assay/conflict-marker") != tt.found {
				t.Errorf("found %q", got)
			}
		})
	}
}
