package anchor

import (
	"strings"
	"testing"
)

func TestParsers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		language, path string
		good, bad      []string
	}{
		"Go": {"Go", "a.go", []string{"package p\n\nvar a = b\n", "package p\n\nfunc init() {}\nfunc init() {}\n"},
			[]string{"package p\n\nvar a, a = 1, 2\n", "package p\n\ntype T struct {\n\tA int\n\tA int\n}\n", "package p\n\nfunc f() {\n\tx := 1\n\tvar x = 2\n\t_ = x\n}\n"}},
		"JSON": {"JSON", "a.json", []string{`{"a":{"b":1},"b":{"b":2},"c":["a","a",{"a":1},{"a":2}]}`, `["a","a"]`, `"a"`},
			[]string{`{"a":1,"a":2}`, `{"x":[{"a":1,"b":{},"a":2}]}`, `{"a":1,}`, `{"a":{},"a":[]}`}},
		"shell": {"Bash", "a.sh", []string{"if [ -z \"$1\" ]; then\n  echo a\nfi\n", "cat <<EOF\na b\nEOF\n", "case $1 in\n  a) echo a ;;\nesac\n", "a=(1 2)\n[[ $a =~ ^x ]]\n"},
			[]string{"if [[ -z \"$1\" ]]\n  echo a\nfi\n", "for f in ./*.txt\n  echo $f\ndone\n", "cat <<EOF\na b\n  EOF\n", "case $1 in\n  a) echo a\n  b) echo b ;;\nesac\n", "if true; then\n  a\n"}},
		"TOML": {"TOML", "a.toml", []string{"v = \"1.2.3\"\n[a]\nb = [\"a\", \"b\"]\n"}, []string{"v = 1.2.3\n", "b = [\"a\" \"b\"]\n", "a = 1\na = 2\n"}},
		"Dockerfile": {"Docker", "Dockerfile", []string{"# syntax=docker/dockerfile:1\nFROM a AS b\nRUN x && \\\n  # why\n  y\nRUN <<EOF\npip install\nEOF\ncmd [\"a\"]\n"},
			[]string{"FROM a\npip install x\n", "FROM a\nRUN <<EOF\npip install\n", "FROM a\nRUN x \\\n"}},
	} {
		valid := parserOf(tc.language, tc.path)
		for want, texts := range map[bool][]string{true: tc.good, false: tc.bad} {
			for _, text := range texts {
				if got, known := valid([]byte(text)); got != want || !known {
					t.Errorf("%s: valid %v, known %v:\n%s", name, got, known, text)
				}
			}
		}
	}
	for name, path := range map[string]string{"Bash": "a.zsh", "JSON": "tsconfig.jsonc", "Python": "a.py"} {
		if parserOf(name, path) != nil {
			t.Errorf("%s is parsed as %s", path, name)
		}
	}
}

// Nesting that is deeper than any person writes is beyond what is parsed, or refused, and never ends the process.
func TestParsersBeyondTheirBounds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		language, path, begin, deep string
		known                       bool
	}{
		{"Bash", "a.sh", "echo ", "$(", true}, {"Bash", "a.sh", "", "( ", true}, {"Bash", "a.sh", "", "if ", true}, {"TOML", "a.toml", "a = ", "[", true},
		{"TOML", "a.toml", "a = ", "{a=", true}, {"JSON", "a.json", "", "[", true}, {"Docker", "Dockerfile", "RUN ", "<<A ", true},
	} {
		valid := parserOf(tc.language, tc.path)
		if ok, known := valid([]byte(tc.begin + strings.Repeat(tc.deep, 60<<10/len(tc.deep)))); ok || known != tc.known {
			t.Errorf("%s %q: valid %v, known %v", tc.language, tc.deep, ok, known)
		}
		if tc.language == "Bash" || tc.language == "TOML" {
			if _, known := valid([]byte(tc.begin + strings.Repeat(tc.deep, 1<<20))); known {
				t.Errorf("%s %q: a text beyond the bound is parsed", tc.language, tc.deep)
			}
		}
	}
}
