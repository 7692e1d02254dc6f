package structure

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// goContracts reads the contracts of a Go file.
func goContracts(content []byte) []Contract {
	fset, file, _ := ParseGo(content, 0)
	if file == nil {
		return nil
	}
	r := goReader{fset: fset, content: content}
	var out []Contract
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			out = append(out, r.function(d))
		case *ast.GenDecl:
			for _, s := range d.Specs {
				out = append(out, r.spec(d, s)...)
			}
		}
		if len(out) >= MaxContracts {
			return out[:MaxContracts]
		}
	}
	return out
}

// goReader reads declarations of one file.
type goReader struct {
	fset    *token.FileSet
	content []byte
}

// text returns the source of a node without white space.
func (r goReader) text(n ast.Node) string {
	from, to := r.fset.PositionFor(n.Pos(), false).Offset, r.fset.PositionFor(n.End(), false).Offset
	if from < 0 || to > len(r.content) || from > to {
		return ""
	}
	return squeeze(string(r.content[from:to]))
}

func (r goReader) symbol(name string, from, to token.Pos) Symbol {
	start := r.fset.PositionFor(from, false).Line
	return Symbol{name, start, max(start, r.fset.PositionFor(to, false).Line)} // the end of a broken declaration may be unknown
}

func (r goReader) function(d *ast.FuncDecl) Contract {
	name := d.Name.Name
	if d.Recv != nil && len(d.Recv.List) == 1 {
		if owner := receiver(d.Recv.List[0].Type); owner != "" {
			name = owner + "." + name
		}
	}
	c := Contract{Symbol: r.symbol(name, d.Pos(), d.End()), Kind: KindFunc, Signature: r.signature(d.Type)}
	if d.Body == nil {
		return c
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // leaves the inner function, not this one
		case *ast.ReturnStmt:
			var shapes []string
			for _, e := range n.Results {
				shapes = append(shapes, r.shape(e))
			}
			c.Returns = append(c.Returns, strings.Join(shapes, ","))
		case *ast.IfStmt:
			if endsByLeaving(n.Body) {
				c.Guards = append(c.Guards, r.text(n.Cond))
			}
		}
		return true
	})
	slices.Sort(c.Guards)
	slices.Sort(c.Returns)
	c.Returns = slices.Compact(c.Returns)
	return c
}

// signature returns the types of parameters and results, without names.
func (r goReader) signature(t *ast.FuncType) string {
	var b strings.Builder
	for _, list := range []*ast.FieldList{t.TypeParams, t.Params, t.Results} {
		b.WriteByte('(')
		if list != nil {
			for _, f := range list.List {
				for range max(len(f.Names), 1) {
					b.WriteString(r.text(f.Type) + ",")
				}
			}
		}
		b.WriteByte(')')
	}
	return b.String()
}

func (r goReader) spec(d *ast.GenDecl, s ast.Spec) (out []Contract) {
	from, to := s.Pos(), s.End()
	if len(d.Specs) == 1 {
		from, to = d.Pos(), d.End()
	}
	switch s := s.(type) {
	case *ast.TypeSpec:
		c := Contract{Symbol: r.symbol(s.Name.Name, from, to), Kind: KindType}
		switch t := s.Type.(type) {
		case *ast.StructType: // fields may change without effect on users
			c.Signature = "struct"
		case *ast.InterfaceType:
			c.Signature = r.text(t)
		default:
			c.Signature = r.text(s.Type)
		}
		return []Contract{c}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			c := Contract{Symbol: r.symbol(n.Name, from, to), Kind: KindValue}
			if s.Type != nil {
				c.Signature = r.text(s.Type)
			}
			if n.Name != "_" {
				out = append(out, c)
			}
		}
	}
	return out
}

// endsByLeaving reports whether a block ends by leaving.
func endsByLeaving(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok != token.FALLTHROUGH
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			return f.Name == "panic"
		case *ast.SelectorExpr:
			return f.Sel.Name == "Exit" || strings.HasPrefix(f.Sel.Name, "Fatal") || strings.HasPrefix(f.Sel.Name, "Panic")
		}
	}
	return false
}

// shape returns the kind of a returned expression: nil and other constants, an error by its name, an error,
// a wrapped error, or a value.
func (r goReader) shape(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING && len(e.Value) > 2 {
			return "text"
		}
		return e.Value
	case *ast.Ident:
		switch {
		case e.Name == "nil", e.Name == "true", e.Name == "false", strings.HasPrefix(e.Name, "Err"):
			return e.Name
		case strings.HasPrefix(e.Name, "err"):
			return "error"
		}
	case *ast.SelectorExpr:
		if strings.HasPrefix(e.Sel.Name, "Err") || e.Sel.Name == "EOF" {
			return r.text(e)
		}
	case *ast.CallExpr:
		switch name := r.text(e.Fun); {
		case name == "fmt.Errorf" && len(e.Args) > 0 && strings.Contains(r.text(e.Args[0]), "%w"):
			return "wrapped error"
		case name == "fmt.Errorf", name == "errors.New":
			return "error"
		}
	}
	return "value"
}
