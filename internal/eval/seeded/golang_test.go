package seeded

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/testkit"
)

// checker checks the types of the packages of a program. Packages of the standard
// library are read once for all programs.
type checker struct {
	fset  *token.FileSet
	std   types.Importer
	files cases.Files
	made  map[string]*types.Package
}

// Import implements [types.Importer].
func (c *checker) Import(name string) (*types.Package, error) {
	_, inside, ok := strings.Cut(name, "example.com/")
	if !ok {
		return c.std.Import(name)
	}
	_, dir, _ := strings.Cut(inside, "/")
	return c.check(name, dir)
}

// check parses and checks the package of a folder. "" is the top folder.
func (c *checker) check(name, dir string) (*types.Package, error) {
	if p := c.made[dir]; p != nil {
		return p, nil
	}
	var parsed []*ast.File
	for _, file := range slices.Sorted(maps.Keys(c.files)) {
		if path.Ext(file) != ".go" || strings.TrimPrefix(path.Dir(file), ".") != dir {
			continue
		}
		text := c.files[file]
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			return nil, fmt.Errorf("%s is not formatted: %v", file, err)
		}
		f, err := parser.ParseFile(c.fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	conf := types.Config{Importer: c, GoVersion: "go1.25"}
	p, err := conf.Check(name, c.fset, parsed, nil)
	c.made[dir] = p
	return p, err
}

// TestGoPrograms checks the types of the Go programs before and after each change.
func TestGoPrograms(t *testing.T) {
	if build.Default.GOROOT == "" { // the test was built without paths (-trimpath)
		root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
		testkit.OK(t, err)
		build.Default.GOROOT = strings.TrimSpace(string(root))
	}
	fset := token.NewFileSet()
	std := importer.Default()
	for _, p := range programs(t) {
		if p.language != "Go" {
			continue
		}
		versions := map[string]cases.Files{p.name: p.base}
		for _, c := range p.changes {
			made, err := c.apply(p.base)
			if err != nil {
				t.Fatal(err)
			}
			versions[p.name+"-"+c.name] = made.head
		}
		for _, id := range slices.Sorted(maps.Keys(versions)) {
			t.Run(id, func(t *testing.T) {
				c := &checker{fset: fset, std: std, files: versions[id], made: map[string]*types.Package{}}
				for _, file := range slices.Sorted(maps.Keys(c.files)) {
					dir := strings.TrimPrefix(path.Dir(file), ".")
					if path.Ext(file) == ".go" {
						if _, err := c.check(path.Join("example.com", p.name, dir), dir); err != nil {
							t.Fatal(err)
						}
					}
				}
			})
		}
	}
}
