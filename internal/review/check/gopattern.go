package check

import (
	"cmp"
	"context"
	"go/ast"
	"go/scanner"
	"go/token"
	"path"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/wording"
)

// goPatterns reports Go code that is wrong whatever its types are, such as a lock that is deferred instead of the unlock. It skips the
// files that [goSyntax] skips, generated files, and files that do not parse, because these have a finding already.
func goPatterns(ctx context.Context, f *diff.File, src Source) (checkResult, error) {
	if !isBuiltGo(f) || f.Class == diff.ClassGenerated {
		return checkResult{}, nil
	}
	content, err := head(ctx, src, f.Path)
	if err != nil || content == nil {
		return checkResult{}, err
	}
	now, cut := goFaults(f.Path, content)
	out := checkResult{}
	if cut {
		out.unread = WhyCut
	}
	if len(newFaults(f, now, nil)) == 0 {
		return out, nil
	}
	before, err := baseOf(ctx, f, src)
	if err != nil {
		return checkResult{}, err
	}
	old, _ := goFaults(f.Path, before) // a file that does not parse had no faults, so all added ones are new
	out.faults = newFaults(f, now, old)
	return out, nil
}

// Bounds of the faults of a Go file (design choices).
const (
	maxGoFaults = 1000
	maxGoKey    = 64 // parts of an expression that is compared
)

// goReading collects the faults of one Go file.
type goReading struct {
	fset     *token.FileSet
	content  []byte
	isTest   bool
	imports  map[string]string // local name to path
	declared map[string]bool   // names that the file declares, on whatever level
	groups   map[string]bool   // declared names of the type sync.WaitGroup
	joined   map[ast.Node]bool // parts of chains of && or ||, or of "else if", that are judged with their chain
	faults   []fault
	cut      bool
}

// goFaults returns the faults of a version of a Go file with a name. A file that does not parse has no faults. cut means that
// there are more.
func goFaults(name string, content []byte) (faults []fault, cut bool) {
	if len(content) == 0 {
		return nil, false
	}
	fset, file, err := structure.ParseGo(content, 0)
	if err != nil || file == nil {
		return nil, false
	}
	r := &goReading{fset: fset, content: content, isTest: strings.HasSuffix(name, "_test.go"),
		imports: map[string]string{}, declared: map[string]bool{}, joined: map[ast.Node]bool{}, groups: map[string]bool{}}
	r.names(file)
	ast.Inspect(file, func(n ast.Node) bool {
		r.node(n)
		return true
	})
	return r.faults, r.cut
}

// node looks at one node. The walk has seen the nodes around it before.
func (r *goReading) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		r.format(n)
	case *ast.ExprStmt:
		r.unusedResult(n)
	case *ast.BinaryExpr:
		r.binary(n)
	case *ast.AssignStmt:
		r.selfAssignment(n)
	case *ast.IfStmt:
		r.chain(n)
	case *ast.SwitchStmt:
		r.cases(n)
	case *ast.DeferStmt:
		r.deferredRecover(n)
	case *ast.GoStmt:
		r.lateAdd(n)
	case *ast.StructType:
		r.tags(n)
	case *ast.BlockStmt:
		r.statements(n.List)
	case *ast.CaseClause:
		r.statements(n.Body)
	case *ast.CommClause:
		r.statements(n.Body)
	}
}

// names learns the imports and the declared names of a file.
func (r *goReading) names(file *ast.File) {
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		local := path.Base(name)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		r.imports[local] = name
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				r.declare(n.Lhs...)
				r.declareGroup(n)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				r.declare(n.Key, n.Value)
			}
		case *ast.ValueSpec:
			r.declareNames(n.Names)
			r.declareGroups(n.Names, n.Type)
		case *ast.Field:
			r.declareGroups(n.Names, n.Type)
		case *ast.TypeSpec:
			r.declared[n.Name.Name] = true
		case *ast.FuncDecl:
			if n.Recv == nil {
				r.declared[n.Name.Name] = true
			} else {
				r.declareFields(n.Recv)
			}
		case *ast.FuncType:
			r.declareFields(n.TypeParams)
			r.declareFields(n.Params)
			r.declareFields(n.Results)
		}
		return true
	})
}

func (r *goReading) declare(list ...ast.Expr) {
	for _, e := range list {
		if id, ok := e.(*ast.Ident); ok {
			r.declared[id.Name] = true
		}
	}
}

// declareGroups learns names whose type is sync.WaitGroup, or a pointer to it.
func (r *goReading) declareGroups(names []*ast.Ident, typ ast.Expr) {
	if p, ok := typ.(*ast.StarExpr); ok {
		typ = p.X
	}
	sel, ok := typ.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "WaitGroup" {
		return
	}
	if id, ok := sel.X.(*ast.Ident); ok && r.imports[id.Name] == "sync" {
		for _, n := range names {
			r.groups[n.Name] = true
		}
	}
}

// declareGroup learns a variable that gets sync.WaitGroup{}, its address, or new(sync.WaitGroup).
func (r *goReading) declareGroup(s *ast.AssignStmt) {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return
	}
	id, ok := s.Lhs[0].(*ast.Ident)
	if !ok {
		return
	}
	value := s.Rhs[0]
	if u, ok := value.(*ast.UnaryExpr); ok {
		value = u.X
	}
	switch value := value.(type) {
	case *ast.CompositeLit:
		r.declareGroups([]*ast.Ident{id}, value.Type)
	case *ast.CallExpr:
		if len(value.Args) == 1 {
			r.declareGroups([]*ast.Ident{id}, value.Args[0])
		}
	}
}

func (r *goReading) declareNames(list []*ast.Ident) {
	for _, id := range list {
		r.declared[id.Name] = true
	}
}

func (r *goReading) declareFields(list *ast.FieldList) {
	if list != nil {
		for _, f := range list.List {
			r.declareNames(f.Names)
		}
	}
}

// addFor reports a fault at a node that other nodes cause, too: an added line of any of these makes the fault new. about names the fault
// in both versions of the file.
func (r *goReading) addFor(n ast.Node, causes []ast.Node, rule, about string, severity domain.Severity, says wording.Key, args ...any) {
	before := len(r.faults)
	r.add(n, rule, severity, says, args...)
	if len(r.faults) == before {
		return
	}
	d := &r.faults[before]
	d.about = cmp.Or(about, d.about)
	for _, c := range causes {
		d.lines = append(d.lines, r.fset.PositionFor(c.Pos(), false).Line)
	}
}

// add reports a fault at a node. args are the arguments of the explanation.
func (r *goReading) add(n ast.Node, rule string, severity domain.Severity, says wording.Key, args ...any) {
	if len(r.faults) == maxGoFaults {
		r.cut = true
		return
	}
	r.faults = append(r.faults, fault{rule: rule, category: domain.CategoryBug, severity: severity,
		title: wording.English(wording.TitleGoPattern, clip.Runes(r.shown(n), maxTitleName, "…")),
		says:  wording.English(says, args...), line: r.fset.PositionFor(n.Pos(), false).Line, about: r.text(n)})
}

// text returns the source of a node on one line.
func (r *goReading) text(n ast.Node) string {
	from, to := r.fset.Position(n.Pos()).Offset, r.fset.Position(n.End()).Offset
	return clip.Line(string(r.content[from:min(to, from+maxQuote, len(r.content))]))
}

// shown returns the source of a node for a message. Strings and comments are left out, because they can hold secrets.
func (r *goReading) shown(n ast.Node) string {
	text := r.text(n)
	var b strings.Builder
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("x.go", -1, len(text))
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	last := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.STRING || tok == token.COMMENT || tok == token.ILLEGAL {
			at := min(file.Offset(pos), len(text))
			b.WriteString(text[min(last, at):at])
			if tok == token.STRING {
				b.WriteString(`"…"`)
			}
			last = at + len(lit)
		}
	}
	b.WriteString(text[min(last, len(text)):])
	return visible(clip.Runes(clip.Line(b.String()), 80, "…"))
}

// function returns "package.Name" of a called function of an imported package, "" for other calls.
func (r *goReading) function(call *ast.CallExpr) string {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok || r.declared[id.Name] || r.imports[id.Name] == "" {
		return ""
	}
	return r.imports[id.Name] + "." + sel.Sel.Name
}

// method returns the receiver and the name of a called method without arguments, nil for other statements.
func method(call *ast.CallExpr) (receiver ast.Expr, name string) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) > 0 {
		return nil, ""
	}
	return sel.X, sel.Sel.Name
}

// key returns a text that two expressions share if they are equal and have no effects, "" for others and for long ones.
func (r *goReading) key(e ast.Expr) string {
	var b strings.Builder
	left := maxGoKey
	if !r.writeKey(&b, e, &left) {
		return ""
	}
	return b.String()
}

func (r *goReading) writeKey(b *strings.Builder, e ast.Expr, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	switch e := e.(type) {
	case *ast.Ident:
		b.WriteString(e.Name)
		return e.Name != "_"
	case *ast.BasicLit:
		b.WriteString(e.Value)
		return true
	case *ast.ParenExpr:
		return r.writeKey(b, e.X, left)
	case *ast.SelectorExpr:
		ok := r.writeKey(b, e.X, left)
		b.WriteString("." + e.Sel.Name)
		return ok
	case *ast.StarExpr:
		b.WriteString("(*")
		ok := r.writeKey(b, e.X, left)
		b.WriteString(")")
		return ok
	case *ast.UnaryExpr:
		b.WriteString("(" + e.Op.String())
		ok := e.Op != token.ARROW && r.writeKey(b, e.X, left)
		b.WriteString(")")
		return ok
	case *ast.BinaryExpr:
		b.WriteString("(")
		ok := r.writeKey(b, e.X, left)
		b.WriteString(" " + e.Op.String() + " ")
		ok = ok && r.writeKey(b, e.Y, left)
		b.WriteString(")")
		return ok
	case *ast.IndexExpr:
		ok := r.writeKey(b, e.X, left)
		b.WriteString("[")
		ok = ok && r.writeKey(b, e.Index, left)
		b.WriteString("]")
		return ok
	case *ast.CallExpr:
		if !r.isLength(e) {
			return false
		}
		b.WriteString(e.Fun.(*ast.Ident).Name + "(")
		ok := r.writeKey(b, e.Args[0], left)
		b.WriteString(")")
		return ok
	}
	return false
}

// isLength reports whether a call is one of the built-in functions len and cap.
func (r *goReading) isLength(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	return ok && (id.Name == "len" || id.Name == "cap") && !r.declared[id.Name] && len(call.Args) == 1
}
