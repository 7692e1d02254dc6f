package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// goDecl is a top-level declaration of a Go file.
type goDecl struct {
	Symbol
	kind string // func, type, const, var
}

func goDecls(content []byte) []goDecl {
	fset, file, _ := ParseGo(content, parser.ParseComments)
	if file == nil {
		return nil
	}
	var out []goDecl
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	lines := func(n ast.Node) (start, end int) { // the end of a broken declaration may be unknown
		start = line(n.Pos())
		return start, max(start, line(n.End()))
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) == 1 {
				if r := receiver(d.Recv.List[0].Type); r != "" {
					name = r + "." + name
				}
			}
			start, end := lines(d)
			out = append(out, goDecl{Symbol: Symbol{name, start, end}, kind: "func"})
		case *ast.GenDecl:
			given := 0 // line of the last value that the next constants repeat
			for _, s := range d.Specs {
				start, end := lines(s)
				if len(d.Specs) == 1 {
					start, end = lines(d)
				}
				if v, is := s.(*ast.ValueSpec); is && d.Tok == token.CONST {
					if len(v.Values) > 0 || given == 0 {
						given = start
					} else if end-given < definitionMax {
						start = given
					}
				}
				switch s := s.(type) {
				case *ast.TypeSpec:
					out = append(out, goDecl{Symbol: Symbol{s.Name.Name, start, end}, kind: "type"})
				case *ast.ValueSpec:
					for _, n := range s.Names {
						out = append(out, goDecl{Symbol: Symbol{n.Name, start, end}, kind: strings.ToLower(d.Tok.String())})
					}
				}
			}
		}
	}
	return out
}

// receiver returns the type of a receiver without pointer and type parameters.
func receiver(e ast.Expr) string {
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.ParenExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// enclosingDecl returns the function or type around a line. Top-level declarations do not overlap and are
// in the order of the file.
func enclosingDecl(decls []goDecl, line int) (Symbol, bool) {
	i, _ := slices.BinarySearchFunc(decls, line+1, func(d goDecl, line int) int { return d.Start - line })
	for i--; i >= 0 && decls[i].Contains(line); i-- {
		if d := decls[i]; d.kind == "func" || d.kind == "type" {
			return d.Symbol, true
		}
	}
	return Symbol{}, false
}

// goMembers returns the fields of structs and the methods of interfaces with a name.
func goMembers(content []byte, name string) (out []Symbol) {
	fset, file, _ := ParseGo(content, 0)
	if file == nil {
		return nil
	}
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			t, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			for _, f := range membersOf(t.Type) {
				for _, n := range f.Names {
					if n.Name == name {
						start := line(f.Pos())
						out = append(out, Symbol{t.Name.Name + "." + name, start, max(start, line(f.End()))})
					}
				}
			}
		}
	}
	return out
}

// membersOf returns the fields of a struct or the methods of an interface.
func membersOf(e ast.Expr) []*ast.Field {
	var list *ast.FieldList
	switch t := e.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	}
	if list == nil {
		return nil
	}
	return list.List
}
