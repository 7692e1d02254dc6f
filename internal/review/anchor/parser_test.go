package anchor

import (
	"os"
	"os/exec"
	"runtime/debug"
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
		"JavaScript": {"JavaScript", "a.js", []string{"const a = 1\nfunction f() { return a }\n", "import a from \"a\";\nexport default () => <b>{a}</b>;\n", "#!/usr/bin/env node\nvar a = /[)]/;\nvar a = 2;\n"},
			[]string{"const a = 1;\nconst a = 2;\n", "const a: number = 1;\n", "f(a b);\n", "x = {a: 1 b: 2};\n", "let a = <b>c;\n", "let a = <b>c}</b>;\n", "const a = 1;\na = 2;\n", "x = {a: 1, a: 2};\n", "import a from 'a';\nreturn a;\n"}},
		"TypeScript": {"TypeScript", "a.ts", []string{"class A { constructor(@B() private a: string) {} }\n", "@a\nexport class B<T extends C> { d?: T; e!: T }\n", "export @a class B {}\n", "let a = <any>b;\n", "function f(a: string): void;\nfunction f(a: any) {}\n", "enum A { B = 1 }\nnamespace C { export const d = 1 }\n"},
			[]string{"let a: = 1;\n", "interface A { b: string c: any }\n", "let a = <b>c</b>;\n", "const a = 1;\nconst a = 2;\n", "type A = { b: string\n"}},
		"elements": {"TypeScript", "a.tsx", []string{"const a = <T,>(b: T) => <c d={b}>e {f} <></></c>;\n"}, []string{"const a = <b><c></b>;\n", "const a = <b d=>c</b>;\n", "const a = <any>b;\n"}},
		"XML":      {"XML", "a.csproj", []string{"<?xml version=\"1.0\"?>\n<a><!-- b --><c d=\"e\"/>&amp;</a>\n"}, []string{"<a><b></a>\n", "<a>b\n", "<a b=\"c></a>\n", "<a>b & c</a>\n"}},
		"CSS":      {"CSS", "a.css", []string{"a, b > c:not(.d) { color: red; --e: 1 }\n@media (min-width: 1px) { a { b: calc(1px + var(--c)) } }\n"}, []string{"a { color: red\n", "a { color red; }\n", "a { b: c; } }\n", "// a\na { b: c }\n"}},
		"Python":   {"Python", "a.py", []string{"def f():\n    return 1\n"}, []string{"if a = 1:\n    pass\n", "return 1\n"}},
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
	for name, path := range map[string]string{"Bash": "a.zsh", "JSON": "tsconfig.jsonc", "Ruby": "a.rb"} {
		if parserOf(name, path) != nil {
			t.Errorf("%s is parsed as %s", path, name)
		}
	}
}

// Go templates are recognised by syntax that other templates with the same braces do not have.
func TestTemplates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"a: {{ .Values.b }}\n{{- if .Values.c }}\nd: e\n{{- end }}\n": true, "{{- define \"a\" -}}{{ $b := 1 }}{{ $b }}{{- end }}": true,
		"a: {{ .Values.b }\n": false, "{{- if .Values.c }}\n": false, "a: ${{ github.event }}\n": false, "{{ a | default('b') }} {% if c %}": false, "a: b\n": false, "{{.A}} ${{ b }}": false, strings.Repeat("{{if .A}}", 7000): false,
		strings.Repeat("{{ .A }}", 10_000): false,
	} {
		if got := isTemplate([]byte(text)); got != want {
			t.Errorf("%v: %.60q", got, text)
		}
	}
}

// The parser of scripts ends on every input in a child process with a small stack, and reports a file
// with more signs than people write as not parsed.
func TestScriptsBeyondTheirBounds(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASSAY_DEEP_SCRIPTS") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestScriptsBeyondTheirBounds$") //nolint:gosec // this test again
		cmd.Env = append(os.Environ(), "ASSAY_DEEP_SCRIPTS=yes")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%.4000s", err, out)
		}
		return
	}
	debug.SetMaxStack(256 << 20)
	for _, deep := range []string{"(", "[", "{", "<a>", "!", "-", "a=>", "a.", "a?", "a**", "`${", "[{(", "do ", "if(a)", "typeof ", "new ", "async()=>{", "{a:", "<a b={", "a{",
		"@media x{", ":not(", "A<", "infer A extends ", "a,", "a`", "keyof ", "class extends "} {
		for _, name := range []string{"a.jsx", "a.ts", "a.tsx", "a.css"} {
			valid := validScript(name)
			for _, begin := range []string{"", "let a:", "a="} {
				few, many := maxSigns/20, maxScript/len(deep)
				switch {
				case strings.Contains(deep, "infer"):
					few = maxInfer
				case begin == "a=" && (name == "a.tsx" || name == "a.css"):
					few = maxSigns - 9
				}
				_, _ = valid([]byte(begin + strings.Repeat(deep, few)))
				if _, known := valid([]byte(begin + strings.Repeat(deep, many+1))); known {
					t.Errorf("%s %q: parsed beyond the bound", name, deep)
				}
			}
			if ok, _ := valid([]byte("let a = " + strings.Repeat("do ", maxScript/3-9))); ok && name != "a.css" {
				t.Error("valid")
			}
		}
	}
	for _, text := range []string{"\x00", "\xff\xfe", "<", "a\u2028b", "/*", "//# sourceMappingURL=/etc/passwd", "/// <reference path=\"/etc/passwd\"/>", "@import '/etc/passwd';", "import a from '/etc/passwd'"} {
		for name := range scriptLoaders {
			_, _ = validScript("a" + name)([]byte(text))
		}
	}
}

// Nesting that is deeper than people write is refused or not parsed, and never ends the process.
func TestParsersBeyondTheirBounds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		language, path, begin, deep string
		known                       bool
	}{
		{"Bash", "a.sh", "echo ", "$(", false}, {"Bash", "a.sh", "", "( ", false}, {"Bash", "a.sh", "", "$[", false}, {"Bash", "a.sh", "", "if ", true}, {"TOML", "a.toml", "a = ", "[", true},
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
