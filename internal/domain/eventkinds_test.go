package domain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
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

// unmade returns the kinds that no code makes.
func unmade(kinds []string, made map[string]bool) (out []string) {
	for _, k := range kinds {
		if !made[k] {
			out = append(out, k)
		}
	}
	return out
}

// Some code makes each kind that can be chosen.
func TestEveryKindOfEventIsMade(t *testing.T) {
	t.Parallel()
	values, byCode := constants(t), map[string]bool{}
	for name := range made(t, "..") {
		value, ok := values[name]
		if !ok {
			t.Errorf("events of the kind %s are made, but event.go does not have it", name)
		}
		byCode[value] = true
		if !slices.Contains(domain.EventKinds(), value) {
			t.Errorf("events of the kind %s are made but cannot be chosen", value)
		}
	}
	if bad := unmade(append(domain.EventKinds(), "never.made"), byCode); !slices.Equal(bad, []string{"never.made"}) {
		t.Errorf("of these kinds and the planted never.made, no code makes %v", bad)
	}
}
