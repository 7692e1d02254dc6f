package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
)

// mutant is one fault at one place of a room.
type mutant struct {
	File     string `json:"file"` // below the tree
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Kind     string `json:"kind"`
	What     string `json:"what"`
	Reached  bool   `json:"reached"` // a test executes the place
	Killed   bool   `json:"killed"`
	KilledBy string `json:"killedBy,omitempty"` // the first test that failed, or how the tests ended

	name     string // of the file in its folder
	from, to int    // the part of the file that text replaces
	text     func(n int) string
}

func (m mutant) id() string { return fmt.Sprintf("%s:%d:%d %s", m.File, m.Line, m.Column, m.Kind) }

func (m mutant) String() string { return m.id() + ": " + m.What }

// Kinds of mutants.
const (
	kindNegate     = "negate"     // a condition of if or switch
	kindBoundary   = "boundary"   // < and <=, > and >=
	kindEquality   = "equality"   // == and !=
	kindLogic      = "logic"      // && and ||
	kindArithmetic = "arithmetic" // + and - of numbers
	kindCall       = "call"       // a call whose results are not used is left out
	kindAssignment = "assignment" // an assignment is left out
	kindError      = "error"      // the last result is nil instead of an error
	kindFalse      = "false"      // the last result is false
	kindSQL        = "sql"        // a guard in a statement is always true
)

var swaps = map[token.Token]struct {
	kind string
	to   token.Token
}{
	token.LSS: {kindBoundary, token.LEQ}, token.LEQ: {kindBoundary, token.LSS},
	token.GTR: {kindBoundary, token.GEQ}, token.GEQ: {kindBoundary, token.GTR},
	token.EQL: {kindEquality, token.NEQ}, token.NEQ: {kindEquality, token.EQL},
	token.LAND: {kindLogic, token.LOR}, token.LOR: {kindLogic, token.LAND},
	token.ADD: {kindArithmetic, token.SUB}, token.SUB: {kindArithmetic, token.ADD},
}

// finder finds the mutants of one file.
type finder struct {
	fset  *token.FileSet
	info  *types.Info
	src   string
	name  string
	below string            // folder below the tree
	whole map[ast.Expr]bool // conditions that are negated as a whole
	found []mutant
}

// source returns the text of a node.
func (f *finder) source(n ast.Node) string {
	return f.src[f.fset.Position(n.Pos()).Offset:f.fset.Position(n.End()).Offset]
}

// add adds a mutant that replaces from … to; at is the place that identifies it.
func (f *finder) add(kind string, at, from, to token.Pos, what string, text func(n int) string) {
	p := f.fset.Position(at)
	f.found = append(f.found, mutant{File: f.below + "/" + f.name, Line: p.Line, Column: p.Column, Kind: kind, What: what,
		name: f.name, from: f.fset.Position(from).Offset, to: f.fset.Position(to).Offset, text: text})
}

func (f *finder) visit(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.GenDecl:
		return x.Tok == token.VAR
	case *ast.Field: // types and tags
		return false
	case *ast.FuncDecl:
		if x.Body != nil {
			f.results(x.Body, f.info.Defs[x.Name].Type().(*types.Signature))
		}
	case *ast.FuncLit:
		f.results(x.Body, f.info.Types[x].Type.Underlying().(*types.Signature))
	case *ast.IfStmt:
		f.negate(x.Cond)
	case *ast.SwitchStmt:
		for _, c := range x.Body.List {
			if c := c.(*ast.CaseClause); x.Tag == nil && len(c.List) == 1 {
				f.negate(c.List[0])
			}
		}
	case *ast.BlockStmt:
		f.statements(x.List)
	case *ast.CaseClause:
		f.statements(x.Body)
	case *ast.CommClause:
		f.statements(x.Body)
	case *ast.BinaryExpr:
		f.swap(x)
	case *ast.BasicLit:
		f.sql(x)
	}
	return true
}

func (f *finder) isConstant(e ast.Expr) bool { return f.info.Types[e].Value != nil }

func (f *finder) negate(cond ast.Expr) {
	if f.isConstant(cond) {
		return
	}
	f.whole[ast.Unparen(cond)] = true
	src := f.source(cond)
	f.add(kindNegate, cond.Pos(), cond.Pos(), cond.End(), "! "+short(src), func(n int) string {
		return fmt.Sprintf("assayOn(%d) != (%s)", n, src)
	})
}

func (f *finder) swap(x *ast.BinaryExpr) {
	s, ok := swaps[x.Op]
	if !ok || f.isConstant(x) || s.kind == kindEquality && f.whole[x] {
		return
	}
	kept, changed := f.source(x), f.source(x.X)+" "+s.to.String()+" "+f.source(x.Y)
	text := func(n int) string {
		return fmt.Sprintf("(!assayOn(%d) && (%s) || assayOn(%d) && (%s))", n, kept, n, changed)
	}
	if s.kind == kindArithmetic {
		basic, ok := f.info.Types[x].Type.Underlying().(*types.Basic)
		if !ok || basic.Info()&types.IsNumeric == 0 || !f.isPure(x) {
			return
		}
		text = func(n int) string { return fmt.Sprintf("assayPick(%d, %s, %s)", n, kept, changed) }
	}
	f.add(s.kind, x.OpPos, x.Pos(), x.End(), short(kept)+" → "+s.to.String(), text)
}

// isPure reports whether an expression may be evaluated twice.
func (f *finder) isPure(e ast.Expr) bool {
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			pure = pure && (f.info.Types[x.Fun].IsType() || f.source(x.Fun) == "len")
		case *ast.UnaryExpr:
			pure = pure && x.Op != token.ARROW
		}
		return pure
	})
	return pure
}

// statements finds the statements of a list that can be left out.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		kind := kindAssignment
		switch x := s.(type) {
		case *ast.ExprStmt:
			call, ok := x.X.(*ast.CallExpr)
			if !ok || f.isSilent(call) {
				continue
			}
			kind = kindCall
		case *ast.AssignStmt:
			if x.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt:
		default:
			continue
		}
		src := f.source(s)
		f.add(kind, s.Pos(), s.Pos(), s.End(), "without "+short(src), func(n int) string {
			return fmt.Sprintf("if !assayOn(%d) { %s }", n, src)
		})
	}
}

// isSilent reports whether a call cannot be left out (panic), or only writes the log.
func (f *finder) isSilent(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return f.source(call.Fun) == "panic"
	}
	used := f.info.Uses[sel.Sel]
	return used != nil && used.Pkg() != nil && used.Pkg().Path() == "log/slog"
}

// results finds the last results of a function's returns, without those of functions inside.
func (f *finder) results(body *ast.BlockStmt, sig *types.Signature) {
	count := sig.Results().Len()
	if count == 0 {
		return
	}
	last := sig.Results().At(count - 1).Type()
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		ret, ok := n.(*ast.ReturnStmt)
		if !ok || len(ret.Results) != count {
			return true
		}
		e := ret.Results[count-1]
		src, value := f.source(e), f.info.Types[e]
		basic, _ := last.Underlying().(*types.Basic)
		switch {
		case types.Identical(last, types.Universe.Lookup("error").Type()) && !value.IsNil():
			f.add(kindError, e.Pos(), e.Pos(), e.End(), "return nil, not "+short(src), func(n int) string {
				return fmt.Sprintf("assayError(%d, %s)", n, src)
			})
		case basic != nil && basic.Kind() == types.Bool && (value.Value == nil || constant.BoolVal(value.Value)):
			f.add(kindFalse, e.Pos(), e.Pos(), e.End(), "return false, not "+short(src), func(n int) string {
				return fmt.Sprintf("!assayOn(%d) && (%s)", n, src)
			})
		}
		return true
	})
}

// short returns a text in one line of at most 70 characters.
func short(s string) string { return clip.Runes(strings.Join(strings.Fields(s), " "), 70, "…") }
