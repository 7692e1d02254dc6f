package cases

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of the search for definitions in one version of a case.
const (
	maxPackages    = 60
	maxPackageSize = 8 << 20 // bytes of Go files of one package
	maxDefinitions = 40
)

// version is one side of a change for the search for definitions.
type version struct {
	files map[string]bool // paths of all files
	read  func(path string) ([]byte, error)
}

// definitions finds declarations that changed lines of Go source files use and that the hunks do not show:
// functions, methods, types, constants and variables, but no fields. It resolves names with the type
// checker and the packages of the repository alone, so it does not find names that depend on a type of
// another module. Places are at the head.
func definitions(set *diff.Set, base, head version) []eval.Definition {
	found := map[eval.Definition]bool{}
	for side, v := range map[domain.Side]version{domain.Left: base, domain.Right: head} {
		c := newChecker(v)
		for _, f := range set.Files {
			lines := changedLines(f, side)
			if f.Class != diff.ClassSource || f.Language != "Go" || len(lines) == 0 {
				continue
			}
			name := f.Path
			if side == domain.Left {
				name = f.BasePath()
			}
			for _, at := range c.uses(name, lines) {
				if d, ok := atHead(set, side, at); ok {
					found[d] = true
				}
			}
		}
	}
	var out []eval.Definition
	for d := range found {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b eval.Definition) int {
		if n := strings.Compare(a.Path, b.Path); n != 0 {
			return n
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out[:min(len(out), maxDefinitions)]
}

// inStore returns a commit of a store as a version.
func inStore(ctx context.Context, s *snapshot.Scratch, sha string) (version, error) {
	tree, err := s.Tree(ctx, sha)
	if err != nil {
		return version{}, err
	}
	v := version{map[string]bool{}, func(p string) ([]byte, error) { return s.Blob(ctx, sha, p) }}
	for _, e := range tree {
		if e.Mode == 0o100644 || e.Mode == 0o100755 {
			v.files[e.Path] = true
		}
	}
	return v, nil
}

// inFiles returns files as a version.
func inFiles(f Files) version {
	v := version{map[string]bool{}, func(p string) ([]byte, error) { return []byte(f[p]), nil }}
	for p := range f {
		v.files[p] = true
	}
	return v
}

// atHead returns a definition's place at the head, and false if a hunk shows it or it no longer exists.
func atHead(set *diff.Set, side domain.Side, d eval.Definition) (eval.Definition, bool) {
	if side == domain.Left {
		p, line, ok := set.MapLine(d.Path, d.Line)
		if !ok {
			return d, false
		}
		d.Path, d.Line = p, line
	}
	if class, _ := diff.Classify(d.Path, nil); class != diff.ClassSource {
		return d, false
	}
	if f := set.File(d.Path); f != nil {
		for _, h := range f.Hunks {
			if d.Line >= h.NewStart && d.Line < h.NewStart+h.NewLines {
				return d, false
			}
		}
	}
	return d, true
}

func changedLines(f *diff.File, side domain.Side) map[int]bool {
	out := map[int]bool{}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch {
			case l.Op == diff.Add && side == domain.Right:
				out[l.New] = true
			case l.Op == diff.Delete && side == domain.Left:
				out[l.Old] = true
			}
		}
	}
	return out
}

// checker resolves the names of packages of one version. It implements [types.Importer].
type checker struct {
	version
	fset     *token.FileSet
	folders  map[string][]string // Go files except tests, by folder
	modules  map[string]string   // module path by folder
	packages map[string]*types.Package
	parsed   map[string]*ast.File // by path, for the checked packages
	info     *types.Info
	count    int
}

func newChecker(v version) *checker {
	c := &checker{version: v, fset: token.NewFileSet(), folders: map[string][]string{}, modules: map[string]string{},
		packages: map[string]*types.Package{}, parsed: map[string]*ast.File{},
		info: &types.Info{Uses: map[*ast.Ident]types.Object{}}}
	for p := range v.files {
		switch dir := path.Dir(p); {
		case path.Base(p) == "go.mod":
			if raw, err := v.read(p); err == nil {
				c.modules[dir] = modfile.ModulePath(raw)
			}
		case strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go"):
			c.folders[dir] = append(c.folders[dir], p)
		}
	}
	return c
}

// uses returns the repository's declarations of the names on some lines of a file.
func (c *checker) uses(file string, lines map[int]bool) (out []eval.Definition) {
	c.folder(path.Dir(file))
	f := c.parsed[file]
	if f == nil {
		return nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || !lines[c.fset.Position(id.Pos()).Line] {
			return true
		}
		if d, ok := c.declared(c.info.Uses[id]); ok {
			out = append(out, d)
		}
		return true
	})
	return out
}

// declared returns the place of an object's declaration. It returns false for local objects, fields, and
// objects from other modules.
func (c *checker) declared(o types.Object) (eval.Definition, bool) {
	if o == nil || o.Pkg() == nil || !o.Pos().IsValid() {
		return eval.Definition{}, false
	}
	switch o := o.(type) {
	case *types.Func:
	case *types.Var:
		if o.IsField() || o.Parent() != o.Pkg().Scope() {
			return eval.Definition{}, false
		}
	case *types.TypeName, *types.Const:
		if o.Parent() != o.Pkg().Scope() {
			return eval.Definition{}, false
		}
	default:
		return eval.Definition{}, false
	}
	at := c.fset.Position(o.Pos())
	return eval.Definition{Name: o.Name(), Path: at.Filename, Line: at.Line}, at.Filename != ""
}

// Import implements [types.Importer]. It returns packages of the repository, and an error for all others.
func (c *checker) Import(name string) (*types.Package, error) {
	if dir, ok := c.folderOf(name); ok {
		if p := c.folder(dir); p != nil {
			return p, nil
		}
	}
	return nil, errElsewhere
}

var errElsewhere = errors.New("the package is not of the repository")

// folderOf returns the folder of a package of the repository.
func (c *checker) folderOf(name string) (string, bool) {
	for dir, module := range c.modules {
		if module != "" && (name == module || strings.HasPrefix(name, module+"/")) {
			at := path.Join(dir, strings.TrimPrefix(name[len(module):], "/"))
			if len(c.folders[at]) > 0 {
				return at, true
			}
		}
	}
	return "", false
}

// folder checks the package of a folder once. It returns nil without a package or beyond the bounds. Type
// errors do not matter.
func (c *checker) folder(dir string) *types.Package {
	if p, done := c.packages[dir]; done {
		return p
	}
	c.packages[dir] = nil // for a package that imports itself
	if c.count++; c.count > maxPackages {
		return nil
	}
	var files []*ast.File
	size := 0
	name := ""
	slices.Sort(c.folders[dir])
	for _, p := range c.folders[dir] {
		raw, err := c.read(p)
		if err != nil {
			continue
		}
		if size += len(raw); size > maxPackageSize {
			return nil
		}
		f, err := parser.ParseFile(c.fset, p, raw, parser.SkipObjectResolution)
		if err != nil || f.Name == nil {
			continue
		}
		if name == "" {
			name = f.Name.Name
		}
		if f.Name.Name == name {
			files = append(files, f)
			c.parsed[p] = f
		}
	}
	if len(files) == 0 {
		return nil
	}
	conf := types.Config{Importer: c, Error: func(error) {}, FakeImportC: true, DisableUnusedImportCheck: true}
	p, _ := conf.Check(dir, c.fset, files, c.info) //nolint:errcheck // what is not understood is not found
	c.packages[dir] = p
	return p
}
