// Package python reports whether a file follows the grammar of Python. It accepts everything that any
// version of Python 3 accepts, and builds no tree. It reads blocks, statements, expressions, strings with
// expressions in them and patterns, and also refuses what compilers refuse: a return outside a function, a
// break outside a loop, a repeated argument.
package python

import (
	"slices"
	"unicode/utf8"
)

const (
	maxBytes = 1 << 20 // of a file
	maxDepth = 90      // nested blocks, brackets and expressions; Python itself ends at 100 blocks
)

// Panics of the parser: the text is not Python, or is beyond the bounds.
type (
	syntaxError struct{}
	beyondBound struct{}
)

func fail()   { panic(syntaxError{}) }
func giveUp() { panic(beyondBound{}) }

// Valid reports whether a file is Python. known is false if the file is too long, nested too deeply or not
// in UTF-8.
func Valid(b []byte) (valid, known bool) {
	if len(b) > maxBytes || !utf8.Valid(b) {
		return false, false
	}
	defer func() {
		switch recover().(type) {
		case nil:
		case syntaxError:
			valid, known = false, true
		default: // beyondBound, or a fault of the parser, which must not end a review
			valid, known = false, false
		}
	}()
	p := &parser{tokens: lex(string(b))}
	for p.peek().kind != end {
		p.statement()
	}
	return true, true
}

// parser reads statements.
type parser struct {
	tokens []token
	at     int
	depth  int
	scope
	pattern bool // names may be bound by "as" in expressions
	last    expr // the last expression
	begun   bool // a statement was read after which __future__ imports are not allowed
}

// scope describes the surroundings of a statement.
type scope struct {
	function, async, class bool
	loop                   bool
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

// is reports whether one of some signs or words comes next.
func (p *parser) is(values ...string) bool {
	t := p.peek()
	return (t.kind == sign || t.kind == name) && slices.Contains(values, t.value)
}

func (p *parser) accept(values ...string) bool {
	if p.is(values...) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(value string) {
	if !p.accept(value) {
		fail()
	}
}

func (p *parser) want(k kind) {
	if p.next().kind != k {
		fail()
	}
}

// deeper counts a level of nesting until the returned function is called.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > 4*maxDepth {
		giveUp()
	}
	return func() { p.depth-- }
}

// attempt runs a reading and undoes it if it fails.
func (p *parser) attempt(read func()) (ok bool) {
	before := *p
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(syntaxError); !is {
				panic(r)
			}
			*p = before
		}
	}()
	read()
	return true
}

var keywords = map[string]bool{"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true, "async": true,
	"await": true, "break": true, "class": true, "continue": true, "def": true, "del": true, "elif": true, "else": true, "except": true,
	"finally": true, "for": true, "from": true, "global": true, "if": true, "import": true, "in": true, "is": true, "lambda": true,
	"nonlocal": true, "not": true, "or": true, "pass": true, "raise": true, "return": true, "try": true, "while": true, "with": true,
	"yield": true}

// name reads an identifier and returns it.
func (p *parser) name() string {
	t := p.next()
	if t.kind != name || keywords[t.value] {
		fail()
	}
	return t.value
}
