// Package gql is a small GraphQL engine. It parses operations with variables, aliases, fragments and nested
// selections and runs them on a tree of resolvers. It reports unknown fields instead of ignoring them, and
// refuses directives, subscriptions and introspection. It is independent of GitHub.
package gql

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Document is a parsed request.
type Document struct {
	Operations []Operation
	Fragments  map[string]Fragment
}

// Operation is a query or a mutation.
type Operation struct {
	// Kind is "query" or "mutation".
	Kind, Name string
	// Defaults holds the default values of variables.
	Defaults map[string]any
	// Required lists variables that must be given (their type ends in "!" and has no default).
	Required []string
	Fields   []Selection
}

// Fragment is a named fragment.
type Fragment struct {
	On     string
	Fields []Selection
}

// Selection is a field, an inline fragment (On is set) or a fragment spread (Spread is set).
type Selection struct {
	Name, Alias string
	Args        map[string]any
	Fields      []Selection
	On, Spread  string
	Inline      bool
}

// Variable stands for a variable in arguments.
type Variable string

const maxDepth = 32

type parser struct {
	toks []string
	pos  int
}

// Parse parses a GraphQL document.
func Parse(src string) (*Document, error) {
	toks, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{toks: toks}
	doc := &Document{Fragments: map[string]Fragment{}}
	for p.peek() != "" {
		if err := p.definition(doc); err != nil {
			return nil, err
		}
	}
	if len(doc.Operations) == 0 {
		return nil, fmt.Errorf("A query attribute must be specified and must be a string.")
	}
	return doc, nil
}

func (p *parser) peek() string {
	if p.pos < len(p.toks) {
		return p.toks[p.pos]
	}
	return ""
}

func (p *parser) next() string {
	t := p.peek()
	p.pos++
	return t
}

func (p *parser) expect(t string) error {
	if got := p.next(); got != t {
		return fmt.Errorf("Parse error on %q: expected %q", got, t)
	}
	return nil
}

func isName(t string) bool {
	for i, r := range t {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return t != ""
}

func (p *parser) name() (string, error) {
	if t := p.next(); isName(t) {
		return t, nil
	} else {
		return "", fmt.Errorf("Parse error on %q: expected a name", t)
	}
}

func (p *parser) definition(doc *Document) (err error) {
	switch p.peek() {
	case "{":
		op := Operation{Kind: "query"}
		op.Fields, err = p.selections(0)
		doc.Operations = append(doc.Operations, op)
		return err
	case "fragment":
		p.next()
		name, err := p.name()
		if err != nil {
			return err
		}
		if err := p.expect("on"); err != nil {
			return err
		}
		on, err := p.name()
		if err != nil {
			return err
		}
		fields, err := p.selections(0)
		doc.Fragments[name] = Fragment{On: on, Fields: fields}
		return err
	case "query", "mutation":
		op := Operation{Kind: p.next(), Defaults: map[string]any{}}
		if isName(p.peek()) {
			op.Name = p.next()
		}
		if p.peek() == "(" {
			if err := p.variables(&op); err != nil {
				return err
			}
		}
		op.Fields, err = p.selections(0)
		doc.Operations = append(doc.Operations, op)
		return err
	}
	return fmt.Errorf("Parse error on %q: expected query, mutation or fragment", p.peek())
}

func (p *parser) variables(op *Operation) error {
	p.next()
	for p.peek() != ")" {
		if err := p.expect("$"); err != nil {
			return err
		}
		name, err := p.name()
		if err != nil {
			return err
		}
		if err := p.expect(":"); err != nil {
			return err
		}
		required := false
		for t := p.peek(); t == "[" || t == "]" || t == "!" || isName(t); t = p.peek() {
			required = t == "!"
			p.next()
		}
		if p.peek() == "=" {
			p.next()
			if op.Defaults[name], err = p.value(0); err != nil {
				return err
			}
			required = false
		}
		if required {
			op.Required = append(op.Required, name)
		}
		if p.peek() == "" {
			return fmt.Errorf("Parse error: unexpected end of document")
		}
	}
	p.next()
	return nil
}

func (p *parser) selections(depth int) ([]Selection, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the document is nested too deeply")
	}
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	var list []Selection
	for p.peek() != "}" {
		s, err := p.selection(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	p.next()
	if len(list) == 0 {
		return nil, fmt.Errorf("Parse error: a selection must not be empty")
	}
	return list, nil
}

func (p *parser) selection(depth int) (s Selection, err error) {
	if p.peek() == "..." {
		p.next()
		switch {
		case p.peek() == "on":
			p.next()
			if s.On, err = p.name(); err != nil {
				return s, err
			}
			fallthrough
		case p.peek() == "{":
			s.Inline = true
			s.Fields, err = p.selections(depth + 1)
			return s, err
		}
		s.Spread, err = p.name()
		return s, err
	}
	if s.Name, err = p.name(); err != nil {
		return s, err
	}
	s.Alias = s.Name
	if p.peek() == ":" {
		p.next()
		if s.Name, err = p.name(); err != nil {
			return s, err
		}
	}
	if p.peek() == "(" {
		p.next()
		if s.Args, err = p.pairs(")", depth); err != nil {
			return s, err
		}
	}
	if p.peek() == "{" {
		s.Fields, err = p.selections(depth + 1)
	}
	return s, err
}

func (p *parser) pairs(end string, depth int) (map[string]any, error) {
	m := map[string]any{}
	for p.peek() != end {
		k, err := p.name()
		if err != nil {
			return nil, err
		}
		if err := p.expect(":"); err != nil {
			return nil, err
		}
		if m[k], err = p.value(depth + 1); err != nil {
			return nil, err
		}
	}
	p.next()
	return m, nil
}

func (p *parser) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the document is nested too deeply")
	}
	t := p.next()
	switch {
	case t == "":
		return nil, fmt.Errorf("Parse error: unexpected end of document")
	case t == "$":
		n, err := p.name()
		return Variable(n), err
	case t == "{":
		return p.pairs("}", depth)
	case t == "[":
		list := []any{}
		for p.peek() != "]" {
			v, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		p.next()
		return list, nil
	case t[0] == '"':
		return unquote(t)
	case t == "true" || t == "false":
		return t == "true", nil
	case t == "null":
		return nil, nil
	case isName(t):
		return t, nil // an enum value
	}
	if n, err := strconv.ParseInt(t, 10, 64); err == nil {
		return float64(n), nil
	}
	if f, err := strconv.ParseFloat(t, 64); err == nil {
		return f, nil
	}
	return nil, fmt.Errorf("Parse error on %q: expected a value", t)
}

func unquote(t string) (string, error) {
	if strings.HasPrefix(t, `"""`) {
		return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(t, `"""`), `"""`)), nil
	}
	s, err := strconv.Unquote(strings.ReplaceAll(t, `\/`, `/`))
	if err != nil {
		return "", fmt.Errorf("Parse error: malformed string")
	}
	return s, nil
}

// lex splits a document into tokens.
func lex(src string) ([]string, error) {
	if !utf8.ValidString(src) {
		return nil, fmt.Errorf("the document is not UTF-8")
	}
	var toks []string
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',':
			i++
		case c == '#':
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case strings.HasPrefix(src[i:], "..."):
			toks, i = append(toks, "..."), i+3
		case strings.ContainsRune("{}()[]:=$!", rune(c)):
			toks, i = append(toks, string(c)), i+1
		case c == '"':
			end := stringEnd(src[i:])
			if end < 0 {
				return nil, fmt.Errorf("Parse error: a string does not end")
			}
			toks, i = append(toks, src[i:i+end]), i+end
		default:
			j := i
			for j < len(src) && !strings.ContainsRune(" \t\n\r,#{}()[]:=$!\"", rune(src[j])) {
				j++
			}
			toks, i = append(toks, src[i:j]), j
		}
	}
	return toks, nil
}

func stringEnd(s string) int {
	if strings.HasPrefix(s, `"""`) {
		if n := strings.Index(s[3:], `"""`); n >= 0 {
			return n + 6
		}
		return -1
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return -1
		}
	}
	return -1
}
