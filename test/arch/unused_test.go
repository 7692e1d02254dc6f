package arch

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// name is a name at the top level of a package. With a dot in front it is a method of any type of the
// package.
type name struct{ dir, id string }

func (n name) String() string { return n.dir + "." + n.id }

// decl is a declaration at the top level of a package.
type decl struct {
	name
	at    string
	node  ast.Node
	s     source
	group *ast.GenDecl // of a type, constant or variable
}

// declared returns the declarations of files, functions and methods first.
func declared(files []source) (funcs, others []decl) {
	for _, s := range files {
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				id := d.Name.Name
				if d.Recv != nil {
					id = "." + id
				}
				funcs = append(funcs, decl{name{s.dir, id}, s.at(d.Pos()), d, s, nil})
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						others = append(others, decl{name{s.dir, spec.Name.Name}, s.at(spec.Pos()), spec, s, d})
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							others = append(others, decl{name{s.dir, id.Name}, s.at(id.Pos()), spec, s, d})
						}
					}
				}
			}
		}
	}
	return funcs, others
}

// imports returns the packages of the module that a file names, by the name
// that it uses for them.
func imports(s source, packages map[string]string) map[string]string {
	out := map[string]string{}
	for _, imp := range s.file.Imports {
		p, _ := strconv.Unquote(imp.Path.Value)
		dir, ours := strings.CutPrefix(p, module+"/")
		switch {
		case !ours:
		case imp.Name != nil:
			out[imp.Name.Name] = dir
		case packages[dir] != "":
			out[packages[dir]] = dir
		default:
			out[path.Base(dir)] = dir
		}
	}
	return out
}

// packageNames returns the name of each package, by folder.
func packageNames(files []source) map[string]string {
	out := map[string]string{}
	for _, s := range files {
		if !s.test {
			out[s.dir] = s.file.Name.Name
		}
	}
	return out
}

// local reports whether an identifier is declared inside a function.
func local(id *ast.Ident, f *ast.File) bool {
	return id.Obj != nil && f.Scope.Lookup(id.Name) != id.Obj
}

// mentions calls yield for every name at the top level of a package that a
// node mentions, and for every method or field as a name without a package.
func mentions(s source, imported map[string]string, node ast.Node, yield func(name)) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr: // a key may be a field's name; a function is never a key
			if _, ok := n.Key.(*ast.Ident); ok {
				mentions(s, imported, n.Value, yield)
				return false
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && !local(x, s.file) && imported[x.Name] != "" {
				yield(name{imported[x.Name], n.Sel.Name})
				return false
			}
			yield(name{"", "." + n.Sel.Name})
			mentions(s, imported, n.X, yield)
			return false
		case *ast.Ident:
			if !local(n, s.file) {
				yield(name{s.dir, n.Name})
			}
		}
		return true
	})
}

// byOthers are methods that only libraries call: through their own interfaces, or from templates of
// pages.
var byOthers = strings.Fields(`MarshalJSON MarshalText UnmarshalText LogValue TransformSchema FlushError WithAttrs WithGroup ReadHashes VerifySignature DescribedBy Visit`)

// dead returns the functions that no program reaches. A function is reached by its name from a reached
// function, from a variable of a package, or from a file of others, which is a program or beside one. A
// method is reached if any of these has its name after a dot, or an interface has it. So an unused
// method with a common name may be missed, but each returned function has no caller.
func dead(files, others []source) (out []decl) {
	packages := packageNames(append(slices.Clone(files), others...))
	funcs, values := declared(files)
	by := map[name][]decl{}
	for _, f := range funcs {
		if strings.HasPrefix(f.id, ".") {
			by[name{"", f.id}] = append(by[name{"", f.id}], f)
			continue
		}
		by[f.name] = append(by[f.name], f)
	}
	reached := map[ast.Node]bool{}
	var queue []decl
	reach := func(n name) {
		for _, f := range by[n] {
			if !reached[f.node] {
				reached[f.node], queue = true, append(queue, f)
			}
		}
	}
	for _, id := range byOthers {
		reach(name{"", "." + id})
	}
	for _, v := range values {
		ast.Inspect(v.node, func(n ast.Node) bool {
			if i, ok := n.(*ast.InterfaceType); ok {
				for _, m := range i.Methods.List {
					for _, id := range m.Names {
						reach(name{"", "." + id.Name})
					}
				}
			}
			return true
		})
		mentions(v.s, imports(v.s, packages), v.node, reach)
	}
	for _, s := range files {
		if s.file.Name.Name == "main" {
			reach(name{s.dir, "main"})
		}
	}
	for _, s := range others {
		mentions(s, imports(s, packages), s.file, reach)
	}
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		mentions(f.s, imports(f.s, packages), f.node.(*ast.FuncDecl).Type, reach)
		if body := f.node.(*ast.FuncDecl).Body; body != nil {
			mentions(f.s, imports(f.s, packages), body, reach)
		}
	}
	for _, f := range funcs {
		if !reached[f.node] && f.id != "_" {
			out = append(out, f)
		}
	}
	return out
}

// exported returns the exported names of files that no other package uses, tests included. A type
// counts as used if a used name shows it (as result, field or value). A constant counts as used if its
// type is, or if it belongs to a list of texts and another of them is.
func exported(files, all []source, schema func(dir, id string) bool) (out []decl) {
	packages := packageNames(all)
	used := map[name]bool{}
	for _, s := range all {
		outside := strings.HasSuffix(s.file.Name.Name, "_test")
		mentions(s, imports(s, packages), s.file, func(n name) {
			if n.dir != s.dir || outside {
				used[n] = true
			}
		})
	}
	funcs, others := declared(files)
	var names []decl
	for _, d := range append(funcs, others...) {
		if f, ok := d.node.(*ast.FuncDecl); ok && f.Recv != nil {
			if t := receiver(f); ast.IsExported(t) && f.Name.IsExported() { // a method shows types when its type is used
				d.id = t
				names = append(names, d)
			}
			continue
		}
		names = append(names, d)
	}
	for changed := true; changed; {
		changed = false
		for _, d := range names {
			if !used[d.name] && !schema(d.dir, d.id) {
				continue
			}
			shown(d, func(n name) {
				if !used[n] {
					used[n], changed = true, true
				}
			}, imports(d.s, packages))
		}
		for _, d := range others {
			if used[d.name] {
				continue
			}
			if t := typeOf(d); t != "" && used[name{d.dir, t}] || isText(d.node) && slices.ContainsFunc(d.group.Specs, func(s ast.Spec) bool {
				return isText(s) && used[name{d.dir, s.(*ast.ValueSpec).Names[0].Name}]
			}) {
				used[d.name], changed = true, true
			}
		}
	}
	for _, d := range append(funcs, others...) {
		if ast.IsExported(d.id) && !used[d.name] && !schema(d.dir, d.id) {
			out = append(out, d)
		}
	}
	return out
}

func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// shown yields the names that a declaration shows to its users.
func shown(d decl, yield func(name), imported map[string]string) {
	show := func(n ast.Node) { mentions(d.s, imported, n, yield) }
	switch n := d.node.(type) {
	case *ast.FuncDecl:
		show(n.Type)
	case *ast.ValueSpec:
		if n.Type != nil {
			show(n.Type)
		}
		for _, v := range n.Values { // the type of a literal
			if lit, ok := v.(*ast.CompositeLit); ok && lit.Type != nil {
				show(lit.Type)
			}
		}
	case *ast.TypeSpec:
		if n.TypeParams != nil {
			show(n.TypeParams)
		}
		t, ok := n.Type.(*ast.StructType)
		if !ok {
			show(n.Type)
			return
		}
		for _, f := range t.Fields.List {
			if len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
				show(f.Type)
			}
		}
	}
}

// typeOf returns the name of a constant's type, "" if it is untyped. A constant without an explicit
// type has that of the one above.
func typeOf(d decl) (out string) {
	if d.group == nil || d.group.Tok != token.CONST {
		return ""
	}
	for _, spec := range d.group.Specs {
		v := spec.(*ast.ValueSpec)
		if id, ok := v.Type.(*ast.Ident); ok {
			out = id.Name
		} else if len(v.Values) > 0 {
			out = ""
		}
		if spec == d.node {
			return out
		}
	}
	return ""
}

// isText reports whether a node is a constant or variable with a text as its value.
func isText(n ast.Node) bool {
	v, ok := n.(*ast.ValueSpec)
	if !ok || len(v.Values) != 1 {
		return false
	}
	lit, ok := v.Values[0].(*ast.BasicLit)
	return ok && lit.Kind == token.STRING
}

// readKept reads unused.txt: exported names that only their own package may use.
func readKept(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for line := range strings.Lines(read(t, "unused.txt")) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out[line] = true
		}
	}
	return out
}

// held compares the unused names with the lines of unused.txt.
func held(found []decl, kept map[string]bool, advice string) (out []string) {
	left := maps.Clone(kept)
	for _, d := range found {
		if !kept[d.name.String()] {
			out = append(out, d.at+": "+d.name.String()+" "+advice)
		}
		delete(left, d.name.String())
	}
	for _, n := range slices.Sorted(maps.Keys(left)) {
		out = append(out, "unused.txt: "+n+" is used now, or gone: delete its line")
	}
	return out
}

// service returns the files of the service's programs.
func service(files []source) (out []source) {
	for _, s := range files {
		if product(s) && (strings.HasPrefix(s.dir, "internal/") || strings.HasPrefix(s.dir, "cmd/")) {
			out = append(out, s)
		}
	}
	return out
}

func TestFunctionsAreReached(t *testing.T) {
	t.Parallel()
	var programs []source
	for _, s := range tree(t) {
		if !s.test && !helper(s.dir) && (matches("sim/...", s.dir) || s.file.Name.Name == "main" || matches("web", s.dir)) {
			programs = append(programs, s)
		}
	}
	for _, d := range dead(service(tree(t)), programs) {
		t.Errorf("%s: no program calls %s: delete it, with its tests", d.at, d.name)
	}
}

var reference = regexp.MustCompile(`#/components/schemas/(\w+)`)

// TestExportedNamesAreUsed leaves out types that are used by reflection: schemas of the interface and
// tools of assistants.
func TestExportedNamesAreUsed(t *testing.T) {
	t.Parallel()
	schemas := map[string]bool{}
	for _, m := range reference.FindAllStringSubmatch(read(t, "../../api/openapi.json"), -1) {
		schemas[m[1]] = true
	}
	schema := func(dir, id string) bool {
		return schemas[id] || dir == "internal/httpapi" || dir == "internal/mcpserver"
	}
	for _, why := range held(exported(service(tree(t)), tree(t), schema), readKept(t), "is exported and used in its own package only: begin it with a small letter") {
		t.Error(why)
	}
}
