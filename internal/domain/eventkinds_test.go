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

// wrong returns the kinds that are made and marked as not made, or the reverse.
func wrong(kinds []domain.EventKind, made map[string]bool) (out []string) {
	for _, k := range kinds {
		if made[k.Name] != k.Made {
			out = append(out, k.Name)
		}
	}
	return out
}

// Each kind that can be chosen is either made by some code or marked as not made.
func TestEveryKindOfEventIsMadeOrMarked(t *testing.T) {
	t.Parallel()
	values, byCode := constants(t), map[string]bool{}
	for name := range made(t, "..") {
		value, ok := values[name]
		if !ok {
			t.Errorf("events of the kind %s are made, but event.go does not have it", name)
		}
		byCode[value] = true
		if !slices.ContainsFunc(domain.EventKinds(), func(k domain.EventKind) bool { return k.Name == value }) {
			t.Errorf("events of the kind %s are made but cannot be chosen", value)
		}
	}
	if bad := wrong(domain.EventKinds(), byCode); len(bad) > 0 {
		t.Errorf("marked wrongly: %v", bad)
	}
	planted := append(domain.EventKinds(), domain.EventKind{Name: "never.made", Made: true}, domain.EventKind{Name: "made.unmarked"})
	byCode["made.unmarked"] = true
	if bad := wrong(planted, byCode); !slices.Equal(bad, []string{"never.made", "made.unmarked"}) {
		t.Errorf("the check does not see a wrong mark: %v", bad)
	}
}
