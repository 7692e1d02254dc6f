package structure

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// Comments and texts are masked, and lines that begin within them are marked: "." for code, "a" for a comment
// or label, "d" for the preprocessor, "l" within a literal.
func TestMask(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		language, text, code, kinds string
	}{
		"a string":              {"Java", "f(\"{ // x\"); // y {", "f(\"      \");       ", "."},
		"a character":           {"C", "f('{', '\\'');", "f(' ', '  ');", "."},
		"a lifetime":            {"Rust", "fn f<'a>(x: &'a str) {\n}", "fn f<'a>(x: &'a str) {\n}", ".."},
		"a comment over lines":  {"Java", "/* {\n { */ f()\n}", "    \n      f()\n}", "a.."},
		"triple quotes":         {"Python", "x = \"\"\"\nclass A:\n\"\"\"\ny", "x = \"\"\"\n        \n\"\"\"\ny", ".ll."},
		"a template":            {"TypeScript", "f(`\n${g(`}`, { a })}\n}`);\n{}", "f(`\n                \n `);\n{}", ".ll."},
		"a regular expression":  {"JavaScript", "a = /['\"`{]/; b", "a = /      /; b", "."},
		"a division":            {"JavaScript", "a / b; c / '{'", "a / b; c / ' '", "."},
		"a here-document":       {"Bash", "cat <<-EOF\nfoo() {\n  EOF\nbar", "cat <<-EOF\n       \n     \nbar", ".ll."},
		"one of Ruby":           {"Ruby", "x = <<~SQL.strip\ndef a\nSQL\ny", "x = <<~SQL.strip\n     \n   \ny", ".ll."},
		"one of PHP":            {"PHP", "$x = <<<'T'\nclass A {\nT;\n#[A]", "$x = <<<'T'\n         \n ;\n#[A]", ".ll."},
		"a string over lines":   {"PHP", "f('\n}\n');", "f('\n \n');", ".ll"},
		"an apostrophe":         {"Ruby", "f(x) # don't\ng('a')", "f(x)        \ng(' ')", ".."},
		"an unclosed string":    {"Ruby", "f(\"a\ng(\"b\")", "f(\" \ng(\" \")", ".."},
		"a raw string of Rust":  {"Rust", "let x = r#\"\n}\"\n\"#;", "let x = r#\"\n  \n\"#;", ".ll"},
		"one of C++":            {"C++", "auto x = R\"x(\n}\n)x\";", "auto x = R\"x(\n \n)x\";", ".ll"},
		"one of C#":             {"C#", "var x = @\"\"\"\n}\";", "var x = @\"  \n \";", ".l"},
		"the preprocessor":      {"C", "#if A\nf() {\n#else \\\n  {\n#endif\nout:", "\nf() {\n\n\n\nout:", "d.ddda"},
		"a block of Ruby":       {"Ruby", "=begin\ndef a\n=end\nx", "      \n     \n    \nx", "aaa."},
		"a missing end":         {"Python", "x = \"\"\"\ndef a():", "x = \"\"\"\ndef a():", ".."},
		"a missing document":    {"Bash", "x=$((1<<N))\nf() {", "x=$((1<<N))\nf() {", ".."},
		"a missing comment":     {"C", "/* a\nint b;", "/* a\nint b;", ".."},
		"an unknown language":   {"Zig", "a // b\n'x' \"}\"", "a     \n' ' \" \"", ".."},
		"no language, no signs": {"", "a // b", "a // b", "."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mask(tt.language, strings.Split(tt.text, "\n"))
			kinds := ""
			for _, k := range m.kinds {
				kinds += string(".adl"[k : k+1][0])
			}
			if got := strings.Join(m.code, "\n"); strings.TrimRight(got, " ") != strings.TrimRight(tt.code, " ") || kinds != tt.kinds {
				t.Errorf("%q %q, want %q %q", got, kinds, tt.code, tt.kinds)
			}
		})
	}
}

// Masking costs about the same for each byte, whatever is open or missing.
func TestMaskIsBounded(t *testing.T) {
	t.Parallel()
	const n = 20_000
	for name, tt := range map[string]struct{ language, line string }{
		"documents":  {"Bash", "cat <<A%\n"},
		"quotes":     {"Ruby", "f \"x\n"},
		"templates":  {"TypeScript", "f(`${\n"},
		"comments":   {"C", "/* x\n"},
		"raw":        {"Rust", "r###\"\n"},
		"patterns":   {"JavaScript", "= /[\n"},
		"characters": {"C++", "'\\\n"},
		"delimiters": {"C++", "R\"%(\n"},
		"triple":     {"Python", "\"\"\" '''\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for i := range n {
				b.WriteString(strings.ReplaceAll(tt.line, "%", strconv.Itoa(i)))
			}
			text := b.String()
			took := testkit.Took(func() {
				newBlocks(tt.language, splitLines([]byte(text)))
				newBlocks(tt.language, []string{strings.ReplaceAll(text, "\n", " ")}) // all in one line
			})
			if took > 10*time.Second {
				t.Errorf("%v", took)
			}
		})
	}
}

// The ends of many definitions within each other cost about as much as the file is long.
func TestEndsAreBounded(t *testing.T) {
	t.Parallel()
	const n = 20_000
	for name, text := range map[string]string{
		"blocks":      strings.Repeat("function wanted() {\n", n) + strings.Repeat("}\n", n),
		"lists":       strings.Repeat("const wanted = (\n", n) + strings.Repeat(")\n", n),
		"objects":     strings.Repeat("const wanted = {\n", n) + strings.Repeat("}\n", n),
		"fields":      "class A {\n" + strings.Repeat("  wanted: B;\n", n) + "}\n",
		"indentation": nestedLines(900) + strings.Repeat("x\n", n),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			took := testkit.Took(func() {
				Definitions("x", "TypeScript", []byte(text), map[string]bool{"wanted": true}, 1<<20)
				Members("x", "TypeScript", []byte(text), "wanted", 1<<20)
				Contracts("TypeScript", []byte(text))
				o := Read("TypeScript", []byte(text))
				for line := 1; line < 2*n; line += 7 {
					o.Enclosing(line)
				}
			})
			if took > 20*time.Second {
				t.Errorf("%v", took)
			}
		})
	}
}

// nestedLines returns functions of which each stands in the one before.
func nestedLines(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat(" ", i) + "function wanted() {\n")
	}
	return b.String()
}
