package structure

import (
	"errors"
	"go/ast"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"strings"
	"testing"
)

// Text that nests too deeply, by any syntax, is not given to the parser.
func TestGoBounds(t *testing.T) {
	t.Parallel()
	n := maxGoNesting + 100
	for name, tt := range map[string]struct {
		text   string
		parsed bool
	}{
		"parentheses":      {"var a = " + strings.Repeat("(", n), false},
		"unary operators":  {"var a = " + strings.Repeat("!", n) + "b", false},
		"binary operators": {"var a = b" + strings.Repeat("+b", n), false},
		"selectors":        {"var a = b" + strings.Repeat(".b", n), false},
		"calls":            {"var a = b" + strings.Repeat("()", n), false},
		"slices":           {"var a " + strings.Repeat("[]", n) + "int", false},
		"pointers":         {"var a " + strings.Repeat("*", n) + "int", false},
		"functions":        {"var a " + strings.Repeat("func() ", n) + "int", false},
		"blocks":           {"func f() {" + strings.Repeat("{", n), false},
		"branches":         {"func f() { if a {}" + strings.Repeat(" else if a {}", n) + "}", false},
		"labels":           {"func f() { " + strings.Repeat("a: ", n) + "}", false},
		"literals":         {"var a = " + strings.Repeat("T{", n), false},
		"bytes":            {strings.Repeat("// a comment\n", maxGo/13+1), false},
		"tokens":           {"var a = []int{" + strings.Repeat("1,", maxGoTokens/2) + "}", false},
		"signs in comment": {"/*" + strings.Repeat("\xff", maxGoErrors+1) + "*/", false},
		"statements":       {"func f() {\n" + strings.Repeat("\ta(b[c].d(), e+f)\n", n) + "}", true},
		"elements":         {"var a = []T{\n" + strings.Repeat("\t{b: -1, c: \"d\" + \"e\"},\n", n) + "}", true},
		"a long table":     {"const a = \"\" +\n" + strings.Repeat("\t\"b\" +\n", 1000) + "\t\"\"", true},
		"wrong brackets":   {"var a = ]]]" + strings.Repeat("(", n), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, file, err := ParseGo([]byte("package p\n\n"+tt.text+"\n"), 0)
			if got := !errors.Is(err, ErrBound); got != tt.parsed || got != (file != nil) {
				t.Errorf("parsed %v, want %v: %v", got, tt.parsed, err)
			}
		})
	}
}

// FuzzGoNesting holds the counter against the tree that the parser makes.
func FuzzGoNesting(f *testing.F) {
	for _, s := range []string{"var a = (b + -c)[d](e)", "func f() { if a {} else if b {} ; x: for { go func() {}() } }", "type T[P any] struct { a map[b][]*c; d func(e) f }", "var a = T{b: {c, d}}", "]]((("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4<<10 {
			return
		}
		src := []byte("package p\n\n" + s)
		counted := deepest(src)
		_, file, _ := ParseGo(src, 0)
		if file == nil {
			return
		}
		depth, most := 0, 0
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				depth--
				return true
			}
			depth++
			most = max(most, depth)
			return true
		})
		if most > 6*counted+12 {
			t.Errorf("the tree has %d levels, counted %d", most, counted)
		}
	})
}

// deepest returns the largest number of levels that are open at the same time.
func deepest(src []byte) (most int) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("x.go", -1, len(src)), src, nil, 0)
	var n nesting
	for {
		_, tok, _ := s.Scan()
		if tok == token.EOF {
			return most
		}
		n.add(tok)
		most = max(most, n.depth)
	}
}

// A place names the enclosing symbol of a line, and inside of it the enclosing lines.
func TestPlace(t *testing.T) {
	t.Parallel()
	const yaml = "roles:\n  debug:\n    write: true\n  admin:\n    write: true\n"
	const code = "package p\n\nfunc F() {\n\tif a {\n\t\tb()\n\t}\n\tb()\n}\n"
	for name, tt := range map[string]struct {
		language, text string
		line           int
		want           string
	}{
		"first role":       {"YAML", yaml, 3, "\ndebug:\nroles:"},
		"second role":      {"YAML", yaml, 5, "\nadmin:\nroles:"},
		"branch":           {"Go", code, 5, "F\nif a {"},
		"function":         {"Go", code, 7, "F"},
		"outside":          {"Go", code, 2, ""},
		"beyond the end":   {"Go", code, 99, ""},
		"without the file": {"Go", "", 5, "func G()"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Read(tt.language, []byte(tt.text)).Place(tt.line, "func G()"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func BenchmarkOutline(b *testing.B) {
	text := []byte(strings.Repeat("class A:\n    def m(self):\n        if x:\n            return 1\n", 2000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		o := Read("Python", text)
		for line := 1; line < 8000; line += 4 {
			o.Place(line, "")
		}
	}
}

// A symbol is searched for in a bounded number of lines around a place, so a question has a bounded
// cost in a file of any depth.
func TestLevelsAreBounded(t *testing.T) {
	t.Parallel()
	nested := func(levels int) *Outline {
		var b strings.Builder
		b.WriteString("class A\n")
		for i := 1; i <= levels; i++ {
			b.WriteString(strings.Repeat(" ", i) + "if x:\n")
		}
		return Read("Python", []byte(b.String()))
	}
	if s, ok := nested(100).Enclosing(101); !ok || s.Name != "A" {
		t.Errorf("at 100 levels: %+v, %v", s, ok)
	}
	o := nested(3000)
	if s, ok := o.Enclosing(3001); ok {
		t.Errorf("at 3000 levels: %+v", s)
	}
	if n := len(o.blocks().names); n > maxLevels {
		t.Errorf("%d lines were read for one symbol", n)
	}
}

// A line that closes a block belongs to the block. This needs no search for the opening line, so it
// holds for very long blocks.
func TestTheEndOfALongBlock(t *testing.T) {
	t.Parallel()
	text := "class A {\n  void f(int a) {\n" + strings.Repeat("    b();\n", 5000) + "  }\n}\n"
	if s, ok := Read("Java", []byte(text)).Enclosing(5003); !ok || s != (Symbol{Name: "A.f", Start: 2, End: 5003}) {
		t.Errorf("%+v, %v", s, ok)
	}
	blank := "class A {\n  void f(int a) {\n" + strings.Repeat("\n", 5000) + "  }\n}\n"
	if s, ok := Read("Java", []byte(blank)).Enclosing(5000); !ok || s.Name != "A.f" {
		t.Errorf("a blank line: %+v, %v", s, ok)
	}
}

// One pass finds the same enclosing lines as a search from each line.
func TestEnclosingLinesAreThoseOfASearch(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // to be repeated
	words := []string{"class A {", "def f(x):", "{", "}", "} else {", "end", "x = 1", "});", ")", "foo(a, b)", "", "  ", "if x {", "else:"}
	for range 3000 {
		var lines []string
		for range 1 + r.IntN(14) {
			lines = append(lines, strings.Repeat(" ", r.IntN(4))+words[r.IntN(len(words))])
		}
		b := newBlocks("", lines)
		for i := range lines {
			if at, text := b.enclosing(i); b.indent[i] >= 0 {
				if wantAt, want := searched(lines, i); at != wantAt || text != want {
					t.Fatalf("line %d of %q: %d %q, want %d %q", i, lines, at, text, wantAt, want)
				}
			}
		}
	}
}

// searched looks upwards for the line that encloses a line: the nearest one that is indented less and
// opens something, or, for a line that closes a block, the nearest one with the same indentation.
func searched(lines []string, at int) (int, string) {
	within, brace := indent(lines[at]), false
	if onlyCloses(lines[at]) {
		within++
	}
	for i := at - 1; i >= 0; i-- {
		switch in := indent(lines[i]); {
		case in < 0 || in >= within:
		case strings.TrimSpace(lines[i]) == "{":
			brace = true
		case !onlyCloses(lines[i]) && brace:
			return i, lines[i] + " {"
		case !onlyCloses(lines[i]):
			return i, lines[i]
		}
	}
	return -1, ""
}
