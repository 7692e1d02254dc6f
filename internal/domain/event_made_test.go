package domain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// made returns the names of this package's constants that code under a folder, except tests, passes to
// AddEvent as the kind.
func made(t *testing.T, root string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 5 {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "AddEvent" {
				return true
			}
			kind, ok := call.Args[2].(*ast.SelectorExpr)
			if !ok {
				t.Errorf("%s makes an event whose kind is not a constant of package domain", path)
				return true
			}
			out[kind.Sel.Name] = true
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// constants returns the constants of event.go: values by name.
func constants(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("event.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range regexp.MustCompile(`(Event\w+) += "([^"]+)"`).FindAllStringSubmatch(string(raw), -1) {
		out[m[1]] = m[2]
	}
	return out
}

// Some code makes each kind of event.
func TestEveryKindOfEventIsMade(t *testing.T) {
	t.Parallel()
	values, byCode := constants(t), made(t, "..")
	for name := range byCode {
		if values[name] == "" {
			t.Errorf("events of the kind %s are made, but event.go does not have it", name)
		}
	}
	for name, value := range values {
		if !byCode[name] {
			t.Errorf("no code makes events of the kind %s", value)
		}
	}
}
