package python

// expr holds the properties of an expression that the grammar needs.
type expr struct {
	target  bool // values can be assigned to it
	single  bool // it is one target: a name, an attribute or an element
	starred bool
	name    string // "" unless it is a mere name
}

// expressions reads one or several expressions, which make a tuple.
func (p *parser) expressions() expr {
	return p.list(func() { p.last = p.item(false) })
}

// list reads items between commas until an item cannot begin.
func (p *parser) list(item func()) expr {
	defer p.deeper()()
	item()
	out := p.last
	if !p.is(",") {
		if out.starred {
			fail()
		}
		return out
	}
	out.single, out.name = false, ""
	for p.accept(",") && p.begins() {
		item()
		out.target = out.target && p.last.target
		out.starred = out.starred || p.last.starred
	}
	return out
}

// begins reports whether an expression can begin here.
func (p *parser) begins() bool {
	switch t := p.peek(); t.kind {
	case number, text:
		return true
	case sign:
		return p.is("(", "[", "{", "-", "+", "~", "*", "...")
	case name:
		return !keywords[t.value] || p.is("None", "True", "False", "not", "lambda", "await")
	}
	return false
}

// item reads an expression, with a star before it or, if named is true, with an assignment to a name.
func (p *parser) item(named bool) (out expr) {
	defer func() { p.last = out }()
	if p.accept("*") {
		e := p.operation()
		return expr{target: e.target, starred: true}
	}
	if named {
		return p.named()
	}
	return p.expression()
}

// named reads an expression, or an assignment with ":=".
func (p *parser) named() expr {
	e := p.expression()
	if p.is(":=") {
		if p.next(); e.name == "" {
			fail()
		}
		p.expression()
		return expr{}
	}
	return e
}

func (p *parser) targets() {
	if e := p.list(func() { p.target() }); !e.target {
		fail()
	}
}

// target reads an assignment target.
func (p *parser) target() {
	starred := p.accept("*")
	e := p.operation()
	if !e.target {
		fail()
	}
	e.starred = starred
	p.last = e
}

func (p *parser) yield() {
	if p.next(); !p.function {
		fail()
	}
	switch {
	case p.accept("from"):
		p.expression()
	case p.begins():
		p.expressions()
	}
}

func (p *parser) expression() expr {
	defer p.deeper()()
	if p.accept("lambda") {
		p.parameters(":", false)
		p.expect(":")
		outer := p.scope
		p.function = true
		p.expression()
		p.scope = outer
		return expr{}
	}
	e := p.choice()
	for !p.pattern && p.accept("if") {
		p.choice()
		p.expect("else")
		if p.is("lambda") {
			p.expression()
			return expr{}
		}
		p.choice()
		e = expr{}
	}
	return e
}

// choice reads operands of "or" and "and".
func (p *parser) choice() expr {
	e := p.comparison()
	for p.accept("or", "and") {
		p.comparison()
		e = expr{}
	}
	return e
}

func (p *parser) comparison() expr {
	not := false
	for p.accept("not") {
		not = true
	}
	e := p.operation()
	for {
		switch {
		case p.accept("==", "!=", "<", "<=", ">", ">=", "in"):
		case p.accept("is"):
			p.accept("not")
		case p.is("not"):
			p.next()
			p.expect("in")
		case not:
			return expr{}
		default:
			return e
		}
		p.operation()
		e = expr{}
	}
}

func (p *parser) operation() expr {
	e := p.operand()
	for p.accept("+", "-", "*", "/", "//", "%", "@", "&", "|", "^", "<<", ">>", "**") {
		p.operand()
		e = expr{}
	}
	return e
}

func (p *parser) operand() expr {
	signed := false
	for p.accept("+", "-", "~") {
		signed = true
	}
	if p.accept("await") {
		if !p.async {
			fail()
		}
		p.primary()
		return expr{}
	}
	e := p.primary()
	if signed {
		return expr{}
	}
	return e
}

// primary reads an operand with its attributes, calls and elements.
func (p *parser) primary() expr {
	defer p.deeper()()
	e := p.atom()
	for {
		switch {
		case p.accept("."):
			p.name()
			e = expr{target: true, single: true}
		case p.accept("("):
			p.arguments()
			e = expr{}
		case p.accept("["):
			p.slices()
			e = expr{target: true, single: true}
		default:
			return e
		}
	}
}

func (p *parser) slices() {
	if p.is("]") {
		fail()
	}
	for !p.accept("]") {
		if !p.is(":") {
			p.item(true)
		}
		for range 2 {
			if p.accept(":") && !p.is(":", ",", "]") {
				p.expression()
			}
		}
		if !p.accept(",") && !p.is("]") {
			fail()
		}
	}
}

// arguments reads the arguments of a call, behind its bracket.
func (p *parser) arguments() {
	keyword, unpacked := false, false
	seen := map[string]bool{}
	for n := 0; !p.accept(")"); n++ {
		switch {
		case p.accept("**"):
			unpacked = true
			p.expression()
		case p.accept("*"):
			if p.expression(); unpacked {
				fail()
			}
		case p.peek().kind == name && p.tokens[p.at+1] == token{sign, "="}:
			w := p.name()
			if seen[w] {
				fail()
			}
			seen[w], keyword = true, true
			p.next()
			p.expression()
			p.bound()
		default:
			p.named()
			p.bound()
			if p.is("for", "async") {
				if p.comprehension(); n > 0 || !p.is(")") && (!p.is(",") || p.tokens[p.at+1] != token{sign, ")"}) {
					fail()
				}
			} else if keyword || unpacked {
				fail()
			}
		}
		if !p.accept(",") && !p.is(")") {
			fail()
		}
	}
}

// bound reads the name that a pattern binds.
func (p *parser) bound() {
	if p.pattern && p.accept("as") {
		p.name()
	}
}

func (p *parser) comprehension() {
	for p.is("for", "async") {
		p.accept("async")
		p.expect("for")
		p.targets()
		p.expect("in")
		p.choice()
		for p.accept("if") {
			if p.accept("lambda") {
				fail()
			}
			if p.choice(); p.accept(":=") {
				p.expression()
			}
		}
	}
}
