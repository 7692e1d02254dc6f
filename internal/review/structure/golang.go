package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// maxGo bounds the bytes of a Go file that is parsed.
const maxGo = 4 << 20

// goFile parses a file as far as it goes; nil if nothing of it can be read.
func goFile(content []byte) (*token.FileSet, *ast.File) {
	if len(content) > maxGo {
		return nil, nil
	}
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "x.go", content, parser.SkipObjectResolution|parser.ParseComments)
	return fset, file
}

// goDecl is a top-level declaration of a Go file.
type goDecl struct {
	Symbol
	kind string // func, type, const, var
	body int    // line of a function's opening brace, 0 without a body
}

func goDecls(content []byte) []goDecl {
	fset, file := goFile(content)
	if file == nil {
		return nil
	}
	var out []goDecl
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) == 1 {
				if r := receiver(d.Recv.List[0].Type); r != "" {
					name = r + "." + name
				}
			}
			g := goDecl{Symbol: Symbol{name, line(d.Pos()), line(d.End())}, kind: "func"}
			if d.Body != nil {
				g.body = line(d.Body.Lbrace)
			}
			out = append(out, g)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				start, end := line(s.Pos()), line(s.End())
				if len(d.Specs) == 1 {
					start, end = line(d.Pos()), line(d.End())
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

// receiver names the type of a receiver without pointer and type parameters.
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

func goEnclosing(content []byte, line int) (Symbol, bool) {
	for _, d := range goDecls(content) {
		if d.Contains(line) && (d.kind == "func" || d.kind == "type") {
			return d.Symbol, true
		}
	}
	return Symbol{}, false
}
