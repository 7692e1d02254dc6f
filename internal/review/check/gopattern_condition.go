package check

import (
	"go/ast"
	"go/constant"
	"go/token"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// binary reports operations whose operands are equal, and conditions with one result. Tests of compilers use equal operands on purpose.
func (r *goReading) binary(e *ast.BinaryExpr) {
	switch e.Op {
	case token.LAND, token.LOR:
		if !r.joined[e] {
			r.operands(e)
		}
	case token.LSS, token.GTR, token.AND, token.OR, token.XOR, token.AND_NOT:
		if k := r.key(e.X); k != "" && k == r.key(e.Y) && literalValue(e.X) == nil && !r.isTest {
			r.add(e, "assay/go-same-operands", domain.Medium, wording.SayGoSame, r.shown(e.X))
		}
	}
	if r.ignoresLength(e) {
		r.add(e, "assay/go-constant-condition", domain.Medium, wording.SayGoConstant, r.shown(e))
	}
}

// operands looks at a whole chain of one of && and ||. An operand with effects can change the values of others, so that only operands
// between two of these are compared.
func (r *goReading) operands(e *ast.BinaryExpr) {
	seen := map[string]ast.Node{}
	compared := map[string]comparison{}
	for _, x := range r.flatten(e, e.Op) {
		k := r.key(x)
		if k == "" {
			clear(seen)
			clear(compared)
			continue
		}
		if seen[k] != nil && literalValue(x) == nil {
			r.addFor(e, []ast.Node{x, seen[k]}, "assay/go-same-operands", e.Op.String()+k, domain.Medium, wording.SayGoSame, r.shown(x))
			return
		}
		seen[k] = x
		c, ok := r.comparison(x)
		if !ok || c.op != contradiction(e.Op) {
			continue
		}
		if o, there := compared[c.about]; there && o.value.Kind() == c.value.Kind() && constant.Compare(o.value, token.NEQ, c.value) {
			r.addFor(e, []ast.Node{x, o.at}, "assay/go-constant-condition", k+" "+r.key(o.at), domain.Medium, wording.SayGoConstant, r.shown(e))
			return
		}
		compared[c.about] = c
	}
}

// contradiction returns the comparison with different constants that a chain cannot have twice for one value.
func contradiction(chain token.Token) token.Token {
	if chain == token.LAND {
		return token.EQL
	}
	return token.NEQ
}

// flatten returns the operands of a chain of one operator in order.
func (r *goReading) flatten(e ast.Expr, op token.Token) (out []ast.Expr) {
	stack := []ast.Expr{e}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		inner := x
		for paren, ok := inner.(*ast.ParenExpr); ok; paren, ok = inner.(*ast.ParenExpr) {
			inner = paren.X
		}
		if b, ok := inner.(*ast.BinaryExpr); ok && b.Op == op {
			r.joined[b] = true
			stack = append(stack, b.Y, b.X)
			continue
		}
		out = append(out, x)
	}
	return out
}

// comparison is a comparison of an expression with a constant.
type comparison struct {
	about string // the key of the expression
	op    token.Token
	value constant.Value
	at    ast.Expr
}

// comparison returns a comparison with a whole number, a character or a string. Decimal fractions are left out, because two of these can
// be one value of a type.
func (r *goReading) comparison(e ast.Expr) (comparison, bool) {
	b, ok := e.(*ast.BinaryExpr)
	if !ok {
		if p, is := e.(*ast.ParenExpr); is {
			return r.comparison(p.X)
		}
		return comparison{}, false
	}
	x, value := b.X, literalValue(b.Y)
	if value == nil {
		x, value = b.Y, literalValue(b.X)
	}
	if value == nil || literalValue(x) != nil || value.Kind() == constant.Float {
		return comparison{}, false
	}
	return comparison{r.key(x), b.Op, value, e}, true
}

// literalValue returns the value of a literal, with its sign, or nil.
func literalValue(e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		if v := constant.MakeFromLiteral(e.Value, e.Kind, 0); v.Kind() != constant.Unknown && e.Kind != token.IMAG {
			return v
		}
	case *ast.UnaryExpr:
		if lit, ok := e.X.(*ast.BasicLit); ok && e.Op == token.SUB {
			if v := literalValue(lit); v != nil && v.Kind() != constant.String {
				return constant.UnaryOp(token.SUB, v, 0)
			}
		}
	}
	return nil
}

// turned are comparisons with their operands exchanged.
var turned = map[token.Token]token.Token{token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ,
	token.EQL: token.EQL, token.NEQ: token.NEQ}

// ignoresLength reports whether a comparison of a length has one result, because lengths are not negative.
func (r *goReading) ignoresLength(e *ast.BinaryExpr) bool {
	op, x, value := e.Op, e.X, literalValue(e.Y)
	if value == nil {
		op, x, value = turned[e.Op], e.Y, literalValue(e.X)
	}
	call, ok := x.(*ast.CallExpr)
	if !ok || value == nil || value.Kind() != constant.Int || !r.isLength(call) {
		return false
	}
	switch op {
	case token.LSS, token.GEQ:
		return constant.Sign(value) <= 0
	case token.GTR, token.LEQ, token.EQL, token.NEQ:
		return constant.Sign(value) < 0
	}
	return false
}

// selfAssignment reports a variable or a field that gets its own value.
func (r *goReading) selfAssignment(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return
	}
	switch s.Lhs[0].(type) {
	case *ast.Ident, *ast.SelectorExpr: // an element of a map comes into being by an assignment
		if k := r.key(s.Lhs[0]); k != "" && k == r.key(s.Rhs[0]) {
			r.add(s, "assay/go-same-operands", domain.Medium, wording.SayGoSame, r.shown(s.Lhs[0]))
		}
	}
}

// chain reports an "else if" with a condition of an earlier branch.
func (r *goReading) chain(s *ast.IfStmt) {
	if r.joined[s] {
		return
	}
	seen := map[string]ast.Node{}
	for at := s; at != nil; at, _ = at.Else.(*ast.IfStmt) {
		r.joined[at] = true
		if at.Init != nil {
			clear(seen)
		}
		r.branch(seen, at.Cond)
	}
}

// branch reports a condition if it was seen, and adds it. A condition with effects can change the results of others.
func (r *goReading) branch(seen map[string]ast.Node, cond ast.Expr) {
	k := r.key(cond)
	switch {
	case k == "":
		clear(seen)
	case seen[k] != nil && literalValue(cond) == nil:
		r.addFor(cond, []ast.Node{seen[k]}, "assay/go-repeated-condition", "", domain.Medium, wording.SayGoRepeated, r.shown(cond))
	}
	if k != "" {
		seen[k] = cond
	}
}

// cases reports a case of a switch with the expression of an earlier case.
func (r *goReading) cases(s *ast.SwitchStmt) {
	seen := map[string]ast.Node{}
	for _, stmt := range s.Body.List {
		c, ok := stmt.(*ast.CaseClause)
		if !ok {
			continue
		}
		for _, e := range c.List {
			r.branch(seen, e)
		}
		if n := len(c.Body); n > 0 {
			if b, ok := c.Body[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				clear(seen)
			}
		}
	}
}
