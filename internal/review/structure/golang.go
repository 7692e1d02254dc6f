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
			for _, s := range d.Specs {
				start, end := lines(s)
				if len(d.Specs) == 1 {
					start, end = lines(d)
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
