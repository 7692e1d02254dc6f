package fix

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// raising matches what reports an error, by language.
var (
	raising  = regexp.MustCompile(`\b(?:throw|raise|reject|panic)\b`)
	goErr    = regexp.MustCompile(`(?i)err`)
	catching = regexp.MustCompile(`\bcatch\s*(?:\([^)]*\))?\s*\{|\.catch\s*\(`)
	excepts  = regexp.MustCompile(`^(\s*)except\b[^\n]*:(.*)$`)
	silent   = regexp.MustCompile(`\bcontextlib\.suppress\b|\bsuppress\s*\(|\bon_error_resume|@SneakyThrows|\brescue\s+nil\b|` +
		`\.catchall\b|(?m:^\s*(?:await\s+)?Promise\.allSettled\()|\.then\([^;\n]*,\s*\(?\w*\)?\s*=>\s*(?:\{\s*\}|undefined|null)\s*\)|` +
		`\.onErrorResume\w*|\.orElse\(null\)|\bexpect\s+nothing\b`)
	dropped = regexp.MustCompile(`^(?:pass|continue|break|\.\.\.|(?:\w+\.)?noop|return|(?:return|(?:(?:let|var|const)?[\w.]+:?=))?(?:\(?` +
		`(?:null|undefined|None|nil|false|true|False|True|0|-1|""|\'\'|\[\]|\{\}|\(\)|List\.of\(\)|Optional\.empty\(\)|` +
		`Collections\.empty\w*\(\)|` +
		`(?:Map|Set)\.of\(\)|new\w+(?:<\w*>)?(?:\(\)|\[0\])|void0)\)?,?)*)?;?$`)
	logging = regexp.MustCompile(`^(?:await)?(?:console\.\w+|(?:\w+\.)*[lL]og(?:ger|ging|ging\.\w+)?(?:\.\w+)?|print(?:ln|` +
		`f)?|System\.(?:out|err)\.\w+|` +
		`fmt\.(?:Print|Fprint)\w*|slog\.\w+|\w+\.printStackTrace|traceback\.\w+|warnings\.warn|LOG(?:GER)?\.\w+)\(.*\)?;?$`)
	finallyLeaves = regexp.MustCompile(`\bfinally\s*[:{]\s*(?:return|break|continue)\b`)
)

// swallows reports whether errors that the file reported are dropped, or whether an added handler drops its error.
func swallows(p pair) bool {
	if p.before.language == "Go" {
		return goSwallows(p)
	}
	if p.loses(matching(raising, p.before.bareLines()), matching(raising, p.after.bareLines())) {
		return true
	}
	if len(finallyLeaves.FindAllStringIndex(p.after.bare, -1)) > len(finallyLeaves.FindAllStringIndex(p.before.bare, -1)) {
		return true
	}
	if len(silent.FindAllStringIndex(p.after.bare, -1)) > len(silent.FindAllStringIndex(p.before.bare, -1)) {
		return true
	}
	return len(droppingHandlers(p.after)) > len(droppingHandlers(p.before))
}

// droppingHandlers returns the handlers of a document that do nothing about their error.
func droppingHandlers(d *document) (out []string) {
	if d.language == "Python" {
		lines := d.codeLines()
		for i, l := range lines {
			m := excepts.FindStringSubmatch(l)
			if m == nil {
				continue
			}
			body := []string{m[2]}
			for _, next := range lines[i+1:] {
				text := strings.TrimLeft(next, " \t")
				if strings.TrimSpace(text) != "" && len(next)-len(text) <= len(m[1]) {
					break
				}
				body = append(body, text)
			}
			if drops(strings.Join(body, "\n")) {
				out = append(out, l)
			}
		}
		return out
	}
	for _, m := range catching.FindAllStringIndex(d.bare, -1) {
		open := m[1] - 1
		head := d.bare[m[0]:m[1]]
		end := closing(d.bare, open)
		body := d.code[open+1 : end]
		if strings.HasPrefix(head, ".") {
			body = callbackBody(body)
		}
		if drops(body) {
			out = append(out, head)
		}
	}
	return out
}

// callbackBody returns what the function does that is the argument of a call.
func callbackBody(argument string) string {
	_, body, found := strings.Cut(argument, "=>")
	if !found {
		if i := strings.IndexByte(argument, '{'); i >= 0 {
			body = argument[i:]
		} else {
			return argument // the name of a function
		}
	}
	body = strings.TrimSpace(body)
	if strings.HasPrefix(body, "{") && strings.HasSuffix(body, "}") && change.StripSpace(body) != "{}" {
		body = body[1 : len(body)-1]
	}
	return body
}

// drops reports whether every statement of a handler is empty, leaves, or returns a constant.
func drops(body string) bool {
	for part := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == '\n' || r == ';' }) {
		text := strings.TrimSpace(part)
		if strings.HasPrefix(text, "return ") {
			text = "return" + strings.TrimSpace(text[len("return "):])
		}
		if text = change.StripSpace(text); !dropped.MatchString(text) && !logging.MatchString(text) {
			return false
		}
	}
	return true
}

// closing returns the place of the bracket that ends the one at a place, or the end of the text.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// goErrors counts how a Go file deals with errors.
type goErrors struct {
	fset                    *token.FileSet
	reported                map[int]bool // lines that return an error or panic
	blank, empty, recovered int
}

// goSwallows reports whether a Go file reports fewer errors, or drops more, than before.
func goSwallows(p pair) bool {
	before, ok := countGoErrors(p.before)
	after, is := countGoErrors(p.after)
	return ok && is && (after.blank > before.blank || after.empty > before.empty || after.recovered > before.recovered ||
		p.loses(func(n int) bool { return before.reported[n] }, func(n int) bool { return after.reported[n] }))
}

// comparisons are functions whose last result is not an error.
var comparisons = wordSet(`Cut CutPrefix CutSuffix LookupEnv Lookup Load LoadOrStore LoadAndDelete Swap Caller BinarySearch
	DecodeRuneInString DecodeRune 	DecodeLastRuneInString FromContext Deadline Bounds`)

// countGoErrors reads a Go file.
func countGoErrors(d *document) (n goErrors, ok bool) {
	n.reported = map[int]bool{}
	var file *ast.File
	var err error
	n.fset, file, err = structure.ParseGo(d.raw, 0)
	if file == nil || err != nil {
		return n, false
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		n.count(fn.Body, reportsOf(fn.Type))
	}
	return n, true
}

// reports is how a function may report an error.
type reports int

const (
	byLog    reports = iota // it has no results
	byResult                // it has results without an error
	byError
)

func reportsOf(t *ast.FuncType) reports {
	if t.Results == nil {
		return byLog
	}
	if slices.ContainsFunc(t.Results.List, func(f *ast.Field) bool {
		id, ok := f.Type.(*ast.Ident)
		return ok && id.Name == "error"
	}) {
		return byError
	}
	return byResult
}

// count counts within the body of a function.
func (n *goErrors) count(body *ast.BlockStmt, by reports) {
	ast.Inspect(body, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.FuncLit:
			n.count(x.Body, reportsOf(x.Type))
			return false
		case *ast.DeferStmt:
			return !closes(x.Call)
		case *ast.ReturnStmt:
			if slices.ContainsFunc(x.Results, mentionsError) {
				n.reported[n.fset.Position(x.Pos()).Line] = true
			}
		case *ast.CallExpr:
			if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "panic" {
				n.reported[n.fset.Position(x.Pos()).Line] = true
			} else if ok && id.Name == "recover" {
				n.recovered++
			}
		case *ast.AssignStmt:
			if len(x.Rhs) == 1 && joinsErrors(x.Rhs[0]) {
				n.reported[n.fset.Position(x.Pos()).Line] = true
			}
			if last, ok := x.Lhs[len(x.Lhs)-1].(*ast.Ident); ok && last.Name == "_" && len(x.Rhs) == 1 && mayFail(x.Rhs[0]) {
				n.blank++
			} else if ok && last.Name == "_" && len(x.Rhs) == 1 && mentionsError(x.Rhs[0]) {
				n.blank++
			}
		case *ast.IfStmt:
			if isErrorTest(x.Cond) && !handles(x.Body, by) {
				n.empty++
			}
		}
		return true
	})
}

// closes reports whether a deferred function only closes something and drops the error, as a deferred call of Close does.
func closes(c *ast.CallExpr) bool {
	f, ok := c.Fun.(*ast.FuncLit)
	if !ok || len(f.Body.List) != 1 {
		return false
	}
	a, ok := f.Body.List[0].(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return false
	}
	call, ok := a.Rhs[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (s.Sel.Name == "Close" || s.Sel.Name == "Rollback")
}

// joinsErrors reports whether an expression joins errors, to report them later.
func joinsErrors(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || !slices.ContainsFunc(call.Args, mentionsError) {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name == "Join"
	case *ast.Ident:
		return f.Name == "append"
	}
	return false
}

// mayFail reports whether an expression is a call whose last result may be an error.
func mayFail(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return !comparisons[f.Sel.Name]
	case *ast.Ident:
		return !comparisons[f.Name]
	}
	return true
}

// isErrorTest reports whether a condition compares an error with nil and is true for an error.
func isErrorTest(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ {
		return false
	}
	x, ok := b.X.(*ast.Ident)
	y, is := b.Y.(*ast.Ident)
	return ok && is && y.Name == "nil" && goErr.MatchString(x.Name)
}

// handles reports whether a block does something about an error: it calls, assigns, names an error, leaves a function without an
// error among its results with a value, or writes a log in a function without results.
func handles(b *ast.BlockStmt, by reports) (does bool) {
	logs := false
	ast.Inspect(b, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.IncDecStmt, *ast.SendStmt:
			does = true
		case *ast.CallExpr:
			if isLog(x) {
				logs, does = true, does || by == byLog
				return false
			}
			does = true
		case *ast.AssignStmt:
			does = does || !slices.ContainsFunc(x.Lhs, func(e ast.Expr) bool { id, ok := e.(*ast.Ident); return ok && id.Name == "_" }) &&
				!slices.ContainsFunc(x.Rhs, isConstant)
			return does
		case *ast.ReturnStmt:
			does = does || by != byError && (logs || len(x.Results) > 0) || slices.ContainsFunc(x.Results, mentionsError)
			for _, e := range x.Results {
				ast.Inspect(e, func(n ast.Node) bool { _, call := n.(*ast.CallExpr); does = does || call; return !does })
			}
			return false
		case *ast.Ident:
			does = does || goErr.MatchString(x.Name)
		}
		return !does
	})
	return does
}

// isLog reports whether a call only writes a log.
func isLog(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	receiver := ""
	switch x := s.X.(type) {
	case *ast.Ident:
		receiver = x.Name
	case *ast.SelectorExpr:
		receiver = x.Sel.Name
	}
	receiver = strings.ToLower(receiver)
	leaves := strings.HasPrefix(s.Sel.Name, "Fatal") || strings.HasPrefix(s.Sel.Name, "Panic")
	return !leaves && (strings.HasSuffix(receiver, "log") || strings.HasSuffix(receiver, "logger") ||
		receiver == "fmt" && strings.Contains(s.Sel.Name, "rint") &&
			!strings.HasPrefix(s.Sel.Name, "S") && !strings.HasPrefix(s.Sel.Name, "F"))
}

// isConstant reports whether an expression is a literal, nil, true or false.
func isConstant(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.CompositeLit:
		return len(x.Elts) == 0
	case *ast.Ident:
		return x.Name == "nil" || x.Name == "true" || x.Name == "false"
	}
	return false
}

// mentionsError reports whether an expression names an error.
func mentionsError(e ast.Expr) (does bool) {
	ast.Inspect(e, func(node ast.Node) bool {
		if id, ok := node.(*ast.Ident); ok && goErr.MatchString(id.Name) {
			does = true
		}
		return !does
	})
	return does
}
