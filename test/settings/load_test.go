package settings_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

const module = "github.com/assay-dev/assay/"

// listed is a package as go list names it, in the order of dependencies.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// program is the code of the module, without its tests, with its types.
type program struct {
	packages map[string]*types.Package
	reads    map[*types.Func]map[*types.Var]bool  // fields that a function reads
	wholes   map[*types.Func]map[*types.Var]bool  // fields that it passes on
	calls    map[*types.Func]map[*types.Func]bool // functions that it names
	initial  *types.Func                          // stands for reads outside of functions
}

// Import implements [types.Importer] for the packages of the module.
func (p *program) Import(path string) (*types.Package, error) {
	if found, ok := p.packages[path]; ok {
		return found, nil
	}
	return nil, errors.New(path + " is not loaded")
}

type importers struct {
	own    *program
	others types.Importer
}

func (i importers) Import(path string) (*types.Package, error) {
	if strings.HasPrefix(path, module) {
		return i.own.Import(path)
	}
	return i.others.Import(path)
}

// load reads the packages of the module from their source, and their imports from the compiler's export
// data. more is added to packages, by path.
func load(t *testing.T, more map[string]string) *program {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./cmd/...")
	cmd.Dir, cmd.Stderr = filepath.Join("..", ".."), os.Stderr
	out, err := cmd.Output()
	testkit.OK(t, err)
	var all []listed
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all, exports[l.ImportPath] = append(all, l), l.Export
	}
	files := token.NewFileSet()
	p := &program{packages: map[string]*types.Package{}, reads: map[*types.Func]map[*types.Var]bool{}, wholes: map[*types.Func]map[*types.Var]bool{}, calls: map[*types.Func]map[*types.Func]bool{}, initial: new(types.Func)}
	from := importers{p, importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	for _, l := range all {
		if !strings.HasPrefix(l.ImportPath, module) {
			continue
		}
		var parsed []*ast.File
		for _, name := range l.GoFiles {
			f, err := parser.ParseFile(files, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
			testkit.OK(t, err)
			parsed = append(parsed, f)
		}
		if text := more[strings.TrimPrefix(l.ImportPath, module)]; text != "" {
			f, err := parser.ParseFile(files, "more.go", text, parser.SkipObjectResolution)
			testkit.OK(t, err)
			parsed = append(parsed, f)
		}
		info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
		pkg, err := (&types.Config{Importer: from}).Check(l.ImportPath, files, parsed, info)
		testkit.OK(t, err)
		p.packages[l.ImportPath] = pkg
		for _, f := range parsed {
			p.read(f, info)
		}
	}
	return p
}

// read records the fields that each function of a file reads, and the functions that it names.
func (p *program) read(f *ast.File, info *types.Info) {
	for _, d := range f.Decls {
		in := p.initial
		if fn, ok := d.(*ast.FuncDecl); ok {
			in = info.Defs[fn.Name].(*types.Func)
		}
		written := map[ast.Expr]bool{}
		whole := func(e ast.Expr) {
			if sel, ok := e.(*ast.SelectorExpr); ok && info.Selections[sel] != nil {
				if f, ok := info.Selections[sel].Obj().(*types.Var); ok {
					note(p.wholes, in, f.Origin())
				}
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, to := range n.Lhs {
					written[to] = n.Tok == token.ASSIGN
				}
			case *ast.CallExpr: // a struct that is passed on, or converted, is read as a whole
				for _, arg := range n.Args {
					whole(arg)
				}
			case *ast.KeyValueExpr:
				whole(n.Value)
			case *ast.SelectorExpr:
				if s := info.Selections[n]; s != nil && s.Kind() == types.FieldVal && !written[n] {
					note(p.reads, in, s.Obj().(*types.Var).Origin())
				}
			case *ast.Ident:
				if called, ok := info.Uses[n].(*types.Func); ok {
					note(p.calls, in, called.Origin())
				}
			}
			return true
		})
	}
}

func note[T comparable](into map[*types.Func]map[T]bool, in *types.Func, what T) {
	if into[in] == nil {
		into[in] = map[T]bool{}
	}
	into[in][what] = true
}
