package match

import (
	"context"
	"errors"
	"go/ast"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/structure"
)

// goFile is a Go file that was read.
type goFile struct {
	set  *token.FileSet
	file *ast.File
}

// parsed reads the syntax of a file, once. Errors are [structure.ErrBound] and ErrBroken.
func (f *File) parsed() (*goFile, error) {
	if f.code == nil && f.err == nil {
		set, file, err := structure.ParseGo(f.content, 0)
		if err != nil && !errors.Is(err, structure.ErrBound) {
			err = ErrBroken
		}
		f.code, f.err = &goFile{set, file}, err
	}
	return f.code, f.err
}

// search matches one pattern against one file.
type search struct {
	ctx   context.Context
	left  int                      // steps
	look  int                      // the number of steps left at which the context is looked at again
	err   error                    // why the search ended early
	bound map[string]reflect.Value // lists of nodes that named wildcards stand for
	gaps  [][2]ast.Node            // the first and the last node that each $$$ stands for
}

// step counts a comparison. It returns false once the search has ended early.
func (s *search) step() bool { return s.spend(1) }

// spend counts work that is as long as a number of comparisons.
func (s *search) spend(steps int) bool {
	if s.left -= steps; s.left < 0 && s.err == nil {
		s.err = ErrMore
	}
	if s.left <= s.look && s.err == nil {
		s.look, s.err = s.left-1024, s.ctx.Err()
	}
	return s.err == nil
}

// hits returns the places of a file that have the form of the pattern.
func (p *goPattern) hits(ctx context.Context, f *File) (out []Hit, err error) {
	code, err := f.parsed()
	if err != nil {
		return nil, err
	}
	s := &search{ctx: ctx, left: maxASTSteps, look: maxASTSteps}
	found := func(from, to ast.Node) {
		if len(out) == MaxHits {
			s.err = ErrMore
			return
		}
		out = append(out, s.hit(f.content, code.set, from, to))
	}
	ast.Inspect(code.file, func(n ast.Node) bool {
		if _, paren := n.(*ast.ParenExpr); n != nil && !paren { // the expression in it is the same place
			p.try(s, n, found)
		}
		return s.step()
	})
	slices.SortStableFunc(out, func(a, b Hit) int { return a.First - b.First })
	return out, s.err
}

// try calls found for each place at a node that has the form of the pattern.
func (p *goPattern) try(s *search, n ast.Node, found func(from, to ast.Node)) {
	switch {
	case p.expr != nil:
		if e, is := n.(ast.Expr); is && s.begin().same(reflect.ValueOf(p.expr), reflect.ValueOf(e)) {
			found(n, n)
		}
	case p.decl != nil:
		p.tryDecl(s, n, found)
	case len(p.stmts) == 1:
		if e, is := n.(ast.Stmt); is && s.begin().same(reflect.ValueOf(p.stmts[0]), reflect.ValueOf(e)) {
			found(n, n)
		}
	default:
		list := statementsOf(n)
		for i := range list {
			s.begin()
			if used := s.list(reflect.ValueOf(p.stmts), reflect.ValueOf(list[i:]), 0); used > 0 {
				found(list[i], list[i+used-1])
			}
		}
	}
}

// tryDecl matches a declaration. A pattern with one variable, constant or type without parentheses also matches within a group.
func (p *goPattern) tryDecl(s *search, n ast.Node, found func(from, to ast.Node)) {
	d, is := n.(ast.Decl)
	if !is {
		return
	}
	want, isGroup := p.decl.(*ast.GenDecl)
	have, inGroup := d.(*ast.GenDecl)
	if isGroup && inGroup && !want.Lparen.IsValid() && len(want.Specs) == 1 && want.Tok == have.Tok {
		for _, spec := range have.Specs {
			if s.begin().same(reflect.ValueOf(want.Specs[0]), reflect.ValueOf(spec)) {
				found(spec, spec)
			}
		}
		return
	}
	if s.begin().same(reflect.ValueOf(p.decl), reflect.ValueOf(d)) {
		found(n, n)
	}
}

func statementsOf(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// begin forgets the wildcards of the last place.
func (s *search) begin() *search {
	s.bound, s.gaps = map[string]reflect.Value{}, nil
	return s
}

// hit describes the place from the beginning of one node to the end of another.
func (s *search) hit(content []byte, set *token.FileSet, from, to ast.Node) Hit {
	at := func(p token.Pos) token.Position { return set.PositionFor(p, false) }
	offset := func(p token.Pos) int { return min(max(at(p).Offset, 0), len(content)) }
	h := Hit{First: at(from.Pos()).Line}
	h.Last = max(h.First, at(to.End()).Line)
	next, end := offset(from.Pos()), offset(to.End())
	s.spend((end - next) / bytesPerStep)
	gaps := slices.Clone(s.gaps)
	slices.SortFunc(gaps, func(a, b [2]ast.Node) int { return int(a[0].Pos()) - int(b[0].Pos()) })
	var b strings.Builder
	for _, g := range gaps {
		if start := offset(g[0].Pos()); start >= next && start <= end {
			b.Write(content[next:start])
			next = offset(g[1].End())
		}
	}
	b.Write(content[min(next, end):end])
	h.About = shortened(AboutLine(b.String()))
	return h
}

var (
	posType     = reflect.TypeFor[token.Pos]()
	nodeType    = reflect.TypeFor[ast.Node]()
	commentType = reflect.TypeFor[*ast.CommentGroup]()
	objectType  = reflect.TypeFor[*ast.Object]()
)

// same reports whether code has the form of a pattern. Parentheses around expressions, comments and positions do not matter.
func (s *search) same(p, n reflect.Value) bool {
	if !s.step() {
		return false
	}
	p, n = bare(p), bare(n)
	if !p.IsValid() || !n.IsValid() {
		return p.IsValid() == n.IsValid() || onlyMany(p)
	}
	if p.Type().Implements(nodeType) {
		if name, many, is := wildcard(p.Interface().(ast.Node)); is && n.Type().Implements(nodeType) {
			return s.bind(name, many, reflect.ValueOf([]ast.Node{n.Interface().(ast.Node)}))
		}
	}
	if p.Type() != n.Type() {
		return false
	}
	switch p.Kind() {
	case reflect.Pointer:
		return s.same(p.Elem(), n.Elem())
	case reflect.Slice:
		return s.list(p, n, n.Len()) >= 0
	case reflect.Struct:
		for i := range p.NumField() {
			if !s.sameField(p.Type().Field(i), p.Field(i), n.Field(i)) {
				return false
			}
		}
		return true
	}
	return p.Interface() == n.Interface()
}

// sameField compares a field of two nodes of one type.
func (s *search) sameField(f reflect.StructField, p, n reflect.Value) bool {
	switch f.Type {
	case posType:
		meant := f.Name == "Ellipsis" || f.Name == "Assign" // "f(x...)" and "type A = B": the token changes the meaning
		return !meant || token.Pos(p.Int()).IsValid() == token.Pos(n.Int()).IsValid()
	case commentType, objectType:
		return true
	}
	return s.same(p, n)
}

// bare takes a value out of its interface and its parentheses. The result is not valid for nil.
func bare(v reflect.Value) reflect.Value {
	for v.IsValid() {
		switch v.Kind() {
		case reflect.Interface:
			v = v.Elem()
			continue
		case reflect.Pointer:
			if v.IsNil() {
				return reflect.Value{}
			}
			if paren, is := v.Interface().(*ast.ParenExpr); is {
				v = reflect.ValueOf(&paren.X).Elem()
				continue
			}
		}
		return v
	}
	return v
}

// onlyMany reports whether a pattern is a list of $$$ alone, which a missing list fits.
func onlyMany(p reflect.Value) bool {
	if !p.IsValid() {
		return false
	}
	list, is := p.Interface().(*ast.FieldList)
	return is && allMany(reflect.ValueOf(list.List))
}

// allMany reports whether all elements of a list are $$$.
func allMany(list reflect.Value) bool {
	for i := range list.Len() {
		if !isMany(list.Index(i)) {
			return false
		}
	}
	return true
}

// list matches a list of nodes against the beginning of another one, and must take at least a number of elements there. It returns
// how many it took, or -1 if the form differs. $$$ takes as few elements as possible.
func (s *search) list(p, n reflect.Value, least int) int {
	if !s.step() {
		return -1
	}
	fixed := 0
	for fixed < p.Len() && !isMany(p.Index(fixed)) {
		if fixed == n.Len() || !s.same(p.Index(fixed), n.Index(fixed)) {
			return -1
		}
		fixed++
	}
	if fixed == p.Len() {
		if fixed < least {
			return -1
		}
		return fixed
	}
	name, _, _ := wildcard(p.Index(fixed).Interface().(ast.Node))
	rest, tail := p.Slice(fixed+1, p.Len()), n.Slice(fixed, n.Len())
	first, last := s.room(rest, tail.Len(), least-fixed)
	for take := first; take <= last && s.step(); take++ {
		bound, gaps := maps.Clone(s.bound), len(s.gaps)
		if s.bind(name, true, tail.Slice(0, take)) {
			if used := s.list(rest, tail.Slice(take, tail.Len()), least-fixed-take); used >= 0 {
				return fixed + take + used
			}
		}
		s.bound, s.gaps = bound, s.gaps[:gaps]
	}
	return -1
}

// room returns the smallest and the largest number of elements that $$$ may take from a list, if it and the rest of the pattern
// must take at least a number together.
func (s *search) room(rest reflect.Value, length, least int) (first, last int) {
	single := 0
	for i := range rest.Len() {
		if !isMany(rest.Index(i)) {
			single++
		}
	}
	if single == rest.Len() {
		first = max(0, least-single)
	}
	return first, length - single
}

// isMany reports whether an element of a pattern is $$$.
func isMany(v reflect.Value) bool {
	node, ok := v.Interface().(ast.Node)
	if !ok {
		return false
	}
	_, many, _ := wildcard(node)
	return many
}

// bind lets a wildcard stand for a list of nodes. A named wildcard that stands for nodes already must stand for equal ones.
func (s *search) bind(name string, many bool, nodes reflect.Value) bool {
	if many && nodes.Len() > 0 {
		s.gaps = append(s.gaps, [2]ast.Node{nodes.Index(0).Interface().(ast.Node), nodes.Index(nodes.Len() - 1).Interface().(ast.Node)})
	}
	if name == "" || name == "_" {
		return true
	}
	before, is := s.bound[name]
	if !is {
		s.bound[name] = nodes
		return true
	}
	return before.Len() == nodes.Len() && s.list(before, nodes, nodes.Len()) >= 0
}
