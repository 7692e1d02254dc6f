package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Use is a place where a file uses a name that the surrounding function does not declare.
type Use struct {
	Name   string
	Line   int
	Dotted bool     // the name stands behind a dot
	Import string   // the path of the import before the dot, or ""
	Type   string   // the type of the value before the dot, if the file shows it
	Fields []string // if the file does not show the type: the fields that lead to it, last first; Type is then the type of the first value
	In     Symbol   // the declaration around it
}

// maxUses bounds the uses of one file.
const maxUses = 500

// GoUses returns the uses of names in a Go file in their order, at most 500, and the name of its package.
// It returns zero values for a file beyond the bounds of reading. It ignores comments, strings, keys of
// composite literals and variables of the same name.
func GoUses(content []byte, names map[string]bool) (pkg string, uses []Use) {
	fset, file, _ := ParseGo(content, 0)
	if file == nil || file.Name == nil {
		return "", nil
	}
	t := newGoTypes(file)
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	for _, d := range file.Decls {
		v := useVisitor{types: t, names: names, line: line, in: declared(d, line)}
		if f, ok := d.(*ast.FuncDecl); ok {
			v.scope = scopeOf(f)
			v.in = Symbol{nameOf(f), line(f.Pos()), line(f.End())}
		}
		ast.Walk(&v, d)
		uses = append(uses, v.found...)
		if len(uses) >= maxUses {
			uses = uses[:maxUses]
			break
		}
	}
	slices.SortStableFunc(uses, func(a, b Use) int { return a.Line - b.Line })
	return file.Name.Name, uses
}

// declared returns the symbol of a declaration, without a name if it declares several.
func declared(d ast.Decl, line func(token.Pos) int) Symbol {
	s := Symbol{Start: line(d.Pos()), End: line(d.End())}
	if g, ok := d.(*ast.GenDecl); ok && len(g.Specs) == 1 {
		switch spec := g.Specs[0].(type) {
		case *ast.TypeSpec:
			s.Name = spec.Name.Name
		case *ast.ValueSpec:
			s.Name = spec.Names[0].Name
		}
	}
	return s
}

func nameOf(f *ast.FuncDecl) string {
	if f.Recv != nil && len(f.Recv.List) == 1 {
		if r := receiver(f.Recv.List[0].Type); r != "" {
			return r + "." + f.Name.Name
		}
	}
	return f.Name.Name
}

// useVisitor collects the uses in one declaration.
type useVisitor struct {
	types *goTypes
	scope map[string]ast.Expr
	names map[string]bool
	line  func(token.Pos) int
	in    Symbol
	found []Use
}

// Visit implements [ast.Visitor].
func (v *useVisitor) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncDecl: // the declared name is not a use
		if n.Recv != nil {
			ast.Walk(v, n.Recv)
		}
		ast.Walk(v, n.Type)
		if n.Body != nil {
			ast.Walk(v, n.Body)
		}
		return nil
	case *ast.TypeSpec:
		ast.Walk(v, n.Type)
		return nil
	case *ast.ImportSpec:
		return nil
	case *ast.Field:
		if n.Type != nil {
			ast.Walk(v, n.Type)
		}
		return nil
	case *ast.ValueSpec:
		if n.Type != nil {
			ast.Walk(v, n.Type)
		}
		for _, e := range n.Values {
			ast.Walk(v, e)
		}
		return nil
	case *ast.KeyValueExpr:
		if _, field := n.Key.(*ast.Ident); !field {
			ast.Walk(v, n.Key)
		}
		ast.Walk(v, n.Value)
		return nil
	case *ast.SelectorExpr:
		ast.Walk(v, n.X)
		if v.names[n.Sel.Name] && len(v.found) < maxUses {
			v.found = append(v.found, v.selected(n))
		}
		return nil
	case *ast.Ident:
		if _, local := v.scope[n.Name]; v.names[n.Name] && !local && len(v.found) < maxUses {
			v.found = append(v.found, Use{Name: n.Name, Line: v.line(n.Pos()), In: v.in})
		}
	}
	return v
}

// selected returns the use of the name behind a dot.
func (v *useVisitor) selected(n *ast.SelectorExpr) Use {
	u := Use{Name: n.Sel.Name, Line: v.line(n.Sel.Pos()), Dotted: true, In: v.in}
	if x, ok := n.X.(*ast.Ident); ok {
		if _, local := v.scope[x.Name]; !local && v.types.imports[x.Name] != "" {
			u.Import = v.types.imports[x.Name]
			return u
		}
	}
	u.Type, u.Fields = v.types.typeName(n.X, v.scope, 0)
	return u
}

// goTypes holds the types of a file's declarations.
type goTypes struct {
	imports map[string]string              // by their names in the file
	fields  map[string]map[string]ast.Expr // types of fields by type and name
	results map[string]ast.Expr            // first result by function or Type.Method
	values  map[string]ast.Expr            // types or values of variables of the package
	types   map[string]bool
}

func newGoTypes(file *ast.File) *goTypes {
	t := &goTypes{map[string]string{}, map[string]map[string]ast.Expr{}, map[string]ast.Expr{}, map[string]ast.Expr{}, map[string]bool{}}
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		name := importName(path)
		if i.Name != nil {
			name = i.Name.Name
		}
		t.imports[name] = path
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Type.Results != nil && len(d.Type.Results.List) > 0 {
				t.results[nameOf(d)] = d.Type.Results.List[0].Type
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				t.spec(s)
			}
		}
	}
	return t
}

func (t *goTypes) spec(s ast.Spec) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		t.types[s.Name.Name] = true
		if st, ok := s.Type.(*ast.StructType); ok {
			t.fields[s.Name.Name] = map[string]ast.Expr{}
			for _, f := range st.Fields.List {
				for _, n := range f.Names {
					t.fields[s.Name.Name][n.Name] = f.Type
				}
				if len(f.Names) == 0 {
					t.fields[s.Name.Name][receiverOf(f.Type)] = f.Type
				}
			}
		}
	case *ast.ValueSpec:
		for i, n := range s.Names {
			if e := valueOf(s, i); e != nil {
				t.values[n.Name] = e
			}
		}
	}
}

// importName returns the usual name of a package by its path: that of its folder, before a version.
func importName(path string) string {
	parts := strings.Split(path, "/")
	name := parts[len(parts)-1]
	if len(parts) > 1 && len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = parts[len(parts)-2]
	}
	name, _, _ = strings.Cut(name, ".")
	return name[strings.LastIndexByte(name, '-')+1:]
}

// valueOf returns the type or the value of a name in a variable declaration.
func valueOf(s *ast.ValueSpec, i int) ast.Expr {
	switch {
	case s.Type != nil:
		return typed{s.Type}
	case i < len(s.Values):
		return s.Values[i]
	case len(s.Values) == 1 && i == 0:
		return s.Values[0]
	}
	return nil
}

// GoField returns the type of a field that a Go file declares, without pointers; "" if it does not declare
// the field.
func GoField(content []byte, owner, field string) string {
	_, file, _ := ParseGo(content, 0)
	if file == nil {
		return ""
	}
	return receiverOf(newGoTypes(file).fields[owner][field])
}

// GoPackage returns the name of a Go file's package, "" if it cannot be read.
func GoPackage(content []byte) string {
	_, file, _ := ParseGo(content, parser.PackageClauseOnly)
	if file == nil || file.Name == nil {
		return ""
	}
	return file.Name.Name
}
