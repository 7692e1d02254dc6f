package edits

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// line is a line of code. defect is the number of its defect, 0 for no defect.
type line struct {
	text   string
	defect int
}

// simple reports whether a line is a statement by itself.
func (l line) simple() bool {
	t := strings.TrimSpace(l.text)
	return len(t) >= 8 && strings.Contains(t, "(") && !strings.HasPrefix(t, "//") && !strings.ContainsAny(t[len(t)-1:], "{,(") && balanced([]line{l})
}

// telling reports whether a reviewer could report a finding on a line.
func (l line) telling() bool {
	t := strings.TrimSpace(l.text)
	for _, no := range []string{"//", "import", "package", "func", "type", "case", "default", "}", ")", "*", "\""} {
		if strings.HasPrefix(t, no) {
			return false
		}
	}
	return len(t) >= 8 && strings.HasPrefix(l.text, "\t") && len(words(t)) > 0 && !strings.Contains(t, "`")
}

// balanced reports whether all brackets in the lines are closed.
func balanced(lines []line) bool {
	depth := 0
	for _, l := range lines {
		for _, r := range l.text {
			switch r {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				if depth--; depth < 0 {
					return false
				}
			}
		}
	}
	return depth == 0
}

var name = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]{2,24}`)

// words lists the names in a text, except those of the language.
func words(text string) (out []string) {
	for _, w := range name.FindAllString(text, -1) {
		if !token.IsKeyword(w) && !slices.Contains([]string{"string", "error", "int", "bool", "true", "false", "nil", "append", "len", "byte", "any", "make", "int64", "string"}, w) {
			out = append(out, w)
		}
	}
	return out
}

// file is a file of a head.
type file struct {
	path  string
	lines []line
}

func (f file) text() string {
	var b strings.Builder
	for _, l := range f.lines {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// span is a range of lines, from its first index up to the index after its last.
type span struct{ from, to int }

// functions lists the functions of a file with their comments; nil if it does not parse.
func (f file) functions() (out []span) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", f.text(), parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil
	}
	for _, d := range tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			from := d.Pos()
			if d.Doc != nil {
				from = d.Doc.Pos()
			}
			out = append(out, span{set.Position(from).Line - 1, set.Position(d.End()).Line})
		}
	}
	return out
}

// tree is the code of a head.
type tree []file

func (t tree) clone() tree {
	out := slices.Clone(t)
	for i := range out {
		out[i].lines = slices.Clone(out[i].lines)
	}
	return out
}

// valid reports whether all files parse and all paths are distinct.
func (t tree) valid() bool {
	paths := map[string]bool{}
	for _, f := range t {
		if _, err := parser.ParseFile(token.NewFileSet(), "", f.text(), parser.SkipObjectResolution); err != nil || paths[f.path] {
			return false
		}
		paths[f.path] = true
	}
	return true
}

func (t tree) texts() map[string]string {
	out := map[string]string{}
	for _, f := range t {
		out[f.path] = f.text()
	}
	return out
}

// place is the place of a defect.
type place struct {
	path        string
	first, last int // lines, from 1
	text        string
}

// places returns the places of all existing defects. If the lines of a defect were separated, the first
// part counts.
func (t tree) places() map[int]place {
	out := map[int]place{}
	for _, f := range t {
		for i, l := range f.lines {
			if l.defect == 0 {
				continue
			}
			p, known := out[l.defect]
			switch {
			case !known:
				out[l.defect] = place{f.path, i + 1, i + 1, l.text}
			case p.path == f.path && p.last == i:
				p.last, p.text = i+1, p.text+"\n"+l.text
				out[l.defect] = p
			}
		}
	}
	return out
}

// These select the files of this repository for pull requests: source files of ordinary size.
const (
	fewestLines = 40
	mostLines   = 220
)

var own = sync.OnceValues(func() ([]file, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	var out []file
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(text), "DO NOT EDIT") {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if n := strings.Count(string(text), "\n"); err != nil || n < fewestLines || n > mostLines {
			return err
		}
		f := file{path: filepath.ToSlash(rel)}
		for l := range strings.Lines(string(text)) {
			f.lines = append(f.lines, line{text: strings.TrimSuffix(l, "\n")})
		}
		out = append(out, f)
		return nil
	})
	return out, err
})

// ownFiles lists the files of this repository, in the order of their paths.
func ownFiles(t *testing.T) []file {
	t.Helper()
	all, err := own()
	testkit.OK(t, err)
	return all
}
