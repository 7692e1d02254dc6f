package python

import "slices"

// assignOperators are the operators that change a variable.
var assignOperators = []string{"+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="}

// simple reads a statement without a block.
func (p *parser) simple() {
	t := p.peek()
	p.begun = p.begun || t.kind != text && (t.value != "from" || p.tokens[p.at+1].value != "__future__")
	ends := func() bool { n := p.peek(); return n.kind == newline || n.value == ";" && n.kind == sign }
	if t.kind != name {
		p.assignment()
		return
	}
	p.next()
	switch t.value {
	case "pass":
	case "break", "continue":
		if !p.scope.loop {
			fail()
		}
	case "return":
		if !p.function {
			fail()
		}
		if !ends() {
			p.expressions()
		}
	case "raise":
		if !ends() {
			if p.expression(); p.accept("from") {
				p.expression()
			}
		}
	case "global", "nonlocal":
		if t.value == "nonlocal" && !p.function && !p.class {
			fail()
		}
		for p.name(); p.accept(","); {
			p.name()
		}
	case "del":
		if e := p.expressions(); !e.target || e.starred {
			fail()
		}
	case "assert":
		if p.expression(); p.accept(",") {
			p.expression()
		}
	case "import":
		for p.imported(true); p.accept(","); {
			p.imported(true)
		}
	case "from":
		p.from()
	case "type":
		if n := p.peek(); n.kind == name && !keywords[n.value] {
			p.name()
			p.typeParameters()
			p.expect("=")
			p.expression()
			return
		}
		fallthrough
	default:
		p.at--
		p.assignment()
	}
}

// imported reads an imported name, dotted or not, and its alias.
func (p *parser) imported(dotted bool) {
	for p.name(); dotted && p.accept("."); {
		p.name()
	}
	if p.accept("as") {
		p.name()
	}
}

func (p *parser) from() {
	dots := 0
	for p.accept(".", "...") {
		dots++
	}
	if dots == 0 || !p.is("import") {
		if p.name() == "__future__" && dots == 0 && p.begun {
			fail()
		}
		for p.accept(".") {
			p.name()
		}
	}
	p.expect("import")
	switch {
	case p.accept("*"):
		if p.function || p.class {
			fail()
		}
	case p.accept("("):
		for p.imported(false); p.accept(",") && !p.is(")"); {
			p.imported(false)
		}
		p.expect(")")
	default:
		for p.imported(false); p.accept(","); {
			p.imported(false)
		}
	}
}

// assignment reads an expression statement or an assignment.
func (p *parser) assignment() {
	value := func() expr {
		if p.is("yield") {
			p.yield()
			return expr{}
		}
		return p.expressions()
	}
	e := value()
	switch {
	case p.is(":"):
		if p.next(); !e.single {
			fail()
		}
		p.expression()
		if p.accept("=") {
			value()
		}
	case p.peek().kind == sign && slices.Contains(assignOperators, p.peek().value):
		if p.next(); !e.single {
			fail()
		}
		value()
	default:
		for p.accept("=") {
			if !e.target {
				fail()
			}
			e = value()
		}
	}
}
