package structure

import (
	"fmt"
	"strings"
	"testing"
)

// A definition ends with its last line, whatever stands at the beginning of the lines within it. The mark is at
// the end of the last line.
func TestTheEndOfADefinition(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ language, text string }{
		"a comment in column 0":        {"TypeScript", "function wanted() {\n  a();\n// b();\n  c();\n}§\nfunction other() {}"},
		"a comment over lines":         {"Java", "class A {\n  int wanted(int a) {\n    b();\n/*\nold();\n*/\n    return c;\n  }§\n  int d;\n}"},
		"a comment of Python":          {"Python", "def wanted():\n    a()\n# b()\n    c()§\n\n# of d\ndef d():\n    pass"},
		"a comment of a shell":         {"Bash", "wanted() {\n  a\n# b\n  c\n}§\nd"},
		"a comment of Ruby":            {"Ruby", "def wanted\n  a\n=begin\nb\n=end\n# c\n  d\nend§\n\ndef e\nend"},
		"a comment of PHP":             {"PHP", "<?php\nfunction wanted($a)\n{\n    b();\n# c\n// d\n    return $a;\n}§\n$e = 1;"},
		"a comment of Lua":             {"Lua", "local function wanted(a)\n-- b\n--[[\nc\n]]\n  return a\nend§\nlocal d = 1"},
		"blank lines":                  {"Python", "def wanted():\n    a()\n\n\n\n    b()§\n\n\nc = 1"},
		"blank lines of Kotlin":        {"Kotlin", "fun wanted(): Int {\n\n    a()\n\n}§\n\nfun b() {}"},
		"a label":                      {"C", "int wanted(int a)\n{\n\tif (a)\n\t\tgoto out;\n\tb();\nout:\n\treturn c;\n}§\nint d;"},
		"a label before code":          {"C", "int wanted(int a)\n{\nagain: b();\n\tgoto again;\n}§\nint d;"},
		"access specifiers":            {"C++", "class wanted {\npublic:\n    int a();\nprivate:\n    int b;\n};§\nint c;"},
		"the preprocessor":             {"C", "int wanted(int a) {\n#if A\n  if (b) {\n#else\n  if (c) {\n#endif\n    d();\n  }\n#undef A\n  return e;\n}§\nint f;"},
		"regions":                      {"C#", "class wanted\n{\n#region a\n    int b;\n#endregion\n    int c;\n}§\nclass d\n{\n}"},
		"a here-document":              {"Bash", "wanted() {\n  cat <<EOF\nusage:\n}\nEOF\n  exit 1\n}§\nmain"},
		"a here-document of Ruby":      {"Ruby", "def wanted\n  a(<<~SQL)\nSELECT 1\nend\nSQL\n  b\nend§\nc = 1"},
		"a here-document of PHP":       {"PHP", "<?php\nclass A {\n    function wanted() {\n        return <<<T\ntext }\nT;\n    }§\n    function b() {\n    }\n}"},
		"a template":                   {"TypeScript", "export const wanted = (a: A) => {\n  return `\n}\n${a.b}\n`;\n};§\nexport const c = 1;"},
		"triple quotes":                {"Python", "class A:\n    def wanted(self):\n        \"\"\"Text.\n\nclass B:\n\"\"\"\n        return 1§\n\n    def c(self):\n        pass"},
		"a text block":                 {"Java", "class A {\n  String wanted() {\n    return \"\"\"\n}\n\"\"\";\n  }§\n  int b;\n}"},
		"a raw string":                 {"Rust", "fn wanted() -> &'static str {\n    r#\"\n}\n\"#\n}§\nfn b() {}"},
		"a string over lines":          {"Rust", "fn wanted<'a>() -> &'a str {\n    \"a\n}\nb\"\n}§\nfn c() {}"},
		"a verbatim string":            {"C#", "class A\n{\n    string wanted()\n    {\n        return @\"\n}\n\"\"b\";\n    }§\n    int c;\n}"},
		"code in column 0":             {"JavaScript", "function wanted() {\nif (a) {\nb();\n}\nreturn c;\n}§\nfunction d() {}"},
		"a multi-line list":            {"Python", "def wanted(\n    a,\n    b,\n):\n    return a§\n\n\ndef c():\n    pass"},
		"a dictionary":                 {"Python", "def wanted(): return {\n    'a': 1,\n}§\nb = 2"},
		"a dictionary in a function":   {"Python", "def wanted():\n    a = {\n        'b': 1,\n    }\n    return a§\nb = 2"},
		"a block in a method":          {"Ruby", "def wanted\n  a.each { |b|\n    c\n  }\n  d\nend§\ndef e\nend"},
		"a brace of its own":           {"C", "static int\nwanted(int a,\n       int b)\n{\n  c();\n}§\nint d;"},
		"a list of parameters":         {"TypeScript", "export const wanted = (\n  a: A,\n  b: B,\n) => {\n  c();\n};§\nexport const d = 1;"},
		"an expression":                {"TypeScript", "export const wanted = (a: A) =>\n  b(a)\n    .c();§\nexport const d = 1;"},
		"types over lines":             {"TypeScript", "export function wanted<\n  A,\n  B,\n>(\n  a: A,\n): B {\n  c();\n}§\nexport const d = 1;"},
		"a type with types over lines": {"TypeScript", "export type wanted<\n  A,\n> = Exclude<\n  A,\n  B\n>;§\nexport const d = 1;"},
		"an interface":                 {"TypeScript", "export interface wanted {\n  // a\n  b: string;\n}§\nexport type C = { d: string };"},
		"a type":                       {"TypeScript", "export type wanted = {\n  a: string;\n} & B;§\nexport type C = { d: string };"},
		"a method of one line":         {"Java", "class A {\n  int wanted() { return 1; }§\n  int b;\n}"},
		"a class of Ruby":              {"Ruby", "class Wanted\n  A = {\n    b: 1\n  }\n\n  def wanted\n    d do\n    end\n  end§\nend\ne = 1"},
		"a trailing comment":           {"Python", "def wanted():\n    a()§\n    # b\n\nc = 1"},
		"carriage returns":             {"PHP", "<?php\r\nfunction wanted() {\r\n    a();\r\n// b\r\n    c();\r\n}§\r\n$d = 1;"},
		"brackets that do not match":   {"JavaScript", "foo(;\nfunction wanted() {\n  a();\n\n  b();\n}§\nfunction c() {"},
		"a condition that opens twice": {"C++", "#ifdef A\nint wanted(int a) {\n#else\nint other(int a) {\n#endif\n  return 1;\n}§\nint b;"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after, _ := strings.Cut(tt.text, "§")
			text := before + after
			found := Definitions("x", tt.language, []byte(text), map[string]bool{"wanted": true}, 1<<20)
			if want := 1 + strings.Count(before, "\n"); len(found) != 1 || found[0].End != want {
				t.Errorf("%+v, want line %d\n%s", found, want, numbered(text))
			}
		})
	}
}

// numbered returns a text with the numbers of its lines.
func numbered(text string) (out string) {
	for i, l := range strings.Split(text, "\n") {
		out += fmt.Sprintf("%3d %s\n", i+1, l)
	}
	return out
}
