package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// formatAt maps functions to the place of their format.
var formatAt = map[string]int{"fmt.Printf": 0, "fmt.Sprintf": 0, "fmt.Errorf": 0, "fmt.Fprintf": 1, "fmt.Appendf": 1, "log.Printf": 0,
	"log.Fatalf": 0, "log.Panicf": 0}

// format reports a call whose format has another number of verbs than the call has arguments.
func (r *goReading) format(call *ast.CallExpr) {
	name := r.function(call)
	at, ok := formatAt[name]
	if !ok || len(call.Args) <= at || call.Ellipsis.IsValid() {
		return
	}
	text, ok := joinedLiteral(call.Args[at])
	if !ok {
		return
	}
	needed, ok := countVerbs(text)
	if given := len(call.Args) - at - 1; ok && needed != given {
		var parts []ast.Node
		for _, arg := range call.Args {
			parts = append(parts, arg)
		}
		r.addFor(call, parts, "assay/go-printf-arguments", "", domain.Medium, wording.SayGoFormat, name, given, needed)
	}
}

// maxLiterals bounds the literals that are joined to a format.
const maxLiterals = 100

// joinedLiteral returns the value of a string literal, or of literals that "+" joins.
func joinedLiteral(e ast.Expr) (string, bool) {
	var parts []string
	for range maxLiterals {
		b, ok := e.(*ast.BinaryExpr)
		if !ok {
			break
		}
		v := literalValue(b.Y)
		if b.Op != token.ADD || v == nil || v.Kind() != constant.String {
			return "", false
		}
		parts = append(parts, constant.StringVal(v))
		e = b.X
	}
	v := literalValue(e)
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	var b strings.Builder
	b.WriteString(constant.StringVal(v))
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String(), true
}

// countVerbs counts the arguments that a format takes (package fmt). ok is false for formats that name their arguments by an index or
// end within a verb.
func countVerbs(format string) (n int, ok bool) {
	for i := 0; i < len(format); {
		if format[i] != '%' {
			i++
			continue
		}
		i++
		for i < len(format) && strings.IndexByte("+-# 0123456789.*", format[i]) >= 0 {
			if format[i] == '*' {
				n++
			}
			i++
		}
		if i == len(format) || format[i] == '[' {
			return 0, false
		}
		verb, size := utf8.DecodeRuneInString(format[i:])
		if verb != '%' {
			n++
		}
		i += size
	}
	return n, true
}

// pureFunctions are functions of the standard library that only return a value.
var pureFunctions = stringSet(`fmt.Sprintf fmt.Sprint fmt.Sprintln fmt.Errorf errors.New errors.Is errors.Unwrap errors.Join
	strings.Clone strings.Contains strings.Count strings.Cut strings.EqualFold strings.Fields strings.HasPrefix strings.HasSuffix
	strings.Index strings.Join strings.LastIndex strings.Repeat strings.Replace strings.ReplaceAll strings.Split strings.SplitN
	strings.Title strings.ToLower strings.ToTitle strings.ToUpper strings.Trim strings.TrimLeft strings.TrimPrefix strings.TrimRight
	strings.TrimSpace strings.TrimSuffix strconv.Itoa strconv.Quote strconv.FormatInt strconv.FormatUint strconv.FormatBool
	strconv.FormatFloat context.WithValue context.Background context.TODO path.Join path.Clean path.Base path/filepath.Join
	path/filepath.Clean path/filepath.Base slices.Contains slices.Clone slices.Concat maps.Clone sort.Reverse`)

// unusedResult reports a statement that only computes a value. Tests and benchmarks do so on purpose.
func (r *goReading) unusedResult(s *ast.ExprStmt) {
	call, ok := s.X.(*ast.CallExpr)
	if !ok || r.isTest {
		return
	}
	if name := r.function(call); pureFunctions[name] {
		r.add(s, "assay/go-unused-result", domain.Medium, wording.SayGoUnused, name)
	}
}

// deferredRecover reports a recover that is deferred itself, which stops no panic.
func (r *goReading) deferredRecover(s *ast.DeferStmt) {
	if id, ok := s.Call.Fun.(*ast.Ident); ok && id.Name == "recover" && !r.declared["recover"] {
		r.add(s, "assay/go-deferred-recover", domain.High, wording.SayGoRecover)
	}
}

// lateAdd reports a goroutine that adds itself to a wait group.
func (r *goReading) lateAdd(s *ast.GoStmt) {
	fn, ok := s.Call.Fun.(*ast.FuncLit)
	if !ok || len(fn.Body.List) < 2 || r.imports["sync"] != "sync" {
		return
	}
	first, ok := fn.Body.List[0].(*ast.ExprStmt)
	if !ok {
		return
	}
	call, ok := first.X.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	one := literalValue(call.Args[0])
	if !ok || sel.Sel.Name != "Add" || one == nil || one.ExactString() != "1" {
		return
	}
	group := r.key(sel.X)
	second, ok := fn.Body.List[1].(*ast.DeferStmt)
	if !ok || group == "" || !r.isDone(second.Call, group) || !r.isWaitGroup(sel.X) {
		return
	}
	done := 0
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && r.isDone(c, group) {
			done++
		}
		return done < 2
	})
	if done == 1 {
		r.addFor(first, []ast.Node{s, second}, "assay/go-late-add", "", domain.Medium, wording.SayGoLateAdd, r.shown(sel.X))
	}
}

// isWaitGroup reports whether the file declares a variable or a field with the last name of an expression as a sync.WaitGroup.
func (r *goReading) isWaitGroup(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return r.groups[e.Name]
	case *ast.SelectorExpr:
		return r.groups[e.Sel.Name]
	}
	return false
}

// isDone reports whether a call is the method Done of a wait group.
func (r *goReading) isDone(call *ast.CallExpr, group string) bool {
	x, name := method(call)
	return x != nil && name == "Done" && r.key(x) == group
}

// statements reports faults that need two statements in a row: a deferred lock instead of the unlock, and a body that is closed before
// its error is checked.
func (r *goReading) statements(list []ast.Stmt) {
	for i, s := range list {
		d, ok := s.(*ast.DeferStmt)
		if !ok || i == 0 {
			continue
		}
		x, name := method(d.Call)
		if x == nil {
			continue
		}
		switch name {
		case "Lock", "RLock":
			if before, ok := list[i-1].(*ast.ExprStmt); ok {
				if call, ok := before.X.(*ast.CallExpr); ok && r.key(call.Fun) != "" && r.key(call.Fun) == r.key(d.Call.Fun) && len(call.Args) == 0 {
					r.addFor(d, []ast.Node{before}, "assay/go-deferred-lock", "", domain.High, wording.SayGoLock, r.shown(d.Call))
				}
			}
		case "Close":
			if i+1 < len(list) && r.isUnchecked(list[i-1], x, list[i+1]) {
				r.addFor(d, []ast.Node{list[i-1], list[i+1]}, "assay/go-unchecked-body", "", domain.High, wording.SayGoBody,
					r.shown(x.(*ast.SelectorExpr).X))
			}
		}
	}
}

// isUnchecked reports whether a body is that of a response whose error is checked by a later statement only.
func (r *goReading) isUnchecked(made ast.Stmt, body ast.Expr, check ast.Stmt) bool {
	assign, ok := made.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 {
		return false
	}
	sel, ok := body.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Body" || r.key(sel.X) == "" || r.key(sel.X) != r.key(assign.Lhs[0]) {
		return false
	}
	branch, ok := check.(*ast.IfStmt)
	if !ok || branch.Init != nil {
		return false
	}
	cond, ok := branch.Cond.(*ast.BinaryExpr)
	return ok && cond.Op == token.NEQ && r.key(cond.X) == r.key(assign.Lhs[1]) && r.key(cond.X) != "" && r.key(cond.Y) == "nil"
}
