package match

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/review/structure"
)

// goPattern is a piece of Go code with wildcards: an expression, one or more statements, or a declaration.
type goPattern struct {
	expr  ast.Expr
	stmts []ast.Stmt
	decl  ast.Decl
}

// The marks of wildcards in names. The letter is one that Go allows in names and no program has.
const (
	oneMark  = "ʘ"
	manyMark = "ʘʘʘ"
)

// wildcard returns the name of a wildcard and whether it stands for any number of elements. is is false for other nodes. The name
// is "" or "_" if the wildcard may stand for something else each time.
func wildcard(n ast.Node) (name string, many, is bool) {
	switch v := n.(type) {
	case *ast.ExprStmt:
		return wildcard(v.X)
	case *ast.Field:
		if v != nil && len(v.Names) == 0 && v.Tag == nil {
			return wildcard(v.Type)
		}
	case *ast.Ident:
		if v != nil {
			if name, many = strings.CutPrefix(v.Name, manyMark); many {
				return name, true, true
			}
			name, is = strings.CutPrefix(v.Name, oneMark)
			return name, false, is
		}
	}
	return "", false, false
}

// compileGo reads a pattern. The error is an [*Error].
func compileGo(pattern string) (*goPattern, error) {
	code, places, err := markWildcards(pattern)
	if err != nil {
		return nil, err
	}
	p := &goPattern{}
	if expr, err := parser.ParseExprFrom(token.NewFileSet(), "", code, 0); err == nil {
		p.expr = expr
	} else if p.stmts, err = parseStatements(code); err != nil {
		const head = "package p\n"
		_, file, declared := structure.ParseGo([]byte(head+code), 0)
		if declared != nil || len(file.Decls) != 1 {
			return nil, codeError(err, places)
		}
		p.decl = file.Decls[0]
	}
	if len(p.stmts) == 1 {
		if d, is := p.stmts[0].(*ast.DeclStmt); is {
			p.stmts, p.decl = nil, d.Decl
		}
	}
	if p.matchesEverything() {
		return nil, &Error{Field: "pattern", Message: "matches all code. Let it name what must not be there"}
	}
	if n := len(p.stmts); n > 0 && (isMany(reflect.ValueOf(p.stmts[0])) || isMany(reflect.ValueOf(p.stmts[n-1]))) {
		return nil, &Error{Field: "pattern", Message: "must not begin or end with $$$, because any statements may be before and after it"}
	}
	return p, nil
}

const statementsHead = "package p\nfunc _() {\n"

func parseStatements(code string) ([]ast.Stmt, error) {
	_, file, err := structure.ParseGo([]byte(statementsHead+code+"\n}\n"), 0)
	if err != nil {
		return nil, err
	}
	body := file.Decls[0].(*ast.FuncDecl).Body
	if len(file.Decls) != 1 || len(body.List) == 0 {
		return nil, errors.New("no single piece of code")
	}
	return body.List, nil
}

// matchesEverything reports whether the pattern consists of wildcards alone.
func (p *goPattern) matchesEverything() bool {
	if p.expr != nil {
		_, _, is := wildcard(p.expr)
		return is
	}
	for _, s := range p.stmts {
		if _, _, is := wildcard(s); !is {
			return false
		}
	}
	return p.decl == nil
}

// markWildcards replaces the wildcards outside of strings and comments by names. places has the character of the pattern for each
// byte of the result.
func markWildcards(pattern string) (code string, places []int, err error) {
	var b strings.Builder
	at := 0
	put := func(text string) {
		b.WriteString(text)
		for range len(text) {
			places = append(places, at+1)
		}
	}
	for i := 0; i < len(pattern); at++ {
		if n := quoted(pattern[i:]); n > 1 {
			for _, r := range pattern[i : i+n] {
				put(string(r))
				at++
			}
			i += n
			at--
			continue
		}
		mark, n := oneMark, 1
		switch {
		case strings.HasPrefix(pattern[i:], oneMark):
			return "", nil, &Error{Field: "pattern", At: at + 1, Message: fmt.Sprintf("must not have the letter at character %d", at+1)}
		case strings.HasPrefix(pattern[i:], "$$$"):
			mark, n = manyMark, 3
		case pattern[i] != '$':
			_, size := utf8.DecodeRuneInString(pattern[i:])
			put(pattern[i : i+size])
			i += size
			continue
		}
		name := wildcardName(pattern[i+n:])
		if name == "" && n == 1 {
			return "", nil, &Error{Field: "pattern", At: at + 1, Message: fmt.Sprintf("must be Go code. Character %d: "+
				"a wildcard is $NAME, $_ or $$$NAME, with a name in capital letters", at+1)}
		}
		put(mark + name)
		i += n + len(name)
		at += n + len(name) - 1
	}
	return b.String(), places, nil
}

// wildcardName returns the capital letters, digits and underscores at the beginning of a text.
func wildcardName(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' })
	if end < 0 {
		return text
	}
	return text[:end]
}

// quoted returns the length of the string, character or comment that a text begins with, else 0.
func quoted(text string) int {
	for _, q := range []struct {
		open, end string
		raw       bool
	}{{`"`, `"`, false}, {"'", "'", false}, {"`", "`", true}, {"//", "\n", true}, {"/*", "*/", true}} {
		if !strings.HasPrefix(text, q.open) {
			continue
		}
		for i := len(q.open); i < len(text); i++ {
			switch {
			case strings.HasPrefix(text[i:], q.end):
				return i + len(q.end)
			case text[i] == '\\' && !q.raw:
				i++
			}
		}
		return len(text)
	}
	return 0
}

// codeError explains a fault of the code in a pattern that was read as statements, with its place.
func codeError(err error, places []int) error {
	list, ok := errors.AsType[scanner.ErrorList](err)
	if !ok || len(list) == 0 {
		return &Error{Field: "pattern", Message: "must be one expression, one declaration, or statements of Go"}
	}
	at := len(places) - 1
	if offset := list[0].Pos.Offset - len(statementsHead); offset < len(places) {
		at = max(offset, 0)
	}
	place := 1
	if at >= 0 {
		place = places[at]
	}
	return &Error{Field: "pattern", At: place, Message: fmt.Sprintf("must be Go code: one expression, one declaration, or statements. "+
		"Character %d cannot be read", place)}
}
