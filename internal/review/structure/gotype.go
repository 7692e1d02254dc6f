package structure

import (
	"go/ast"
	"go/token"
	"strings"
)

// maxSteps bounds how far a type is followed from one declaration to the next.
const maxSteps = 12

// typed wraps a type in place of a value. element wraps a value whose elements a loop takes.
type (
	typed   struct{ ast.Expr }
	element struct{ ast.Expr }
)

// scopeOf returns the variables of a function with their types, or with their initial values. A name with
// different types maps to nil.
func scopeOf(f *ast.FuncDecl) map[string]ast.Expr {
	scope, was := map[string]ast.Expr{}, map[string]string{}
	add := func(name string, e ast.Expr) {
		if name == "_" {
			return
		}
		if _, twice := scope[name]; twice && e != nil {
			if t, ok := e.(typed); !ok || receiverOf(t.Expr) != was[name] {
				e = nil
			}
		} else if t, ok := e.(typed); ok {
			was[name] = receiverOf(t.Expr)
		}
		scope[name] = e
	}
	list := func(l *ast.FieldList) {
		if l == nil {
			return
		}
		for _, p := range l.List {
			for _, n := range p.Names {
				add(n.Name, typed{p.Type})
			}
		}
	}
	list(f.Recv)
	list(f.Type.TypeParams)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			list(n.Params)
			list(n.Results)
		case *ast.ValueSpec:
			for i, name := range n.Names {
				add(name.Name, valueOf(n, i))
			}
		case *ast.TypeSpec:
			add(n.Name.Name, nil)
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				if id, ok := n.Key.(*ast.Ident); ok {
					add(id.Name, nil)
				}
				if id, ok := n.Value.(*ast.Ident); ok {
					add(id.Name, element{n.X})
				}
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for i, left := range n.Lhs {
					if id, ok := left.(*ast.Ident); ok {
						add(id.Name, assignedValue(n, i))
					}
				}
			}
		}
		return true
	})
	return scope
}

// assignedValue returns the value that a name gets in an assignment. If a call has several results, only the
// first is followed.
func assignedValue(n *ast.AssignStmt, i int) ast.Expr {
	switch {
	case len(n.Rhs) == len(n.Lhs):
		return n.Rhs[i]
	case i == 0 && len(n.Rhs) == 1:
		return n.Rhs[0]
	}
	return nil
}

// receiverOf returns the name of a type, "" for nil.
func receiverOf(e ast.Expr) string {
	if e == nil {
		return ""
	}
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	if s, ok := e.(*ast.StarExpr); ok {
		return receiverOf(s.X)
	}
	return receiver(e)
}

// typeName returns the name of a value's type. If a field or a method leads to a type that the file does not
// declare, it returns the last known type and the fields after it.
func (t *goTypes) typeName(e ast.Expr, scope map[string]ast.Expr, step int) (name string, fields []string) {
	e = t.follow(e, scope, step)
	s, ok := e.(*ast.SelectorExpr)
	switch {
	case e == nil:
		return "", nil
	case !ok:
		return receiverOf(e), nil
	case t.imported(s, scope):
		return s.Sel.Name, nil
	}
	owner, more := t.typeName(s.X, scope, step+1)
	if owner == "" {
		return "", nil
	}
	return owner, append([]string{s.Sel.Name}, more...)
}

// imported reports whether a selector names a declaration of another package.
func (t *goTypes) imported(s *ast.SelectorExpr, scope map[string]ast.Expr) bool {
	x, ok := s.X.(*ast.Ident)
	if !ok {
		return false
	}
	_, local := scope[x.Name]
	return !local && t.imports[x.Name] != ""
}

// follow returns the type of a value as it is written, without pointers, or a selector that the file cannot
// resolve; nil if nothing is known.
func (t *goTypes) follow(e ast.Expr, scope map[string]ast.Expr, step int) ast.Expr {
	for ; e != nil && step < maxSteps; step++ {
		switch x := e.(type) {
		case typed:
			return stripPointers(x.Expr)
		case element:
			switch l := t.follow(x.Expr, scope, step+1).(type) {
			case *ast.ArrayType:
				return stripPointers(l.Elt)
			case *ast.MapType:
				return stripPointers(l.Value)
			case *ast.Ellipsis:
				return stripPointers(l.Elt)
			}
			return nil
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return nil
			}
			e = x.X
		case *ast.CompositeLit:
			return stripPointers(x.Type)
		case *ast.TypeAssertExpr:
			return stripPointers(x.Type)
		case *ast.IndexExpr:
			return t.follow(element{x.X}, scope, step+1)
		case *ast.SliceExpr:
			e = x.X
		case *ast.CallExpr:
			return t.resultType(x, scope, step)
		case *ast.SelectorExpr:
			owner, more := t.typeName(x.X, scope, step+1)
			if field := t.fields[owner][x.Sel.Name]; field != nil && len(more) == 0 {
				return stripPointers(field)
			}
			return x
		case *ast.Ident:
			value, local := scope[x.Name]
			if !local {
				value = t.values[x.Name]
			}
			e = value
		default:
			return nil
		}
	}
	return nil
}

// stripPointers returns a type without its pointers and parentheses.
func stripPointers(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return e
		}
	}
}

// resultType returns the type of a call's result.
func (t *goTypes) resultType(c *ast.CallExpr, scope map[string]ast.Expr, step int) ast.Expr {
	name := ""
	switch f := c.Fun.(type) {
	case *ast.Ident:
		if name = f.Name; name == "new" && len(c.Args) == 1 {
			return stripPointers(c.Args[0])
		}
		if t.types[name] { // a conversion
			return f
		}
		if r := t.results[name]; r != nil {
			return stripPointers(r)
		}
	case *ast.SelectorExpr:
		name = f.Sel.Name
		if t.imported(f, scope) {
			break
		}
		owner, more := t.typeName(f.X, scope, step+1)
		if owner == "" || len(more) > 0 {
			return nil
		}
		if r := t.results[owner+"."+name]; r != nil {
			return stripPointers(r)
		}
		return nil
	case *ast.ParenExpr: // (*T)(x)
		return stripPointers(f.X)
	}
	if made, ok := strings.CutPrefix(name, "New"); ok && made != "" { // by convention
		return ast.NewIdent(made)
	}
	return nil
}
