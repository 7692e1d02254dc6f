package regexp_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	stdregexp "regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestAnExpressionIsThatOfTheStandardLibrary(t *testing.T) {
	const text = `(?i)(a+)(b)?`
	lazy, std := regexp.MustCompile(text), stdregexp.MustCompile(text)
	testkit.Equal(t, "text", lazy.String(), std.String())
	testkit.Equal(t, "found", fmt.Sprint(lazy.FindAllStringSubmatchIndex("xAab aa", -1)), fmt.Sprint(std.FindAllStringSubmatchIndex("xAab aa", -1)))
	testkit.Equal(t, "replaced", lazy.ReplaceAllString("xAab aa", "<$1>"), std.ReplaceAllString("xAab aa", "<$1>"))
	testkit.Equal(t, "quoted", regexp.QuoteMeta("a.b"), `a\.b`)
}

func TestAWrongExpressionPanicsAtItsFirstUse(t *testing.T) {
	wrong := regexp.MustCompile("a(")
	defer func() {
		if recover() == nil {
			t.Error("a( is accepted as an expression")
		}
	}()
	wrong.MatchString("a")
}

// TestExpressionsOfTheSourceTreeCompile compiles every expression that is a constant. Those
// that a function puts together are compiled by the tests of their packages.
func TestExpressionsOfTheSourceTreeCompile(t *testing.T) {
	compiled := 0
	for _, root := range []string{"../../internal", "../../sim", "../../cmd"} {
		testkit.OK(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			compiled += compileFolder(t, path)
			return nil
		}))
	}
	if compiled < 350 {
		t.Errorf("only %d expressions were found", compiled)
	}
}

// compileFolder compiles the constant expressions of the package in a folder.
func compileFolder(t *testing.T, folder string) (n int) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	testkit.OK(t, err)
	files, fset, uses := []*ast.File{}, token.NewFileSet(), false
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		testkit.OK(t, err)
		files = append(files, f)
		for _, i := range f.Imports {
			uses = uses || i.Path.Value == `"github.com/assay-dev/assay/internal/regexp"`
		}
	}
	if !uses {
		return 0
	}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	// Imports are left out, so most of the package has type errors. Its constants are still evaluated.
	check := types.Config{Error: func(error) {}, Importer: noImports{}}
	_, _ = check.Check(folder, fset, files, &info)
	for _, f := range files {
		ast.Inspect(f, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			if to, ok := call.Fun.(*ast.SelectorExpr); !ok || to.Sel.Name != "MustCompile" {
				return true
			}
			value := info.Types[call.Args[0]].Value
			if value == nil || value.Kind() != constant.String {
				return true
			}
			n++
			if _, err := stdregexp.Compile(constant.StringVal(value)); err != nil {
				t.Errorf("%s: %v", fset.Position(call.Pos()), err)
			}
			return true
		})
	}
	return n
}

// noImports finds no package.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not looked for") }
