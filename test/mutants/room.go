package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// room is a package under test, type-checked without its tests.
type room struct {
	name    string // below internal/
	tree    string // root folder of the module
	path    string // import path
	clause  string // name in package clauses
	dir     string // folder
	files   []string
	sources map[string]string // file name to contents
	exports types.Importer    // compiled dependencies
}

// goCommand returns the output of the go command in a folder of the module under test.
func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return out, err
}

func moduleRoot(ctx context.Context, dir string) (string, error) {
	out, err := goCommand(ctx, dir, "list", "-m", "-f", "{{.Dir}}")
	return strings.TrimSpace(string(out)), err
}

// load reads a room's files and finds the compiled form of its dependencies.
func load(ctx context.Context, tree, name string) (*room, error) {
	out, err := goCommand(ctx, tree, "list", "-deps", "-export", "-json=ImportPath,Name,Dir,Export,GoFiles",
		"./internal/"+name, "os", "strconv", "sync/atomic") // the latter are what switchText imports
	if err != nil {
		return nil, err
	}
	r := &room{name: name, tree: tree, sources: map[string]string{}}
	compiled := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Name, Dir, Export string
			GoFiles                       []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		compiled[p.ImportPath] = p.Export
		if p.Dir == filepath.Join(tree, "internal", filepath.FromSlash(name)) {
			r.path, r.clause, r.dir, r.files = p.ImportPath, p.Name, p.Dir, p.GoFiles
		}
	}
	for _, f := range r.files {
		b, err := os.ReadFile(filepath.Join(r.dir, f))
		if err != nil {
			return nil, err
		}
		r.sources[f] = string(b)
	}
	r.exports = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	return r, nil
}

// check parses and type-checks the room with the given contents of its files.
func (r *room) check(sources map[string]string) (*token.FileSet, map[string]*ast.File, *types.Info, error) {
	fset, files, order := token.NewFileSet(), map[string]*ast.File{}, []*ast.File(nil)
	for name, text := range sources {
		f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, nil, err
		}
		files[name], order = f, append(order, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	_, err := (&types.Config{Importer: r.exports}).Check(r.path, fset, order, info)
	return fset, files, info, err
}

// candidates returns all mutants that the room could have, file by file.
func (r *room) candidates() ([]mutant, error) {
	fset, files, info, err := r.check(r.sources)
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(r.tree, r.dir)
	if err != nil {
		return nil, err
	}
	var out []mutant
	for _, name := range r.files {
		if ast.IsGenerated(files[name]) {
			continue
		}
		f := &finder{fset: fset, info: info, src: r.sources[name], name: name, below: filepath.ToSlash(below), whole: map[ast.Expr]bool{}}
		ast.Inspect(files[name], f.visit)
		out = append(out, f.found...)
	}
	return out, nil
}

// choose returns n mutants that compile, and how many it dropped because they do not.
func (r *room) choose(seed uint64, n int) ([]mutant, int, error) {
	all, err := r.candidates()
	if err != nil {
		return nil, 0, err
	}
	for dropped := 0; ; {
		chosen := pick(all, seed, n)
		together := r.compile(chosen)
		if together == nil {
			return chosen, dropped, nil
		}
		count := len(all)
		all = slices.DeleteFunc(all, func(m mutant) bool {
			return slices.ContainsFunc(chosen, func(c mutant) bool { return c.id() == m.id() }) && r.compile([]mutant{m}) != nil
		})
		if len(all) == count {
			return nil, 0, together // each compiles alone: an error of ours
		}
		dropped += count - len(all)
	}
}

func (r *room) compile(mutants []mutant) error {
	_, _, _, err := r.check(r.mutated(mutants))
	return err
}

// switchFile is the name of the file that the copy of a room has in addition.
const switchFile = "mutants_switch.go"

// mutated returns the room's files with all mutants. Mutant i is number i+1.
func (r *room) mutated(mutants []mutant) map[string]string {
	out := map[string]string{}
	for name, src := range r.sources {
		var edits []edit
		for i, m := range mutants {
			if m.name == name {
				edits = append(edits, edit{m.from, m.to, m.text(i + 1)})
			}
		}
		slices.SortFunc(edits, func(a, b edit) int { return b.from - a.from })
		for _, e := range edits {
			src = src[:e.from] + e.text + src[e.to:]
		}
		out[name] = src
	}
	out[switchFile] = strings.NewReplacer("PACKAGE", r.clause, "LAST", strconv.Itoa(len(mutants))).Replace(switchText)
	return out
}

type edit struct {
	from, to int
	text     string
}

// switchText is the code behind a room's mutants. Without a mutant it writes the numbers
// of those whose place is executed to the file ASSAY_REACHED.
const switchText = `package PACKAGE

import (
	"os"
	"strconv"
	"sync/atomic"
)

var assayMutant, _ = strconv.Atoi(os.Getenv("ASSAY_MUTANT"))

var assayReached [LAST + 1]atomic.Bool

func assayOn(n int) bool {
	if assayMutant == 0 && !assayReached[n].Load() && !assayReached[n].Swap(true) {
		if f, err := os.OpenFile(os.Getenv("ASSAY_REACHED"), os.O_APPEND|os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString(strconv.Itoa(n) + "\n")
			_ = f.Close()
		}
	}
	return assayMutant == n
}

func assayPick[T any](n int, kept, changed T) T {
	if assayOn(n) {
		return changed
	}
	return kept
}

func assayError(n int, err error) error {
	if assayOn(n) {
		return nil
	}
	return err
}
`
